// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge.h"

#include <check.h>
#include <stdio.h>

#include "surroundings.h"

Suite *suite(void);

static const char *reason(const struct judge *judge, size_t i)
{
	static char text[256];
	json_t *reasons = judge_reasons(judge);
	const char *own = json_string_value(json_array_get(reasons, i));

	snprintf(text, sizeof(text), "%s", own ? own : "(none)");
	json_decref(reasons);
	return text;
}

START_TEST(worst_first)
{
	struct judge judge = { 0 };

	ck_assert_int_eq(judge_verdict(&judge), VERDICT_NONE);
	judge_add(&judge, VERDICT_PASS, "%s", "");
	ck_assert_int_eq(judge_verdict(&judge), VERDICT_PASS);
	ck_assert_str_eq(reason(&judge, 0), "(none)");
	judge_add(&judge, VERDICT_BROKEN, "b%d", 1);
	judge_add(&judge, VERDICT_FAIL, "f");
	judge_add(&judge, VERDICT_BROKEN, "b%d", 2);
	ck_assert_int_eq(judge_verdict(&judge), VERDICT_FAIL);
	ck_assert_str_eq(reason(&judge, 0), "f");
	ck_assert_str_eq(reason(&judge, 1), "b1");
	ck_assert_str_eq(reason(&judge, 2), "b2");
	ck_assert_str_eq(reason(&judge, 3), "(none)");
	judge_free(&judge);
}
END_TEST

START_TEST(demoted)
{
	struct judge judge = { 0 };

	judge_add(&judge, VERDICT_NOTRUN, "interrupted");
	judge_demote(&judge, VERDICT_BROKEN, VERDICT_NONE);
	judge_add(&judge, VERDICT_BROKEN, "left something");
	judge_demote(&judge, VERDICT_BROKEN, VERDICT_NONE);
	ck_assert_int_eq(judge_verdict(&judge), VERDICT_NOTRUN);
	ck_assert_str_eq(reason(&judge, 0), "interrupted");
	ck_assert_str_eq(reason(&judge, 1), "left something");
	judge_free(&judge);
}
END_TEST

/* Text from a machine need not be UTF-8; the finding must not be lost for it. */
START_TEST(odd_text)
{
	struct judge judge = { 0 };

	judge_add(&judge, VERDICT_FAIL, "a\xff");
	ck_assert_int_eq(judge_verdict(&judge), VERDICT_FAIL);
	ck_assert_str_eq(reason(&judge, 0), "a\xef\xbf\xbd");
	judge_free(&judge);
}
END_TEST

static enum verdict taint(unsigned long before, unsigned long after)
{
	struct judge judge = { 0 };
	enum verdict verdict;

	surroundings_judge_taint(before, after, &judge);
	verdict = judge_verdict(&judge);
	judge_free(&judge);
	return verdict;
}

/* Values of Documentation/admin-guide/tainted-kernels.rst: W is 512, D 128, O 4096, P 1. */
START_TEST(taint_flags)
{
	ck_assert_int_eq(taint(0, 0), VERDICT_NONE);
	ck_assert_int_eq(taint(0, 512), VERDICT_FAIL);
	ck_assert_int_eq(taint(512, 512), VERDICT_NONE);
	ck_assert_int_eq(taint(512, 512 + 128), VERDICT_FAIL);
	ck_assert_int_eq(taint(0, 4096), VERDICT_NONE);
	ck_assert_int_eq(taint(0, 1), VERDICT_BROKEN);
	ck_assert_int_eq(taint(512, 0), VERDICT_NONE);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("judge");
	TCase *c = tcase_create("judge");

	tcase_add_test(c, worst_first);
	tcase_add_test(c, demoted);
	tcase_add_test(c, odd_text);
	tcase_add_test(c, taint_flags);
	suite_add_tcase(s, c);
	return s;
}
