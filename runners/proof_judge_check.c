// SPDX-License-Identifier: GPL-2.0-or-later
#include "proof_judge.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Suite *suite(void);

/* Records of a journal, without what each line begins with. */
#define RUN \
	"\"type\":\"run\",\"version\":\"0\",\"args\":[],\"labels\":{},\"repeat\":1,\"planned\":[]"
#define MACHINE(more)                                                                       \
	"\"type\":\"machine\",\"emulated\":true,\"lab\":{\"cpu_model\":\"Skylake-Client\"," \
	"\"mode\":\"exact\",\"faults\":[\"lost-pmi=7\"]" more "}"
#define START "\"type\":\"start\",\"test\":\"h\",\"iter\":1,\"budget_s\":1,\"danger\":\"safe\""
#define CONTROL(value, ok)                                                                  \
	"\"type\":\"control\",\"test\":\"h\",\"iter\":1,\"name\":\"seen\",\"value\":" value \
	",\"floor\":0,\"unit\":\"1\",\"ok\":" ok
#define CHECK(name, value, ok)                                                              \
	"\"type\":\"check\",\"test\":\"h\",\"iter\":1,\"name\":\"" name "\",\"op\":\"<=\"," \
	"\"value\":" value ",\"bound\":10,\"unit\":\"ns\",\"origin\":\"o\",\"ok\":" ok
#define LOG(class, expected)                                                                       \
	"\"type\":\"log\",\"test\":\"h\",\"iter\":1,\"class\":\"" class "\",\"level\":4,\"kseq\":" \
									"1,"                       \
									"\"ktime_us\":1,\"text\":" \
									"\"words\","               \
									"\"suppressed\":0,"        \
									"\"expected\":" expected
#define FIGURE(row, value)                                                                       \
	"\"type\":\"measure\",\"test\":\"h\",\"iter\":1,\"table\":\"cost\",\"row\":\"" row "\"," \
	"\"name\":\"p50\",\"unit\":\"ns\",\"value\":" value
#define END_ITER(iter, verdict, reasons)                                                 \
	"\"type\":\"end\",\"test\":\"h\",\"iter\":" iter ",\"verdict\":\"" verdict "\"," \
	"\"reasons\":[" reasons                                                          \
	"],\"duration_s\":1,\"survivors\":0,\"log_lost\":false,\"restored\":[]"
#define END(verdict, reasons) END_ITER("1", verdict, reasons)

/* The report of these records, up to NULL. */
static void load(struct report *report, const char *const *records)
{
	char path[] = "/tmp/proof_judge_check-XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	struct err err = { .text = "" };
	int seq = 0;

	ck_assert_ptr_nonnull(file);
	for (; *records; records++)
		fprintf(file, "{\"v\":1,\"seq\":%d,\"boot\":\"b\",\"time\":\"t\",%s}\n", ++seq,
			*records);
	fclose(file);
	ck_assert_msg(!report_read(report, path, &err), "%s", err.text);
	unlink(path);
}

/* A table of one machine and one row, which is judged by these records. */
static struct proof_outcome judge_records(const char *row, const char *const *records)
{
	struct proof_outcome outcome;
	struct report report;
	struct proofs proofs;
	struct err err = { .text = "" };
	char table[512];
	FILE *file;

	snprintf(table, sizeof(table), "machine m fault lost-pmi\nh %s\n", row);
	file = fmemopen(table, strlen(table), "r");
	ck_assert_msg(!proofs_parse(&proofs, "table", file, &err), "%s", err.text);
	fclose(file);
	load(&report, records);
	proof_judge_row(&proofs.machines[0], &proofs.machines[0].rows[0], &report, &outcome);
	report_free(&report);
	proofs_free(&proofs);
	ck_assert(outcome.judged);
	ck_assert_msg(outcome.right == !*outcome.problem, "%s", outcome.problem);
	return outcome;
}

