/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_JOURNAL_STATE_H
#define PMIPROOF_JOURNAL_STATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "journal.h"
#include "verdict.h"

/*
 * How far a run has come, of its journal alone: what a resumed run goes by. All of it is computed
 * from the records given to journal_state_take(), in their order, and from nothing else.
 *
 * In a journal each test and iteration has one result at most: an "end" with a verdict other than
 * "notrun". One that was not run may be started, or passed over, again by a resumed run.
 */

/* Unless somebody says otherwise: resets of the machine in a run, and those in a row in which no
 * test got its verdict, after which a run is not resumed. */
#define JOURNAL_RESETS_MAX 3
#define JOURNAL_FRUITLESS_MAX 2

struct journal_state {
	json_t *run;	     /* its "run" record, NULL before that was taken */
	json_t *results;     /* object: see journal_state_verdict() */
	json_t *extra;	     /* array of "start" and "end" of iterations beyond those planned */
	json_t *start;	     /* "start" of the test in flight, NULL: none is */
	json_t *last;	     /* its last record */
	json_t *failed;	     /* the first "check" of it that failed, NULL: none */
	json_t *boots;	     /* array of boot ids, in the order in which the machine had them */
	json_t *saved;	     /* array of "saved" records of this boot that nobody has put back */
	json_t *watchdog;    /* "watchdog" record of the last one held in this boot, NULL: none */
	const char *release; /* of the kernel, of the last "machine" record; NULL: it has none */
	json_t *machine;     /* that record */
	uint64_t kseq;	     /* of the last "log" record of this boot */
	size_t kept;	     /* results */
	unsigned int resets; /* of the machine, while the run was not done */
	unsigned int fruitless; /* of these, since the last result */
	bool done;		/* it has said so, and was not resumed after that */
	bool interrupted;	/* it was, when it was done */
	bool stopped;		/* it was resumed to say that it is not resumed any more */
	bool rebooted;		/* since its last record; see journal_state_now() */
	bool notrun;		/* something was not run, when it was done */
	bool lab;		/* it is the journal of a lab's host */
	int exit;		/* code, when it was done */
};

/* Both are for any state in which all is zero, too. */
void journal_state_init(struct journal_state *state);
void journal_state_free(struct journal_state *state);

/*
 * Take the next record. -EBADMSG when it cannot follow those before it: a test that was not
 * planned, a second start, a second result, anything after the end.
 */
int journal_state_take(struct journal_state *state, json_t *record, struct err *err);

/* Take all records of a reader. Errors name file and line. */
int journal_state_read(struct journal_state *state, struct journal_reader *reader, struct err *err);

/* There are no more records, and the machine has this boot id. */
int journal_state_now(struct journal_state *state, const char *boot, struct err *err);

/* Of a test and iteration; VERDICT_NONE when it is not known, as for the one in flight. */
enum verdict journal_state_verdict(const struct journal_state *state, const char *test,
				   unsigned int iter);

/* Is this the test in flight? */
bool journal_state_runs(const struct journal_state *state, const char *test, unsigned int iter);

/*
 * Is nothing left to be done? `resets_max` as below: a run that was stopped is complete unless
 * more resets are granted than it has seen.
 */
bool journal_state_complete(const struct journal_state *state, unsigned int resets_max);

/*
 * Must it not be resumed, because the machine is reset again and again? Then `why` says it.
 * `resets_max`: resets granted, 0 for the limits above.
 */
bool journal_state_loops(const struct journal_state *state, unsigned int resets_max, char *why,
			 size_t size);

#endif
