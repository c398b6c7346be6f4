// SPDX-License-Identifier: GPL-2.0-or-later
/* main() of every unit-test binary: a *_check.c file defines suite() and nothing else public. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>

Suite *suite(void);

int main(void)
{
	SRunner *runner = srunner_create(suite());
	int failed;

	/* A shell that starts us in the background, or nohup, has these ignored. */
	signal(SIGHUP, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
