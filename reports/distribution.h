/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_DISTRIBUTION_H
#define PMIPROOF_DISTRIBUTION_H

#include <jansson.h>
#include <stddef.h>

/* Samples of a series, sorted: how often which value was seen. In the unit of the record. */
struct distribution {
	struct distribution_step {
		double value;
		double count; /* above 0 */
	} * steps;
	size_t n_steps;
	double total; /* of all counts */
};

/*
 * Take the samples or histogram of a "measure" record. What is no number, or was not seen at all,
 * is left out. Returns 0 or -ENOMEM; free with distribution_free().
 */
int distribution_read(struct distribution *distribution, const json_t *measure);

/* The same of samples that are there already, sorted ascending. */
int distribution_of(struct distribution *distribution, const double *sorted, size_t n);

void distribution_free(struct distribution *distribution);

/*
 * The least value that a share q of the samples (0 to 1) does not exceed; always one that was seen.
 * NAN when there are none.
 */
double distribution_quantile(const struct distribution *distribution, double q);

#endif
