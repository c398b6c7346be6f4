/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_JUDGE_H
#define PMIPROOF_JUDGE_H

#include <jansson.h>

#include "verdict.h"

/* What speaks for a verdict, each finding with its reason. All zero is "nothing said yet". */
struct judge {
	json_t *reasons[VERDICT_NONE + 1]; /* per verdict; NULL: nothing says so */
};

/* Add a finding; an empty text is a finding without a reason. */
void judge_add(struct judge *judge, enum verdict verdict, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The worst verdict found; VERDICT_NONE when there is none. */
enum verdict judge_verdict(const struct judge *judge);

/* All reasons, those of the worst verdict first: a new array, or NULL without memory. */
json_t *judge_reasons(const struct judge *judge);

/* Let what speaks for `from` speak for `to` instead; with VERDICT_NONE it remains as a reason only.
 */
void judge_demote(struct judge *judge, enum verdict from, enum verdict to);

void judge_free(struct judge *judge);

#endif
