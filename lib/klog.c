// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel-log records from a live cursor or a saved log, grouped into events and judged.
 *
 * What counts as one event:
 * - "[ cut here ]" to "[ end trace ]" is one. The text of a WARN() stands before the "WARNING:"
 * line or after it, depending on kernel and architecture, and may say more than it does
 * ("perfevents: irq loop stuck!"): the event then has the class of the text. Where the text comes
 * second, the record says which class it was counted as before.
 * - A row with KLOG_ROW_CONT belongs to the last event when that has its class: the second and
 *   third line of an NMI, the die() line of an oops, the kthread that starves in an RCU stall.
 * - Every report of a stall or lockup is an event, also when it repeats one that lasts.
 * Messages of several CPUs may be interleaved; an event that is torn in two by this counts as two.
 */
#include "klog.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "klog_patterns.h"

/* The longest record /dev/kmsg gives (CONSOLE_EXT_LOG_MAX of the kernel's printk) and a NUL. */
#define LINE_SIZE (8192 + 1)

static const struct {
	const char *name;
	enum verdict effect;
} classes[KLOG_CLASSES] = {
	[KLOG_NONE] = { "none", VERDICT_PASS },
	[KLOG_PMU_LOOP] = { "pmu-loop", VERDICT_FAIL },
	[KLOG_PMU_ODD] = { "pmu-odd", VERDICT_FAIL },
	[KLOG_THROTTLE] = { "throttle", VERDICT_PASS },
	[KLOG_SLOW_NMI] = { "slow-nmi", VERDICT_PASS },
	[KLOG_UNKNOWN_NMI] = { "unknown-nmi", VERDICT_FAIL },
	[KLOG_RCU_STALL] = { "rcu-stall", VERDICT_FAIL },
	[KLOG_HARD_LOCKUP] = { "hard-lockup", VERDICT_FAIL },
	[KLOG_SOFT_LOCKUP] = { "soft-lockup", VERDICT_FAIL },
	[KLOG_HUNG_TASK] = { "hung-task", VERDICT_FAIL },
	[KLOG_MSR] = { "msr", VERDICT_FAIL },
	[KLOG_WARN] = { "warn", VERDICT_FAIL },
	[KLOG_OOPS] = { "oops", VERDICT_FAIL },
	[KLOG_PANIC] = { "panic", VERDICT_FAIL },
	[KLOG_LOCKDEP] = { "lockdep", VERDICT_FAIL },
	[KLOG_LOCKDEP_LIMIT] = { "lockdep-limit", VERDICT_BROKEN },
	[KLOG_TIMER] = { "timer", VERDICT_PASS },
	[KLOG_MACHINE_CHECK] = { "machine-check", VERDICT_FAIL },
};

const char *klog_class_name(enum klog_class class)
{
	return class < KLOG_CLASSES ? classes[class].name : classes[KLOG_NONE].name;
}

enum klog_class klog_class_parse(const char *name)
{
	for (enum klog_class class = KLOG_NONE; name && class < KLOG_CLASSES; class ++)
		if (!strcmp(classes[class].name, name))
			return class;
	return KLOG_NONE;
}

enum verdict klog_class_effect(enum klog_class class)
{
	return class < KLOG_CLASSES ? classes[class].effect : VERDICT_PASS;
}

enum klog_class klog_classify(const char *text, const char **pattern)
{
	const struct klog_pattern *row = klog_pattern_match(text, NULL);
	enum klog_class class = row ? row->class : KLOG_NONE;

	if (pattern)
		*pattern = class != KLOG_NONE ? row->id : NULL;
	return class;
}

int klog_open_live(struct klog *klog, struct err *err)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	klog_attach_fd(klog, fd, NULL);
	if (fd < 0)
		return err_set(err, errno, "open /dev/kmsg");
	if (lseek(fd, 0, SEEK_END) < 0) {
		int error = err_set(err, errno, "seek to the end of /dev/kmsg");

		klog_close(klog);
		return error;
	}
	return 0;
}

int klog_open_file(struct klog *klog, const char *path, struct err *err)
{
	FILE *file = fopen(path, "re");

	klog_attach(klog, file);
	return file ? 0 : err_set(err, errno, "open kernel log %s", path);
}

void klog_attach_fd(struct klog *klog, int fd, klog_read_fn read_record)
{
	*klog = (struct klog){ .fd = fd, .read = read_record ? read_record : read };
}

void klog_attach(struct klog *klog, FILE *file)
{
	*klog = (struct klog){ .fd = -1, .file = file };
}

