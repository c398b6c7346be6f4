/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_COMPARE_H
#define PMIPROOF_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "distribution.h"
#include "model.h"
#include "report.h"

/* Columns beside each other: reports, or groups of reports. The first is the baseline. */
#define COMPARE_MAX 26

/*
 * A series of one column. Where a column is one report, its samples are those of all iterations
 * together; where it is a group, the medians of its reports: how much runs differ from each other
 * is then part of the scatter.
 */
struct compare_side {
	struct distribution samples;
	double resolution;
	/* Once finished: */
	size_t n; /* of samples; 0: this column has none */
	double median;
	double low, high; /* 97.5 % confidence interval of the median; NAN when n is too small */
};

/* One side against the baseline. */
struct compare_change {
	/* Of the median; INFINITY from 0 on, NAN when that cannot be said. */
	double percent;
	double low, high; /* its confidence interval, at least 95 %; NAN when there is none */
	double p;	  /* Mann-Whitney, corrected; NAN when it is not compared */
	bool resolved;	  /* more than a step of the clocks apart */
};

struct compare_series {
	char *hypothesis, *table, *row, *name, *unit;
	struct compare_side side[COMPARE_MAX];
	struct compare_change change[COMPARE_MAX]; /* [0] is unused */
};

struct compare_hypothesis {
	char *name;
	char *claim;				     /* "": not known */
	size_t count[COMPARE_MAX][VERDICT_NONE + 1]; /* reports that have this verdict of it */
	/* What decided about the column's verdict; NULL: not known. */
	char *decided[COMPARE_MAX];
	/* Once finished: which series and figures are its own, from the first up to the end. */
	struct compare_range {
		size_t first, end;
	} series, figures;
};

struct compare_column {
	char *name; /* of the report, or what its reports have in common */
	size_t reports;
	json_t *machine; /* of the first of them, */
	json_t *run;	 /* ... and its run record; NULL: not known */
	/* Bit i: its reports do not agree in compare_circumstances[i]. */
	unsigned long mixed;
	/*
	 * Can a difference to the baseline be called a change? NULL, or why not: other CPU model,
	 * an emulated against a real machine.
	 */
	const char *apart;
};

struct comparison {
	bool grouped;	  /* columns are groups of reports */
	double threshold; /* of what is said to be a regression, see compare_regressed() */
	struct compare_column column[COMPARE_MAX];
	size_t n_columns;
	struct compare_hypothesis *hypotheses; /* in the order met */
	size_t n_hypotheses;
	json_t *numbers; /* of hypotheses, by their names */
	/* In the order met; once finished, in that of hypotheses, those of a table together. */
	struct compare_series *series;
	size_t n_series;
	json_t *index; /* of series, by their names; NULL once finished */
	/*
	 * Figures of which an execution has one, in the same order: their samples are a value for
	 * each iteration, or for each report of a group. They are shown, not tested.
	 */
	struct compare_series *figures;
	size_t n_figures;
	json_t *figure_index;
};

/* What reports are grouped by. */
enum compare_by { COMPARE_REPORT, COMPARE_CPU_MODEL, COMPARE_KERNEL, COMPARE_LABEL };

/* A difference of medians is one when p is below this and it is resolved. */
#define COMPARE_P 0.05

bool compare_significant(const struct compare_change *change);

/* Why a change that was looked for is none. */
enum compare_doubt {
	COMPARE_SURE,	/* it is one, or none was looked for */
	COMPARE_FEW,	/* with so few samples no difference can be significant */
	COMPARE_CHANCE, /* p is not below COMPARE_P */
	COMPARE_CLOCK,	/* significant, but not above the resolution of the clock */
};

enum compare_doubt compare_doubt(const struct compare_series *series, size_t column);

/* A word for each: "", "few", "chance", "clock". */
const char *compare_doubt_name(enum compare_doubt doubt);

/* The end of the series that make one table with `first`: all names agree but that of the row. */
size_t compare_table_end(const struct comparison *all, size_t first);

/* Have two columns different medians of a figure? */
bool compare_figure_differs(const struct comparison *all, const struct compare_series *figure);

/* How many of a hypothesis' figures do. */
size_t compare_differing(const struct comparison *all, const struct compare_hypothesis *hypothesis);

/* Has a column samples of any of the series from first up to end? */
bool compare_has(const struct comparison *all, size_t first, size_t end, size_t column);

/*
 * Is it a regression: a time, or a number of cycles, that grew by more than `threshold` percent, by
 * a significant change? Of other figures it is not known which direction is the worse. An
 * improvement is one that became less.
 */
bool compare_regressed(const struct compare_series *series, size_t column, double threshold);
bool compare_improved(const struct compare_series *series, size_t column);

/* The worst verdict of a column's reports; VERDICT_NOTRUN when none knows the hypothesis. */
enum verdict compare_verdict(const struct compare_hypothesis *hypothesis, size_t column);

