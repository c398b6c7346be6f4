// SPDX-License-Identifier: GPL-2.0-or-later
#include "mutate_results.h"

#include <check.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mutate_table.h"

Suite *suite(void);

static const char table[] =
	"mutant a\nfile core.c\nfunction f\neffect \"a | b\"\nnames h.c\n"
	"mutant b\nfile core.c\nfunction g\neffect e\n"
	"mutant c\nfile lbr.c\nfunction h\neffect e\nequivalent nobody reads it\n"
	"mutant d\nfile lbr.c\nfunction h\neffect e\n"
	"mutant e\nfile lbr.c\nfunction h\neffect e\n";

static char theme[] = "theme", h[] = "h";
static struct suite_test test = { .theme = theme, .name = h };
static const struct suite hypotheses = { &test, 1 };
static const struct known_issues nothing;

static struct mutants mutants;
static struct mutate_plan plan;
static struct mutate_results results;
static char dir[64];

static void make_dir(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ck_assert_int_eq(mkdir(path, 0777), 0);
}

static void setup(void)
{
	FILE *file = fmemopen((char *)table, strlen(table), "r");
	const struct mutate_choice all = { 0 };
	struct err err = { .text = "" };

	strcpy(dir, "/tmp/mutate_results_check-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	make_dir(MUTATE_MUTANTS);
	make_dir(MUTATE_UNMUTATED);
	ck_assert_msg(!mutants_parse(&mutants, "table", file, &err), "%s", err.text);
	fclose(file);
	ck_assert_msg(!mutate_plan_make(&plan, &mutants, &hypotheses, &all, &err), "%s", err.text);
	ck_assert_int_eq(mutate_results_init(&results, &plan, dir, 2, &nothing, &err), 0);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	return remove(path);
}

static void teardown(void)
{
	mutate_results_free(&results);
	mutate_plan_free(&plan);
	mutants_free(&mutants);
	ck_assert_int_eq(nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void set(size_t subject, enum mutate_fate fate, json_t *named, json_t *others)
{
	results.outcomes[subject] =
		(struct mutate_outcome){ .fate = fate, .named = named, .others = others };
}

/* Killed and named, survived, equivalent, by others, and one that was not run. */
static void fill(void)
{
	set(0, FATE_NAMED, json_pack("[s]", "h.c"), json_pack("[s, s]", "g.x", "g.y"));
	set(1, FATE_SURVIVED, json_array(), json_array());
	results.outcomes[1].changed = json_pack("[s]", "h: skip: no LBR");
	set(2, FATE_EQUIVALENT, json_array(), json_array());
	set(3, FATE_KILLED, json_array(), json_pack("[s]", "g.x"));
	results.verdicts = 4;
	results.good = 3;
	json_array_append_new(results.problems, json_string("plain, run 1, h: fail: x"));
}

START_TEST(sums)
{
	struct mutate_sum sum = mutate_results_sum(&results, NULL);

	ck_assert_uint_eq(sum.fates[FATE_MISSING], 5);
	ck_assert_uint_eq(sum.live, 0);
	fill();
	sum = mutate_results_sum(&results, NULL);
	ck_assert_uint_eq(sum.fates[FATE_NAMED], 1);
	ck_assert_uint_eq(sum.fates[FATE_MISSING], 1);
	ck_assert_uint_eq(sum.live, 3);
	ck_assert_uint_eq(sum.killed, 2);
	sum = mutate_results_sum(&results, "lbr.c");
	ck_assert_uint_eq(sum.live, 1);
	ck_assert_uint_eq(sum.killed, 1);
	ck_assert_uint_eq(sum.fates[FATE_EQUIVALENT], 1);
}
END_TEST

static void text_is(size_t subject, const char *expected)
{
	char *text = mutate_results_text(&results, subject);

	ck_assert_str_eq(text, expected);
	free(text);
}

START_TEST(texts)
{
	fill();
	text_is(0, "h.c; also g.x, g.y");
	text_is(1, "h: skip: no LBR");
	text_is(2, "nobody reads it");
	text_is(3, "g.x");
	text_is(4, "");
	mutate_judge_impossible(&results.outcomes[4], "1 of 2 runs is missing");
	text_is(4, "1 of 2 runs is missing");
}
END_TEST

static int witness(const char *text, struct err *err)
{
	FILE *file = fmemopen((char *)text, strlen(text), "r");
	int result = mutate_results_witness_parse(&results, "seen", file, err);

	fclose(file);
	return result;
}

START_TEST(witnesses)
{
	struct err err;

	ck_assert_int_eq(witness("# seen\na live look: without 1, with 2, wanted > "
				 "1\nb\tdead\nnosuch dead\nFAILED x\nc unseen\n",
				 &err),
			 0);
	ck_assert_int_eq(results.witnesses[0], WITNESS_LIVE);
	ck_assert_int_eq(results.witnesses[1], WITNESS_DEAD);
	ck_assert_int_eq(results.witnesses[2], WITNESS_NONE);
	ck_assert_int_eq(witness("a live\nb\n", &err), -EINVAL);
	ck_assert_str_eq(err.text, "seen:2: not 'NAME live', 'NAME dead' or 'NAME unseen'");
	ck_assert_int_eq(witness("a perhaps\n", &err), -EINVAL);
	ck_assert_int_eq(mutate_results_witness(&results, "/nonexistent/seen", &err), -ENOENT);
}
END_TEST

/* With one blank for several: widths of columns are the table's affair. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from != ' ' || to == text || to[-1] != ' ')
			*to++ = *from;
	*to = '\0';
}

static void contains(const char *text, const char *line)
{
	ck_assert_msg(strstr(text, line), "no '%s' in: %s", line, text);
}

START_TEST(printed)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fill();
	ck_assert_int_eq(mutate_table_print(&results, out, 0, false), 0);
	mutate_table_sums(&results, out);
	fclose(out);
	squeeze(text);
	contains(text, "a f killed, named h.c; also g.x, g.y\n");
	contains(text, "b g survived h: skip: no LBR\n");
	contains(text, "c h equivalent nobody reads it\n");
	contains(text, "d h killed g.x\n");
	contains(text, "e h not run\n");
	contains(text, "unmutated: 3 of 4 verdicts pass\n plain, run 1, h: fail: x\n");
	contains(text,
		 "5 mutants: 1 killed, named, 1 killed, 1 survived, 1 equivalent, 1 not run\n");
	contains(text,
		 "1 of 3 live mutants (33.3 %) killed by a check that names the right thing\n");
	free(text);
}
END_TEST

START_TEST(as_markdown)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fill();
	ck_assert_int_eq(mutate_table_markdown(&results, out), 0);
	fclose(out);
	contains(text, "| `core.c` | 2 | 1 | 0 | 0 | 0 | 0 | 1 | 0 | 50.0 % |\n"
		       "| `lbr.c` | 1 | 0 | 1 | 0 | 0 | 0 | 0 | 1 | 0.0 % |\n"
		       "| **all** | 3 | 1 | 1 | 0 | 0 | 0 | 1 | 1 | 33.3 % |\n");
	contains(text, "Not counted: 0 that the witness does not see, 1 not run.\n");
	contains(text, "Unmutated: 2 runs of 1 machines, 3 of 4 verdicts pass.\n");
	contains(text, "- plain, run 1, h: fail: x\n");
	contains(text, "| a | f | a \\| b | killed, named | h.c; also g.x, g.y |\n");
	contains(text, "| b | g | e | **survived** | h: skip: no LBR |\n");
	free(text);
}
END_TEST

START_TEST(as_json)
{
	json_t *document, *sum, *mutant;

	fill();
	results.witnesses[3] = WITNESS_LIVE;
	document = mutate_table_json(&results);
	ck_assert_ptr_nonnull(document);
	sum = json_object_get(document, "sum");
	ck_assert_int_eq(json_integer_value(json_object_get(sum, "live")), 3);
	ck_assert_int_eq(json_integer_value(json_object_get(sum, "killed")), 2);
	ck_assert_int_eq(json_integer_value(json_object_get(sum, "other")), 1);
	ck_assert_int_eq(json_array_size(json_object_get(document, "mutants")), 5);
	mutant = json_array_get(json_object_get(document, "mutants"), 3);
	ck_assert_str_eq(json_string_value(json_object_get(mutant, "fate")), "other");
	ck_assert_str_eq(json_string_value(json_object_get(mutant, "witness")), "live");
	ck_assert_ptr_null(json_object_get(mutant, "named"));
	ck_assert_ptr_null(json_object_get(mutant, "problem"));
	json_decref(document);
}
END_TEST

/* A report in the guest's directory of one that ran the hypothesis. */
static void put_report(const struct prove_guest *guest, const char *verdict, int interrupted)
{
	static const char head[] = "{\"v\":1,\"seq\":%d,\"boot\":\"b\",\"time\":\"t\",";
	char path[PATH_MAX + 32];
	FILE *file;
	int seq = 0;

	ck_assert(!mkdir(guest->dir, 0777) || errno == EEXIST);
	snprintf(path, sizeof(path), "%s/journal.jsonl", guest->dir);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file, head, ++seq);
	fputs("\"type\":\"run\",\"version\":\"0\",\"args\":[],\"labels\":{},\"repeat\":1,"
	      "\"planned\":[{\"test\":\"h\"}]}\n",
	      file);
	fprintf(file, head, ++seq);
	fprintf(file,
		"\"type\":\"machine\",\"emulated\":true,\"lab\":{\"cpu_model\":\"%s\",\"mode\":"
		"\"exact\",\"faults\":[],\"params\":[],\"variant\":\"%s\"}}\n",
		guest->machine->lab.model->name, guest->machine->lab.variant);
	fprintf(file, head, ++seq);
	fputs("\"type\":\"start\",\"test\":\"h\",\"iter\":1,\"budget_s\":1,\"danger\":\"safe\"}\n",
	      file);
	fprintf(file, head, ++seq);
	fprintf(file,
		"\"type\":\"check\",\"test\":\"h\",\"iter\":1,\"name\":\"c\",\"op\":\"<=\","
		"\"value\":%d,\"bound\":1,\"unit\":\"1\",\"origin\":\"o\",\"ok\":%s}\n",
		strcmp(verdict, "pass") ? 2 : 1, strcmp(verdict, "pass") ? "false" : "true");
	fprintf(file, head, ++seq);
	fprintf(file,
		"\"type\":\"end\",\"test\":\"h\",\"iter\":1,\"verdict\":\"%s\",\"reasons\":[],"
		"\"duration_s\":1,\"survivors\":0,\"log_lost\":false,\"restored\":[]}\n",
		verdict);
	fprintf(file, head, ++seq);
	fprintf(file, "\"type\":\"done\",\"counts\":{},\"exit\":0,\"interrupted\":%s}\n",
		interrupted ? "true" : "false");
	fclose(file);
}

static struct prove_guest guest_of(const struct proof_machine *machine, size_t round)
{
	struct prove_guest guest = { .machine = machine, .round = round, .pid = -1 };
	struct err err;
	bool there;

	ck_assert_int_eq(mutate_results_place(&results, &guest, true, &there, &err), 0);
	return guest;
}

/* Verdicts of unmutated runs are counted; then mutants are judged by them. */
START_TEST(takes_reports)
{
	struct prove_guest first = guest_of(&plan.unmutated[0], 0);
	struct prove_guest second = guest_of(&plan.unmutated[0], 1);
	struct prove_guest killed = guest_of(&plan.subjects[0].machine, 0);
	struct prove_guest lost = guest_of(&plan.subjects[1].machine, 0);
	char text[512];

	put_report(&first, "pass", 0);
	put_report(&second, "pass", 0);
	put_report(&killed, "fail", 0);
	ck_assert(mutate_results_take(&results, &first, text, sizeof(text)));
	ck_assert_str_eq(text, "1 of 1 pass");
	/* One unmutated run of two is not there. */
	ck_assert(!mutate_results_take(&results, &killed, text, sizeof(text)));
	ck_assert_str_eq(text,
			 "not run: 1 of 2 unmutated runs of plain-Skylake-Client are missing");
	ck_assert(mutate_results_take(&results, &second, text, sizeof(text)));
	ck_assert(mutate_results_take(&results, &killed, text, sizeof(text)));
	ck_assert_str_eq(text, "killed, named: h.c");
	ck_assert_uint_eq(results.verdicts, 2);
	ck_assert_uint_eq(results.good, 2);
	ck_assert(!mutate_results_take(&results, &lost, text, sizeof(text)));
	ck_assert_ptr_nonnull(strstr(text, "not run: "));
	ck_assert_ptr_eq(mutate_results_subject(&results, &killed), &plan.subjects[0]);
	ck_assert_ptr_null(mutate_results_subject(&results, &first));
}
END_TEST

START_TEST(an_unmutated_run_that_fails)
{
	struct prove_guest guest = guest_of(&plan.unmutated[0], 0);
	char text[512];

	put_report(&guest, "fail", 0);
	ck_assert(!mutate_results_take(&results, &guest, text, sizeof(text)));
	ck_assert_str_eq(text, "0 of 1 pass");
	ck_assert_str_eq(json_string_value(json_array_get(results.problems, 0)),
			 "plain-Skylake-Client, run 1, h: fail");
	guest.round = 1;
	guest.status = 2 << 8; /* exit code 2 */
	ck_assert(!mutate_results_take(&results, &guest, text, sizeof(text)));
	ck_assert_uint_eq(results.verdicts, 2);
	ck_assert_uint_eq(results.good, 0);
}
END_TEST

/* A complete report is taken; beside one that is not there is room for another. */
START_TEST(goes_on)
{
	struct prove_guest guest = guest_of(&plan.subjects[0].machine, 0);
	struct err err;
	char first[PATH_MAX];
	bool there;

	strcpy(first, guest.dir);
	ck_assert_ptr_nonnull(strstr(first, "/mutants/a"));
	put_report(&guest, "notrun", 1);
	ck_assert_int_eq(mutate_results_place(&results, &guest, true, &there, &err), 0);
	ck_assert(!there);
	ck_assert_str_ne(guest.dir, first);
	put_report(&guest, "pass", 0);
	ck_assert_int_eq(mutate_results_place(&results, &guest, true, &there, &err), 0);
	ck_assert(there);
	ck_assert_str_ne(guest.dir, first);
	/* Of another machine. */
	guest.machine = &plan.subjects[1].machine;
	ck_assert_int_eq(mutate_results_place(&results, &guest, true, &there, &err), 0);
	ck_assert(!there);
	/* A new run does not look. */
	guest.machine = &plan.subjects[0].machine;
	ck_assert_int_eq(mutate_results_place(&results, &guest, false, &there, &err), 0);
	ck_assert(!there);
	ck_assert_str_eq(guest.dir, first);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("mutate_results");
	TCase *c = tcase_create("results");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, sums);
	tcase_add_test(c, texts);
	tcase_add_test(c, witnesses);
	tcase_add_test(c, printed);
	tcase_add_test(c, as_markdown);
	tcase_add_test(c, as_json);
	tcase_add_test(c, takes_reports);
	tcase_add_test(c, an_unmutated_run_that_fails);
	tcase_add_test(c, goes_on);
	suite_add_tcase(s, c);
	return s;
}
