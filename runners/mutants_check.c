// SPDX-License-Identifier: GPL-2.0-or-later
#include "mutants.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab_variants.h"

Suite *suite(void);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A block is complete with this. */
#define REST "file f.c\nfunction g\neffect e\n"

static int parse(struct mutants *mutants, const char *text, size_t size, struct err *err)
{
	FILE *file = fmemopen((char *)text, size, "r");
	int result = mutants_parse(mutants, "table", file, err);

	fclose(file);
	return result;
}

static void take(struct mutants *mutants, const char *text)
{
	struct err err = { .text = "" };

	ck_assert_msg(!parse(mutants, text, strlen(text), &err), "%s", err.text);
}

START_TEST(reads_blocks)
{
	static const char text[] =
		"# comment\n"
		"every option h.o=1 without far without slow\n"
		"mutant sample-twice # another\n"
		"\tfile\tkernel/events/core.c\n"
		"\tfunction\t__perf_event_overflow\n"
		"\teffect\teach sample is \"there  twice\" # always\n"
		"\twitness\trecords\t>= 12\n"
		"\tnames\th.once h.none_twice\n"
		"\tnames\tg.count\n"
		"mutant late cpu-model Haswell mode smp param x=1 option h.p=2 base freeze with "
		"far without odd\n"
		"effect it is late\nfunction g\nfile f.c\nwitness delay\nnames h.hung\n"
		"mutant unseen arch alpha\n" REST "equivalent nobody reads it\n";
	const struct mutant *twice, *late, *unseen;
	struct mutants mutants;

	take(&mutants, text);
	ck_assert_uint_eq(mutants.n, 3);
	twice = &mutants.mutants[0];
	ck_assert_ptr_eq(mutants_find(&mutants, "sample-twice"), twice);
	ck_assert_uint_eq(twice->line, 3);
	ck_assert_ptr_eq(twice->machine.lab.model, lab_models);
	ck_assert_int_eq(twice->machine.lab.mode, LAB_EXACT);
	ck_assert_str_eq(twice->machine.lab.variant, "sample-twice");
	ck_assert_str_eq(twice->base, LAB_PLAIN);
	ck_assert_str_eq(twice->file, "kernel/events/core.c");
	ck_assert_str_eq(twice->function, "__perf_event_overflow");
	ck_assert_str_eq(twice->effect, "each sample is there  twice");
	ck_assert_ptr_null(twice->equivalent);
	ck_assert_str_eq(twice->witness.look, "records");
	ck_assert_str_eq(twice->witness.relation, ">=");
	ck_assert_double_eq(twice->witness.value, 12);
	ck_assert_uint_eq(twice->n_names, 3);
	ck_assert_uint_eq(twice->machine.own.n, 1);
	ck_assert_uint_eq(twice->without.n, 2);

	late = &mutants.mutants[1];
	ck_assert_str_eq(late->machine.lab.model->name, "Haswell");
	ck_assert_int_eq(late->machine.lab.mode, LAB_SMP);
	ck_assert_str_eq(late->machine.lab.params[0], "x=1");
	ck_assert_str_eq(late->machine.lab.variant, "freeze,late");
	ck_assert_str_eq(late->machine.own.name[0], "h.o=1");
	ck_assert_str_eq(late->machine.own.name[1], "h.p=2");
	ck_assert_str_eq(late->base, "freeze");
	ck_assert_uint_eq(late->without.n, 2);
	ck_assert(proof_list_has(&late->without, "slow"));
	ck_assert(proof_list_has(&late->without, "odd"));
	ck_assert_ptr_null(late->witness.relation);

	unseen = &mutants.mutants[2];
	ck_assert_str_eq(unseen->machine.lab.model->arch->name, "alpha");
	ck_assert_str_eq(unseen->equivalent, "nobody reads it");
	ck_assert_ptr_null(unseen->witness.look);
	ck_assert_ptr_null(mutants_find(&mutants, "unsee"));
	mutants_free(&mutants);
}
END_TEST

START_TEST(names_the_right_thing)
{
	struct mutants mutants;
	const struct mutant *m;

	take(&mutants, "mutant m\n" REST "names h.c hh.d g.hung\n");
	m = mutants.mutants;
	ck_assert(mutant_names(m, "h", "c"));
	ck_assert(mutant_names(m, "hh", "d"));
	ck_assert(mutant_names(m, "g", MUTANT_HUNG));
	ck_assert(!mutant_names(m, "h", "d"));
	ck_assert(!mutant_names(m, "h", MUTANT_HUNG));
	ck_assert(!mutant_names(m, "hh", "c"));
	ck_assert(!mutant_names(m, "h", ""));
	mutants_free(&mutants);
}
END_TEST

