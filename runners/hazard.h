/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_HAZARD_H
#define PMIPROOF_HAZARD_H

#include <stdbool.h>
#include <stdint.h>

#include "cpus.h"
#include "err.h"
#include "escalation.h"
#include "feeder.h"
#include "janitor.h"
#include "journal.h"
#include "supervisor.h"
#include "vitals.h"
#include "watchdog.h"

/* What a person asked for. */
struct hazard_options {
	const char *watchdog; /* device; NULL: choose one; "none": somebody else resets */
	bool no_escalate;
};

/*
 * What is done around tests that may hang the machine, on a machine that is not the lab's: a
 * hardware watchdog is held while one runs, and the kernel told to panic where it notices a hang
 * itself. All of it is stopped and put back after each.
 */
struct hazard {
	const struct hazard_options *options;
	const struct watchdog_ops *ops;
	struct journal *journal;
	struct janitor *janitor;
	const struct cpus *cpus; /* on which threads must be able to run */
	const char *dir;	 /* of the report */
	struct watchdog found[WATCHDOG_MAX];
	size_t n_found;
	struct watchdog_held held;
	struct vitals vitals;
	struct feeder feeder;
	bool feeding;
	struct escalation escalation;
};

/*
 * Once for a run: find watchdogs and journal what they are and what they say of the last reset.
 * The other members must be set before. -errno when the journal cannot be written.
 */
int hazard_begin(struct hazard *hazard, struct err *err);

enum hazard_answer {
	HAZARD_READY,  /* the test may start; then hazard_leave() must follow */
	HAZARD_REFUSED /* it may not: err says why */
};

/* Before a test that may hang. enum hazard_answer, or -errno: the journal cannot be written. */
int hazard_enter(struct hazard *hazard, const struct planned *planned, struct err *err);

/* While it runs, often: true when there is something to note down. */
bool hazard_look(struct hazard *hazard, int64_t now, struct err *note);

/* May the machine be reset now, to get rid of what only that ends? */
bool hazard_may_reset(const struct hazard *hazard);

/* Why it is to be reset: a part of a sentence, and whether that still is so. */
struct hazard_reason {
	const char *text;
	bool (*holds)(void *context);
	void *context;
};

/*
 * Where hazard_may_reset(): flush all disks and do not feed the watchdog any more, which resets the
 * machine; what is in the journal is then what a resumed run goes by. Returns, with the watchdog
 * fed again, when the reason holds no longer or no reset came. -errno: the journal cannot be
 * written, or the watchdog not be fed again.
 */
int hazard_reset(struct hazard *hazard, const struct planned *planned,
		 const struct hazard_reason *reason, struct err *err);

/* After it. -errno as above; whatever could be undone has been. */
int hazard_leave(struct hazard *hazard, const struct planned *planned, struct err *err);

/*
 * After the last. A watchdog that cannot be stopped is held until here; then a pointer to it is
 * returned, for janitor_stop(). NULL: none is held any more.
 */
const struct watchdog_held *hazard_end(struct hazard *hazard);

#endif
