// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "resume.h"

Suite *suite(void);

/* Lines of it are cut off to get what a crash would have left; see lib/journal_state_check.c. */
#define SAMPLE "fixtures/journals/resumed.jsonl"

static char dir[] = "/tmp/pmiproof-resume-XXXXXX";
static struct journal journal;
static struct resume resume;
static struct suite tests;
static struct plan plan;
static struct run_options options;
static struct err err;

static void journal_path(char *path)
{
	snprintf(path, PATH_MAX, "%s/" JOURNAL_NAME, dir);
}

static void begin(void)
{
	strcpy(dir + sizeof(dir) - 7, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	journal.fd = -1;
}

static void end(void)
{
	char path[PATH_MAX];

	plan_free(&plan);
	free(tests.tests);
	json_decref(options.labels);
	resume_free(&resume);
	journal_close(&journal);
	journal_path(path);
	unlink(path);
	rmdir(dir);
}

/* The first lines of the sample as the journal, and `rest` after them. */
static size_t put(int lines, const char *rest)
{
	char path[PATH_MAX], *line = NULL;
	size_t size = 0, written = 0;
	FILE *from = fopen(SAMPLE, "re"), *to;

	journal_path(path);
	to = fopen(path, "we");
	ck_assert(from && to);
	for (; lines && getline(&line, &size, from) > 0; lines--) {
		fputs(line, to);
		written += strlen(line);
	}
	fputs(rest, to);
	free(line);
	fclose(from);
	fclose(to);
	return written;
}

static int open_resume(unsigned int resets_max)
{
	return resume_open(&resume, &journal, dir, resets_max, &err);
}

/* The suites of the sample, as they would be found again. */
static void find_suites(void)
{
	static const char *const names[] = { "first", "second", "third" };

	options = (struct run_options){ .repeat = 2, .labels = json_object() };
	tests = (struct suite){ .n = 3 };
	tests.tests = calloc(3, sizeof(*tests.tests));
	for (size_t i = 0; i < 3; i++) {
		static json_t *declarations[3];
		char claim[32];

		snprintf(claim, sizeof(claim), "%s holds", names[i]);
		json_decref(declarations[i]);
		declarations[i] = json_pack("{s:s, s:s}", "claim", claim, "source", "s");
		tests.tests[i].name = (char *)(uintptr_t)names[i];
		tests.tests[i].path = (char *)(uintptr_t)names[i];
		tests.tests[i].declaration = declarations[i];
		tests.tests[i].danger = DANGER_SAFE;
		tests.tests[i].budget_s = 60;
	}
	ck_assert_msg(!plan_make(&plan, &tests, &options, &err), "%s", err.text);
}

static int make_plan(bool retry_hung, size_t *retries)
{
	find_suites();
	return resume_plan(&resume, &tests, &plan, retry_hung, retries, &err);
}

/* Verdicts of the plan, a letter each: '.' is to be run. */
static const char *verdicts(void)
{
	static char letters[32];

	for (size_t i = 0; i < plan.n; i++)
		letters[i] = plan.entries[i].verdict == VERDICT_NONE
				     ? '.'
				     : verdict_name(plan.entries[i].verdict)[0];
	letters[plan.n] = '\0';
	return letters;
}

START_TEST(takes_settings_from_the_journal)
{
	size_t whole = put(9, "{\"v\":1,\"seq\":10,");

	ck_assert_msg(!open_resume(0), "%s", err.text);
	ck_assert_int_eq(resume.argc, 5);
	ck_assert_str_eq(resume.argv[4], "2");
	ck_assert_ptr_null(resume.argv[5]);
	ck_assert_uint_eq(resume.seq, 9);
	ck_assert_uint_eq(resume.whole, whole);
	ck_assert_int_eq(resume.cut, 16);
	ck_assert(resume.state.rebooted);
	ck_assert_str_eq(resume.loop, "");
}
END_TEST

/* A block that was not on the disk yet, and a later one that was: the rest is kept aside. */
START_TEST(cuts_at_a_hole)
{
	static const char rest[] = "{\"v\":1,\"se\0\0\0\0\0\0ther\"}\n{\"v\":1,\"seq\":11}\n";
	char path[PATH_MAX], read[128];
	size_t whole = put(9, "");
	FILE *file;

	journal_path(path);
	file = fopen(path, "ae");
	ck_assert_uint_eq(fwrite(rest, 1, sizeof(rest) - 1, file), sizeof(rest) - 1);
	fclose(file);
	ck_assert_msg(!open_resume(0), "%s", err.text);
	ck_assert_uint_eq(resume.whole, whole);
	ck_assert_uint_eq(resume.seq, 9);
	ck_assert_int_eq(resume.cut, sizeof(rest) - 1);
	ck_assert(journal_state_runs(&resume.state, "second", 1));
	snprintf(path, sizeof(path), "%s/journal-rest-%zu", dir, whole);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(read, 1, sizeof(read), file), sizeof(rest) - 1);
	ck_assert_int_eq(memcmp(read, rest, sizeof(rest) - 1), 0);
	fclose(file);
	unlink(path);
}
END_TEST

