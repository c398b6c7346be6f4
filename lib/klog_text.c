// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a line of a log to a record. The same message may reach us as
 *   6,1234,5678901,-,caller=T12;text         /dev/kmsg, and netconsole's extended form
 *   <6>[    5.678901][   T12] text           pstore, dmesg -r, LOG_BUF of a crash dump
 *   [    5.678901] text                      dmesg, serial console
 *   kern  :info  : [    5.678901] text       dmesg -x
 *   [Mon Nov 30 12:00:00 2026] text          dmesg -T
 *   2026-11-30T12:00:00,678901+00:00 text    dmesg --time-format iso
 *   Nov 30 12:00:00 host kernel: text        journalctl -k, syslog; also with ISO times
 * and mixtures of these, so stamps are taken off one after the other until none is left.
 */
#include "klog_patterns.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* "2026-... host kernel: <4>[    1.0][  T1] " is the longest mixture seen; more is not a stamp. */
#define STAMPS_MAX 6

#define US_PER_S 1000000U

/* Length of ".345678] ", the end of a stamp of printk. */
#define STAMP_TAIL 9

enum stamp_kind {
	STAMP_OTHER, /* nothing to keep */
	STAMP_TIME,  /* seconds since boot */
	STAMP_LEVEL, /* <N> */
	STAMP_HOST,  /* only after another stamp: "any kernel: text" may be a message */
};

static const struct {
	enum stamp_kind kind;
	const char *form;
} stamps[] = {
	{ STAMP_LEVEL, "<%u>" },
	{ STAMP_TIME, "[%_%u.%u]" },
	{ STAMP_TIME, "[%_%u.%u <%_%u.%u>]" },
	{ STAMP_OTHER, "[%_T%u]" },
	{ STAMP_OTHER, "[%_C%u]" },
	{ STAMP_OTHER, "[<%_%u.%u>]" },
	{ STAMP_OTHER, "[%_+%u.%u]" },
	{ STAMP_OTHER, "[%w%u %u:%u]" },
	{ STAMP_OTHER, "[%w %w%_%u %u:%u:%u %u]" },
	{ STAMP_OTHER, "%u-%u-%uT%u:%u:%z " },
	{ STAMP_OTHER, "%w%_%u %u:%u:%u " },
	{ STAMP_HOST, "%h kernel: " },
};

static const char *const levels[] = { "emerg", "alert",	 "crit", "err",
				      "warn",  "notice", "info", "debug" };
static const char *const facilities[] = { "kern",     "user",	"mail",	  "daemon", "auth",
					  "syslog",   "lpr",	"news",	  "uucp",   "cron",
					  "authpriv", "ftp",	"local0", "local1", "local2",
					  "local3",   "local4", "local5", "local6", "local7" };

/* Microseconds of "12.345678"; 0 for what does not fit. */
static uint64_t parse_time(const char *text)
{
	char *end;
	uint64_t seconds = strtoull(text, &end, 10);
	uint64_t fraction = 0;
	unsigned int scale = US_PER_S;

	if (seconds > UINT64_MAX / US_PER_S - 1)
		return 0;
	if (*end == '.')
		for (end++; isdigit((unsigned char)*end) && scale > 1; end++) {
			scale /= 10;
			fraction += (uint64_t)(*end - '0') * scale;
		}
	return seconds * US_PER_S + fraction;
}

/* Which of n names text begins with, blanks and a colon following; *end is behind the colon. */
static int match_name(const char *const *names, int n, const char *text, const char **end)
{
	for (int i = 0; i < n; i++) {
		size_t length = strlen(names[i]);

		if (strncmp(text, names[i], length) != 0)
			continue;
		*end = text + length;
		*end += strspn(*end, " ");
		if (**end == ':') {
			(*end)++;
			return i;
		}
	}
	return -1;
}