#define RECORDS(...) ((const char *const[]){ RUN, __VA_ARGS__, NULL })
#define judge(row, ...) judge_records(row, RECORDS(__VA_ARGS__))

#define PASSES START, CONTROL("1", "true"), CHECK("c", "9", "true")
#define FAILS START, CONTROL("1", "true"), CHECK("c", "11", "false")

#define ck_right(...)                                          \
	do {                                                   \
		struct proof_outcome got = judge(__VA_ARGS__); \
		ck_assert_msg(got.right, "%s", got.problem);   \
	} while (0)

#define ck_wrong(why, ...)                                                                      \
	do {                                                                                    \
		struct proof_outcome got = judge(__VA_ARGS__);                                  \
		ck_assert_msg(!got.right && strstr(got.problem, why), "not '%s' but '%s'", why, \
			      got.problem);                                                     \
	} while (0)

START_TEST(a_pass)
{
	struct proof_outcome outcome =
		judge("pass", START, CONTROL("1", "true"), CHECK("far", "1", "true"),
		      CHECK("near", "9", "true"), END("pass", ""));

	ck_assert(outcome.right);
	ck_assert_str_eq(outcome.verdict, "pass");
	ck_assert_str_eq(outcome.figure, "near 9 ns, bound <= 10 ns");
	outcome = judge("pass shows far", START, CONTROL("1", "true"), CHECK("far", "1", "true"),
			CHECK("near", "9", "true"), END("pass", ""));
	ck_assert_str_eq(outcome.figure, "far 1 ns, bound <= 10 ns");
	/* what the hypothesis may cause, and what decides nothing */
	ck_right("pass", PASSES, LOG("pmu-loop", "true"), END("pass", ""));
	ck_right("pass", PASSES, LOG("throttle", "false"), END("pass", ""));
	ck_wrong("check other was not made", "pass shows other", PASSES, END("pass", ""));
}
END_TEST

START_TEST(no_pass)
{
	ck_wrong("fail, not pass: because", "pass", FAILS, END("fail", "\"because\""));
	ck_wrong("broken, not pass", "pass", PASSES, END("broken", "\"x\""));
	ck_wrong("skip, not pass", "pass", START, END("skip", "\"x\""));
	ck_wrong("hung, not pass", "pass", PASSES, END("hung", "\"x\""));
	ck_wrong("no verdict", "pass", PASSES);
	ck_wrong("the report has no h", "pass", "\"type\":\"note\",\"text\":\"nothing\"");
	ck_wrong("pass without a check", "pass", START, CONTROL("1", "true"), END("pass", ""));
	ck_wrong("without a positive control", "pass", START, CHECK("c", "9", "true"),
		 END("pass", ""));
	ck_wrong("positive control seen does not hold", "pass", START, CONTROL("0", "false"),
		 CHECK("c", "9", "true"), END("pass", ""));
	/* a supervisor that let it through */
	ck_wrong("class pmu-loop", "pass", PASSES, LOG("pmu-loop", "false"), END("pass", ""));
	ck_wrong("check c does not hold", "pass", FAILS, END("pass", ""));
}
END_TEST

/* Figures that were changed afterwards, or what was said of them. */
START_TEST(contradictions)
{
	ck_wrong("check c says ok, its figures do not", "pass", START, CONTROL("1", "true"),
		 CHECK("c", "11", "true"), END("pass", ""));
	ck_wrong("check c says no, its figures do not", "fail by c", START, CONTROL("1", "true"),
		 CHECK("c", "9", "false"), END("fail", "\"x\""));
	ck_wrong("control seen says ok", "pass", START, CONTROL("0", "true"),
		 CHECK("c", "9", "true"), END("pass", ""));
	ck_wrong("control seen says no", "pass", START, CONTROL("1", "false"),
		 CHECK("c", "9", "true"), END("pass", ""));
}
END_TEST

