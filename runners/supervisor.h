/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_SUPERVISOR_H
#define PMIPROOF_SUPERVISOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "cpus.h"
#include "err.h"
#include "journal.h"
#include "judge.h"
#include "progress.h"
#include "suite.h"
#include "tap.h"

struct hazard;
struct known_live;

/* What one run holds while it goes through its tests. */
struct supervisor {
	struct journal *journal;
	struct progress *progress;
	struct tap *tap;
	const struct known_live *known; /* what failed is shown as, or NULL */
	const struct cpus *cpus;	/* a test may run on these; the supervisor keeps to fewer */
	double scale;			/* of all budgets */
	int place;			/* directory for cgroups, or -1 */
	int signals;			/* signalfd of what interrupts a run */
	bool acknowledge;		/* tell a test when a record is journaled */
	pid_t janitor;			/* a child of ours that is no test */
	struct hazard *hazard;		/* what is held while a test may hang, or NULL */
	unsigned int interrupts;	/* how often a run was interrupted: Ctrl-C */
	unsigned int started;		/* tests so far */
	pid_t stuck; /* process that cannot be killed: nothing more may be started; or 0 */
};

/* One entry of the plan. */
struct planned {
	const struct suite_test *test;
	unsigned int iter; /* 1.. */
	size_t number;	   /* 1.., in the whole run */
	const char *label; /* for people: its name, with the repetition where there are several */
	char *const *argv; /* how to start it */
	enum verdict verdict; /* what came out */
};

/*
 * Run one test and journal it from start to end. Returns 0 and sets planned->verdict, or -errno
 * when the journal cannot be written: then the run is over (the test has been ended).
 */
int supervisor_run(struct supervisor *supervisor, struct planned *planned, struct err *err);

/* Journal the end of a test that is not started at all. */
int supervisor_pass_over(struct supervisor *supervisor, struct planned *planned,
			 enum verdict verdict, const char *reason, struct err *err);

/*
 * Journal the end of a test that an earlier supervisor has started: what `judge` found, `restored`
 * (array of sysctls, not taken over) and how long it ran, as far as that is known. `log_lost`: not
 * all of its kernel log is.
 */
int supervisor_settle(struct supervisor *supervisor, struct planned *planned,
		      const struct judge *judge, json_t *restored, double duration_s, bool log_lost,
		      struct err *err);

/* Journal a remark about the whole run. */
int supervisor_note(struct supervisor *supervisor, const char *text, struct err *err);

/*
 * Is what could not be killed still there? Once it is gone it is forgotten, and the run can go on.
 */
bool supervisor_is_stuck(struct supervisor *supervisor);

/* Has a Ctrl-C come since the last look? Counts it. */
void supervisor_look_for_interrupt(struct supervisor *supervisor);

#endif
