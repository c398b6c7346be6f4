/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MUTATE_JUDGE_H
#define PMIPROOF_MUTATE_JUDGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "../reports/model.h"
#include "mutants.h"

/* What became of a mutant, best first. */
enum mutate_fate {
	FATE_NAMED,   /* killed by a check that names the right thing */
	FATE_KILLED,  /* killed by other checks only */
	FATE_HUNG,    /* ended from outside, and no check failed before */
	FATE_LOG,     /* the kernel log alone told of it */
	FATE_UNCLEAR, /* hypotheses that gave a verdict without it give none */
	FATE_SURVIVED,
	FATE_EQUIVALENT, /* nobody can see it, as the table says */
	FATE_DEAD,	 /* the witness does not see it */
	FATE_MISSING,	 /* not run, or not comparable */
	FATES,
};

/* What a fate is called in a table ("killed, named"), and in JSON ("named"). */
const char *mutate_fate_text(enum mutate_fate fate);
const char *mutate_fate_name(enum mutate_fate fate);

/* What a witness says. */
enum mutate_witness { WITNESS_NONE, WITNESS_LIVE, WITNESS_DEAD };

/* What was found out about a mutant. */
struct mutate_outcome {
	enum mutate_fate fate;
	/*
	 * Arrays of texts. NULL until it was judged.
	 * named, others: HYPOTHESIS.CHECK, or HYPOTHESIS.hung; logs: "HYPOTHESIS: klog:CLASS";
	 * unclear: "HYPOTHESIS: broken: reason"; changed: a verdict that is another one and says
	 * nothing, "HYPOTHESIS: skip: reason".
	 */
	json_t *named, *others, *hung, *logs, *unclear, *changed;
	char problem[512]; /* why it is missing, or a contradiction; "": none */
};

/*
 * Compare the report of a mutant with `n` ones of the same machine without it. A check kills when
 * it fails in a hypothesis whose verdict is fail or hung and held in each unmutated run: it was
 * made there, and all its evaluations held by their own figures. What was not made does not kill.
 * -ENOMEM. mutate_outcome_free() in any case.
 */
int mutate_judge(const struct mutant *mutant, enum mutate_witness witness,
		 const struct report *mutated, const struct report *unmutated, size_t n,
		 struct mutate_outcome *outcome);

/* It could not be judged, for this reason. */
void mutate_judge_impossible(struct mutate_outcome *outcome, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void mutate_outcome_free(struct mutate_outcome *outcome);

/* Was it killed: by a check, or because it hung? */
bool mutate_fate_killed(enum mutate_fate fate);

#endif
