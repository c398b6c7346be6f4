/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PROVE_CREW_H
#define PMIPROOF_PROVE_CREW_H

#include <stdbool.h>

#include "progress.h"
#include "prove_guest.h"

/*
 * Guests side by side, on so many CPUs: a machine takes as many as it has. Those that
 * are to hang and those with large budgets first, so that none of them is left for the end.
 */
struct prove_crew {
	struct prove_guest *guests;
	size_t n;
	size_t cpus; /* for guests */
	struct prove_guest_files files;
	int signals; /* signalfd */
	struct progress *progress;
	void (*ended)(void *context, struct prove_guest *guest); /* each that was started */
	void *context;
	size_t done;
	unsigned int interrupts; /* the first ends the machines, the second kills */
};

/*
 * Put in the order in which they are to start; `budget_s` and `hangs_s` of each are known. (Called
 * by prove_crew_run(); public for its test.)
 */
void prove_crew_sort(struct prove_guest *guests, size_t n);

/* Run all, or after an interrupt what has begun. -errno when one could not be started. */
int prove_crew_run(struct prove_crew *crew, struct err *err);

#endif
