/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_KLOG_H
#define PMIPROOF_KLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "err.h"
#include "verdict.h"

/*
 * What a kernel-log message means to us. A class, not a message, is what a hypothesis allows and
 * a report counts: the wording changes from kernel to kernel (lib/klog_patterns.c lists the forms).
 */
enum klog_class {
	KLOG_NONE,
	KLOG_PMU_LOOP, /* "perfevents: irq loop stuck!" and its relatives */
	KLOG_PMU_ODD,  /* AMD inactive-PMC overflows, reserved status bits, Alpha silly PMI index */
	KLOG_THROTTLE, /* "perf: interrupt took too long", sample rate lowered */
	KLOG_SLOW_NMI, /* "INFO: NMI handler (...) took too long to run" */
	KLOG_UNKNOWN_NMI, /* "Uhhuh. NMI received for unknown reason" */
	KLOG_RCU_STALL,
	KLOG_HARD_LOCKUP,
	KLOG_SOFT_LOCKUP,
	KLOG_HUNG_TASK,
	KLOG_MSR,  /* unchecked MSR access */
	KLOG_WARN, /* WARN_ON and friends */
	KLOG_OOPS, /* oops, BUG, bad page fault, Alpha die_if_kernel */
	KLOG_PANIC,
	KLOG_LOCKDEP,
	KLOG_LOCKDEP_LIMIT, /* lockdep ran out of space: infrastructure, not a finding */
	KLOG_TIMER,	    /* hrtimer took long, clocksource unstable */
	KLOG_MACHINE_CHECK,
	KLOG_CLASSES,
};

/* Name as used in records and on the command line ("rcu-stall"). Never NULL. */
const char *klog_class_name(enum klog_class class);
enum klog_class klog_class_parse(const char *name); /* KLOG_NONE when unknown */

/* What one unexpected message of this class makes of a verdict: FAIL, BROKEN, or PASS (a metric).
 */
enum verdict klog_class_effect(enum klog_class class);

/* A hypothesis may cause up to `max` messages of `class`. A table of these ends with KLOG_NONE. */
struct klog_allow {
	enum klog_class class;
	unsigned int max;
};

#define KLOG_TEXT_MAX 1024

/*
 * One kernel-log record. seq and time_us are 0 where the source has none (dmesg text, console).
 * An event is one or several records: count those with a class that do not continue (and move one
 * count from `was` where that is set), as klog_tally_add() does.
 */
struct klog_record {
	uint64_t seq;
	uint64_t time_us; /* since boot */
	int level;	  /* 0 emerg .. 7 debug; -1 unknown */
	enum klog_class class;
	const char *pattern; /* id of the matching row of the pattern table, NULL when none */
	bool continues; /* belongs to the event of a record before (second line of an NMI, a trace)
			 */
	enum klog_class was; /* the event counted as this until now, and is of `class` instead */
	unsigned int suppressed;  /* "N callbacks suppressed": how many of `class` are missing */
	char text[KLOG_TEXT_MAX]; /* message without stamps, printable ASCII and tabs, cut to fit */
};

/* A row of the pattern table (lib/klog_patterns.h). */
struct klog_pattern;

/* The event that is open, for records that continue it. */
struct klog_event {
	const struct klog_pattern *row; /* what gave it its class; NULL: none is open */
	bool framed;			/* between "[ cut here ]" and "[ end trace ]" */
	bool closed;			/* takes no further KLOG_ROW_CONT rows */
	bool paired;	    /* both the text and the "WARNING:" line of a WARN() were seen */
	unsigned int since; /* records since its last one */
};

/* Reads like read(2); a test puts a source of its own in its place. */
typedef ssize_t (*klog_read_fn)(int fd, void *buf, size_t size);

/* A source of kernel-log records: a live cursor, or saved text. */
struct klog {
	int fd;	    /* /dev/kmsg, or -1 */
	FILE *file; /* saved text, or NULL */
	uint64_t next_seq;
	bool lost; /* records were overwritten before they were read, or the sequence has a gap */
	uint64_t lost_count;
	struct klog_event event;
	klog_read_fn read;
	bool raw; /* the line before was a raw /dev/kmsg record */
	char *line;
	size_t line_size;
};

/* Open /dev/kmsg with the cursor at the end: only what comes from now on is read. */
int klog_open_live(struct klog *klog, struct err *err);

/*
 * Open a saved log: dmesg text (with or without timestamps, facility, caller), a serial console
 * log, a pstore file, or raw /dev/kmsg lines; the form is recognised line by line.
 */
int klog_open_file(struct klog *klog, const char *path, struct err *err);

/*
 * Read raw records from fd, one for every read, as from /dev/kmsg opened non-blocking; klog_close()
 * closes it. `read` NULL means read(2).
 */
void klog_attach_fd(struct klog *klog, int fd, klog_read_fn read);

/* Read from an open stream, closed by klog_close(). */
void klog_attach(struct klog *klog, FILE *file);

/*
 * The next record. Returns 1, 0 when there is none (now: live; at all: saved), -errno on a read
 * error or without memory. Overwritten records (EPIPE) and sequence gaps set `lost` and reading
 * goes on.
 */
int klog_next(struct klog *klog, struct klog_record *record, struct err *err);

/* Descriptor to poll for a live source. */
int klog_fd(const struct klog *klog);

void klog_close(struct klog *klog);

/* Classify one message (already without time stamp) by itself; *pattern may be NULL. */
enum klog_class klog_classify(const char *text, const char **pattern);

#define KLOG_FIRST_MAX 160

/* Counts of events (not records) per class while a hypothesis ran. */
struct klog_tally {
	unsigned int count[KLOG_CLASSES];
	bool lost;				  /* set by the caller from struct klog */
	uint64_t lost_count;			  /* at least so many, when lost */
	char first[KLOG_CLASSES][KLOG_FIRST_MAX]; /* text of the first event of each class */
};

/* Count the event a record opens, reclassifies, or says is missing; nothing otherwise. */
void klog_tally_add(struct klog_tally *tally, const struct klog_record *record);

/*
 * Judge a tally against what was allowed (NULL: nothing): the worst effect of any class beyond its
 * allowance, BROKEN when records were lost, else PASS. `why` (may be NULL) gets one line, such as
 * "kernel log: 2 x rcu-stall (0 allowed): INFO: rcu_sched self-detected stall on CPU".
 */
enum verdict klog_judge(const struct klog_tally *tally, const struct klog_allow *allow,
			struct err *why);

#endif
