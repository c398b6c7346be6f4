/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_EVIDENCE_H
#define PMIPROOF_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "err.h"
#include "journal.h"
#include "judge.h"
#include "klog.h"

/*
 * What is found, by a run that is resumed, of why it was cut off: it goes to the journal as records
 * of the test that was in flight, before that gets its end. When none was (`test` NULL), it goes
 * there as records of the run, without text as it was found.
 */
struct evidence {
	struct journal *journal;
	const char *test;
	unsigned int iter;
	const struct klog_allow
		*allow; /* what the test may cause in the kernel log; NULL: nothing */
	struct klog_tally tally;
	char worst[300]; /* the first panic, oops, lockup or stall: "panic: Kernel panic - ..." */
	char reset[160]; /* what a watchdog says of a reset, "" : none says that it made one */
	unsigned int taken; /* files of pstore */
	int result;	    /* first error in writing the journal */
	struct err err;
};

/*
 * What the kernel left in `dir` (/sys/fs/pstore) when it died: every line as "output" of the stream
 * "pstore", and what the kernel log says in it as "log" records. A file is removed when all of it
 * is on disk in the journal, which it never is without a test. Files from before `since` (seconds
 * since the epoch), compressed ones, and what cannot be read stay where they are, too, which is
 * noted.
 */
void evidence_pstore(struct evidence *evidence, const char *dir, time_t since);

/*
 * The kernel log of this boot, if the machine was not reset: records that came after `since_us`
 * (since boot) and after number `kseq`. Their last lines become "output" of the stream "kmsg".
 */
void evidence_kernel_log(struct evidence *evidence, uint64_t kseq, uint64_t since_us);

/* What watchdogs say of the reset, as notes. `root` as of watchdog_find(). */
void evidence_watchdog(struct evidence *evidence, const char *root);

/* A remark. */
void evidence_note(struct evidence *evidence, const char *text);

#endif
