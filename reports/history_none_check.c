// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <unistd.h>

#include "history.h"

Suite *suite(void);

START_TEST(says_so)
{
	struct history *history = NULL;
	struct err err;

	ck_assert_int_eq(history_open(&history, "/tmp/history_none_check.db", true, &err),
			 -ENOTSUP);
	ck_assert_str_eq(err.text, "this command was built without SQLite: it has no history");
	ck_assert_ptr_null(history);
	ck_assert_int_ne(access("/tmp/history_none_check.db", F_OK), 0);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("history_none");
	TCase *tests = tcase_create("history_none");

	tcase_add_test(tests, says_so);
	suite_add_tcase(all, tests);
	return all;
}
