// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a journal: the reader must end, with an error or with records, and leak nothing. */
#include <stdint.h>
#include <stdio.h>

#include "journal.h"
#include "journal_state.h"
#include "record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct journal_state state;
	struct journal_reader reader;
	char why[160];
	json_t *record, *text = json_object();
	struct err err;
	FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	/* What a machine prints becomes a record value, whatever it is. */
	record_set_text(text, "text", (const char *)data, size);
	json_decref(text);
	if (!file)
		return 0;
	journal_attach(&reader, file, "input");
	/* What a resumed run makes of it: stops at the first record that cannot be. */
	journal_state_init(&state);
	journal_state_read(&state, &reader, &err);
	while (journal_next(&reader, &record, &err) > 0)
		json_decref(record);
	journal_state_now(&state, "b", &err);
	journal_state_loops(&state, 0, why, sizeof(why));
	journal_state_free(&state);
	journal_finish(&reader);
	return 0;
}
