// SPDX-License-Identifier: GPL-2.0-or-later
#include "klog.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "klog_patterns.h"

Suite *suite(void);

#define FIXTURES "fixtures/klogs"

/* Every class, what it is called and what it makes of a verdict. */
static const struct {
	const char *name;
	enum klog_class class;
	enum verdict effect;
} class_cases[] = {
	{ "none", KLOG_NONE, VERDICT_PASS },
	{ "pmu-loop", KLOG_PMU_LOOP, VERDICT_FAIL },
	{ "pmu-odd", KLOG_PMU_ODD, VERDICT_FAIL },
	{ "throttle", KLOG_THROTTLE, VERDICT_PASS },
	{ "slow-nmi", KLOG_SLOW_NMI, VERDICT_PASS },
	{ "unknown-nmi", KLOG_UNKNOWN_NMI, VERDICT_FAIL },
	{ "rcu-stall", KLOG_RCU_STALL, VERDICT_FAIL },
	{ "hard-lockup", KLOG_HARD_LOCKUP, VERDICT_FAIL },
	{ "soft-lockup", KLOG_SOFT_LOCKUP, VERDICT_FAIL },
	{ "hung-task", KLOG_HUNG_TASK, VERDICT_FAIL },
	{ "msr", KLOG_MSR, VERDICT_FAIL },
	{ "warn", KLOG_WARN, VERDICT_FAIL },
	{ "oops", KLOG_OOPS, VERDICT_FAIL },
	{ "panic", KLOG_PANIC, VERDICT_FAIL },
	{ "lockdep", KLOG_LOCKDEP, VERDICT_FAIL },
	{ "lockdep-limit", KLOG_LOCKDEP_LIMIT, VERDICT_BROKEN },
	{ "timer", KLOG_TIMER, VERDICT_PASS },
	{ "machine-check", KLOG_MACHINE_CHECK, VERDICT_FAIL },
};

START_TEST(test_classes)
{
	ck_assert_uint_eq(sizeof(class_cases) / sizeof(class_cases[0]), KLOG_CLASSES);
	for (size_t i = 0; i < KLOG_CLASSES; i++) {
		ck_assert_uint_eq(class_cases[i].class, i);
		ck_assert_str_eq(klog_class_name(class_cases[i].class), class_cases[i].name);
		ck_assert_uint_eq(klog_class_parse(class_cases[i].name), class_cases[i].class);
		ck_assert_uint_eq(klog_class_effect(class_cases[i].class), class_cases[i].effect);
	}
	ck_assert_str_eq(klog_class_name(KLOG_CLASSES), "none");
	ck_assert_uint_eq(klog_class_parse("stall"), KLOG_NONE);
	ck_assert_uint_eq(klog_class_parse(NULL), KLOG_NONE);
}
END_TEST

/* Forms and how much of the text they match; -1: not at all. */
static const struct {
	const char *form, *text;
	int matched;
	unsigned int number;
} form_cases[] = {
	{ "abc", "abcdef", 3, 0 },
	{ "abc", "ab", -1, 0 },
	{ "abc$", "abc", 3, 0 },
	{ "abc$", "abcd", -1, 0 },
	{ "CPU#%u!", "CPU#12!", 7, 12 },
	{ "CPU#%u!", "CPU#!", -1, 0 },
	{ "%u %u", "1 22", 4, 22 },
	{ "%u", "-7", 2, 7 },
	{ "%u", "99999999999", 11, 4294967295U },
	{ "at %x", "at 0xfe", 7, 0 },
	{ "at %x", "at fe:", 5, 0 },
	{ "at %x", "at xyz", -1, 0 },
	{ "a%_b", "a   b", 5, 0 },
	{ "a%_b", "ab", 2, 0 },
	{ "%w:", "warn:", 5, 0 },
	{ "%w:", ":", -1, 0 },
	{ "%h k", "my-host.1 k", 11, 0 },
	{ "%h k", "a:b k", -1, 0 },
	{ "*x$", "axbx", 4, 0 },
	{ "a*b*c", "a-b-b-c-c", 7, 0 },
	{ "task *:%u blocked", "task a:b:1:77 blocked", 21, 77 },
	{ "*", "anything", 0, 0 },
	{ "*z", "anything", -1, 0 },
};

START_TEST(test_forms)
{
	for (size_t i = 0; i < sizeof(form_cases) / sizeof(form_cases[0]); i++) {
		unsigned int number = 0;
		const char *end = klog_form_match(form_cases[i].form, form_cases[i].text, &number);
		int matched = end ? (int)(end - form_cases[i].text) : -1;

		ck_assert_msg(matched == form_cases[i].matched, "'%s' on '%s': %d, expected %d",
			      form_cases[i].form, form_cases[i].text, matched,
			      form_cases[i].matched);
		if (end)
			ck_assert_uint_eq(number, form_cases[i].number);
	}
}
END_TEST