/* What is left to be run, and what has its result, from several points of the sample. */
static const struct {
	int lines;
	bool retry_hung;
	const char *verdicts;
	size_t retries;
	unsigned int last_iter;
} plans[] = {
	{ 3, false, "......", 0, 2 },  { 9, false, "p.....", 0, 2 },  { 16, false, "phs...", 0, 2 },
	{ 22, false, "phs...", 0, 2 }, { 37, false, "phspbs", 0, 2 }, { 13, true, "ph....", 0, 2 },
};

START_TEST(plans_what_is_left)
{
	size_t retries;

	put(plans[_i].lines, "");
	ck_assert_msg(!open_resume(9), "%s", err.text);
	ck_assert_msg(!make_plan(plans[_i].retry_hung, &retries), "%s", err.text);
	ck_assert_str_eq(verdicts(), plans[_i].verdicts);
	ck_assert_uint_eq(retries, plans[_i].retries);
}
END_TEST

/* What hung the last time it ran is tried as one more iteration, with a name that says so. */
START_TEST(retries_what_hung)
{
	size_t retries;

	put(30,
	    "{\"v\":1,\"seq\":31,\"boot\":\"22222222-2222-4222-8222-222222222222\",\"time\":\"t\","
	    "\"type\":\"end\",\"test\":\"second\",\"iter\":2,\"verdict\":\"hung\"}\n");
	ck_assert_msg(!open_resume(9), "%s", err.text);
	ck_assert_msg(!make_plan(true, &retries), "%s", err.text);
	ck_assert_uint_eq(retries, 1);
	ck_assert_str_eq(verdicts(), "phsph..");
	ck_assert_uint_eq(plan.entries[6].iter, 3);
	ck_assert_str_eq(plan.entries[6].test->name, "second");
	ck_assert_str_eq(plan.entries[6].label, "second/3");
}
END_TEST

/* Where it is not resumed any more, what was not run stays so. */
START_TEST(stops_a_loop)
{
	size_t retries;
	json_t *record;

	put(22, "");
	ck_assert_msg(!open_resume(2), "%s", err.text);
	ck_assert_str_eq(resume.loop, "the machine was reset 2 times");
	ck_assert_msg(!make_plan(true, &retries), "%s", err.text);
	ck_assert_str_eq(verdicts(), "phsnnn");
	record = resume_record(&resume, 0);
	ck_assert_str_eq(json_string_value(json_object_get(record, "stopped")), resume.loop);
	ck_assert_str_eq(json_string_value(json_object_get(record, "after")), "reset");
	ck_assert_int_eq(json_integer_value(json_object_get(record, "resets")), 2);
	ck_assert_uint_eq(json_array_size(json_object_get(record, "boots")), 3);
	json_decref(record);
}
END_TEST