START_TEST(a_fail)
{
	struct proof_outcome outcome =
		judge("fail by c", FAILS, CHECK("d", "1", "true"), END("fail", "\"x\""));

	ck_assert(outcome.right);
	ck_assert_str_eq(outcome.verdict, "fail");
	ck_assert_str_eq(outcome.figure, "c 11 ns, bound <= 10 ns");
	outcome = judge("fail by c klog:warn", FAILS, LOG("warn", "false"), END("fail", "\"x\""));
	ck_assert(outcome.right);
	ck_assert_str_eq(outcome.figure, "c 11 ns, bound <= 10 ns; klog:warn: words");
	ck_right("fail by c also d", FAILS, CHECK("d", "11", "false"), END("fail", "\"x\""));
	ck_right("fail by c also d", FAILS, END("fail", "\"x\""));
	ck_right("fail by klog:warn", PASSES, LOG("warn", "false"), END("fail", "\"x\""));
}
END_TEST

START_TEST(no_fail)
{
	ck_wrong("pass, not fail", "fail by c", PASSES, END("pass", ""));
	ck_wrong("hung, not fail", "fail by c", FAILS, END("hung", "\"x\""));
	ck_wrong("fail, but not by d: because", "fail by d", FAILS, END("fail", "\"because\""));
	ck_wrong("fail, but not by d", "fail by c d", FAILS, END("fail", "\"x\""));
	ck_wrong("check d does not hold", "fail by c", FAILS, CHECK("d", "11", "false"),
		 END("fail", "\"x\""));
	ck_wrong("fail, but not by klog:warn", "fail by klog:warn", FAILS, LOG("oops", "false"),
		 END("fail", "\"x\""));
	ck_wrong("fail, but not by klog:warn", "fail by klog:warn", PASSES, LOG("warn", "true"),
		 END("fail", "\"x\""));
	ck_wrong("class oops: words", "fail by c", FAILS, LOG("oops", "false"),
		 END("fail", "\"x\""));
	ck_wrong("without a positive control", "fail by c", START, CHECK("c", "11", "false"),
		 END("fail", "\"x\""));
}
END_TEST

START_TEST(other_verdicts)
{
	struct proof_outcome outcome =
		judge("hung", PASSES, LOG("soft-lockup", "false"), END("hung", "\"silent\""));

	ck_assert(outcome.right);
	ck_assert_str_eq(outcome.figure, "silent");
	ck_right("hung says lent", PASSES, END("hung", "\"other\",\"silent\""));
	ck_wrong("no reason says 'reset'", "hung says reset", PASSES, END("hung", "\"silent\""));
	ck_wrong("pass, not hung", "hung", PASSES, END("pass", ""));
	ck_wrong("fail, not hung", "hung", FAILS, END("fail", "\"x\""));
	ck_wrong("check c does not hold", "hung", FAILS, END("hung", "\"silent\""));
	ck_right("hung also c", FAILS, END("hung", "\"silent\""));
	ck_right("skip says branch", START, END("skip", "\"no branch stack\""));
	ck_right("broken", START, CONTROL("0", "false"), END("broken", "\"no effect\""));
}
END_TEST

START_TEST(iterations)
{
	ck_wrong("2 iterations instead of 1", "pass", PASSES, END("pass", ""),
		 "\"type\":\"start\",\"test\":\"h\",\"iter\":2,\"budget_s\":1,\"danger\":\"safe\"",
		 "\"type\":\"check\",\"test\":\"h\",\"iter\":2,\"name\":\"c\",\"op\":\"<=\","
		 "\"value\":9,\"bound\":10,\"unit\":\"ns\",\"origin\":\"o\",\"ok\":true",
		 "\"type\":\"control\",\"test\":\"h\",\"iter\":2,\"name\":\"seen\",\"value\":1,"
		 "\"floor\":0,\"unit\":\"1\",\"ok\":true",
		 END_ITER("2", "pass", ""));
	/* each must be as expected, not the worst alone */
	ck_wrong("pass, not fail", "fail by c", FAILS, END("fail", "\"x\""),
		 "\"type\":\"check\",\"test\":\"h\",\"iter\":2,\"name\":\"c\",\"op\":\"<=\","
		 "\"value\":9,\"bound\":10,\"unit\":\"ns\",\"origin\":\"o\",\"ok\":true",
		 END_ITER("2", "pass", ""));
}
END_TEST

