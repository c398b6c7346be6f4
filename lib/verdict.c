// SPDX-License-Identifier: GPL-2.0-or-later
#include "verdict.h"

#include <stddef.h>
#include <string.h>

/* Exit codes of tools/testing/selftests/kselftest.h. */
enum {
	KSFT_EXIT_PASS = 0,
	KSFT_EXIT_FAIL = 1,
	KSFT_EXIT_XFAIL = 2,
	KSFT_EXIT_SKIP = 4,
};

static const struct {
	const char *name;
	int ksft_exit;
} verdicts[] = {
	[VERDICT_HUNG] = { "hung", KSFT_EXIT_FAIL },
	[VERDICT_FAIL] = { "fail", KSFT_EXIT_FAIL },
	[VERDICT_BROKEN] = { "broken", KSFT_EXIT_FAIL },
	[VERDICT_KNOWN] = { "known", KSFT_EXIT_XFAIL },
	[VERDICT_PASS] = { "pass", KSFT_EXIT_PASS },
	[VERDICT_SKIP] = { "skip", KSFT_EXIT_SKIP },
	[VERDICT_NOTRUN] = { "notrun", KSFT_EXIT_SKIP },
	[VERDICT_NONE] = { "none", KSFT_EXIT_FAIL },
};

const char *verdict_name(enum verdict verdict)
{
	return verdict <= VERDICT_NONE ? verdicts[verdict].name : "none";
}

enum verdict verdict_parse(const char *name)
{
	for (enum verdict v = VERDICT_HUNG; name && v < VERDICT_NONE; v++)
		if (!strcmp(verdicts[v].name, name))
			return v;
	return VERDICT_NONE;
}

enum verdict verdict_worse(enum verdict a, enum verdict b)
{
	return a < b ? a : b;
}

int verdict_ksft_exit(enum verdict verdict)
{
	return verdict <= VERDICT_NONE ? verdicts[verdict].ksft_exit : KSFT_EXIT_FAIL;
}