/* Does it fail or hang here, and did neither in the baseline, with which it can be compared? */
bool compare_new_fail(const struct comparison *all, const struct compare_hypothesis *hypothesis,
		      size_t column);

/*
 * Put a comparison together: columns, then for each report its machine, verdicts and series, and
 * finish. Texts are copied. Functions return 0 or an index, or -errno (-ENOMEM, -E2BIG for too many
 * columns, -EOVERFLOW for too many series). comparison_free() in any case.
 */
void comparison_begin(struct comparison *all, bool grouped);
int comparison_add_column(struct comparison *all, const char *name);
int comparison_find_column(struct comparison *all, const char *name); /* added when new */
/* One more report of a column, of this machine (the inventory) and run (NULL: not known). */
void comparison_add_machine(struct comparison *all, size_t column, json_t *machine, json_t *run);
long comparison_find_hypothesis(struct comparison *all, const char *name);
long comparison_find_series(struct comparison *all, const char *hypothesis, const char *table,
			    const char *row, const char *name, const char *unit);
/* One value, or those of a "measure" record; errors as distribution_add(). */
int comparison_add_value(struct comparison *all, size_t series, size_t column, double value,
			 double resolution);
int comparison_add_measure(struct comparison *all, size_t series, size_t column,
			   const json_t *measure);
long comparison_find_figure(struct comparison *all, const char *hypothesis, const char *table,
			    const char *row, const char *name, const char *unit);
int comparison_add_figure(struct comparison *all, size_t figure, size_t column, double value);

/*
 * One more verdict of a hypothesis, and what decided about it (NULL: not known). 0 or -ENOMEM.
 */
int comparison_add_verdict(struct comparison *all, size_t hypothesis, size_t column,
			   enum verdict verdict, const char *decided);

/*
 * Medians, changes, p-values; nothing can be added then. The confidence interval of a change is
 * that of the ratio of both medians, from an interval of 97.5 % for each: conservative, and free of
 * assumptions on the distribution. p-values are corrected with Holm's method over all comparisons
 * made.
 */
int comparison_finish(struct comparison *all);
void comparison_free(struct comparison *all);

/* All of a report into a column. -EBADMSG for a histogram that makes no sense. */
int comparison_add_report(struct comparison *all, size_t column, const struct report *report);

/* A column for each report. */
int comparison_make(struct comparison *all, const struct report *reports, char *const *names,
		    size_t n_reports);

/*
 * What a report has in common with others of its group, as new text: the CPU model, the kernel with
 * its variants, or the value of a label (`key`). An emulated CPU is not the real one. NULL: no
 * memory.
 */
char *compare_key(enum compare_by by, const char *key, const json_t *machine, const json_t *labels);

/* What to compare, and how to show it. */
struct compare_request {
	char *const *paths;
	size_t n;
	enum compare_by by;
	const char *key; /* of the label */
	struct report_options shown;
	double threshold; /* percent, see compare_regressed() */
	/* The command that asks, without the name of the program; for how to reproduce it. */
	char *const *args;
	size_t n_args;
};

/*
 * Read the reports of a request, one after the other, and compare them. Without groups 2 to
 * COMPARE_MAX. Returns 0 or -errno with err set.
 */
int compare_read(struct comparison *all, const struct compare_request *request, struct err *err);

/* Write a comparison, all or nothing as report_term(). Return 0 or -errno. */
int compare_term(FILE *out, const struct comparison *all, const struct compare_request *request,
		 struct err *err);
int compare_html(FILE *out, const struct comparison *all, const struct compare_request *request,
		 struct err *err);
int compare_mail(FILE *out, const struct comparison *all, const struct compare_request *request,
		 struct err *err);
int compare_json(FILE *out, const struct comparison *all, const struct compare_request *request,
		 struct err *err);

/* What about two machines may explain a difference though they can be compared; ends with NULL. */
struct compare_circumstance {
	const char *path;   /* into the inventory, as facts_at() */
	const char *member; /* of each kind of CPU, of which there is a list at `path`; or NULL */
	const char *what;
};
extern const struct compare_circumstance compare_circumstances[];

/* Its value on a machine as a new reference, or NULL. */
json_t *compare_value(const json_t *machine, const struct compare_circumstance *circumstance);

/* Are there several values in a column? */
bool compare_mixed(const struct comparison *all, size_t column,
		   const struct compare_circumstance *circumstance);

/* Have all reports of a column and all of A the same? */
bool compare_same(const struct comparison *all, size_t column,
		  const struct compare_circumstance *circumstance);

/* Is the first report of a column from an emulated machine? Are those of all columns? */
bool compare_emulated(const struct comparison *all, size_t column);
bool compare_all_emulated(const struct comparison *all);

#endif