START_TEST(figures)
{
	struct proof_outcome outcome =
		judge("pass figure cost all p50", PASSES, FIGURE("all", "2500"), END("pass", ""));

	ck_assert_msg(outcome.right, "%s", outcome.problem);
	ck_assert_str_eq(outcome.figure, "c 9 ns, bound <= 10 ns; cost, all, p50: 2.5 us");
	outcome = judge("pass figure cost all p50 beside \"theirs: 3 us\"", PASSES,
			FIGURE("all", "2500"), END("pass", ""));
	ck_assert_ptr_nonnull(strstr(outcome.figure, "p50: 2.5 us (theirs: 3 us)"));
	ck_right("pass figure cost all p50 from 2500 to 2500", PASSES, FIGURE("all", "2500"),
		 END("pass", ""));
	ck_wrong("figure cost, all, p50: 2500 to 2500 ns, not from 2501 to 3000",
		 "pass figure cost all p50 from 2501 to 3000 beside x", PASSES,
		 FIGURE("all", "2500"), END("pass", ""));
	ck_wrong("not from 2 to 2499.9", "pass figure cost all p50 from 2 to 2499.9", PASSES,
		 FIGURE("all", "2500"), END("pass", ""));
	/* also of a verdict other than pass, and of any iteration */
	ck_wrong("not from 0 to 1", "fail by c figure cost all p50 from 0 to 1", FAILS,
		 FIGURE("all", "2500"), END("fail", "\"x\""));
	ck_wrong("figure cost, none, p50: ENOENT", "pass figure cost none p50", PASSES,
		 FIGURE("all", "2500"), END("pass", ""));
	ck_wrong("figure cost, all, p50: ENOENT", "pass figure cost all p50", PASSES,
		 "\"type\":\"measure\",\"test\":\"h\",\"iter\":1,\"table\":\"cost\","
		 "\"row\":\"all\",\"name\":\"p50\",\"unit\":\"ns\"",
		 END("pass", ""));
}
END_TEST

static void relate(double factor, struct proof_outcome *outcome, const char *left_record,
		   const char *right_record)
{
	struct proof_side side = { "m", "h", { "cost", "all", "p50" }, NULL, NULL };
	struct proof_relation relation = { .left = side, .right = side, .factor = factor };
	struct report reports[2];
	const char *const records[] = { left_record, right_record };

	relation.right.machine_name = "other";
	for (int i = 0; i < 2; i++) {
		char path[] = "/tmp/proof_judge_check-XXXXXX";
		FILE *file = fdopen(mkstemp(path), "w");
		struct err err;

		fprintf(file, "{\"v\":1,\"seq\":1,\"boot\":\"b\",\"time\":\"t\",%s}\n", RUN);
		fprintf(file, "{\"v\":1,\"seq\":2,\"boot\":\"b\",\"time\":\"t\",%s}\n", records[i]);
		fclose(file);
		ck_assert_int_eq(report_read(&reports[i], path, &err), 0);
		unlink(path);
	}
	proof_judge_relation(&relation, &reports[0], &reports[1], outcome);
	report_free(&reports[0]);
	report_free(&reports[1]);
	ck_assert(outcome->judged);
}