/* A table and what is said of it, its line first. */
static const struct {
	const char *text, *why;
} bad[] = {
	{ "# nothing\n", "table:2: there is no mutant" },
	{ "file f.c\n", "table:1: file: no mutant before it" },
	{ "mutant\n", "table:1: a mutant has a name" },
	{ "mutant a/b\n", "mutant a/b: a name has up to" },
	{ "mutant Big\n", "Big: not a name" },
	{ "mutant plain\n", "table:1: mutant plain: that is the kernel without any" },
	{ "mutant m\n" REST "mutant m\n", "table:5: mutant m is there already, in line 1" },
	{ "mutant m mode fast\n", "table:1: --mode fast: not smp or exact" },
	{ "mutant m mode\n", "table:1: mode has no value" },
	{ "mutant m arch\n", "table:1: a machine has no arch" },
	{ "mutant m arch pdp11\n", "table:1: arch pdp11: none that the lab has" },
	{ "mutant m arch alpha mode smp\n", "table:1: --mode smp: not on ev67-250" },
	{ "mutant m cpu-model 486\n", "--cpu-model 486" },
	{ "mutant m variant v\n", "table:1: a mutant has no variant" },
	{ "mutant m kernel stock\n", "table:1: a mutant has no kernel" },
	{ "mutant m repeat 3\n", "table:1: a mutant has no repeat" },
	{ "mutant m base m\n", "is given twice" },
	{ "mutant m without h without h\n", "table:1: without h: given twice" },
	{ "mutant m with h\n", "table:1: with h: it is there" },
	{ "mutant m with\n", "table:1: a machine has no with" },
	{ "mutant m base x,,y\n", "not a name, or names with commas" },
	{ "every repeat 3\n", "table:1: a mutant has no repeat" },
	{ "every colour red\n", "table:1: a machine has no colour" },
	{ "mutant m\n" REST "every mode smp\n", "table:5: every: before the first mutant" },
	{ "mutant m\nfile\n", "table:2: file of what?" },
	{ "mutant m\nfile \"\"\n", "table:2: file of what?" },
	{ "mutant m\nfile a.c b.c\n", "table:2: file is for one file" },
	{ "mutant m\nfunction f g\n", "table:2: function is for one function" },
	{ "mutant m\nfile a.c\nfile a.c\n", "table:3: file is there already" },
	{ "mutant m\neffect\n", "table:2: effect of what?" },
	{ "mutant m\neffect a\neffect b\n", "table:3: effect is there already" },
	{ "mutant m\neffect \"a\n", "table:2: a quotation mark is missing" },
	{ "mutant m\nequivalent\n", "table:2: equivalent of what?" },
	{ "mutant m\nwitness\n", "table:2: not 'witness LOOK [RELATION VALUE]'" },
	{ "mutant m\nwitness look ==\n", "table:2: not 'witness LOOK [RELATION VALUE]'" },
	{ "mutant m\nwitness look = 3\n", "table:2: witness look =: not ==" },
	{ "mutant m\nwitness look == three\n", "table:2: witness look == three: not a number" },
	{ "mutant m\nwitness look == nan\n", "table:2: witness look == nan: not a number" },
	{ "mutant m\nwitness a\nwitness b\n", "table:3: witness is there already" },
	{ "mutant m\nnames\n", "table:2: names of what?" },
	{ "mutant m\nnames h\n", "table:2: names h: not HYPOTHESIS.CHECK" },
	{ "mutant m\nnames h.\n", "table:2: names h.: not HYPOTHESIS.CHECK" },
	{ "mutant m\nnames .c\n", "table:2: names .c: not HYPOTHESIS.CHECK" },
	{ "mutant m\nnames h.c.d\n", "table:2: names h.c.d: not HYPOTHESIS.CHECK" },
	{ "mutant m\nnames h.c\nnames h.d h.c\n", "table:3: names h.c: given twice" },
	{ "mutant m\ncolour red\n", "table:2: colour: neither mutant, every, file" },
	{ "mutant m\nfunction f\neffect e\n", "table:1: mutant m has no file" },
	{ "mutant m\nfile f.c\neffect e\n", "table:1: mutant m has no function" },
	{ "mutant m\n" REST "mutant n\nfile f.c\nfunction g\n", "table:5: mutant n has no effect" },
	{ "mutant m\n" REST "names h.c\nequivalent why\n",
	  "table:1: mutant m: nothing names what cannot be seen" },
};

