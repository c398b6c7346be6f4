// SPDX-License-Identifier: GPL-2.0-or-later
/* Guests played by this test: what they send, cut at any place, flooded, or garbage. */
#include "lab_guest.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../reports/model.h"

Suite *suite(void);

#define BOOT_A "11111111-2222-3333-4444-555555555555"
#define BOOT_B "66666666-2222-3333-4444-555555555555"
#define HEAD(seq, boot) \
	"{\"v\":1,\"seq\":" seq ",\"boot\":\"" boot "\",\"time\":\"2026-01-01T00:00:00.000Z\","
#define MACHINE(seq, boot) HEAD(seq, boot) "\"type\":\"machine\",\"cpu\":{\"model\":1}}\n"
#define OF(test) "\"test\":\"" test "\",\"iter\":1}\n"
#define START_OF(seq, boot, test) \
	HEAD(seq, boot) "\"type\":\"start\",\"budget_s\":60,\"danger\":\"safe\"," OF(test)
#define NOTE(seq, boot, test) HEAD(seq, boot) "\"type\":\"note\",\"text\":\"x\"," OF(test)
#define END_OF(seq, boot, test, verdict)                                                         \
	HEAD(seq, boot)                                                                          \
	"\"type\":\"end\",\"verdict\":\"" verdict                                                \
	"\",\"reasons\":[],\"duration_s\":1,\"survivors\":0,\"log_lost\":false,\"restored\":[]," \
	"\"exit\":0," OF(test)
#define DONE(seq, boot) \
	HEAD(seq, boot) "\"type\":\"done\",\"counts\":{},\"exit\":0,\"interrupted\":false}\n"

static const char first_guest[] = MACHINE("1", BOOT_A) START_OF("2", BOOT_A, "a")
	NOTE("3", BOOT_A, "a") END_OF("4", BOOT_A, "a", "pass") START_OF("5", BOOT_A, "b")
		NOTE("6", BOOT_A, "b") END_OF("7", BOOT_A, "b", "pass") DONE("8", BOOT_A);

/* Everything around a played guest. */
struct stage {
	char dir[64];
	struct suite_test tests[2];
	struct planned entries[2];
	struct plan plan;
	struct journal journal;
	struct progress progress;
	json_t *machine;
	FILE *quiet;
	struct lab_guest guest;
	int writing[EMULATOR_STREAMS];
};