/* Lines of every source, and the record they are. */
static const struct {
	const char *line, *text;
	uint64_t seq, time_us;
	int level;
	bool raw;
} line_cases[] = {
	{ "plain", "plain", 0, 0, -1, false },
	{ "[   12.345678] text", "text", 0, 12345678, -1, false },
	{ "[12345.000001]  two blanks", " two blanks", 0, 12345000001, -1, false },
	{ "[    1.000000][ T123] text", "text", 0, 1000000, -1, false },
	{ "[    1.000000] [C1] text", "text", 0, 1000000, -1, false },
	{ "<4>[    1.500000] text", "text", 0, 1500000, 4, false },
	{ "<12>text", "text", 0, 0, 4, false },
	{ "kern  :warn  : [    2.000000] text", "text", 0, 2000000, 4, false },
	{ "kern  :emerg : text", "text", 0, 0, 0, false },
	{ "user:info:text", "user:info:text", 0, 0, -1, false },
	{ "kern: text", "kern: text", 0, 0, -1, false },
	{ "watchdog: BUG: text", "watchdog: BUG: text", 0, 0, -1, false },
	{ "[Mon Nov 30 12:00:00 2026] text", "text", 0, 0, -1, false },
	{ "[Sun Nov  1 12:00:00 2026] text", "text", 0, 0, -1, false },
	{ "[Nov30 12:00] text", "text", 0, 0, -1, false },
	{ "[  +0.000012] text", "text", 0, 0, -1, false },
	{ "[    1.000000 <    0.000012>] text", "text", 0, 1000000, -1, false },
	{ "2026-11-30T12:00:00,123456+00:00 text", "text", 0, 0, -1, false },
	{ "2026-11-30T12:00:00-0500 host kernel: text", "text", 0, 0, -1, false },
	{ "Nov 30 12:00:00 host kernel: text", "text", 0, 0, -1, false },
	{ "Nov  1 12:00:00 host kernel: [    3.000000] text", "text", 0, 3000000, -1, false },
	{ "Nov 30 12:00:00 host prog[1]: text", "host prog[1]: text", 0, 0, -1, false },
	{ "Booting kernel: text", "Booting kernel: text", 0, 0, -1, false },
	{ "login: [   40.123456] text", "text", 0, 40123456, -1, false },
	{ "x [40.12345678] text", "x [40.12345678] text", 0, 0, -1, false },
	{ "x [40.1] text", "x [40.1] text", 0, 0, -1, false },
	{ "[ BUG: Invalid wait context ]", "[ BUG: Invalid wait context ]", 0, 0, -1, false },
	{ "[99999999999999999999.000000] text", "text", 0, 0, -1, false },
	{ "6,1234,5678901,-;text", "text", 1234, 5678901, 6, true },
	{ "14,9,8,c,caller=T12;user; text", "user; text", 9, 8, 6, true },
	{ "4,1,2,-;a\\x09b \\x5cc\\x0ad \\xc3", "a\tb \\c d ?", 1, 2, 4, true },
	{ "4,1,2,-;\\x0atext \\xzz", "text \\xzz", 1, 2, 4, true },
	{ "4,1,2 no record", "4,1,2 no record", 0, 0, -1, false },
	{ "4,1,2,words but no record", "4,1,2,words but no record", 0, 0, -1, false },
	{ "6,1234,5678901,-;", "", 1234, 5678901, 6, true },
	{ "tab\tbell\a", "tab\tbell?", 0, 0, -1, false },
};

START_TEST(test_lines)
{
	for (size_t i = 0; i < sizeof(line_cases) / sizeof(line_cases[0]); i++) {
		struct klog_record record;
		bool raw = klog_parse_line(&record, line_cases[i].line);

		ck_assert_msg(!strcmp(record.text, line_cases[i].text), "'%s': '%s'",
			      line_cases[i].line, record.text);
		ck_assert_msg(record.time_us == line_cases[i].time_us, "'%s': %llu us",
			      line_cases[i].line, (unsigned long long)record.time_us);
		ck_assert_msg(record.level == line_cases[i].level, "'%s': level %d",
			      line_cases[i].line, record.level);
		ck_assert_uint_eq(record.seq, line_cases[i].seq);
		ck_assert_uint_eq(raw, line_cases[i].raw);
	}
}
END_TEST

/* A text in memory as a saved log. */
static void attach_text(struct klog *klog, const char *text, size_t size)
{
	FILE *file = fmemopen((void *)text, size, "r");

	ck_assert_ptr_nonnull(file);
	klog_attach(klog, file);
}

/* What the records of a log are, in the words of an .expect file. */
static char *describe(struct klog *klog)
{
	struct klog_record record;
	struct err err;
	char *listing = NULL;
	size_t size;
	FILE *out = open_memstream(&listing, &size);
	int got;

	while ((got = klog_next(klog, &record, &err)) > 0) {
		const char *class = klog_class_name(record.class);
		const char *id = record.pattern ? record.pattern : "-";

		if (record.suppressed)
			fprintf(out, "~ %s %s %u\n", class, id, record.suppressed);
		else if (record.class != KLOG_NONE && record.was != KLOG_NONE)
			fprintf(out, "= %s %s\n", class, id);
		else if (record.class != KLOG_NONE && record.continues)
			fprintf(out, "+ %s\n", id);
		else if (record.class != KLOG_NONE)
			fprintf(out, "%s %s\n", class, id);
	}
	if (klog->lost)
		fprintf(out, "lost %llu\n", (unsigned long long)klog->lost_count);
	fclose(out);
	ck_assert_msg(got == 0, "%s", err.text);
	return listing;
}

