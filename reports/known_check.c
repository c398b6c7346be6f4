// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "known.h"

Suite *suite(void);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define MACHINE                                                                    \
	"\"cpu\":{\"vendor\":\"GenuineIntel\",\"family\":6,\"model\":94,\"name\":" \
	"\"Intel(R) Core(TM) i7-6700K\"},\"kernel\":{\"release\":\"6.1.0-41-amd64\"}"

#define CHECK(name, ok, value)                                                               \
	"{\"type\":\"check\",\"name\":\"" name "\",\"op\":\"<=\",\"unit\":\"1\",\"origin\":" \
	"\"o\",\"ok\":" ok ",\"value\":" value ",\"bound\":5"
#define GOOD(name) CHECK(name, "true", "1")
#define BAD(name) CHECK(name, "false", "9")
#define LOG(class, expected)                                                               \
	"{\"type\":\"log\",\"class\":\"" class "\",\"level\":4,\"kseq\":1,\"ktime_us\":1," \
					       "\"text\":\"t\",\"suppressed\":0,"          \
					       "\"expected\":" expected
#define END(verdict, reasons)                                                 \
	"{\"type\":\"end\",\"verdict\":\"" verdict "\",\"reasons\":[" reasons \
	"],\"exit\":1,\"duration_s\":1,\"survivors\":0,\"log_lost\":false,\"restored\":[]"
#define RUN                                                                             \
	"{\"type\":\"run\",\"version\":\"0.1\",\"args\":[],\"labels\":{},\"repeat\":1," \
	"\"planned\":[{\"test\":\"h\",\"claim\":\"c\",\"source\":\"s\",\"danger\":"     \
	"\"safe\",\"budget_s\":1}]"

static void read_table(struct known_issues *known, const char *text, int expected, struct err *err)
{
	FILE *file = fmemopen((char *)text, strlen(text), "r");

	ck_assert_ptr_nonnull(file);
	err->text[0] = '\0';
	ck_assert_msg(known_read(known, file, "table", err) == expected, "%s: %s", text, err->text);
	fclose(file);
}

/* A report of hypothesis "h" with these records; the iteration of each is its first character. */
static void read_report(struct report *report, const char *machine, const char *const *records)
{
	char path[] = "/tmp/known-check-XXXXXX";
	int fd = mkstemp(path);
	unsigned int seq = 1;
	struct err err;
	FILE *file;

	ck_assert_int_ge(fd, 0);
	file = fdopen(fd, "w");
#define STAMP                                                                    \
	",\"v\":1,\"seq\":%u,\"boot\":\"6f1c2a0e-8d43-4c1b-9a57-0d2f6b1e7c90\"," \
	"\"time\":\"2026-03-01T10:00:00.000Z\""
	fprintf(file, RUN STAMP "}\n", seq++);
	fprintf(file, "{\"type\":\"machine\",\"emulated\":false,%s" STAMP "}\n", machine, seq++);
	for (; *records; records++)
		fprintf(file, "%s" STAMP ",\"test\":\"h\",\"iter\":%c}\n", *records + 1, seq++,
			**records);
	fclose(file);
	ck_assert_msg(!report_read(report, path, &err), "%s", err.text);
	unlink(path);
}

#define LISTED "* | * | h | slow | erratum 7\n"