START_TEST(refuses)
{
	struct err err = { .text = "" };
	struct mutants mutants;
	const char *text = bad[_i].text;

	ck_assert_int_eq(parse(&mutants, text, strlen(text), &err), -EINVAL);
	ck_assert_msg(strstr(err.text, bad[_i].why), "'%s': %s", text, err.text);
	ck_assert_msg(!strncmp(err.text, "table:", 6), "%s", err.text);
}
END_TEST

START_TEST(refuses_what_is_no_table)
{
	static const char nul[] = "mutant m\n" REST "\0mutant n\n";
	struct mutants mutants;
	struct err err;

	ck_assert_int_eq(parse(&mutants, nul, sizeof(nul) - 1, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "this is no text"));
	ck_assert_int_eq(mutants_read(&mutants, "/nonexistent/mutants", &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent/mutants"));
}
END_TEST

/* Of a kernel with the variants of the repository, and one that is not built. */
static void known(const char *text, const char *why)
{
	static const char *const tables[LAB_ARCHS] = { [LAB_X86] = "fixtures/kernels/variants" };
	struct err err = { .text = "" };
	struct mutants mutants;

	take(&mutants, text);
	ck_assert_int_eq(mutants_known(&mutants, tables, &err), *why ? -EINVAL : 0);
	ck_assert_msg(!*why || strstr(err.text, why), "%s", err.text);
	mutants_free(&mutants);
}

START_TEST(knows_variants)
{
	known("mutant no-rate-limit\n" REST, "");
	known("mutant ack-mixed base freeze\n" REST, "");
	known("mutant nosuch arch alpha\n" REST, "");
	known("\nmutant nosuch\n" REST, "table:2: mutant nosuch: no variant of the kernel");
	known("mutant freeze\n" REST, "table:1: mutant freeze: the variant is of kind patch");
	known("mutant pebs-toggle\n" REST, "mutant pebs-toggle: the variant is of kind old");
	known("mutant raw-cycles\n" REST, "the variant is of alpha, the machine of x86");
	known("mutant ack-mixed base nosuch\n" REST, "table:1: --variant nosuch: none");
}
END_TEST

static void checks_known(const char *names, const char *why)
{
	char text[256], name[] = "h";
	struct suite_test test = { .name = name };
	const struct suite suite = { &test, 1 };
	struct err err = { .text = "" };
	struct mutants mutants;

	test.declaration = json_pack("{s:[{s:s}]}", "checks", "name", "c");
	snprintf(text, sizeof(text), "mutant m\n" REST "names %s\n", names);
	take(&mutants, text);
	ck_assert_int_eq(mutants_checks_known(&mutants, &suite, &err), *why ? -EINVAL : 0);
	ck_assert_msg(!*why || strstr(err.text, why), "%s", err.text);
	json_decref(test.declaration);
	mutants_free(&mutants);
}

START_TEST(knows_checks)
{
	checks_known("h.c h.hung", "");
	checks_known("h.c hh.c", "table:1: names hh.c: no hypothesis hh");
	checks_known("h.d", "table:1: names h.d: h has no such check");
}
END_TEST

/* The repository's own: what it says is what the table of variants says. */
START_TEST(the_table_is_consistent)
{
	const char *const tables[LAB_ARCHS] = { "fixtures/kernels/variants",
						"fixtures/kernels/variants" };
	struct err err = { .text = "" };
	struct mutants mutants;

	ck_assert_msg(!mutants_read(&mutants, "fixtures/kernels/mutants", &err), "%s", err.text);
	ck_assert_msg(!mutants_known(&mutants, tables, &err), "%s", err.text);
	mutants_free(&mutants);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("mutants");
	TCase *reading = tcase_create("reading"), *knowing = tcase_create("knowing");

	tcase_add_test(reading, reads_blocks);
	tcase_add_test(reading, names_the_right_thing);
	tcase_add_loop_test(reading, refuses, 0, COUNT(bad));
	tcase_add_test(reading, refuses_what_is_no_table);
	suite_add_tcase(s, reading);
	tcase_add_test(knowing, knows_variants);
	tcase_add_test(knowing, knows_checks);
	tcase_add_test(knowing, the_table_is_consistent);
	suite_add_tcase(s, knowing);
	return s;
}
