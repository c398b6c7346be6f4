/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_KLOG_PATTERNS_H
#define PMIPROOF_KLOG_PATTERNS_H

#include <stddef.h>

#include "klog.h"

/* How a row takes part in an event of several records. A row without flags opens an event. */
enum klog_row {
	KLOG_ROW_CONT = 1 << 0,	 /* belongs to the open event when that has the same class */
	KLOG_ROW_LAST = 1 << 1,	 /* no KLOG_ROW_CONT row after it belongs to the same event */
	KLOG_ROW_TEXT = 1 << 2,	 /* the message of a WARN(): one event with its "WARNING:" line */
	KLOG_ROW_COUNT = 1 << 3, /* "N callbacks suppressed": no event, N missing ones */
	KLOG_ROW_FRAME = 1 << 4, /* "[ cut here ]": what follows is one event */
	KLOG_ROW_END = 1 << 5,	 /* "[ end trace ]": the event is over */
};

/*
 * One row: a form of message, what it means, and a name for it that stays when the wording moves.
 * The form is matched at the start of the message and need not reach its end:
 *   %u  a decimal number, perhaps with a sign      %_  any number of spaces, also none
 *   %x  a hexadecimal number, perhaps with 0x      %w  letters
 *   *   anything, also nothing                     %h  neither space nor colon (a host name)
 *   $   the end of the message                     %z  time of day with fraction and zone
 * Anything else stands for itself.
 */
struct klog_pattern {
	const char *id;
	enum klog_class class;
	unsigned int flags;
	const char *form;
};

extern const struct klog_pattern klog_patterns[];
extern const size_t klog_pattern_count;

/*
 * The first row that matches text, with or without the prefix of a subsystem ("rcu: "), or NULL.
 * *number, which may be NULL, gets the last %u of the form.
 */
const struct klog_pattern *klog_pattern_match(const char *text, unsigned int *number);

/* Match one form at the start of text: where the match ends, or NULL. */
const char *klog_form_match(const char *form, const char *text, unsigned int *number);

/*
 * Fill record from one line of a log, in any of the forms klog_open_file() knows. Returns true when
 * the line is a raw /dev/kmsg record, the only form with a sequence number.
 */
bool klog_parse_line(struct klog_record *record, const char *line);

#endif
