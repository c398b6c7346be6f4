// SPDX-License-Identifier: GPL-2.0-or-later
#include "intake.h"

#include <check.h>
#include <string.h>

Suite *suite(void);

#define CHECK(name, op, value, ok)                                                     \
	"{\"type\":\"check\",\"name\":\"" name "\",\"op\":\"" op "\",\"value\":" value \
	",\"bound\":2,\"unit\":\"1\",\"origin\":\"o\",\"ok\":" ok "}"
#define VERDICT(verdict) "{\"type\":\"verdict\",\"verdict\":\"" verdict "\",\"reason\":\"why\"}"

/* The declaration has a check "a" and an optional one "b". */
static void make(struct suite_test *test, struct intake *intake)
{
	*test = (struct suite_test){ 0 };
	test->declaration = json_pack("{s:[{s:s, s:b}, {s:s, s:b}]}", "checks", "name", "a",
				      "optional", 0, "name", "b", "optional", 1);
	ck_assert_ptr_nonnull(test->declaration);
	ck_assert_int_eq(intake_init(intake, test), 0);
}

static void drop(struct suite_test *test, struct intake *intake)
{
	intake_free(intake);
	json_decref(test->declaration);
}

/* Take a line; was it kept? */
static bool take(struct intake *intake, const char *line)
{
	json_t *record = intake_line(intake, line, strlen(line), false);
	bool kept = record != NULL;

	json_decref(record);
	return kept;
}

/* Verdict of a test that wrote these lines. */
static enum verdict judged(const char *const *lines, bool ended)
{
	struct suite_test test;
	struct intake intake;
	struct judge judge = { 0 };
	enum verdict verdict;

	make(&test, &intake);
	for (; *lines; lines++)
		take(&intake, *lines);
	intake_judge(&intake, ended, &judge);
	verdict = judge_verdict(&judge);
	judge_free(&judge);
	drop(&test, &intake);
	return verdict;
}

static const char *const good[] = {
	"{\"type\":\"note\",\"text\":\"x\"}",
	"{\"type\":\"control\",\"name\":\"c\",\"value\":1,\"floor\":0,\"unit\":\"1\",\"ok\":true}",
	"{\"type\":\"measure\",\"table\":\"t\",\"row\":\"r\",\"name\":\"n\",\"unit\":\"ns\","
	"\"value\":1.5}",
	"{\"type\":\"measure\",\"table\":\"t\",\"row\":\"r\",\"name\":\"n\",\"unit\":\"ns\","
	"\"n\":1,\"stats\":{\"min\":1},\"samples\":[1]}",
	CHECK("a", "<=", "2", "true"),
	CHECK("a", "<=", "2.5", "false"),
	CHECK("a", ">=", "2", "true"),
	CHECK("a", "==", "2", "true"),
	VERDICT("pass"),
	VERDICT("known"),
};

START_TEST(keeps_good)
{
	struct suite_test test;
	struct intake intake;

	make(&test, &intake);
	ck_assert(take(&intake, good[_i]));
	ck_assert_uint_eq(intake.bad, 0);
	drop(&test, &intake);
}
END_TEST

static const char *const bad[] = {
	"",
	"x",
	"[]",
	"{}",
	"{\"type\":7}",
	"{\"type\":\"end\",\"verdict\":\"pass\",\"reasons\":[]}",
	"{\"type\":\"start\",\"budget_s\":1,\"danger\":\"safe\"}",
	"{\"type\":\"run\"}",
	"{\"type\":\"done\"}",
	"{\"type\":\"output\",\"stream\":\"stdout\",\"text\":\"\"}",
	"{\"type\":\"machine\"}",
	"{\"type\":\"note\"}",
	"{\"type\":\"note\",\"text\":7}",
	"{\"type\":\"note\",\"text\":\"x\",\"seq\":1}",
	"{\"type\":\"note\",\"text\":\"x\",\"test\":\"other\"}",
	"{\"type\":\"note\",\"text\":\"x\",\"text\":\"y\"}",
	"{\"type\":\"note\",\"text\":\"x\\u0000\"}",
	"{\"type\":\"note\",\"text\":\"x\"} {}",
	"{\"type\":\"note\",\"text\":\"x\"",
	"{\"type\":\"measure\",\"table\":\"t\",\"row\":\"r\",\"name\":\"n\",\"unit\":\"ns\"}",
	CHECK("c", "<=", "1", "true"),
	CHECK("a", "<", "1", "true"),
	CHECK("a", "<=", "3", "true"),
	CHECK("a", ">=", "2", "false"),
	CHECK("a", "==", "2.5", "true"),
	CHECK("a", "<=", "\"1\"", "true"),
	VERDICT("hung"),
	VERDICT("notrun"),
	VERDICT("none"),
	VERDICT("great"),
};

