// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../fixtures/formatted.h"
#include "report.h"
#include "text.h"

Suite *suite(void);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The report of a journal, to be freed. */
static char *show(const char *journal, const struct report_options *options)
{
	struct err err = { .text = "" };
	char path[PATH_MAX];
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	snprintf(path, sizeof(path), JOURNALS "%s.jsonl", journal);
	ck_assert_msg(!report_term(out, path, options, &err), "%s", err.text);
	fclose(out);
	return text;
}

/* Layouts that were looked at: what they must say is asserted in says_what_the_journal_says. */
static const struct {
	const char *journal, *golden;
	struct report_options options;
} goldens[] = {
	{ "verdicts", "verdicts-100.txt", { .width = 100 } },
	{ "verdicts", "verdicts-verbose.txt", { .verbose = true } },
	{ "emulated", "emulated.txt", { .width = 0 } },
	{ "repeat", "repeat-100.txt", { .width = 100 } },
	{ "stopped", "stopped-72.txt", { .width = 72 } },
	{ "unknown", "unknown.txt", { .width = 100 } },
	{ "forms", "forms.txt", { .width = 100 } },
	{ "hostile", "hostile.txt", { .width = 100 } },
	{ "resumed", "resumed-100.txt", { .width = 100 } },
	{ "guarded", "guarded.txt", { .width = 100 } },
};

START_TEST(layout)
{
	char path[PATH_MAX];
	char *text = show(goldens[_i].journal, &goldens[_i].options);
	char *golden;

	snprintf(path, sizeof(path), JOURNALS "%s", goldens[_i].golden);
	golden = load(path);
	ck_assert_str_eq(text, golden);
	free(golden);
	free(text);
}
END_TEST

