// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a saved log: every record is sound, and reading ends. */
#include <stdlib.h>
#include <string.h>

#include "klog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct klog klog;
	struct klog_record record;
	struct klog_tally tally = { .lost = false };
	size_t records = 0;
	FILE *file = size ? fmemopen((void *)data, size, "r") : NULL;

	if (!file)
		return 0;
	klog_attach(&klog, file);
	while (klog_next(&klog, &record, NULL) > 0) {
		if (!memchr(record.text, '\0', sizeof(record.text)) || ++records > size ||
		    record.level < -1 || record.level > 7 || record.class >= KLOG_CLASSES ||
		    !record.pattern != (record.class == KLOG_NONE))
			abort();
		klog_tally_add(&tally, &record);
	}
	klog_judge(&tally, NULL, NULL);
	klog_close(&klog);
	return 0;
}
