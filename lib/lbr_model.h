/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_LBR_MODEL_H
#define PMIPROOF_LBR_MODEL_H

#include <stdbool.h>

/* What the branch records of a CPU are, by its maker's documents. */
struct lbr_model {
	const char *vendor;
	int family;
	int model_first, model_last;
	unsigned int depth;
	bool cycles; /* each has the cycles since the one before */
};

/* The row for such a CPU, or NULL: not in the table. */
const struct lbr_model *lbr_model_find(const char *vendor, int family, int model);

/* The row for the CPU we run on, or NULL. Reads the inventory: takes milliseconds. */
const struct lbr_model *lbr_model_here(void);

#endif