/* Worked out from the journals by hand. Blanks stand for any number of blanks. */
static const struct {
	const char *journal, *line;
} lines[] = {
	{ "resumed",
	  "resumed 2026-11-30T12:00:01.000Z: the machine was reset during second; 1 done, 4 left" },
	{ "resumed", "resumed 2026-11-30T12:00:02.400Z: it was interrupted; 3 done, 3 left" },
	{ "resumed", "first pass 0.2 s 2 of 2 pass; 1 check held, closest: held 1 <= 2" },
	{ "resumed", "pst| <0>[ 10.000000] Kernel panic - not syncing: x" },
	{ "resumed", "Hung: second. The machine was reset 1 time." },
	/* first reason of two */
	{ "verdicts", "short_period_soft fail 12.5 s worker: cpu 1, period 17: 0.25 >= 0.5 does "
		      "not hold (and 1 more)" },
	{ "verdicts", "clock_refresh hung 33.2 s no progress for 30 s, ended by SIGKILL" },
	{ "verdicts", "sample_cost broken 3.0 s positive control samples: 0, not above 0 1" },
	{ "verdicts",
	  "branch_stack known 1.0 s newest: 1 == 0 does not hold; listed for this CPU" },
	/* warm_max uses 53 % of its bound; early is 30 ns above its bound of 0; == has no margin */
	{ "verdicts", "irq_latency pass 41.0 s 3 checks held, closest: warm_max 53 us <= 100 us" },
	{ "verdicts", "inherit_period notrun interrupted before it" },
	/* of .9375 .3125 .25 .875 two are below 0.5 and .25 is the worst */
	{ "verdicts", "worker FAIL 0.25 >= 0.5 2/4 cpu 1, period 17 half of the control run: "
		      "throttling is to leave the CPU usable" },
	{ "verdicts", "samples NOT MET 0 > 0" },
	/* 4.1, 19.5 and 20.5 ms were recorded in ns; the worker's share of period 1 was left out */
	{ "verdicts", "worker grace period [ms]" },
	{ "verdicts", "control 1.00 4.10" },
	{ "verdicts", "period 1 - 20.50" },
	{ "verdicts", "throttle 3 0 2 perf: interrupt took too long (2504 > 2500), lowering "
		      "kernel.perf_event_max_sample_rate to 79000" },
	{ "verdicts", "rcu-stall 0 1 0 rcu: INFO: rcu_preempt self-detected stall on CPU" },
	{ "verdicts",
	  "ended by signal 9 SIGKILL; 2 processes outlived it and were ended; put back: "
	  "kernel.perf_event_max_sample_rate" },
	{ "verdicts", "ended kernel-log records were lost" },
	{ "verdicts",
	  "ended the kernel log could not be read: open /dev/kmsg: EPERM: Operation not "
	  "permitted" },
	{ "verdicts", "output, last 20 of 25 lines" },
	{ "verdicts", "[1200 lines left out]" },
	{ "verdicts", "labels scheduler=credit2, firmware=1.4" },
	{ "verdicts", "PMU none that counts: event cycles: ENOENT" },
	{ "verdicts",
	  "7 hypotheses: 1 hung, 1 fail, 1 broken, 1 known, 1 pass, 1 skip, 1 notrun." },
	{ "verdicts", "Hung: clock_refresh. Refuted: short_period_soft. Refuted as known: "
		      "branch_stack. No conclusion: sample_cost. The run was interrupted." },
	/*
	 * 900 52 48 50 51 49 47 53 us: sum 1250, mean 156.25; sorted 47 48 49 50 51 52 53 900, so
	 * p50 is 50.5 and p99 is at 0.99 x 7 = 6.93: 53 + 0.93 x 847 = 840.71.
	 */
	{ "emulated", "other, idle allowed, idle 8 900.00 53.00 47.00 156.25 383.81 300.53 50.50 "
		      "840.71 894.07" },
	{ "emulated", "latency, in us, clock resolution 40 ns (emulated)" },
	{ "emulated", "verdicts (emulated)" },
	{ "emulated", "checks, worst evaluation of each (emulated)" },
	{ "emulated", "positive controls: is the effect observable at all (emulated)" },
	{ "emulated", "emulated figures describe the emulation, not silicon" },
	{ "emulated", "PMU cpu skylake" },
	{ "emulated",
	  "lab Skylake-Client, mode exact, variant freeze,prec-dist, faults lost-pmi=7 shadow=on" },
	{ "emulated", "kernel 6.18.0, x86_64, preempt voluntary, HZ 250" },
	{ "emulated", "Nothing refuted. All figures describe an emulated machine, not silicon." },
	/* 41 + 42 + 43 s */
	{ "repeat", "irq_latency fail 126.0 s 2 of 3 pass, 1 fail; iteration 2: warm_max: other, "
		    "idle allowed, idle: 106 us <= 100 us does not hold" },
	{ "repeat", "pebs_ip skip 0.3 s 0 of 3 pass, 3 skip; no PMU" },
	{ "repeat", "warm_max FAIL 106 us <= 100 us 2/3 other, idle allowed, idle, iteration 2 "
		    "--bound irq_latency.warm_max=100us" },
	{ "stopped", "clock_refresh none no verdict: the run stopped here" },
	{ "stopped", "reason no verdict: the run stopped here" },
	{ "stopped", "pebs_ip notrun not reached: the run stopped before it" },
	{ "stopped", "3 hypotheses: 1 pass, 1 notrun, 1 without verdict." },
	{ "stopped", "Nothing refuted. Without verdict: clock_refresh. The run was cut short: its "
		     "journal has no end." },
	{ "forms", "Nothing refuted. Nothing shown to hold either. No conclusion: pebs_ip." },
	{ "forms", "share NO VALUE - <= - 0/1 kernel.perf_cpu_time_max_percent" },
	{ "forms", "many 200 300 70000" },
	/* The unit of the samples, although the last column counts them. */
	{ "forms", "cost, handler, in ns, clock resolution 40 ns" },
	/* Two series of one table are told apart by their names; a single one needs none. */
	{ "forms", "cost, entry, in ns" },
	{ "repeat", "latency, in us, clock resolution 40 ns" },
	{ "forms", "none - - 0" },
	{ "guarded", "watchdog /dev/watchdog1, iTCO_wdt (hardware), last reset: card-reset" },
	{ "guarded", "watchdog /dev/watchdog0, Software Watchdog (software)" },
	{ "guarded",
	  "guarded by /dev/watchdog1 (iTCO_wdt), reset after 60 s, pretimeout 10 s; panic at "
	  "rcu-stall, soft-lockup" },
	{ "unknown", "note 5 records of unknown type or written twice left out" },
	{ "unknown", "pebs_ip fail 1.0 s second" },
};

