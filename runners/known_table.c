// SPDX-License-Identifier: GPL-2.0-or-later
#include "known_table.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "suite.h"

static const char *const places[] = { "../reports/known-issues",
				      "../libexec/pmiproof/known-issues" };

int known_table_load(struct known_issues *known, const char *path, struct err *err)
{
	char own[PATH_MAX];
	int result = path ? 0 : suite_beside_program(places, 2, own, sizeof(own), err);

	*known = (struct known_issues){ 0 };
	if (result == -ENOENT)
		return 0;
	return result ? result : known_load(known, path ? path : own, err);
}

bool known_live_concerns(const struct known_live *live, const char *hypothesis)
{
	for (size_t i = 0; live && i < live->table->n; i++)
		if (!strcmp(live->table->issues[i].hypothesis, hypothesis))
			return true;
	return false;
}

/* The journal is read as a report does, so that both say the same. */
enum verdict known_live_verdict(const struct known_live *live, const char *hypothesis,
				unsigned int iter, enum verdict verdict)
{
	struct report report;

	if (verdict != VERDICT_FAIL || !known_live_concerns(live, hypothesis) ||
	    known_report(&report, live->dir, live->table, NULL))
		return verdict;
	for (size_t t = 0; t < report.n_tests; t++)
		for (size_t e = 0; e < report.tests[t].n_executions; e++)
			if (!strcmp(report.tests[t].name, hypothesis) &&
			    report.tests[t].executions[e].iter == iter)
				verdict = report_execution_verdict(&report.tests[t].executions[e]);
	report_free(&report);
	return verdict;
}
