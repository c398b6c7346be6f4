/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MODEL_H
#define PMIPROOF_MODEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "err.h"
#include "verdict.h"

/*
 * A journal read back and sorted by what it belongs to: what every kind of report is made from. It
 * holds the records as they were written (docs/records.md); those with a key missing or of the
 * wrong type never get in. Everything belongs to the report and goes with report_free().
 */

/*
 * One execution of a hypothesis. What was not run, and is run by a resumed run after all, is as if
 * that had been the first time. The arrays are never NULL, the single records are until seen. */
struct report_execution {
	unsigned int iter; /* from 1 */
	json_t *start;
	json_t *said; /* the test's own "verdict" record */
	json_t *end;
	json_t *controls;
	json_t *measures;
	json_t *checks;
	json_t *logs;
	json_t *notes;
	json_t *output;
	json_t *watchdog;   /* that was held while it ran, */
	json_t *escalation; /* ... and what the kernel was told to panic at */
	bool known;	    /* what failed is a known issue: known_apply() */
};

/* A hypothesis: planned, executed, or both. */
struct report_test {
	const char *name;
	json_t *plan;			     /* its entry in "planned", or NULL */
	struct report_execution *executions; /* in the order they began */
	size_t n_executions;
	json_t *index; /* iteration -> which of them; there may be a million */
};

struct report {
	json_t *run;	 /* NULL only when the journal is empty */
	json_t *machine; /* object: all machine records merged, later ones win; never NULL */
	json_t *done;	 /* NULL: the run was cut short */
	json_t *resumes; /* "resume" records; what was done before one is not done any more */
	json_t *notes;	 /* of no hypothesis; as are these kernel-log events */
	json_t *logs;
	json_t *watchdogs; /* that the machine has, as of the last time the run began */
	json_t *ignored; /* records of unknown types, and repetitions of a record that is single */
	json_t *kept;	 /* all records, in the order written */
	json_t *known;	 /* entries of the table of known issues: known_apply() */
	struct report_test *tests; /* in the order planned, then in the order met */
	size_t n_tests;
	json_t *index; /* name -> which of them */
	bool emulated; /* figures describe an emulation, not silicon */
	bool cut;      /* the last line was not whole, and dropped */
};

/*
 * So many samples of all series together: 800 MB in the tests that took them. A report that claims
 * more is damaged.
 */
#define REPORT_SAMPLES_MAX 100000000

/*
 * Read a report directory or journal file. Returns 0 or -errno; -EBADMSG when a record is wrong,
 * with err naming file and line. On error nothing is left to free.
 */
int report_read(struct report *report, const char *path, struct err *err);

void report_free(struct report *report);

/* The hypothesis of that name, or NULL. */
const struct report_test *report_find_test(const struct report *report, const char *name);

/*
 * Is a record with a "type" one that report_read() would take? -EBADMSG when not, with err naming
 * `name` and `line`.
 */
int report_check(const json_t *record, const char *name, unsigned long line, struct err *err);

/*
 * Verdict of one execution: what its "end" says, or VERDICT_KNOWN where a known issue explains it;
 * VERDICT_NONE when it has none, that is when the run stopped there.
 */
enum verdict report_execution_verdict(const struct report_execution *execution);

/*
 * Verdict of a hypothesis: the worst of its executions. One that stopped without a verdict makes
 * VERDICT_NONE unless another is hung, fail or broken, for what stopped it is not known. A
 * hypothesis that was planned but never started is VERDICT_NOTRUN.
 */
enum verdict report_test_verdict(const struct report_test *test);

/* The first execution that has the verdict of the test, or NULL when there is none. */
const struct report_execution *report_test_deciding(const struct report_test *test);

#endif
