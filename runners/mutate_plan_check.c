// SPDX-License-Identifier: GPL-2.0-or-later
#include "mutate_plan.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

Suite *suite(void);

#define REST "file f.c\nfunction g\neffect e\n"

static const char table[] = "every option h1.x=1 without h3\n"
			    "mutant a\n" REST "names h1.c\n"
			    "mutant b\n" REST "names h2.c h1.hung\n"
			    "mutant hot cpu-model Haswell with h3 timeout-scale 2\n" REST
			    "mutant based base a,b\n" REST "names h2.c\n"
			    "mutant slow param p=1\n" REST "names h1.c\n"
			    "mutant pair mode smp\n" REST "names h2.c\n";

static char theme[] = "theme", h1[] = "h1", h2[] = "h2", h3[] = "h3";
static struct suite_test tests[] = { { .theme = theme, .name = h1 },
				     { .theme = theme, .name = h2 },
				     { .theme = theme, .name = h3 } };
static const struct suite hypotheses = { tests, 3 };

static struct mutants mutants;
static struct mutate_plan plan;

static void setup(void)
{
	FILE *file = fmemopen((char *)table, strlen(table), "r");
	struct err err = { .text = "" };

	ck_assert_msg(!mutants_parse(&mutants, "table", file, &err), "%s", err.text);
	fclose(file);
}

static void teardown(void)
{
	mutate_plan_free(&plan);
	mutants_free(&mutants);
}

static int make(const struct mutate_choice *choice, struct err *err)
{
	mutate_plan_free(&plan);
	return mutate_plan_make(&plan, &mutants, &hypotheses, choice, err);
}

/* Names of the hypotheses that a machine runs, with blanks between. */
static const char *rows_of(const struct proof_machine *machine)
{
	static char text[64];

	*text = '\0';
	for (size_t i = 0; i < machine->n_rows; i++)
		if (machine->rows[i].selected)
			sprintf(text + strlen(text), "%s%s", *text ? " " : "",
				machine->rows[i].hypothesis);
	return text;
}

START_TEST(everything)
{
	static const struct {
		const char *name, *rows, *variant;
		size_t unmutated;
	} expected[] = {
		{ "a", "h1 h2", "a", 0 },	 { "b", "h1 h2", "b", 0 },
		{ "hot", "h1 h2 h3", "hot", 1 }, { "based", "h1 h2", "a,b,based", 2 },
		{ "slow", "h1 h2", "slow", 3 },	 { "pair", "h1 h2", "pair", 4 },
	};
	static const struct {
		const char *name, *rows, *variant;
		bool sound;
	} unmutated[] = {
		{ "plain-Skylake-Client", "h1 h2", "plain", true },
		{ "plain-Haswell", "h1 h2 h3", "plain", true },
		{ "a+b-Skylake-Client", "h1 h2", "a,b", false },
		{ "plain-Skylake-Client-2", "h1 h2", "plain", true },
		{ "plain-Skylake-Client-smp", "h1 h2", "plain", true },
	};
	const struct mutate_choice all = { 0 };
	struct err err;

	ck_assert_int_eq(make(&all, &err), 0);
	ck_assert_uint_eq(plan.n_subjects, 6);
	for (size_t i = 0; i < plan.n_subjects; i++) {
		ck_assert_str_eq(plan.subjects[i].machine.name, expected[i].name);
		ck_assert_str_eq(rows_of(&plan.subjects[i].machine), expected[i].rows);
		ck_assert_str_eq(plan.subjects[i].machine.lab.variant, expected[i].variant);
		ck_assert_uint_eq(plan.subjects[i].unmutated, expected[i].unmutated);
	}
	ck_assert_uint_eq(plan.n_unmutated, 5);
	for (size_t i = 0; i < plan.n_unmutated; i++) {
		ck_assert_str_eq(plan.unmutated[i].name, unmutated[i].name);
		ck_assert_str_eq(rows_of(&plan.unmutated[i]), unmutated[i].rows);
		ck_assert_str_eq(plan.unmutated[i].lab.variant, unmutated[i].variant);
		ck_assert_str_eq(plan.unmutated[i].own.name[0], "h1.x=1");
		ck_assert_int_eq(plan.sound[i], unmutated[i].sound);
	}
	ck_assert_str_eq(plan.unmutated[3].lab.params[0], "p=1");
	ck_assert_uint_eq(mutate_plan_rows(&plan.unmutated[1]), 3);
}
END_TEST

START_TEST(patterns)
{
	char mutant[] = "[ab]", hypothesis[] = "theme/h2";
	char *const these[] = { mutant }, *const those[] = { hypothesis };
	const struct mutate_choice some = {
		.patterns = these, .n_patterns = 1, .hypotheses = those, .n_hypotheses = 1
	};
	struct err err;

	ck_assert_int_eq(make(&some, &err), 0);
	ck_assert_uint_eq(plan.n_subjects, 2);
	ck_assert_uint_eq(plan.n_unmutated, 1);
	ck_assert_str_eq(rows_of(&plan.subjects[0].machine), "h2");
	ck_assert_str_eq(rows_of(&plan.unmutated[0]), "h2");
}
END_TEST

/* Without mutants runs what any of them needs; one that names nothing is not run. */
START_TEST(named_only)
{
	const struct mutate_choice named = { .named = true };
	struct err err;

	ck_assert_int_eq(make(&named, &err), 0);
	ck_assert_str_eq(rows_of(&plan.subjects[0].machine), "h1");
	ck_assert_str_eq(rows_of(&plan.subjects[1].machine), "h1 h2");
	ck_assert_str_eq(rows_of(&plan.subjects[2].machine), "");
	ck_assert_uint_eq(mutate_plan_rows(&plan.subjects[2].machine), 0);
	ck_assert_str_eq(rows_of(&plan.unmutated[0]), "h1 h2");
	ck_assert_uint_eq(plan.n_unmutated, 4);
}
END_TEST

static void refused(const struct mutate_choice *choice, const char *why)
{
	struct err err;

	ck_assert_int_eq(make(choice, &err), -ENOENT);
	ck_assert_msg(strstr(err.text, why), "%s", err.text);
}

START_TEST(nothing_fits)
{
	char nosuch[] = "nosuch", a[] = "a", far[] = "h3";
	char *const none[] = { nosuch }, *const one[] = { a }, *const other[] = { far };

	refused(&(struct mutate_choice){ .patterns = none, .n_patterns = 1 },
		"table has no mutant 'nosuch'");
	refused(&(struct mutate_choice){ .hypotheses = none, .n_hypotheses = 1 },
		"no hypothesis 'nosuch'");
	refused(
		&(struct mutate_choice){
			.patterns = one, .n_patterns = 1, .hypotheses = other, .n_hypotheses = 1 },
		"no hypothesis to run on these mutants");
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("mutate_plan");
	TCase *c = tcase_create("plan");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, everything);
	tcase_add_test(c, patterns);
	tcase_add_test(c, named_only);
	tcase_add_test(c, nothing_fits);
	suite_add_tcase(s, c);
	return s;
}
