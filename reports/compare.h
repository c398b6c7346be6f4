/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_COMPARE_H
#define PMIPROOF_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "model.h"
#include "report.h"

/* Two to so many reports. The first is the baseline. */
#define COMPARE_MAX 26

/* A series of one report: the samples of all its iterations together. */
struct compare_side {
	size_t n;	/* 0: this report has none */
	double *sorted; /* ascending */
	double median;
	double low, high; /* 97.5 % confidence interval of the median; NAN when n is too small */
	double resolution;
};

/* One side against the baseline. */
struct compare_change {
	double percent;	  /* of the median; NAN when that cannot be said */
	double low, high; /* its confidence interval, at least 95 %; NAN likewise */
	double p;	  /* Mann-Whitney, corrected for the number of comparisons */
	bool resolved;	  /* more than a step of the clocks apart */
};

/* The same measurement of all reports. Texts belong to the reports. */
struct compare_series {
	const char *hypothesis, *table, *row, *name, *unit;
	struct compare_side side[COMPARE_MAX];
	struct compare_change change[COMPARE_MAX]; /* [0] is unused */
};

struct comparison {
	const struct report *reports;
	size_t n_reports;
	/*
	 * Can a difference to the baseline be called a change? NULL, or why not: other CPU model,
	 * an emulated against a real machine.
	 */
	const char *apart[COMPARE_MAX];
	struct compare_series *series;
	size_t n_series;
};

/* A difference of medians is one when p is below this and it is resolved. */
#define COMPARE_P 0.05

bool compare_significant(const struct compare_change *change);

/*
 * Compare reports (kept by the caller until comparison_free()). Returns 0, -ENOMEM, or -EBADMSG for
 * a histogram that makes no sense.
 *
 * The confidence interval of a change is that of the ratio of both medians, from an interval of
 * 97.5 % for each: conservative, and free of assumptions on the distribution. p-values are
 * corrected with Holm's method over all comparisons made here.
 */
int comparison_make(struct comparison *comparison, const struct report *reports, size_t n_reports);
void comparison_free(struct comparison *comparison);

/*
 * Read reports and write their comparison for a terminal, all or nothing as report_term(). Returns
 * 0 or -errno.
 */
int compare_term(FILE *out, char *const *paths, size_t n, const struct report_options *options,
		 struct err *err);

#endif
