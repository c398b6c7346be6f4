/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_COMPARE_WORDS_H
#define PMIPROOF_COMPARE_WORDS_H

#include "scale.h"

/*
 * What all forms of a comparison for people say in the same words. Texts hold what a machine said
 * as it is: the caller escapes them. Those that are returned as char * are new, "" where there is
 * nothing to say, NULL when memory ran out.
 */

/* Columns go by letters: a path may be long, and is said once. */
char compare_letter(size_t column);

/* The name of a column; of a group also how many reports it has. */
char *compare_column_text(const struct comparison *all, size_t column);

/* Why a column is beside A only. */
char *compare_apart_text(const struct comparison *all, size_t column);

/* A circumstance in a column: "unknown" and "several" where it is that. */
char *compare_value_text(const struct comparison *all, size_t column,
			 const struct compare_circumstance *circumstance);

/* What of A is different in a column: "governor: powersave, in B performance". */
char *compare_difference(const struct comparison *all, size_t column,
			 const struct compare_circumstance *circumstance);

/*
 * What the caption of the table of the series from first up to end closes with: " (emulated)" when
 * all its figures are, " (emulated: B)" when some are. `names` of the columns, or NULL for their
 * letters.
 */
char *compare_emulated_text(const struct comparison *all, size_t first, size_t end,
			    const char *const *names);

/* The caption of the table of the series from first up to end, with unit and clock resolution. */
char *compare_caption(const struct comparison *all, size_t first, size_t end,
		      const struct scale *scale, const char *const *names);

/* A verdict, and of a group how many of the reports that ran the hypothesis have it. */
char *compare_verdict_text(const struct comparison *all,
			   const struct compare_hypothesis *hypothesis, size_t column);

/* What became of a hypothesis. */
enum compare_outcome {
	COMPARE_SAME,
	COMPARE_DIFFERS,  /* the verdicts of those that ran it are not the same */
	COMPARE_NEW_FAIL, /* in a column that can be compared with A */
};

/* ... and the same as text, with the letters of the columns that fail or pass now. */
enum compare_outcome compare_outcome(const struct comparison *all,
				     const struct compare_hypothesis *hypothesis);
char *compare_outcome_text(const struct comparison *all,
			   const struct compare_hypothesis *hypothesis);

/* A change in percent ("+5.4 %"), "from 0", "changed", "~", or "" where none was looked for. */
const char *compare_change_text(const struct compare_series *series, size_t column, char *text,
				size_t size);

/* "table, row: name" of a single figure. */
char *compare_figure_name(const struct compare_series *figure);

/* Its median in a column with its unit; "-" where there is none. Returns text. */
const char *compare_figure_text(const struct compare_series *figure, size_t column, char *text,
				size_t size);

/* What to take away from it all. */
char *compare_conclusion(const struct comparison *all);

#endif