/* The lines of an .expect file without its comments. */
static char *read_expectation(const char *path)
{
	char *listing = NULL;
	char *line = NULL;
	size_t line_size = 0;
	size_t size;
	FILE *out = open_memstream(&listing, &size);
	FILE *in = fopen(path, "re");

	ck_assert_msg(in != NULL, "%s: %s", path, strerror(errno));
	while (getline(&line, &line_size, in) > 0)
		if (line[0] != '#')
			fputs(line, out);
	free(line);
	fclose(in);
	fclose(out);
	return listing;
}

static int is_log(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".log");
}

static int is_expectation(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".expect");
}

/* The fixtures, sorted; freed by free_names(). */
static int list_fixtures(struct dirent ***names, int (*filter)(const struct dirent *))
{
	int n = scandir(FIXTURES, names, filter, alphasort);

	ck_assert_msg(n > 0, "no fixtures in " FIXTURES);
	return n;
}

static void free_names(struct dirent **names, int n)
{
	while (n--)
		free(names[n]);
	free(names);
}

static void check_fixture(const char *name)
{
	char log[300];
	char expect[300];
	struct klog klog;
	struct err err;
	char *got;
	char *want;

	snprintf(log, sizeof(log), FIXTURES "/%s", name);
	snprintf(expect, sizeof(expect), FIXTURES "/%.*s.expect", (int)strlen(name) - 4, name);
	ck_assert_msg(klog_open_file(&klog, log, &err) == 0, "%s", err.text);
	got = describe(&klog);
	want = read_expectation(expect);
	ck_assert_msg(!strcmp(got, want), "%s: got\n%sexpected\n%s", name, got, want);
	free(got);
	free(want);
	klog_close(&klog);
}

START_TEST(test_fixtures)
{
	struct dirent **names;
	int n = list_fixtures(&names, is_log);

	for (int i = 0; i < n; i++)
		check_fixture(names[i]->d_name);
	free_names(names, n);
	ck_assert_int_eq(list_fixtures(&names, is_expectation), n);
	free_names(names, n);
}
END_TEST

/* Whether an expectation has the word, which is followed by a blank or the end of its line. */
static bool has_word(const char *listing, const char *word)
{
	size_t length = strlen(word);

	for (const char *p = strstr(listing, word); p; p = strstr(p + 1, word))
		if ((p == listing || p[-1] == ' ') && strchr(" \n", p[length]))
			return true;
	return false;
}

/* All expectations in one text. */
static char *all_expectations(void)
{
	struct dirent **names;
	int n = list_fixtures(&names, is_expectation);
	char *all;
	size_t size;
	FILE *out = open_memstream(&all, &size);

	for (int i = 0; i < n; i++) {
		char path[300];
		char *listing;

		snprintf(path, sizeof(path), FIXTURES "/%s", names[i]->d_name);
		listing = read_expectation(path);
		fputs(listing, out);
		free(listing);
	}
	fclose(out);
	free_names(names, n);
	return all;
}

/* A message that no fixture expects inside an event opens one each time it comes. */
static void check_repetition(const struct klog_record *record, const char *expectations)
{
	char as_part[100];
	char twice[2 * KLOG_TEXT_MAX + 2];
	char events[200];
	struct klog klog;
	char *got;

	snprintf(as_part, sizeof(as_part), "+ %s\n", record->pattern);
	if (strstr(expectations, as_part))
		return;
	snprintf(twice, sizeof(twice), "%s\n%s\n", record->text, record->text);
	snprintf(events, sizeof(events), "%s %s\n%s %s\n", klog_class_name(record->class),
		 record->pattern, klog_class_name(record->class), record->pattern);
	attach_text(&klog, twice, strlen(twice));
	got = describe(&klog);
	ck_assert_str_eq(got, events);
	free(got);
	klog_close(&klog);
}

START_TEST(test_repeated_messages_are_events)
{
	struct dirent **names;
	int n = list_fixtures(&names, is_log);
	char *expectations = all_expectations();

	for (int i = 0; i < n; i++) {
		char path[300];
		struct klog klog;
		struct klog_record record;

		snprintf(path, sizeof(path), FIXTURES "/%s", names[i]->d_name);
		ck_assert_int_eq(klog_open_file(&klog, path, NULL), 0);
		while (klog_next(&klog, &record, NULL) > 0)
			if (record.class != KLOG_NONE && !record.suppressed)
				check_repetition(&record, expectations);
		klog_close(&klog);
	}
	free(expectations);
	free_names(names, n);
}
END_TEST