/* "kern  :warn  : " as dmesg -x prints it. */
static const char *strip_facility(struct klog_record *record, const char *line)
{
	const char *end;
	int level;

	if (match_name(facilities, sizeof(facilities) / sizeof(facilities[0]), line, &end) < 0)
		return NULL;
	level = match_name(levels, sizeof(levels) / sizeof(levels[0]), end, &end);
	if (level < 0 || *end != ' ')
		return NULL;
	record->level = level;
	return end + 1;
}

/* Take one stamp off; NULL when there is none. */
static const char *strip_stamp(struct klog_record *record, const char *line, bool first)
{
	for (size_t i = 0; i < sizeof(stamps) / sizeof(stamps[0]); i++) {
		unsigned int number = 0;
		const char *end;

		if (stamps[i].kind == STAMP_HOST && first)
			continue;
		end = klog_form_match(stamps[i].form, line, &number);
		if (!end)
			continue;
		if (stamps[i].kind == STAMP_TIME)
			record->time_us = parse_time(line + 1 + strspn(line + 1, " "));
		if (stamps[i].kind == STAMP_LEVEL)
			record->level = (int)(number & 7);
		if (*line == '[' && *end == ' ')
			end++;
		return end;
	}
	return strip_facility(record, line);
}

/*
 * On a console a message may follow a prompt or half a line of something else. A line without any
 * stamp is therefore searched for the one of printk, which has six decimals.
 */
static const char *find_stamp(const char *line)
{
	for (const char *p = strchr(line, '['); p; p = strchr(p + 1, '[')) {
		const char *end = klog_form_match("[%_%u.%u] ", p, NULL);

		if (end && end - p > STAMP_TAIL && end[-STAMP_TAIL] == '.')
			return p;
	}
	return NULL;
}

static char printable(char c)
{
	if (c == '\t' || (c >= ' ' && c <= '~'))
		return c;
	return isspace((unsigned char)c) ? ' ' : '?';
}

/* One byte of a /dev/kmsg text, where "\x0a" stands for what is not printable. */
static const char *unescape(const char *text, char *c)
{
	if (text[0] == '\\' && text[1] == 'x' && isxdigit((unsigned char)text[2]) &&
	    isxdigit((unsigned char)text[3])) {
		const char digits[3] = { text[2], text[3], '\0' };

		*c = (char)strtoul(digits, NULL, 16);
		return text + 4;
	}
	*c = *text;
	return text + 1;
}

/* Copy a message: printable ASCII and tabs, blanks for line breaks, '?' for the rest. */
static void copy_text(struct klog_record *record, const char *text, bool escaped)
{
	size_t used = 0;

	while (*text && used < sizeof(record->text) - 1) {
		char c = *text;

		if (escaped)
			text = unescape(text, &c);
		else
			text++;
		if (c == '\n' && used == 0)
			continue;
		record->text[used++] = printable(c);
	}
	record->text[used] = '\0';
}

/* "6,1234,5678901,-,caller=T12;text"; continuation lines " KEY=value" may follow and are left. */
static bool parse_raw(struct klog_record *record, const char *line)
{
	const char *text;
	char *end;
	unsigned long priority;
	uint64_t seq;
	uint64_t time_us;

	if (!klog_form_match("%u,%u,%u,", line, NULL) || !isdigit((unsigned char)*line))
		return false;
	text = line + strcspn(line, "; ");
	if (*text != ';')
		return false;
	priority = strtoul(line, &end, 10);
	seq = strtoull(end + 1, &end, 10);
	time_us = strtoull(end + 1, &end, 10);
	record->level = (int)(priority & 7);
	record->seq = seq;
	record->time_us = time_us;
	copy_text(record, text + 1, true);
	return true;
}

bool klog_parse_line(struct klog_record *record, const char *line)
{
	const char *next;

	*record = (struct klog_record){ .level = -1 };
	if (parse_raw(record, line))
		return true;
	for (int i = 0; i < STAMPS_MAX; i++) {
		next = strip_stamp(record, line, i == 0);
		if (!next && i == 0)
			next = find_stamp(line);
		if (!next)
			break;
		line = next;
	}
	copy_text(record, line, false);
	return false;
}
