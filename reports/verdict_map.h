/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_VERDICT_MAP_H
#define PMIPROOF_VERDICT_MAP_H

#include <stdbool.h>

#include "verdict.h"

/*
 * What a verdict is called by those who know fewer of them. No format may turn one that is worse
 * than "pass" into a plain pass: it is marked as what it is, and its name and reason go with it.
 */
struct verdict_map {
	const char
		*junit;	  /* element inside the test case: "failure", "error", "skipped"; or NULL */
	bool ktap_ok;	  /* "ok", else "not ok" */
	const char *ktap; /* directive after it ("SKIP"), or NULL */
	const char *kcidb; /* status */
};

const struct verdict_map *verdict_map(enum verdict verdict);

#endif