START_TEST(refuses_bad)
{
	struct suite_test test;
	struct intake intake;

	make(&test, &intake);
	ck_assert(!take(&intake, bad[_i]));
	ck_assert_uint_eq(intake.bad, 1);
	ck_assert_int_eq(intake.said, VERDICT_NONE);
	drop(&test, &intake);
}
END_TEST

START_TEST(refuses_too_much)
{
	static const char note[] = "{\"type\":\"note\",\"text\":\"x\"}";
	struct suite_test test;
	struct intake intake;

	make(&test, &intake);
	ck_assert_ptr_null(intake_line(&intake, note, strlen(note), true));
	ck_assert_uint_eq(intake.bad, 1);
	intake.bytes = INTAKE_BYTES_MAX - strlen(note);
	ck_assert(take(&intake, note));
	ck_assert(!take(&intake, note));
	ck_assert_uint_eq(intake.bad, 2);
	drop(&test, &intake);
}
END_TEST

START_TEST(progress_is_shown_not_kept)
{
	struct suite_test test;
	struct intake intake;

	make(&test, &intake);
	ck_assert(!take(&intake, "{\"type\":\"progress\",\"text\":\"half\"}"));
	ck_assert_uint_eq(intake.bad, 0);
	ck_assert_str_eq(intake.progress, "half");
	drop(&test, &intake);
}
END_TEST

START_TEST(verdicts)
{
	const char *const pass[] = { CHECK("a", "<=", "1", "true"), VERDICT("pass"), NULL };
	const char *const unreached[] = { CHECK("b", "<=", "1", "true"), VERDICT("pass"), NULL };
	const char *const overruled[] = { CHECK("a", "<=", "3", "false"), VERDICT("pass"), NULL };
	const char *const twice[] = { CHECK("a", "<=", "1", "true"), VERDICT("pass"),
				      VERDICT("skip"), NULL };
	const char *const undefined[] = { "{\"type\":\"check\",\"name\":\"a\",\"op\":\"<=\","
					  "\"bound\":2,\"unit\":\"1\",\"origin\":\"o\","
					  "\"ok\":false}",
					  VERDICT("pass"), NULL };
	const char *const skip[] = { VERDICT("skip"), NULL };
	const char *const silent[] = { CHECK("a", "<=", "1", "true"), NULL };

	ck_assert_int_eq(judged(pass, true), VERDICT_PASS);
	ck_assert_int_eq(judged(unreached, true), VERDICT_BROKEN);
	ck_assert_int_eq(judged(overruled, true), VERDICT_FAIL);
	ck_assert_int_eq(judged(overruled, false), VERDICT_FAIL);
	ck_assert_int_eq(judged(twice, true), VERDICT_BROKEN);
	ck_assert_int_eq(judged(undefined, true), VERDICT_BROKEN);
	ck_assert_int_eq(judged(skip, true), VERDICT_SKIP);
	ck_assert_int_eq(judged(silent, true), VERDICT_NONE);
	ck_assert_int_eq(judged(pass, false), VERDICT_NONE);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("intake");
	TCase *c = tcase_create("intake");

	tcase_add_loop_test(c, keeps_good, 0, sizeof(good) / sizeof(good[0]));
	tcase_add_loop_test(c, refuses_bad, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(c, refuses_too_much);
	tcase_add_test(c, progress_is_shown_not_kept);
	tcase_add_test(c, verdicts);
	suite_add_tcase(s, c);
	return s;
}