START_TEST(relations)
{
	struct proof_outcome outcome;

	relate(0.85, &outcome, FIGURE("all", "1600"), FIGURE("all", "2000"));
	ck_assert(outcome.right);
	ck_assert_str_eq(outcome.verdict, "holds");
	ck_assert_str_eq(outcome.figure, "all, p50: 1.6 us is 0.8 times 2 us, bound <= 0.85");
	relate(0.85, &outcome, FIGURE("all", "1700"), FIGURE("all", "2000"));
	ck_assert(outcome.right);
	relate(0.85, &outcome, FIGURE("all", "1701"), FIGURE("all", "2000"));
	ck_assert(!outcome.right);
	ck_assert_str_eq(outcome.verdict, "does not");
	ck_assert_ptr_nonnull(strstr(outcome.problem, "1.701 us is 0.8505 times"));
	relate(0.85, &outcome, FIGURE("none", "1600"), FIGURE("all", "2000"));
	ck_assert(!outcome.right);
	ck_assert_str_eq(outcome.problem, "machine m, h, figure cost, all, p50: ENOENT");
	relate(0.85, &outcome, FIGURE("all", "1600"), "\"type\":\"note\",\"text\":\"none\"");
	ck_assert(!outcome.right);
	ck_assert_str_eq(outcome.problem, "machine other, h, figure cost, all, p50: ENOENT");
	relate(0.85, &outcome, FIGURE("all", "0"), FIGURE("all", "0"));
	ck_assert(!outcome.right);
	ck_assert_ptr_nonnull(strstr(outcome.problem, "have no ratio"));
}
END_TEST

static void refuses_machine(const char *setting, const char *why, const char *record)
{
	char table[256];
	struct report report;
	struct proofs proofs;
	struct err err = { .text = "" };
	FILE *file;

	snprintf(table, sizeof(table), "machine m %s\nh pass\n", setting);
	file = fmemopen(table, strlen(table), "r");
	ck_assert_msg(!proofs_parse(&proofs, "table", file, &err), "%s", err.text);
	fclose(file);
	load(&report, RECORDS(record));
	ck_assert_int_eq(proof_judge_machine(&proofs.machines[0], &report, &err) != 0,
			 *why != '\0');
	ck_assert_msg(!*why || strstr(err.text, why), "%s", err.text);
	report_free(&report);
	proofs_free(&proofs);
}

/* A pass on another machine than the one asked for shows nothing. */
START_TEST(machines)
{
	refuses_machine("fault lost-pmi", "", MACHINE(""));
	refuses_machine("fault lost-pmi variant a,b", "", MACHINE(",\"variant\":\"a,b\""));
	refuses_machine("", "the faults were not", MACHINE(""));
	refuses_machine("fault lost-pmi=8", "the faults were not", MACHINE(""));
	refuses_machine("fault lost-pmi fault shadow", "the faults were not", MACHINE(""));
	refuses_machine("fault lost-pmi mode smp", "the mode was exact", MACHINE(""));
	refuses_machine("fault lost-pmi cpu-model Haswell", "the CPU was Skylake-Client",
			MACHINE(""));
	refuses_machine("fault lost-pmi variant a", "the kernel's variant was '', not 'a'",
			MACHINE(""));
	refuses_machine("fault lost-pmi", "the kernel's variant was 'a', not ''",
			MACHINE(",\"variant\":\"a\""));
	refuses_machine("fault lost-pmi param x=1", "", MACHINE(",\"params\":[\"x=1\"]"));
	refuses_machine("fault lost-pmi param x=1", "the parameters were not", MACHINE(""));
	refuses_machine("fault lost-pmi", "the parameters were not",
			MACHINE(",\"params\":[\"x=1\"]"));
	refuses_machine("", "not of an emulated machine", "\"type\":\"machine\"");
}
END_TEST

Suite *suite(void)
{
	Suite *suite = suite_create("proof_judge");
	TCase *tcase = tcase_create("proof_judge");

	tcase_add_test(tcase, a_pass);
	tcase_add_test(tcase, no_pass);
	tcase_add_test(tcase, contradictions);
	tcase_add_test(tcase, a_fail);
	tcase_add_test(tcase, no_fail);
	tcase_add_test(tcase, other_verdicts);
	tcase_add_test(tcase, iterations);
	tcase_add_test(tcase, figures);
	tcase_add_test(tcase, relations);
	tcase_add_test(tcase, machines);
	suite_add_tcase(suite, tcase);
	return suite;
}