int klog_fd(const struct klog *klog)
{
	return klog->fd;
}

void klog_close(struct klog *klog)
{
	if (klog->fd >= 0)
		close(klog->fd);
	if (klog->file)
		fclose(klog->file);
	free(klog->line);
	*klog = (struct klog){ .fd = -1 };
}

/* Whether a record of this row is part of the event that is open. */
static bool continues(const struct klog_event *event, const struct klog_pattern *row)
{
	const struct klog_pattern *open = event->row;

	if (!open)
		return false;
	if (open->class == row->class && (row->flags & KLOG_ROW_CONT) && !event->closed)
		return true;
	/* Without the frame (it is a record of its own, of a lower level) only the next line can.
	 */
	if (event->paired || (!event->framed && event->since > 1))
		return false;
	if ((open->flags & KLOG_ROW_TEXT) && row->class == KLOG_WARN)
		return true;
	return event->framed && open->class == KLOG_WARN && (row->flags & KLOG_ROW_TEXT);
}

/* A record with a class: the open event goes on, or another one begins. */
static void follow_class(struct klog_event *event, struct klog_record *record,
			 const struct klog_pattern *row)
{
	record->continues = continues(event, row);
	if (!record->continues) {
		event->row = row;
		event->closed = false;
		event->paired = false;
	} else if (!(row->flags & KLOG_ROW_CONT)) {
		event->paired = true;
		if (row->flags & KLOG_ROW_TEXT) {
			record->was = event->row->class;
			event->row = row;
		}
	}
	if (row->flags & KLOG_ROW_LAST)
		event->closed = true;
	event->since = 0;
}

/* A record without a class of its own. */
static void follow_other(struct klog_event *event, struct klog_record *record,
			 const struct klog_pattern *row)
{
	if (row && (row->flags & KLOG_ROW_FRAME)) {
		*event = (struct klog_event){ .framed = true };
		return;
	}
	record->continues = event->framed && event->row;
	if (row && (row->flags & KLOG_ROW_END)) {
		event->framed = false;
		event->paired = true;
	}
}

/* Give a record its class and its place in an event. */
static void classify(struct klog *klog, struct klog_record *record)
{
	unsigned int number = 0;
	const struct klog_pattern *row = klog_pattern_match(record->text, &number);

	klog->event.since++;
	if (!row || row->class == KLOG_NONE) {
		follow_other(&klog->event, record, row);
		if (row && (row->flags & KLOG_ROW_COUNT))
			record->suppressed = number;
		return;
	}
	if ((row->flags & KLOG_ROW_COUNT) && !number)
		return;
	record->class = row->class;
	record->pattern = row->id;
	if (row->flags & KLOG_ROW_COUNT)
		record->suppressed = number;
	else
		follow_class(&klog->event, record, row);
}

/* Notice records that are missing before seq; a smaller number is another boot in the same file. */
static void follow_sequence(struct klog *klog, uint64_t seq)
{
	if (klog->next_seq && seq > klog->next_seq) {
		klog->lost = true;
		klog->lost_count += seq - klog->next_seq;
	}
	klog->next_seq = seq + 1;
}

static int next_live(struct klog *klog, struct klog_record *record, struct err *err)
{
	ssize_t got;

	do {
		got = klog->read(klog->fd, klog->line, klog->line_size - 1);
		if (got < 0 && errno == EPIPE) {
			klog->lost = true;
			/* The sequence number says how many, if there was a record before. */
			if (!klog->next_seq)
				klog->lost_count++;
		}
	} while (got < 0 && (errno == EINTR || errno == EPIPE));
	if (got < 0)
		return errno == EAGAIN ? 0 : err_set(err, errno, "read /dev/kmsg");
	if (got == 0)
		return 0;
	klog->line[got] = '\0';
	/* Continuation lines with the device and subsystem are no part of the message. */
	klog->line[strcspn(klog->line, "\n")] = '\0';
	if (klog_parse_line(record, klog->line))
		follow_sequence(klog, record->seq);
	classify(klog, record);
	return 1;
}

/*
 * Read one line without its end, which is LF, CR (consoles) or both, so that empty lines mean
 * nothing and are left out. NULs (consoles) are dropped, what does not fit is. Returns its length,
 * or 0 at the end of the file.
 */