static const struct {
	const char *table;
	const char *records[8];
	enum verdict verdict;
	const char *state; /* of the first entry told of, NULL: none */
} cases[] = {
	{ LISTED, { "1" BAD("slow"), "1" END("fail", "\"slow: 9\"") }, VERDICT_KNOWN, "known" },
	{ "", { "1" BAD("slow"), "1" END("fail", "\"slow: 9\"") }, VERDICT_FAIL, NULL },
	/* Another hypothesis, check, CPU, kernel. */
	{ "*|*|g|slow|r\n", { "1" BAD("slow"), "1" END("fail", "\"slow: 9\"") }, VERDICT_FAIL },
	{ "*|*|h|slo|r\n", { "1" BAD("slow"), "1" END("fail", "\"slow: 9\"") }, VERDICT_FAIL },
	{ "GenuineIntel-6-5F|*|h|slow|r\n",
	  { "1" BAD("slow"), "1" END("fail", "\"slow: 9\"") },
	  VERDICT_FAIL },
	{ "*|..6.1.0-40|h|slow|r\n",
	  { "1" BAD("slow"), "1" END("fail", "\"slow: 9\"") },
	  VERDICT_FAIL },
	/* This CPU, by number and by name; this kernel. */
	{ "GenuineIntel-6-[45]E|6.1|h|slow|r\n",
	  { "1" BAD("slow"), "1" END("fail", "\"slow: 9\"") },
	  VERDICT_KNOWN,
	  "known" },
	{ "*i7-6700*|6.1.0-41|h|slow|r\n",
	  { "1" BAD("slow"), "1" END("fail", "\"slow: 9\"") },
	  VERDICT_KNOWN,
	  "known" },
	/* A second check that failed is not listed; is listed. */
	{ LISTED,
	  { "1" BAD("slow"), "1" BAD("lost"), "1" END("fail", "\"slow: 9\"") },
	  VERDICT_FAIL },
	{ LISTED "*|*|h|lost|r\n",
	  { "1" BAD("slow"), "1" BAD("lost"), "1" END("fail", "\"slow: 9\"") },
	  VERDICT_KNOWN,
	  "known" },
	/* The name of another begins alike. */
	{ "*|*|h|slower|r\n", { "1" BAD("slow"), "1" END("fail", "\"slow: 9\"") }, VERDICT_FAIL },
	/* A message that is only counted. */
	{ LISTED,
	  { "1" BAD("slow"), "1" LOG("throttle", "false"), "1" END("fail", "\"slow: 9\"") },
	  VERDICT_KNOWN,
	  "known" },
	/* One listed check failed and the other held. */
	{ "*|*|h|lost|r\n" LISTED,
	  { "1" BAD("slow"), "1" GOOD("lost"), "1" END("fail", "\"slow: 9\"") },
	  VERDICT_KNOWN,
	  "gone" },
	/* It held now and then. */
	{ LISTED,
	  { "1" BAD("slow"), "1" BAD("lost"), "1" END("fail", "\"lost: 9\""), "2" GOOD("slow"),
	    "2" END("pass", "") },
	  VERDICT_FAIL },
	/* Another reason, the kernel log, a lie of the test about its check. */
	{ LISTED,
	  { "1" BAD("slow"), "1" END("fail", "\"slow: 9\",\"left 3 processes behind: x\"") },
	  VERDICT_FAIL },
	{ LISTED,
	  { "1" BAD("slow"), "1" LOG("soft-lockup", "false"), "1" END("fail", "\"slow: 9\"") },
	  VERDICT_FAIL },
	{ LISTED,
	  { "1" BAD("slow"), "1" LOG("soft-lockup", "true"), "1" END("fail", "\"slow: 9\"") },
	  VERDICT_KNOWN,
	  "known" },
	{ LISTED,
	  { "1" BAD("slow"), "1" CHECK("lost", "true", "9"), "1" END("fail", "\"slow: 9\"") },
	  VERDICT_FAIL },
	/* A fail that no check speaks for. */
	{ LISTED, { "1" END("fail", "\"slow: 9\"") }, VERDICT_FAIL },
	{ LISTED, { "1" GOOD("slow"), "1" END("fail", "\"slow: 9\"") }, VERDICT_FAIL, "gone" },
	/* Only a fail becomes known. */
	{ LISTED, { "1" BAD("slow"), "1" END("hung", "\"slow: 9\"") }, VERDICT_HUNG },
	{ LISTED, { "1" BAD("slow"), "1" END("broken", "\"slow: 9\"") }, VERDICT_BROKEN },
	{ LISTED, { "1" BAD("slow") }, VERDICT_NONE },
	/* The worst of the iterations counts as ever. */
	{ LISTED,
	  { "1" BAD("slow"), "1" END("fail", "\"slow: 9\""), "2" BAD("lost"),
	    "2" END("fail", "\"lost: 9\"") },
	  VERDICT_FAIL,
	  "known" },
	{ LISTED,
	  { "1" BAD("slow"), "1" END("fail", "\"slow: 9\""), "2" GOOD("slow"),
	    "2" END("pass", "") },
	  VERDICT_KNOWN,
	  "known" },
	/* The issue is gone when the check was made and held each time, and the test ended. */
	{ LISTED, { "1" GOOD("slow"), "1" END("pass", "") }, VERDICT_PASS, "gone" },
	{ LISTED, { "1" GOOD("slow"), "1" END("broken", "\"x\"") }, VERDICT_BROKEN, NULL },
	{ LISTED, { "1" GOOD("lost"), "1" END("pass", "") }, VERDICT_PASS, NULL },
	{ LISTED, { "1" END("skip", "\"no PMU\"") }, VERDICT_SKIP, NULL },
	{ "GenuineIntel-6-5F|*|h|slow|r\n",
	  { "1" GOOD("slow"), "1" END("pass", "") },
	  VERDICT_PASS,
	  NULL },
};

