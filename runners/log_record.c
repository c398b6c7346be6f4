// SPDX-License-Identifier: GPL-2.0-or-later
#include "log_record.h"

#include "record.h"

json_t *log_record(const struct klog_record *log, bool expected)
{
	json_t *record = json_pack("{s:s, s:s, s:i, s:I, s:I, s:i, s:b}", "type", "log", "class",
				   klog_class_name(log->class), "level", log->level, "kseq",
				   (json_int_t)log->seq, "ktime_us", (json_int_t)log->time_us,
				   "suppressed", (int)log->suppressed, "expected", (int)expected);

	if (log->pattern)
		json_object_set_new(record, "pattern", json_string(log->pattern));
	record_set_text(record, "text", log->text, (size_t)-1);
	return record;
}
