// SPDX-License-Identifier: GPL-2.0-or-later
#include "known_table.h"

#include <errno.h>
#include <limits.h>

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