/* A row that no fixture expects could be wrong without anybody noticing. */
START_TEST(test_every_row_is_expected)
{
	char *expectations = all_expectations();

	for (size_t row = 0; row < klog_pattern_count; row++)
		ck_assert_msg(klog_patterns[row].class == KLOG_NONE ||
				      has_word(expectations, klog_patterns[row].id),
			      "no fixture expects %s", klog_patterns[row].id);
	free(expectations);
}
END_TEST

/* Whether a line of the page's table is this row. */
static bool documents(const char *line, const struct klog_pattern *row)
{
	char want[400];

	if (row->class == KLOG_NONE)
		snprintf(want, sizeof(want), "| - | `%s` | `%s` |\n", row->id, row->form);
	else
		snprintf(want, sizeof(want), "| `%s` | `%s` | `%s` |\n",
			 klog_class_name(row->class), row->id, row->form);
	return !strcmp(line, want);
}

/* The table of forms in the page is the table of the code, in its order. */
START_TEST(test_page_lists_every_row)
{
	FILE *in = fopen("docs/klog.md", "re");
	char *line = NULL;
	size_t line_size = 0;
	size_t row = 0;

	ck_assert_ptr_nonnull(in);
	while (getline(&line, &line_size, in) > 0 && strcmp(line, "| class | id | form |\n") != 0)
		;
	ck_assert_int_gt(getline(&line, &line_size, in), 0);
	for (; getline(&line, &line_size, in) > 0; row++)
		ck_assert_msg(row < klog_pattern_count && documents(line, &klog_patterns[row]),
			      "docs/klog.md, row %zu: %s", row, line);
	ck_assert_uint_eq(row, klog_pattern_count);
	free(line);
	fclose(in);
}
END_TEST

