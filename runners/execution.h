/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_EXECUTION_H
#define PMIPROOF_EXECUTION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cgroup.h"
#include "err.h"
#include "intake.h"
#include "judge.h"
#include "klog.h"
#include "lines.h"
#include "output.h"
#include "supervisor.h"

/* Why a test ended. */
enum ending {
	ENDING_OWN,	  /* by itself */
	ENDING_BUDGET,	  /* it took longer than it said */
	ENDING_INACTIVE,  /* it gave no sign of life */
	ENDING_INTERRUPT, /* somebody ended the run */
	ENDING_JOURNAL,	  /* what it said could not be written down */
};

struct execution;

/* Standard output or standard error of a test. */
struct stream {
	struct execution *execution;
	const char *name; /* "stdout", "stderr" */
	bool is_stderr;
	struct lines lines;
	struct output output;
	char last[256]; /* line, for the reason of a verdict */
};

/* One test while it runs, and then what is known about how it went. */
struct execution {
	struct supervisor *supervisor;
	const struct planned *planned;
	struct intake intake;
	struct lines records;
	int ack; /* where acknowledgements go, -1: nowhere */
	struct stream streams[2];
	struct klog klog;
	bool klog_open;
	struct err klog_err; /* why it is not */
	struct klog_tally tally;
	unsigned int logged; /* kernel-log records journaled */
	struct cgroup cgroup;
	pid_t pid;
	int pidfd;
	enum ending ending;
	bool gone;	  /* the process has ended */
	bool killed;	  /* SIGTERM was not enough */
	pid_t stuck;	  /* for this one, its or of what it left, SIGKILL was not enough, ... */
	char stuck_state; /* ... with this state (proc(5)) ... */
	double stuck_s;	  /* ... this long after it */
	int status;	  /* as of waitpid() */
	int64_t started;  /* clock_ms() of the start, ... */
	int64_t active;	  /* ... of the last sign of life, ... */
	int64_t next;	  /* ... of SIGKILL while it is being ended, ... */
	int64_t ended;	  /* ... and of the end */
	size_t survivors; /* processes that it left behind */
	char survivor_names[256];
	int journal_result; /* first error in writing the journal */
	struct err journal_err;
};

/*
 * Make ready: pipes, kernel-log cursor, cgroup. What is missing (no kernel log, no cgroup) is lived
 * with. -errno with nothing to free.
 */
int execution_prepare(struct execution *execution, struct supervisor *supervisor,
		      const struct planned *planned, struct err *err);

/* Start the test, follow it to its end, kill what it leaves. -errno: it could not be started. */
int execution_run(struct execution *execution, struct err *err);

/* What the way it ended, its records and the kernel log say. */
void execution_judge(const struct execution *execution, struct judge *judge);

void execution_free(struct execution *execution);

/*
 * Journal a record of this execution (takes over the reference). Errors are kept in
 * journal_result. For a record of a test that is not executed see supervisor_pass_over().
 */
void execution_append(struct execution *execution, json_t *record, bool sync);

/*
 * Is a process in this state (proc(5); 0: there is none) this long after SIGKILL not to be waited
 * for any longer?
 */
bool execution_is_stuck(char state, int64_t since_kill_ms);

/* How long a test may give no sign of life: half its budget, but 30 s are always granted. */
int64_t execution_inactivity_ms(double budget_s);

#endif