/* Every run of blanks becomes one, in place. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from != ' ' || (to > text && to[-1] != ' ' && to[-1] != '\n'))
			*to++ = *from;
	*to = '\0';
}

START_TEST(says_what_the_journal_says)
{
	const struct report_options unlimited = { .width = 0 };
	char *text = show(lines[_i].journal, &unlimited);
	char want[512];

	squeeze(text);
	snprintf(want, sizeof(want), "\n%s\n", lines[_i].line);
	ck_assert_msg(strstr(text, want) != NULL, "no line \"%s\" in:\n%s", lines[_i].line, text);
	free(text);
}
END_TEST

/* Only sequences that select a colour, and each ended on its line. */
static void strip_colour(char *text)
{
	char *to = text;

	for (const char *from = text; *from;) {
		if (from[0] == '\033') {
			size_t length = strspn(from + 2, "0123456789;");

			ck_assert_int_eq(from[1], '[');
			ck_assert_int_eq(from[2 + length], 'm');
			from += length + 3;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

START_TEST(colour_changes_nothing_else)
{
	const char *journal = _i ? "hostile" : "verdicts";
	struct report_options options = { .width = 100 };
	char *plain = show(journal, &options);
	char *coloured;

	ck_assert_ptr_null(strchr(plain, '\033'));
	options.colour = true;
	coloured = show(journal, &options);
	ck_assert_ptr_nonnull(strstr(coloured, "\033[1;31mfail\033[0m"));
	strip_colour(coloured);
	ck_assert_str_eq(coloured, plain);
	free(coloured);
	free(plain);
}
END_TEST

START_TEST(colours_say_how_bad_it_is)
{
	const struct report_options options = { .colour = true };
	char *text = show("verdicts", &options);

	ck_assert_ptr_nonnull(strstr(text, "\033[32mpass\033[0m"));
	ck_assert_ptr_nonnull(strstr(text, "\033[1;31mhung\033[0m"));
	ck_assert_ptr_nonnull(strstr(text, "\033[33mbroken\033[0m"));
	/* An RCU stall beyond what was allowed is a finding, a slow timer interrupt a figure. */
	ck_assert_ptr_nonnull(strstr(text, "\033[1;31m1\033[0m           0  rcu: INFO"));
	free(text);
	text = show("unknown", &options);
	ck_assert_ptr_nonnull(strstr(text, "\033[33m1\033[0m           0  hrtimer: "));
	free(text);
}
END_TEST

START_TEST(nothing_raw_reaches_the_terminal)
{
	const struct report_options options = { .verbose = _i };
	char *text = show("hostile", &options);

	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		ck_assert_msg(*c == '\n' || (*c >= ' ' && *c != 0x7f), "byte %02x", *c);
		/* C1 controls are c2 80 to c2 9f, U+202E is e2 80 ae in UTF-8. */
		ck_assert(c[0] != 0xc2 || c[1] >= 0xa0);
		ck_assert(c[0] != 0xe2 || c[1] != 0x80 || c[2] != 0xae);
	}
	ck_assert_ptr_nonnull(strstr(text, "evil\\x1b[31m"));
	free(text);
}
END_TEST

START_TEST(fits_the_terminal)
{
	const struct report_options options = { .width = (unsigned int)_i };
	char *text = show("verdicts", &options);
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		ck_assert_msg(text_columns(line) <= options.width, "%zu columns: %s",
			      text_columns(line), line);
	free(text);
}
END_TEST

/* Where the top has scrolled away the verdicts are at the end too, and only there. */
START_TEST(says_verdicts_again_below_a_long_report)
{
	const struct report_options tall = { .width = 100, .height = 1000 };
	const struct report_options low = { .width = 100, .height = 24 };
	char *once = show("verdicts", &tall);
	char *twice = show("verdicts", &low);
	char *first = strstr(twice, "\n  verdicts\n");
	char *again = strstr(first + 1, "\n  verdicts\n");
	size_t length = (size_t)(strstr(first + 1, "\n\n") - first);

	ck_assert_ptr_null(strstr(strstr(once, "\n  verdicts\n") + 1, "\n  verdicts\n"));
	ck_assert_ptr_nonnull(again);
	ck_assert_int_eq(strncmp(first, again, length), 0);
	ck_assert_uint_eq(strlen(twice), strlen(once) + length + 1);
	free(once);
	free(twice);
}
END_TEST

START_TEST(shows_all_when_verbose)
{
	const struct report_options options = { .verbose = true };
	char *text = show("verdicts", &options);

	squeeze(text);
	ck_assert_ptr_nonnull(strstr(text, "\noutput, last 25 of 25 lines\n"));
	/* What a skipped test printed is shown here only: a selection leaves it out (layout). */
	ck_assert_ptr_nonnull(strstr(text, "\nout| ok 1 # SKIP precise\n"));
	ck_assert_ptr_nonnull(strstr(text, "\nworker ok 0.9375 >= 0.5 cpu 0, period 1000 "));
	ck_assert_ptr_nonnull(strstr(text, "\nworker FAIL 0.3125 >= 0.5 cpu 0, period 17 "));
	ck_assert_ptr_nonnull(strstr(text, "\n75.123456 s 3 rcu-stall unexpected rcu: INFO: "));
	free(text);
}
END_TEST

static const char *const bad[] = { "first",   "iter", "json", "key-missing", "key-type",
				   "no-test", "plan", "seq",  "verdict",     "version" };

START_TEST(empty_journal_is_an_error)
{
	const struct report_options options = { .width = 0 };
	struct err err = { .text = "" };

	ck_assert_int_eq(report_term(stdout, JOURNALS "empty.jsonl", &options, &err), -ENODATA);
	ck_assert_str_eq(err.text, JOURNALS "empty.jsonl: there is no record in it");
}
END_TEST

START_TEST(bad_journal_prints_nothing)
{
	const struct report_options options = { .width = 0 };
	struct err err = { .text = "" };
	char path[PATH_MAX], name[64];
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	snprintf(name, sizeof(name), "bad-%s.jsonl:", bad[_i]);
	snprintf(path, sizeof(path), JOURNALS "bad-%s.jsonl", bad[_i]);
	ck_assert_int_lt(report_term(out, path, &options, &err), 0);
	fclose(out);
	ck_assert_uint_eq(size, 0);
	ck_assert_msg(strstr(err.text, name) != NULL, "%s", err.text);
	free(text);
}
END_TEST

START_TEST(reads_a_report_directory)
{
	const struct report_options options = { .width = 100 };
	struct err err = { .text = "" };
	char dir[] = "/tmp/report_check.XXXXXX";
	char link[64], target[PATH_MAX];
	char *text = NULL, *same;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_ptr_nonnull(realpath(JOURNALS "verdicts.jsonl", target));
	snprintf(link, sizeof(link), "%s/journal.jsonl", dir);
	ck_assert_int_eq(symlink(target, link), 0);
	ck_assert_msg(!report_term(out, dir, &options, &err), "%s", err.text);
	unlink(link);
	rmdir(dir);
	fclose(out);
	same = show("verdicts", &options);
	ck_assert_str_eq(text, same);
	free(same);
	free(text);
}
END_TEST

START_TEST(full_disk_is_an_error)
{
	const struct report_options options = { .width = 100 };
	struct err err = { .text = "" };
	FILE *full = fopen("/dev/full", "w");

	ck_assert_ptr_nonnull(full);
	ck_assert_int_eq(report_term(full, JOURNALS "verdicts.jsonl", &options, &err), -ENOSPC);
	ck_assert_ptr_nonnull(strstr(err.text, "ENOSPC"));
	fclose(full);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("term");
	TCase *tc = tcase_create("term");

	tcase_add_loop_test(tc, layout, 0, COUNT(goldens));
	tcase_add_loop_test(tc, says_what_the_journal_says, 0, COUNT(lines));
	tcase_add_loop_test(tc, colour_changes_nothing_else, 0, 2);
	tcase_add_test(tc, colours_say_how_bad_it_is);
	tcase_add_loop_test(tc, nothing_raw_reaches_the_terminal, 0, 2);
	tcase_add_loop_test(tc, fits_the_terminal, 80, 121);
	tcase_add_test(tc, says_verdicts_again_below_a_long_report);
	tcase_add_test(tc, shows_all_when_verbose);
	tcase_add_loop_test(tc, bad_journal_prints_nothing, 0, COUNT(bad));
	tcase_add_test(tc, empty_journal_is_an_error);
	tcase_add_test(tc, reads_a_report_directory);
	tcase_add_test(tc, full_disk_is_an_error);
	suite_add_tcase(s, tc);
	return s;
}
