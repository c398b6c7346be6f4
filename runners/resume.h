/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_RESUME_H
#define PMIPROOF_RESUME_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>

#include "err.h"
#include "journal_state.h"
#include "plan.h"
#include "supervisor.h"

/* A run that was cut off and goes on: what its journal says, and what comes of that. */
struct resume {
	struct journal_state state;
	const char *dir;     /* of the report; the caller's */
	uint64_t seq, whole; /* of the journal, as journal_cut() takes them */
	json_int_t cut;	     /* bytes behind that */
	int argc;	     /* the command line of the run, ... */
	char **argv;	     /* ... whose texts belong to its "run" record */
	char loop[160];	     /* why it is not resumed any more; "": it is */
	unsigned int resets_max;
};

/*
 * Take the journal in `dir`: it is opened, locked and read, and not changed yet. `resets_max` as of
 * journal_state_loops(). -EINVAL for what no run can be resumed from.
 */
int resume_open(struct resume *resume, struct journal *journal, const char *dir,
		unsigned int resets_max, struct err *err);

void resume_free(struct resume *resume);

/*
 * A name on the command line of the run, seen from where that was started. 0 or -ENAMETOOLONG.
 */
int resume_path(const struct resume *resume, const char *name, char *path, size_t size,
		struct err *err);

/*
 * Go to the directory that the run was started in, where a name or a workload depends on that, and
 * refuse another kernel than that which the run began with.
 */
int resume_surroundings(const struct resume *resume, struct err *err);

/*
 * Compare with the plan made anew, and enter what the tests have come to. With `retry_hung` those
 * that hung are added as further iterations. *retries: how many.
 */
int resume_plan(const struct resume *resume, const struct suite *suite, struct plan *plan,
		bool retry_hung, size_t *retries, struct err *err);

/* The "resume" record. `left`: entries of the plan that are to be run. */
json_t *resume_record(const struct resume *resume, size_t left);

/*
 * Put the machine back as the run found it, where it was not restarted, and end the test in flight
 * with what can be known of it.
 */
int resume_settle(const struct resume *resume, struct supervisor *supervisor, struct plan *plan,
		  struct err *err);

#endif