START_TEST(records_what_was_in_flight)
{
	json_t *record, *flight;

	put(9, "");
	ck_assert_msg(!open_resume(0), "%s", err.text);
	record = resume_record(&resume, 4);
	flight = json_object_get(record, "in_flight");
	ck_assert_str_eq(json_string_value(json_object_get(flight, "test")), "second");
	ck_assert_int_eq(json_integer_value(json_object_get(flight, "iter")), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(record, "kept")), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(record, "left")), 4);
	json_decref(record);
}
END_TEST

/* Suites that are not those of the run. */
START_TEST(refuses_other_suites)
{
	size_t retries;

	put(9, "");
	ck_assert_msg(!open_resume(0), "%s", err.text);
	find_suites();
	tests.tests[1].budget_s = 61;
	ck_assert_int_eq(resume_plan(&resume, &tests, &plan, false, &retries, &err), -EINVAL);
	ck_assert_msg(strstr(err.text, "second has changed"), "%s", err.text);
	tests.tests[1].budget_s = 60;
	tests.n = 2;
	ck_assert_int_eq(resume_plan(&resume, &tests, &plan, false, &retries, &err), -EINVAL);
	ck_assert_msg(strstr(err.text, "third has changed, or is not there"), "%s", err.text);
	tests.n = 3;
	ck_assert_int_eq(resume_plan(&resume, &tests, &plan, false, &retries, &err), 0);
}
END_TEST

static const struct {
	int lines;
	const char *rest, *says;
} refused[] = {
	{ 0, "", "before its first record" },
	{ 0, "{\"v\":1,\"seq\":1,", "before its first record" },
	{ 1, "{}\n", ":2: " },
	{ 1, "{\"v\":1,\"seq\":2,\"boot\":\"b\",\"time\":\"t\",\"type\":\"machine\",\"lab\":{}}\n",
	  "a run in the lab" },
	{ 1, "{\"v\":1,\"seq\":2,\"boot\":\"b\",\"time\":\"t\",\"type\":\"run\"}\n", "second run" },
	{ 1, "{\"v\":2,\"seq\":2,\"boot\":\"b\",\"time\":\"t\",\"type\":\"note\"}\n", "version 2" },
	{ 0, "{\"v\":1,\"seq\":1,\"boot\":\"b\",\"time\":\"t\",\"type\":\"run\",\"args\":[]}\n",
	  "no arguments" },
	{ 0, "{\"v\":1,\"seq\":1,\"boot\":\"b\",\"time\":\"t\",\"type\":\"run\",\"args\":[1]}\n",
	  "is no text" },
};

START_TEST(refuses_a_journal)
{
	char path[PATH_MAX];
	struct stat before, after;

	put(refused[_i].lines, refused[_i].rest);
	journal_path(path);
	ck_assert_int_eq(stat(path, &before), 0);
	ck_assert_int_lt(open_resume(0), 0);
	ck_assert_msg(strstr(err.text, refused[_i].says), "%s", err.text);
	ck_assert_int_eq(stat(path, &after), 0);
	ck_assert_int_eq(before.st_size, after.st_size);
}
END_TEST

START_TEST(refuses_another_kernel)
{
	put(9, "");
	ck_assert_msg(!open_resume(0), "%s", err.text);
	/* The sample is of no kernel that there is. */
	resume.state.release = "6.1.0-none";
	ck_assert_int_eq(resume_surroundings(&resume, &err), -EINVAL);
	ck_assert_msg(strstr(err.text, "began with 6.1.0-none"), "%s", err.text);
	resume.state.release = NULL;
	ck_assert_int_eq(resume_surroundings(&resume, &err), 0);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("resume");
	TCase *tc = tcase_create("resume");

	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_test(tc, takes_settings_from_the_journal);
	tcase_add_test(tc, cuts_at_a_hole);
	tcase_add_loop_test(tc, plans_what_is_left, 0, sizeof(plans) / sizeof(plans[0]));
	tcase_add_test(tc, retries_what_hung);
	tcase_add_test(tc, stops_a_loop);
	tcase_add_test(tc, records_what_was_in_flight);
	tcase_add_test(tc, refuses_other_suites);
	tcase_add_loop_test(tc, refuses_a_journal, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(tc, refuses_another_kernel);
	suite_add_tcase(s, tc);
	return s;
}
