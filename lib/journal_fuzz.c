// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a journal: the reader must end, with an error or with records, and leak nothing. */
#include <stdint.h>
#include <stdio.h>

#include "journal.h"
#include "record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct journal_reader reader;
	json_t *record, *text = json_object();
	struct err err;
	FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	/* What a machine prints becomes a record value, whatever it is. */
	record_set_text(text, "text", (const char *)data, size);
	json_decref(text);
	if (!file)
		return 0;
	journal_attach(&reader, file, "input");
	while (journal_next(&reader, &record, &err) > 0)
		json_decref(record);
	journal_finish(&reader);
	return 0;
}