static void set_up(struct stage *stage)
{
	static char names[2][2] = { "a", "b" };
	struct err err;
	json_t *run;

	memset(stage, 0, sizeof(*stage));
	strcpy(stage->dir, "/tmp/lab_guest_check.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(stage->dir));
	for (size_t i = 0; i < 2; i++) {
		stage->tests[i].name = names[i];
		stage->entries[i] = (struct planned){
			.test = &stage->tests[i],
			.iter = 1,
			.number = i + 1,
			.label = names[i],
			.verdict = VERDICT_NONE,
		};
	}
	stage->plan.entries = stage->entries;
	stage->plan.n = 2;
	stage->quiet = fopen("/dev/null", "we");
	progress_init(&stage->progress, stage->quiet, 2);
	ck_assert_int_eq(journal_create(&stage->journal, stage->dir, &err), 0);
	run = json_pack("{s:s, s:s, s:[], s:{}, s:[]}", "type", "run", "version", "x", "args",
			"labels", "planned");
	ck_assert_int_eq(journal_append(&stage->journal, run, false, &err), 0);
	stage->machine = json_pack("{s:b}", "emulated", 1);
	stage->guest.journal = &stage->journal;
	stage->guest.progress = &stage->progress;
	stage->guest.machine = stage->machine;
	lab_stream_init(&stage->guest.stream, &stage->plan);
}

static void boot(struct stage *stage)
{
	int reading[EMULATOR_STREAMS];

	for (int i = 0; i < EMULATOR_STREAMS; i++) {
		int fds[2];

		ck_assert_int_eq(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
		reading[i] = fds[0];
		stage->writing[i] = fds[1];
	}
	lab_guest_boot(&stage->guest, reading, 1, 0);
}

/* The guest sends something. */
static void put(struct stage *stage, enum emulator_stream where, const char *data, size_t size)
{
	while (size) {
		ssize_t done = write(stage->writing[where], data, size);

		if (done > 0) {
			data += done;
			size -= (size_t)done;
		}
		while (lab_guest_read(&stage->guest, 0))
			;
	}
}

static void die(struct stage *stage)
{
	for (int i = 0; i < EMULATOR_STREAMS; i++)
		close(stage->writing[i]);
	while (lab_guest_read(&stage->guest, 0))
		;
	for (int i = 0; i < EMULATOR_STREAMS; i++)
		ck_assert_int_eq(stage->guest.lines[i].fd, -1);
	lab_guest_close(&stage->guest);
}

/* The journal must be one that a report can be made of. */
static void read_back(struct stage *stage, struct report *report)
{
	struct err err;

	ck_assert_int_eq(stage->guest.journal_result, 0);
	journal_close(&stage->journal);
	ck_assert_msg(!report_read(report, stage->dir, &err), "%s", err.text);
	ck_assert(!report->cut);
}

static void tear_down(struct stage *stage)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", stage->dir, JOURNAL_NAME);
	remove(path);
	remove(stage->dir);
	fclose(stage->quiet);
	json_decref(stage->machine);
}

static void settle_rest(struct stage *stage)
{
	while (lab_stream_planned(&stage->guest.stream))
		lab_guest_settle(&stage->guest, VERDICT_HUNG, "it died",
				 stage->guest.stream.running);
}

START_TEST(a_guest_that_lives)
{
	struct report report;
	struct stage stage;

	set_up(&stage);
	boot(&stage);
	put(&stage, EMULATOR_RECORDS, first_guest, sizeof(first_guest) - 1);
	die(&stage);
	ck_assert(stage.guest.stream.done);
	ck_assert_ptr_null(lab_stream_planned(&stage.guest.stream));
	ck_assert_int_eq(stage.entries[0].verdict, VERDICT_PASS);
	ck_assert_int_eq(stage.entries[1].verdict, VERDICT_PASS);
	read_back(&stage, &report);
	ck_assert(report.emulated);
	ck_assert_ptr_nonnull(json_object_get(report.machine, "cpu"));
	ck_assert_uint_eq(report.n_tests, 2);
	ck_assert_str_eq(
		json_string_value(json_object_get(report.tests[1].executions[0].end, "boot")),
		BOOT_A);
	report_free(&report);
	tear_down(&stage);
}
END_TEST

/*
 * Cut after any byte the journal is whole, and a test is hung exactly when it had started and not
 * ended.
 */
START_TEST(a_guest_that_dies_anywhere)
{
	for (size_t cut = 0; cut < sizeof(first_guest); cut++) {
		const char *a_starts = strstr(first_guest, "\"start\"");
		const char *a_ends = strstr(first_guest, "\"end\"");
		size_t started = (size_t)(strchr(a_starts, '\n') - first_guest) + 1;
		size_t ended = (size_t)(strchr(a_ends, '\n') - first_guest) + 1;
		struct report report;
		struct stage stage;

		set_up(&stage);
		boot(&stage);
		put(&stage, EMULATOR_RECORDS, first_guest, cut);
		/* An unterminated line that is whole counts: it is there. */
		die(&stage);
		if (cut + 1 < started)
			ck_assert(!stage.guest.stream.running && stage.guest.stream.next == 0);
		else if (cut >= started && cut + 1 < ended)
			ck_assert(stage.guest.stream.running && stage.guest.stream.next == 0);
		else if (cut >= ended)
			ck_assert_int_eq(stage.entries[0].verdict, VERDICT_PASS);
		settle_rest(&stage);
		if (cut >= started && cut + 1 < ended)
			ck_assert_int_eq(stage.entries[0].verdict, VERDICT_HUNG);
		read_back(&stage, &report);
		ck_assert_uint_eq(report.n_tests, 2);
		report_free(&report);
		tear_down(&stage);
	}
}
END_TEST

START_TEST(the_next_guest_goes_on)
{
	static const char one[] = MACHINE("1", BOOT_A) START_OF("2", BOOT_A, "a");
	static const char two[] = MACHINE("1", BOOT_B) START_OF("2", BOOT_B, "b")
		END_OF("3", BOOT_B, "b", "fail") DONE("4", BOOT_B);
	static const char console[] =
		"before the test\r\n"
		"[    5.1] Kernel panic - not syncing: sysrq triggered crash\r\n"
		"[    5.2] Kernel Offset: disabled\r\n";
	struct report_execution *execution;
	struct report report;
	struct stage stage;

	set_up(&stage);
	boot(&stage);
	put(&stage, EMULATOR_CONSOLE, console, (size_t)(strchr(console, '\n') - console) + 1);
	put(&stage, EMULATOR_RECORDS, one, sizeof(one) - 1);
	put(&stage, EMULATOR_CONSOLE, strchr(console, '\n') + 1, strlen(strchr(console, '\n') + 1));
	die(&stage);
	lab_guest_settle(&stage.guest, VERDICT_HUNG, "the machine was reset", true);
	boot(&stage);
	put(&stage, EMULATOR_RECORDS, two, sizeof(two) - 1);
	die(&stage);
	ck_assert_int_eq(stage.entries[0].verdict, VERDICT_HUNG);
	ck_assert_int_eq(stage.entries[1].verdict, VERDICT_FAIL);
	read_back(&stage, &report);
	execution = &report.tests[0].executions[0];
	ck_assert_uint_eq(json_array_size(execution->output), 2);
	ck_assert_str_eq(
		json_string_value(json_object_get(json_array_get(execution->output, 0), "stream")),
		"console");
	ck_assert_str_eq(
		json_string_value(json_object_get(json_array_get(execution->logs, 0), "class")),
		"panic");
	ck_assert_str_eq(
		json_string_value(json_array_get(json_object_get(execution->end, "reasons"), 0)),
		"the machine was reset; panic: Kernel panic - not syncing: sysrq "
		"triggered crash");
	ck_assert_str_eq(
		json_string_value(json_object_get(report.tests[1].executions[0].end, "boot")),
		BOOT_B);
	report_free(&report);
	tear_down(&stage);
}
END_TEST

/* What a guest may not say is not journaled, and what it says then is no conclusion any more. */
START_TEST(garbage_makes_broken)
{
	static const char *const garbage[] = {
		"\n",
		"not JSON\n",
		"[1]\n",
		"\xff\xfe\n",
		"{}\n",
		HEAD("3", BOOT_A) "\"type\":\"forged\"}\n",
		HEAD("3", BOOT_B) "\"type\":\"note\",\"text\":\"x\"," OF("a"),
		HEAD("9", BOOT_A) "\"type\":\"note\",\"text\":\"x\"," OF("a"),
		NOTE("3", BOOT_A, "b"),
		END_OF("3", BOOT_A, "b", "pass"),
		START_OF("3", BOOT_A, "a"),
		HEAD("3", BOOT_A) "\"type\":\"end\",\"verdict\":\"great\",\"reasons\":[],"
				  "\"duration_s\":1," OF("a"),
		HEAD("3", BOOT_A) "\"type\":\"note\",\"text\":5," OF("a"),
	};
	static const char head[] = MACHINE("1", BOOT_A) START_OF("2", BOOT_A, "a");
	static const char tail[] = END_OF("4", BOOT_A, "a", "pass");

	for (size_t i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		struct report report;
		struct stage stage;

		set_up(&stage);
		boot(&stage);
		put(&stage, EMULATOR_RECORDS, head, sizeof(head) - 1);
		put(&stage, EMULATOR_RECORDS, garbage[i], strlen(garbage[i]));
		put(&stage, EMULATOR_RECORDS, tail, sizeof(tail) - 1);
		die(&stage);
		ck_assert_msg(stage.entries[0].verdict == VERDICT_BROKEN, "%s", garbage[i]);
		ck_assert_uint_eq(stage.guest.stream.next, 1);
		settle_rest(&stage);
		read_back(&stage, &report);
		report_free(&report);
		tear_down(&stage);
	}
}
END_TEST

/* Before its start a test has nothing to say. */
START_TEST(no_records_without_a_test)
{
	static const char sent[] = MACHINE("1", BOOT_A) HEAD(
		"2", BOOT_A) "\"type\":\"verdict\",\"verdict\":\"pass\",\"reason\":\"\"," OF("a");
	struct report report;
	struct stage stage;

	set_up(&stage);
	boot(&stage);
	put(&stage, EMULATOR_RECORDS, sent, sizeof(sent) - 1);
	ck_assert_uint_eq(stage.guest.stream.bad, 1);
	die(&stage);
	settle_rest(&stage);
	read_back(&stage, &report);
	ck_assert_ptr_null(report.tests[0].executions[0].said);
	report_free(&report);
	tear_down(&stage);
}
END_TEST

/* A gap in the sequence is evidence lost; a refutation remains one. */
START_TEST(a_gap_does_not_save)
{
	static const char sent[] =
		MACHINE("1", BOOT_A) START_OF("2", BOOT_A, "a") END_OF("5", BOOT_A, "a", "fail");
	struct stage stage;

	set_up(&stage);
	boot(&stage);
	put(&stage, EMULATOR_RECORDS, sent, sizeof(sent) - 1);
	die(&stage);
	ck_assert_int_eq(stage.entries[0].verdict, VERDICT_FAIL);
	journal_close(&stage.journal);
	tear_down(&stage);
}
END_TEST

/* 8 MiB of everything on all streams: bounded memory, and the guest is alive and journaled. */
START_TEST(floods_are_survived)
{
	static char noise[65536];
	struct report report;
	struct stage stage;

	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (char)(i * 7919 >> 3);
	set_up(&stage);
	boot(&stage);
	for (int i = 0; i < 128; i++) {
		put(&stage, EMULATOR_CONSOLE, noise, sizeof(noise));
		put(&stage, EMULATOR_PULSE, noise, sizeof(noise));
		put(&stage, EMULATOR_ERRORS, noise, sizeof(noise));
	}
	ck_assert(!stage.guest.watch.up && !stage.guest.watch.ended);
	put(&stage, EMULATOR_PULSE, "\nup 77\n", 7);
	ck_assert(stage.guest.watch.up);
	ck_assert_int_eq(stage.guest.watch.guest, 77);
	put(&stage, EMULATOR_RECORDS, first_guest, strlen(first_guest));
	die(&stage);
	ck_assert_int_eq(stage.entries[1].verdict, VERDICT_PASS);
	read_back(&stage, &report);
	report_free(&report);
	tear_down(&stage);
}
END_TEST

/* The end that the guest itself asked for does not hide why. */
START_TEST(last_words_are_before_the_restart)
{
	static const char why[] = "this kernel knows no variants";
	static const char end[] = "[    3.281873] reboot: Restarting system";
	struct console console;

	console_init(&console);
	console_line(&console, end, strlen(end), false);
	ck_assert_str_eq(console_last(&console), "");
	console_line(&console, why, strlen(why), false);
	console_line(&console, end, strlen(end), false);
	ck_assert_str_eq(console_last(&console), why);
	console_mark(&console);
	ck_assert_str_eq(console_last(&console), "");
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("lab_guest");
	TCase *tc = tcase_create("guest");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, a_guest_that_lives);
	tcase_add_test(tc, a_guest_that_dies_anywhere);
	tcase_add_test(tc, the_next_guest_goes_on);
	tcase_add_test(tc, garbage_makes_broken);
	tcase_add_test(tc, no_records_without_a_test);
	tcase_add_test(tc, a_gap_does_not_save);
	tcase_add_test(tc, floods_are_survived);
	tcase_add_test(tc, last_words_are_before_the_restart);
	suite_add_tcase(s, tc);
	return s;
}