START_TEST(judged)
{
	struct known_issues known;
	struct report report;
	const json_t *first;
	struct err err;

	read_table(&known, *cases[_i].table ? cases[_i].table : "#\n", 0, &err);
	read_report(&report, MACHINE, cases[_i].records);
	ck_assert_int_eq(known_apply(&known, &report), 0);
	known_free(&known); /* nothing of it is needed any more */
	ck_assert_str_eq(verdict_name(report_test_verdict(&report.tests[0])),
			 verdict_name(cases[_i].verdict));
	first = json_array_get(report.known, 0);
	ck_assert_pstr_eq(json_string_value(json_object_get(first, "state")), cases[_i].state);
	report_free(&report);
}
END_TEST

/* A machine that says nothing of itself, or nonsense, is no CPU in particular. */
START_TEST(no_machine)
{
	static const char *const machines[] = { "\"x\":1", "\"cpu\":{\"model\":\"94\"}",
						"\"cpu\":[],\"kernel\":7",
						"\"cpu\":{\"name\":7,\"model\":-1}" };
	const char *const records[] = { "1" BAD("slow"), "1" END("fail", "\"slow: 9\""), NULL };
	static const struct {
		const char *table;
		bool known;
	} tables[] = {
		{ LISTED, true },
		{ "GenuineIntel*|*|h|slow|r\n", false },
		{ "*|6.1..|h|slow|r\n", false },
	};

	for (size_t i = 0; i < COUNT(machines) * COUNT(tables); i++) {
		struct known_issues known;
		struct report report;
		struct err err;

		read_table(&known, tables[i % COUNT(tables)].table, 0, &err);
		read_report(&report, machines[i / COUNT(tables)], records);
		ck_assert_int_eq(known_apply(&known, &report), 0);
		ck_assert_int_eq(report_test_verdict(&report.tests[0]) == VERDICT_KNOWN,
				 tables[i % COUNT(tables)].known);
		report_free(&report);
		known_free(&known);
	}
}
END_TEST

START_TEST(what_a_table_holds)
{
	struct known_issues known;
	struct err err;

	read_table(&known, "# comment\n\n \t# more\n a b | 6.1..6.4 |h|c|  r | s  \n*|*|h|c|last",
		   0, &err);
	ck_assert_uint_eq(known.n, 2);
	ck_assert_str_eq(known.issues[0].cpu, "a b");
	ck_assert_str_eq(known.issues[0].range, "6.1..6.4");
	ck_assert(known.issues[0].kernels.from && known.issues[0].kernels.to);
	ck_assert_str_eq(known.issues[0].reference, "r | s");
	ck_assert_str_eq(known.issues[1].reference, "last");
	known_free(&known);
}
END_TEST

