// SPDX-License-Identifier: GPL-2.0-or-later
#include "verdict_map.h"

#include <stddef.h>

/*
 * KTAP: the directives of Documentation/dev-tools/ktap.rst; its "ok # XFAIL" is a failure that is
 * expected. JUnit knows no expected failure; "skipped" is what pytest makes of one. KCIDB, as its
 * schema has the words: MISS is a test that the harness did not get to, SKIP one that does not
 * apply, ERROR one that did not complete. A known failure is a FAIL with an issue that says so.
 */
static const struct verdict_map map[] = {
	[VERDICT_HUNG] = { "failure", false, "TIMEOUT", "FAIL" },
	[VERDICT_FAIL] = { "failure", false, NULL, "FAIL" },
	[VERDICT_BROKEN] = { "error", false, "ERROR", "ERROR" },
	[VERDICT_KNOWN] = { "skipped", true, "XFAIL", "FAIL" },
	[VERDICT_PASS] = { NULL, true, NULL, "PASS" },
	[VERDICT_SKIP] = { "skipped", true, "SKIP", "SKIP" },
	[VERDICT_NOTRUN] = { "skipped", true, "SKIP", "MISS" },
	[VERDICT_NONE] = { "error", false, "ERROR", "ERROR" },
};

const struct verdict_map *verdict_map(enum verdict verdict)
{
	return &map[verdict];
}
