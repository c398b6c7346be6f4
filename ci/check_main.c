// SPDX-License-Identifier: GPL-2.0-or-later
/* main() of every unit-test binary: a *_check.c file defines suite() and nothing else public. */
#include <check.h>
#include <stdlib.h>

Suite *suite(void);

int main(void)
{
	SRunner *runner = srunner_create(suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