static const struct {
	const char *table, *error;
} bad[] = {
	{ "\n*|*|h|c\n", "table:2: 4 columns instead of 5, separated by |" },
	{ "nonsense\n", "table:1: 1 columns instead of 5, separated by |" },
	{ "|*|h|c|r\n", "table:1: the CPU is empty" },
	{ "*||h|c|r\n", "table:1: the kernel range is empty" },
	{ "*|*| |c|r\n", "table:1: the hypothesis is empty" },
	{ "*|*|h||r\n", "table:1: the check is empty" },
	{ "*|*|h|c|\n", "table:1: the reference is empty" },
	{ "*|*|h*|c|r\n", "table:1: 'h*' is no name of a hypothesis" },
	{ "*|*|h|c d|r\n", "table:1: 'c d' is no name of a check" },
	{ "*|*|h|c|\xff\n", "table:1: the reference is no text in UTF-8" },
	{ "*|*|h|c|r\033[31m\n", "table:1: the reference is no text in UTF-8" },
	{ "*|*|h|c|r\r\n", "table:1: the reference is no text in UTF-8" },
	{ "*|6.x|h|c|r\n", "table:1: '6.x' is no version of a kernel (6.4, 6.12-rc3, 6.1.0-41)" },
	{ "*|6.4..6.1|h|c|r\n", "table:1: '6.4..6.1': the first kernel comes after the last" },
	{ "*|*|h|c|r\n*|6.1..|h|c|r\n*|*|h|c|s\n",
	  "table:3: c of h is there already, for the same CPU and kernels" },
};

START_TEST(bad_tables)
{
	struct known_issues known;
	struct err err;

	read_table(&known, bad[_i].table, -EINVAL, &err);
	ck_assert_str_eq(err.text, bad[_i].error);
	known_free(&known);
}
END_TEST

/* Whatever becomes of a byte of it, a table is read or refused with its line. */
START_TEST(mutated_tables)
{
	static const char table[] = "# c\nGenuineIntel-* | 6.1..6.12-rc2 | h | slow | erratum 7\n"
				    "*i7* | *|h|lost| r\n";
	static const char bytes[] = "|#\n.-*\xff\001 9z";

	for (size_t at = 0; at < sizeof(table) - 1; at++) {
		for (size_t b = 0; b < sizeof(bytes) - 1; b++) {
			char copy[sizeof(table)];
			struct known_issues known;
			struct err err;
			FILE *file;
			int result;

			memcpy(copy, table, sizeof(table));
			copy[at] = bytes[b];
			file = fmemopen(copy, sizeof(table) - 1, "r");
			result = known_read(&known, file, "table", &err);
			ck_assert(result ? !strncmp(err.text, "table:", 6) : known.n <= 4);
			fclose(file);
			known_free(&known);
		}
	}
}
END_TEST

START_TEST(files)
{
	struct known_issues known;
	struct err err;

	ck_assert_msg(!known_load(&known, "reports/known-issues", &err), "%s", err.text);
	ck_assert_uint_ge(known.n, 1);
	known_free(&known);
	ck_assert_int_eq(known_load(&known, "/nonexistent/table", &err), -ENOENT);
	known_free(&known);
	ck_assert_int_eq(known_load(&known, "/tmp", &err), -EISDIR);
	known_free(&known);
	ck_assert_int_eq(known_load(&known, "/proc/self/cmdline", &err), -EINVAL); /* NULs */
	known_free(&known);
	ck_assert_int_eq(known_load(&known, "/dev/zero", &err), -EFBIG);
	known_free(&known);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("known");
	TCase *tests = tcase_create("known");

	tcase_add_loop_test(tests, judged, 0, COUNT(cases));
	tcase_add_test(tests, no_machine);
	tcase_add_test(tests, what_a_table_holds);
	tcase_add_loop_test(tests, bad_tables, 0, COUNT(bad));
	tcase_add_test(tests, mutated_tables);
	tcase_add_test(tests, files);
	suite_add_tcase(all, tests);
	return all;
}
