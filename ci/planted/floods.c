// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints a million lines and one of a megabyte, and passes. */
#include "planted.h"

#define LINES 1000000
#define LONG_LINE (1 << 20)

static int run_it(struct run *run)
{
	planted_pass(run);
	for (int i = 0; i < LINES; i++)
		printf("# flood %d\n", i);
	fputs("# long ", stdout);
	for (int i = 0; i < LONG_LINE; i++)
		putchar('x');
	puts("");
	puts("# last \033[31m words");
	fflush(stdout);
	return 0;
}

PLANTED("floods", run_it, 60, .danger = DANGER_SAFE);
