/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_DISTRIBUTION_H
#define PMIPROOF_DISTRIBUTION_H

#include <jansson.h>
#include <stddef.h>

#include "stats.h"

/*
 * Samples of a series: how often which value was seen, in the unit of the record. What it takes is
 * of the size of the text they are read from, however many they are. Begins as { 0 }; free with
 * distribution_free().
 */
struct distribution {
	struct stats_step *steps; /* ascending, each value once: as of distribution_finish() */
	size_t n_steps;
	size_t room;  /* for so many */
	size_t total; /* of all counts */
};

/*
 * Add a value that was seen `count` times; or the samples or histogram of a "measure" record, of
 * which samples that are no numbers are left out. Return 0, -ENOMEM, or -EBADMSG for a histogram
 * that makes no sense and for more than REPORT_SAMPLES_MAX samples in all.
 */
int distribution_add(struct distribution *distribution, double value, size_t count);
int distribution_add_measure(struct distribution *distribution, const json_t *measure);

/* Sort what was added, and make one step of what has the same value. */
void distribution_finish(struct distribution *distribution);

/* All of that for one record; nothing is left to free when it fails. */
int distribution_read(struct distribution *distribution, const json_t *measure);

void distribution_free(struct distribution *distribution);

/*
 * The least value that a share q of the samples (0 to 1) does not exceed; always one that was seen:
 * 0 gives the least, 1 the greatest. NAN when there are none.
 */
double distribution_quantile(const struct distribution *distribution, double q);

#endif