START_TEST(test_ids_are_unique)
{
	for (size_t i = 0; i < klog_pattern_count; i++) {
		const char *id = klog_patterns[i].id;

		ck_assert_msg(!id[strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789.-")], "%s", id);
		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(id, klog_patterns[j].id);
	}
}
END_TEST

START_TEST(test_classify)
{
	const char *pattern = "unset";

	ck_assert_uint_eq(
		klog_classify("rcu: INFO: rcu_sched self-detected stall on CPU", &pattern),
		KLOG_RCU_STALL);
	ck_assert_str_eq(pattern, "rcu-self");
	ck_assert_uint_eq(klog_classify("rcu: INFO: Stall ended before state dump start", &pattern),
			  KLOG_NONE);
	ck_assert_ptr_null(pattern);
	ck_assert_uint_eq(klog_classify("---[ end trace 0000000000000000 ]---", &pattern),
			  KLOG_NONE);
	ck_assert_ptr_null(pattern);
	ck_assert_uint_eq(klog_classify("", NULL), KLOG_NONE);
}
END_TEST

START_TEST(test_body_continues)
{
	static const char text[] = "before\n"
				   "------------[ cut here ]------------\n"
				   "the text of the warning\n"
				   "WARNING: CPU: 0 PID: 1 at f.c:1 f+0x0/0x1\n"
				   "Modules linked in:\n"
				   "---[ end trace 0000000000000000 ]---\n"
				   "after";
	static const bool continues[] = { false, false, false, false, true, true, false };
	struct klog klog;
	struct klog_record record;

	attach_text(&klog, text, sizeof(text) - 1);
	for (size_t i = 0; i < sizeof(continues); i++) {
		ck_assert_int_eq(klog_next(&klog, &record, NULL), 1);
		ck_assert_msg(record.continues == continues[i], "record %zu: %s", i, record.text);
		ck_assert_uint_eq(record.class, i == 3 ? KLOG_WARN : KLOG_NONE);
	}
	ck_assert_int_eq(klog_next(&klog, &record, NULL), 0);
	ck_assert_int_eq(klog_next(&klog, &record, NULL), 0);
	klog_close(&klog);
}
END_TEST

#define CUT "------------[ cut here ]------------\n"
#define WARNED "WARNING: CPU: 0 PID: 1 at f.c:1 f+0x0/0x1\n"
#define DIED "Oops: 0000 [#1] SMP\n"

/* Where one event ends and another begins. */
static const struct {
	const char *why;
	const char *log;
	const char *listing;
} event_cases[] = {
	{ "the frame may be filtered out; the next line still belongs, one after that does not",
	  "perfevents: irq loop stuck!\n" WARNED WARNED "perf: irq loop stuck!\nmore\n" WARNED,
	  "pmu-loop pmu-loop\n+ warn-cpu-pid\nwarn warn-cpu-pid\n"
	  "pmu-loop pmu-loop-knc\nwarn warn-cpu-pid\n" },
	{ "each text has a warning of its own",
	  "perfevents: irq loop stuck!\n" WARNED "perf: irq loop stuck!\n" WARNED,
	  "pmu-loop pmu-loop\n+ warn-cpu-pid\npmu-loop pmu-loop-knc\n+ warn-cpu-pid\n" },
	{ "a frame that lacks its end is over when the next begins",
	  CUT WARNED CUT "perfevents: irq loop stuck!\n" WARNED,
	  "warn warn-cpu-pid\npmu-loop pmu-loop\n+ warn-cpu-pid\n" },
	{ "a frame has one text", CUT "perf: irq loop stuck!\nNew overflows for inactive PMCs: 1\n",
	  "pmu-loop pmu-loop-knc\npmu-odd amd-inactive-pmc\n" },
	{ "a line continues its own class only",
	  "kernel BUG at f.c:1!\nDazed and confused, but trying to continue\n",
	  "oops oops-bug-at\nunknown-nmi nmi-dazed\n" },
	{ "the die() line ends an oops",
	  "BUG: KASAN: use-after-free in f\nOops: 0000 [#1] SMP\nOops: 0000 [#2] SMP\n",
	  "oops bug-kasan\noops oops-die\noops oops-die\n" },
	{ "a fault without introduction is an oops, and over",
	  "general protection fault: 0000 [#1] SMP\nOops: 0000 [#2] SMP\n"
	  "a(1): Instruction fault 2\na(2): Oops 0\na(3): Arithmetic fault 0\na(4): Oops 0\n",
	  "oops oops-gpf\noops oops-die\noops oops-alpha-instruction\noops oops-alpha\n"
	  "oops oops-alpha-arithmetic\noops oops-alpha\n" },
	{ "reports that the kernel survives are no introduction of an oops",
	  "BUG: scheduling while atomic: a/1/0x2\n" DIED
	  "BUG: sleeping function called from invalid context at f.c:1\n" DIED
	  "BUG: KFENCE: invalid free in f\n" DIED
	  "BUG kmalloc-64 (Not tainted): Redzone overwritten\n" DIED
	  "BUG: Bad page state in process a  pfn:1\n" DIED,
	  "oops bug-atomic\noops oops-die\noops bug-sleeping\noops oops-die\n"
	  "oops bug-kfence\noops oops-die\noops bug-slub\noops oops-die\n"
	  "oops bug-other\noops oops-die\n" },
	{ "a warning never continues a warning",
	  "WARNING: f.c:1 at f+0x0/0x1, CPU#0: a/1\nWARNING: f.c:1 at f+0x0/0x1, CPU#0: a/1\n"
	  "WARNING: at f.c:1 f+0x0/0x1()\nWARNING: at f.c:1 f+0x0/0x1()\n",
	  "warn warn-6.19\nwarn warn-6.19\nwarn warn-2.6\nwarn warn-2.6\n" },
	{ "what closed the event before does not close the next",
	  "Oops: 0000 [#1] SMP\nkernel BUG at f.c:1!\ninvalid opcode: 0000 [#2] SMP\n",
	  "oops oops-die\noops oops-bug-at\n+ oops-die-other\n" },
};

START_TEST(test_events)
{
	struct klog klog;
	char *listing;

	attach_text(&klog, event_cases[_i].log, strlen(event_cases[_i].log));
	listing = describe(&klog);
	ck_assert_msg(!strcmp(listing, event_cases[_i].listing), "%s: got\n%sexpected\n%s",
		      event_cases[_i].why, listing, event_cases[_i].listing);
	free(listing);
	klog_close(&klog);
}
END_TEST

/* Only after a raw record is " KEY=value" no message. */
START_TEST(test_saved_continuation)
{
	static const char text[] = " a=b\n6,1,1,-;c\n KEY=value\n d\n";
	static const char *const records[] = { " a=b", "c", " d" };
	struct klog klog;
	struct klog_record record;

	attach_text(&klog, text, sizeof(text) - 1);
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		ck_assert_int_eq(klog_next(&klog, &record, NULL), 1);
		ck_assert_str_eq(record.text, records[i]);
	}
	ck_assert_int_eq(klog_next(&klog, &record, NULL), 0);
	klog_close(&klog);
}
END_TEST

START_TEST(test_saved_odd_lines)
{
	/* After a line too long: an empty one, NULs before a stamp, and no end of line at the end.
	 */
	static const char tail[] = "\n\n\r\n\0\0[    1.000000] BUG: b";
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct klog klog;
	struct klog_record record;

	fprintf(out, "WARNING: %20000s", "x");
	ck_assert_uint_eq(fwrite(tail, sizeof(tail) - 1, 1, out), 1);
	fclose(out);
	attach_text(&klog, text, size);
	ck_assert_int_eq(klog_next(&klog, &record, NULL), 1);
	ck_assert_uint_eq(strlen(record.text), KLOG_TEXT_MAX - 1);
	ck_assert_uint_eq(record.class, KLOG_WARN);
	ck_assert_int_eq(klog_next(&klog, &record, NULL), 1);
	ck_assert_str_eq(record.text, "BUG: b");
	ck_assert_uint_eq(record.class, KLOG_OOPS);
	ck_assert_int_eq(klog_next(&klog, &record, NULL), 0);
	klog_close(&klog);
	free(text);
}
END_TEST

/* A lower number is the next boot in the same file, not a gap. */
START_TEST(test_saved_sequence_restarts)
{
	static const char text[] = "6,500,1,-;a\n6,501,1,-;b\n6,0,1,-;c\n6,1,1,-;d\n";
	struct klog klog;
	char *listing;

	attach_text(&klog, text, sizeof(text) - 1);
	listing = describe(&klog);
	ck_assert_str_eq(listing, "");
	ck_assert(!klog.lost);
	free(listing);
	klog_close(&klog);
}
END_TEST

START_TEST(test_open_errors)
{
	struct klog klog;
	struct klog_record record;
	struct err err;

	ck_assert_int_eq(klog_open_file(&klog, "/nonexistent/log", &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent/log"));
	ck_assert_ptr_nonnull(strstr(err.text, "ENOENT"));
	klog_close(&klog);
	ck_assert_int_eq(klog_open_file(&klog, "/", &err), 0);
	ck_assert_int_eq(klog_next(&klog, &record, &err), -EISDIR);
	ck_assert_ptr_nonnull(strstr(err.text, "EISDIR"));
	klog_close(&klog);
	klog_close(&klog);
}
END_TEST

/* /dev/kmsg in the hands of a test: a message "!N" is a read that fails with errno N. */
static ssize_t fake_read(int fd, void *buf, size_t size)
{
	ssize_t got = recv(fd, buf, size, MSG_DONTWAIT);

	if (got > 1 && *(char *)buf == '!') {
		((char *)buf)[got] = '\0';
		errno = (int)strtol((char *)buf + 1, NULL, 10);
		return -1;
	}
	return got;
}

/* Returns the end to write to. */
static int attach_fake(struct klog *klog)
{
	int ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	klog_attach_fd(klog, ends[0], fake_read);
	ck_assert_int_eq(klog_fd(klog), ends[0]);
	return ends[1];
}

static void feed(int fd, const char *record)
{
	ck_assert_int_eq(send(fd, record, strlen(record), 0), (ssize_t)strlen(record));
}

static void feed_errno(int fd, int errnum)
{
	char text[16];

	snprintf(text, sizeof(text), "!%d", errnum);
	feed(fd, text);
}

START_TEST(test_live_records)
{
	struct klog klog;
	struct klog_record record;
	int fd = attach_fake(&klog);

	ck_assert_int_eq(klog_next(&klog, &record, NULL), 0);
	feed(fd, "4,70,1000,-;usb 1-1: text\n SUBSYSTEM=usb\n DEVICE=c189:1\n");
	feed_errno(fd, EINTR);
	feed(fd, "4,71,1001,-;WARNING: at f.c:1 f+0x0/0x1\n");
	ck_assert_int_eq(klog_next(&klog, &record, NULL), 1);
	ck_assert_str_eq(record.text, "usb 1-1: text");
	ck_assert_uint_eq(record.seq, 70);
	ck_assert_uint_eq(record.time_us, 1000);
	ck_assert_int_eq(klog_next(&klog, &record, NULL), 1);
	ck_assert_uint_eq(record.class, KLOG_WARN);
	ck_assert_int_eq(klog_next(&klog, &record, NULL), 0);
	ck_assert(!klog.lost);
	close(fd);
	klog_close(&klog);
}
END_TEST

START_TEST(test_live_gap)
{
	struct klog klog;
	struct klog_record record;
	int fd = attach_fake(&klog);

	feed(fd, "6,70,1000,-;a\n");
	feed(fd, "6,74,1001,-;b\n");
	ck_assert_int_eq(klog_next(&klog, &record, NULL), 1);
	ck_assert(!klog.lost);
	ck_assert_int_eq(klog_next(&klog, &record, NULL), 1);
	ck_assert_str_eq(record.text, "b");
	ck_assert(klog.lost);
	ck_assert_uint_eq(klog.lost_count, 3);
	close(fd);
	klog_close(&klog);
}
END_TEST

START_TEST(test_live_overrun)
{
	struct klog klog;
	struct klog_record record;
	int fd = attach_fake(&klog);

	/* Before the first record nobody knows how many: at least one. */
	feed_errno(fd, EPIPE);
	feed(fd, "6,70,1000,-;a\n");
	ck_assert_int_eq(klog_next(&klog, &record, NULL), 1);
	ck_assert_str_eq(record.text, "a");
	ck_assert(klog.lost);
	ck_assert_uint_eq(klog.lost_count, 1);
	/* Later the numbers tell. */
	feed_errno(fd, EPIPE);
	feed(fd, "6,81,1000,-;b\n");
	ck_assert_int_eq(klog_next(&klog, &record, NULL), 1);
	ck_assert_uint_eq(klog.lost_count, 11);
	/* Overrun and nothing to read yet. */
	klog.lost = false;
	feed_errno(fd, EPIPE);
	ck_assert_int_eq(klog_next(&klog, &record, NULL), 0);
	ck_assert(klog.lost);
	close(fd);
	klog_close(&klog);
}
END_TEST

START_TEST(test_live_error)
{
	struct klog klog;
	struct klog_record record;
	struct err err;
	int fd = attach_fake(&klog);

	feed_errno(fd, EIO);
	ck_assert_int_eq(klog_next(&klog, &record, &err), -EIO);
	ck_assert_ptr_nonnull(strstr(err.text, "EIO"));
	close(fd);
	klog_close(&klog);
}
END_TEST

/* Write a random message to the kernel log; marker gets its text. */
static void write_marker(int fd, char *marker, size_t size)
{
	unsigned long long id;
	char line[80];

	ck_assert_int_eq(getrandom(&id, sizeof(id), 0), sizeof(id));
	snprintf(marker, size, "pmiproof check %016llx", id);
	snprintf(line, sizeof(line), "<6>%s\n", marker);
	ck_assert_int_eq(write(fd, line, strlen(line)), (ssize_t)strlen(line));
}

/* The real device, where this machine lets us write to it: what is new is read, once. */
START_TEST(test_live_device)
{
	char before[64];
	char after[64];
	struct klog klog;
	struct klog_record record;
	struct err err;
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	int found = 0;
	int got;

	if (fd < 0) {
		printf("test_live_device not run: open /dev/kmsg: %s\n", strerror(errno));
		return;
	}
	write_marker(fd, before, sizeof(before));
	ck_assert_msg(klog_open_live(&klog, &err) == 0, "%s", err.text);
	write_marker(fd, after, sizeof(after));
	while ((got = klog_next(&klog, &record, &err)) > 0) {
		ck_assert_str_ne(record.text, before);
		if (strcmp(record.text, after) != 0)
			continue;
		found++;
		ck_assert_int_eq(record.level, 6);
		ck_assert_uint_gt(record.time_us, 0);
	}
	ck_assert_msg(got == 0, "%s", err.text);
	ck_assert_int_eq(found, 1);
	close(fd);
	klog_close(&klog);
}
END_TEST

/* Count the records of a text. */
static void tally_text(struct klog_tally *tally, const char *text)
{
	struct klog klog;
	struct klog_record record;

	*tally = (struct klog_tally){ .lost = false };
	attach_text(&klog, text, strlen(text));
	while (klog_next(&klog, &record, NULL) > 0)
		klog_tally_add(tally, &record);
	klog_close(&klog);
}

static unsigned int total(const struct klog_tally *tally)
{
	unsigned int sum = 0;

	for (int class = 0; class < KLOG_CLASSES; class ++)
		sum += tally->count[class];
	return sum;
}

START_TEST(test_tally_counts_events)
{
	struct klog_tally tally;

	tally_text(&tally, "Uhhuh. NMI received for unknown reason 2c on CPU 1.\n"
			   "Dazed and confused, but trying to continue\n"
			   "Uhhuh. NMI received for unknown reason 2c on CPU 2.\n"
			   "Dazed and confused, but trying to continue\n"
			   "perf: interrupt took too long (2 > 1), lowering "
			   "kernel.perf_event_max_sample_rate to 1000\n"
			   "perf_duration_warn: 5 callbacks suppressed\n"
			   "perf_duration_warn: 0 callbacks suppressed\n"
			   "net_ratelimit: 9 callbacks suppressed\n");
	ck_assert_uint_eq(tally.count[KLOG_UNKNOWN_NMI], 2);
	ck_assert_uint_eq(tally.count[KLOG_THROTTLE], 6);
	ck_assert_uint_eq(total(&tally), 8);
	ck_assert_str_eq(tally.first[KLOG_UNKNOWN_NMI],
			 "Uhhuh. NMI received for unknown reason 2c on CPU 1.");
}
END_TEST

/* A WARN whose text says more counts as that, and only as that. */
START_TEST(test_tally_reclassifies)
{
	struct klog_tally tally;

	tally_text(&tally, "------------[ cut here ]------------\n"
			   "WARNING: at f.c:1 f+0x0/0x1()\n"
			   "perfevents: irq loop stuck!\n"
			   "---[ end trace 0123456789abcdef ]---\n"
			   "------------[ cut here ]------------\n"
			   "WARNING: at f.c:2 g+0x0/0x1()\n"
			   "---[ end trace 0123456789abcdef ]---\n");
	ck_assert_uint_eq(tally.count[KLOG_PMU_LOOP], 1);
	ck_assert_uint_eq(tally.count[KLOG_WARN], 1);
	ck_assert_uint_eq(total(&tally), 2);
	ck_assert_str_eq(tally.first[KLOG_PMU_LOOP], "perfevents: irq loop stuck!");
	ck_assert_str_eq(tally.first[KLOG_WARN], "WARNING: at f.c:2 g+0x0/0x1()");
}
END_TEST

START_TEST(test_tally_does_not_wrap)
{
	struct klog_tally tally;

	tally_text(&tally, "perf_duration_warn: 4294967290 callbacks suppressed\n"
			   "perf_duration_warn: 4294967290 callbacks suppressed\n"
			   "perf: interrupt took too long (2 > 1), lowering "
			   "kernel.perf_event_max_sample_rate to 1000\n");
	ck_assert_uint_eq(tally.count[KLOG_THROTTLE], 4294967295U);
}
END_TEST

#define STALL "INFO: rcu_sched self-detected stall on CPU\n"
#define SOFT "BUG: soft lockup - CPU#1 stuck for 22s! [a:1]\n"
#define THROTTLED \
	"perf: interrupt took too long (2 > 1), lowering kernel.perf_event_max_sample_rate to 9\n"
#define LIMIT "BUG: MAX_LOCKDEP_CHAINS too low!\n"

static const struct klog_allow allow_stalls[] = { { KLOG_RCU_STALL, 2 }, { KLOG_NONE, 0 } };

/* Logs, what was allowed, and what that makes of a verdict. */
static const struct {
	const char *log;
	const struct klog_allow *allow;
	uint64_t lost;
	enum verdict verdict;
	const char *why;
} judge_cases[] = {
	{ "", NULL, 0, VERDICT_PASS, "kernel log: nothing beyond what is allowed" },
	{ STALL STALL, NULL, 0, VERDICT_FAIL,
	  "kernel log: 2 x rcu-stall (0 allowed): INFO: rcu_sched self-detected stall on CPU" },
	{ STALL STALL, allow_stalls, 0, VERDICT_PASS,
	  "kernel log: nothing beyond what is allowed" },
	{ STALL STALL STALL, allow_stalls, 0, VERDICT_FAIL,
	  "kernel log: 3 x rcu-stall (2 allowed): INFO: rcu_sched self-detected stall on CPU" },
	{ STALL SOFT, allow_stalls, 0, VERDICT_FAIL,
	  "kernel log: 1 x soft-lockup (0 allowed): BUG: soft lockup - CPU#1 stuck for 22s! "
	  "[a:1]" },
	{ THROTTLED, NULL, 0, VERDICT_PASS,
	  "kernel log: 1 x throttle (0 allowed): perf: interrupt took too long (2 > 1), lowering "
	  "kernel.perf_event_max_sample_rate to 9" },
	{ THROTTLED LIMIT, NULL, 0, VERDICT_BROKEN,
	  "kernel log: 1 x lockdep-limit (0 allowed): BUG: MAX_LOCKDEP_CHAINS too low!" },
	{ LIMIT STALL SOFT, NULL, 7, VERDICT_FAIL,
	  "kernel log: 1 x rcu-stall (0 allowed): INFO: rcu_sched self-detected stall on CPU; "
	  "1 x soft-lockup (0 allowed): BUG: soft lockup - CPU#1 stuck for 22s! [a:1]" },
	{ LIMIT, NULL, 7, VERDICT_BROKEN,
	  "kernel log: 1 x lockdep-limit (0 allowed): BUG: MAX_LOCKDEP_CHAINS too low!" },
	{ THROTTLED, NULL, 7, VERDICT_BROKEN, "kernel log: 7 or more records lost" },
};

START_TEST(test_judge)
{
	struct klog_tally tally;
	struct err why;
	enum verdict verdict;

	tally_text(&tally, judge_cases[_i].log[0] ? judge_cases[_i].log : "\n");
	tally.lost = judge_cases[_i].lost > 0;
	tally.lost_count = judge_cases[_i].lost;
	verdict = klog_judge(&tally, judge_cases[_i].allow, &why);
	ck_assert_str_eq(why.text, judge_cases[_i].why);
	ck_assert_str_eq(verdict_name(verdict), verdict_name(judge_cases[_i].verdict));
	ck_assert_uint_eq(klog_judge(&tally, judge_cases[_i].allow, NULL), verdict);
}
END_TEST

static void add_source_tests(Suite *s)
{
	TCase *saved = tcase_create("saved");
	TCase *live = tcase_create("live");

	tcase_add_test(saved, test_fixtures);
	tcase_add_test(saved, test_repeated_messages_are_events);
	tcase_add_test(saved, test_body_continues);
	tcase_add_loop_test(saved, test_events, 0, sizeof(event_cases) / sizeof(event_cases[0]));
	tcase_add_test(saved, test_saved_continuation);
	tcase_add_test(saved, test_saved_odd_lines);
	tcase_add_test(saved, test_saved_sequence_restarts);
	tcase_add_test(saved, test_open_errors);
	suite_add_tcase(s, saved);
	tcase_add_test(live, test_live_records);
	tcase_add_test(live, test_live_gap);
	tcase_add_test(live, test_live_overrun);
	tcase_add_test(live, test_live_error);
	tcase_add_test(live, test_live_device);
	suite_add_tcase(s, live);
}

Suite *suite(void)
{
	Suite *s = suite_create("klog");
	TCase *table = tcase_create("table");
	TCase *judge = tcase_create("judge");

	tcase_add_test(table, test_classes);
	tcase_add_test(table, test_forms);
	tcase_add_test(table, test_lines);
	tcase_add_test(table, test_every_row_is_expected);
	tcase_add_test(table, test_page_lists_every_row);
	tcase_add_test(table, test_ids_are_unique);
	tcase_add_test(table, test_classify);
	suite_add_tcase(s, table);
	add_source_tests(s);
	tcase_add_test(judge, test_tally_counts_events);
	tcase_add_test(judge, test_tally_reclassifies);
	tcase_add_test(judge, test_tally_does_not_wrap);
	tcase_add_loop_test(judge, test_judge, 0, sizeof(judge_cases) / sizeof(judge_cases[0]));
	suite_add_tcase(s, judge);
	return s;
}