static size_t read_line(struct klog *klog)
{
	size_t length = 0;
	int c = getc_unlocked(klog->file);

	for (; c != EOF; c = getc_unlocked(klog->file)) {
		if (c == '\n' || c == '\r') {
			if (length)
				break;
		} else if (c && length < klog->line_size - 1) {
			klog->line[length++] = (char)c;
		}
	}
	klog->line[length] = '\0';
	return length;
}

/* " SUBSYSTEM=pci" after a raw record. */
static bool is_continuation(const struct klog *klog)
{
	return klog->raw && klog->line[0] == ' ' && strchr(klog->line, '=');
}

static int next_saved(struct klog *klog, struct klog_record *record, struct err *err)
{
	size_t length;

	errno = 0;
	do
		length = read_line(klog);
	while (length && is_continuation(klog));
	if (!length)
		return ferror(klog->file) ? err_set(err, errno, "read kernel log") : 0;
	klog->raw = klog_parse_line(record, klog->line);
	if (klog->raw)
		follow_sequence(klog, record->seq);
	classify(klog, record);
	return 1;
}

int klog_next(struct klog *klog, struct klog_record *record, struct err *err)
{
	if (!klog->line) {
		klog->line = malloc(LINE_SIZE);
		if (!klog->line)
			return err_set(err, ENOMEM, "kernel-log line");
		klog->line_size = LINE_SIZE;
	}
	return klog->file ? next_saved(klog, record, err) : next_live(klog, record, err);
}

/* A count never wraps: what is too many stays too many. */
static unsigned int saturating_add(unsigned int a, unsigned int b)
{
	return a > UINT_MAX - b ? UINT_MAX : a + b;
}

void klog_tally_add(struct klog_tally *tally, const struct klog_record *record)
{
	enum klog_class class = record->class;

	if (class == KLOG_NONE || class >= KLOG_CLASSES)
		return;
	if (record->suppressed) {
		tally->count[class] = saturating_add(tally->count[class], record->suppressed);
	} else if (!record->continues) {
		tally->count[class] = saturating_add(tally->count[class], 1);
	} else if (record->was != KLOG_NONE && record->was < KLOG_CLASSES) {
		if (tally->count[record->was])
			tally->count[record->was]--;
		tally->count[class] = saturating_add(tally->count[class], 1);
	} else {
		return;
	}
	if (!tally->first[class][0] || tally->count[class] == 1)
		snprintf(tally->first[class], sizeof(tally->first[class]), "%.*s",
			 KLOG_FIRST_MAX - 1, record->text);
}

static unsigned int allowed(const struct klog_allow *allow, enum klog_class class)
{
	for (; allow && allow->class != KLOG_NONE; allow++)
		if (allow->class == class)
			return allow->max;
	return 0;
}

/* The worst that any class beyond its allowance means. */
static enum verdict worst_effect(const struct klog_tally *tally, const struct klog_allow *allow)
{
	enum verdict worst = VERDICT_PASS;

	for (enum klog_class class = KLOG_NONE + 1; class < KLOG_CLASSES; class ++)
		if (tally->count[class] > allowed(allow, class))
			worst = verdict_worse(worst, klog_class_effect(class));
	return worst;
}

/* Append what exceeds its allowance and has this effect; a line too long is cut. */
static void explain(const struct klog_tally *tally, const struct klog_allow *allow,
		    enum verdict effect, struct err *why)
{
	const char *separator = ": ";

	err_set(why, 0, "kernel log");
	for (enum klog_class class = KLOG_NONE + 1; class < KLOG_CLASSES; class ++) {
		size_t used = strlen(why->text);
		unsigned int max = allowed(allow, class);

		if (tally->count[class] <= max || klog_class_effect(class) != effect)
			continue;
		snprintf(why->text + used, sizeof(why->text) - used, "%s%u x %s (%u allowed): %s",
			 separator, tally->count[class], klog_class_name(class), max,
			 tally->first[class]);
		separator = "; ";
	}
	if (separator[0] == ':')
		err_set(why, 0, "kernel log: nothing beyond what is allowed");
}

enum verdict klog_judge(const struct klog_tally *tally, const struct klog_allow *allow,
			struct err *why)
{
	enum verdict verdict = worst_effect(tally, allow);
	struct err ignored;

	if (!why)
		why = &ignored;
	if (tally->lost && verdict > VERDICT_BROKEN) {
		err_set(why, 0, "kernel log: %llu or more records lost",
			(unsigned long long)tally->lost_count);
		return VERDICT_BROKEN;
	}
	explain(tally, allow, verdict, why);
	return verdict;
}
