/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_RECOVER_H
#define PMIPROOF_RECOVER_H

#include <jansson.h>

#include "err.h"
#include "journal_state.h"

/*
 * What a run changes on a machine, and putting it back from the journal when the run and its
 * janitor have died. A restart of the machine puts back the same things by itself.
 */

/* In the environment of each test: the pid of its supervisor. */
#define RECOVER_MARK "PMIPROOF_SUPERVISOR"

/*
 * The "saved" record of this process as supervisor: what it will put back. `sysctls`: names of what
 * the tests may change, ends with NULL. NULL with err when it cannot be made.
 */
json_t *recover_saved(const char *const *sysctls, struct err *err);

/* What the journal in `dir` says now, in this boot. journal_state_free() in any case. */
int recover_read(struct journal_state *state, const char *dir, struct err *err);

/*
 * Put back what the journal says: "saved" records, of which the oldest counts, and a watchdog that
 * runs on. What was done is added to the array `did` as lines of text, names of sysctls put back to
 * the array `restored`. All of it is tried; the first error is returned. May be repeated.
 */
int recover_machine(const struct journal_state *state, json_t *did, json_t *restored,
		    struct err *err);

/*
 * The same for the run that has changed this machine last (active.h), unless its report is `dir`.
 * `did` then begins with which it is.
 */
int recover_active(const char *dir, json_t *did, struct err *err);

#endif
