// SPDX-License-Identifier: GPL-2.0-or-later
#include "proofs.h"

#include <check.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "proofs_cover.h"

Suite *suite(void);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int parse(struct proofs *proofs, const char *text, size_t size, struct err *err)
{
	FILE *file = fmemopen((char *)text, size, "r");
	int result = proofs_parse(proofs, "table", file, err);

	fclose(file);
	return result;
}

static void take(struct proofs *proofs, const char *text)
{
	struct err err = { .text = "" };

	ck_assert_msg(!parse(proofs, text, strlen(text), &err), "%s", err.text);
}

START_TEST(reads_machines_and_rows)
{
	static const char text[] =
		"# comment\n\n"
		"machine plain # another\n"
		"\tcounts pass shows every_overflow\n"
		"  irq_latency fail by warm_max klog:rcu-stall also none_missing\n"
		"machine odd cpu-model Haswell mode smp fault lost-pmi=9 fault shadow variant a "
		"variant b "
		"param x=1 "
		"bound h.c=3us repeat 20\n"
		"\th hung says \"gave no # sign\" figure \"a table\" \"row 1\" p50 figure t r c "
		"from -1.5 to 3 beside \"as on X\"\n"
		"machine known kernel stock\n"
		"h skip says x\n"
		"less odd h t r c than 0.85 known\n"
		"less known h t r c than 2 plain counts T R C";
	struct proofs proofs;
	const struct proof_machine *odd;
	const struct proof_row *row;
	const struct proof_relation *relation;

	take(&proofs, text);
	ck_assert_uint_eq(proofs.n_machines, 3);
	ck_assert_uint_eq(proofs.n_rows, 4);
	ck_assert_str_eq(proofs.machines[0].name, "plain");
	ck_assert_ptr_eq(proofs.machines[0].lab.model, lab_models);
	ck_assert_int_eq(proofs.machines[0].lab.mode, LAB_EXACT);
	ck_assert_uint_eq(proofs.machines[0].repeat, 1);
	ck_assert_str_eq(proofs.machines[0].lab.variant, "");
	ck_assert_uint_eq(proofs.machines[0].n_rows, 2);
	row = &proofs.machines[0].rows[0];
	ck_assert_int_eq(row->verdict, VERDICT_PASS);
	ck_assert_str_eq(row->shows, "every_overflow");
	row = &proofs.machines[0].rows[1];
	ck_assert_int_eq(row->verdict, VERDICT_FAIL);
	ck_assert_uint_eq(row->index, 1);
	ck_assert_uint_eq(row->line, 5);
	ck_assert_uint_eq(row->by.n, 2);
	ck_assert_str_eq(row->by.name[1], "klog:rcu-stall");
	ck_assert_uint_eq(row->also.n, 1);
	ck_assert_str_eq(row->also.name[0], "none_missing");

	odd = &proofs.machines[1];
	ck_assert_str_eq(odd->lab.model->name, "Haswell");
	ck_assert_int_eq(odd->lab.mode, LAB_SMP);
	ck_assert_uint_eq(odd->lab.n_faults, 2);
	ck_assert_str_eq(odd->lab.faults[0], "lost-pmi=9");
	ck_assert_str_eq(odd->lab.variant, "a,b");
	ck_assert_str_eq(odd->lab.params[0], "x=1");
	ck_assert_str_eq(odd->bounds.name[0], "h.c=3us");
	ck_assert_uint_eq(odd->repeat, 20);
	ck_assert_str_eq(odd->rows[0].says, "gave no # sign");
	ck_assert_uint_eq(odd->rows[0].n_figures, 2);
	ck_assert_str_eq(odd->rows[0].figures[0].row, "row 1");
	ck_assert_ptr_null(odd->rows[0].figures[0].beside);
	ck_assert_str_eq(odd->rows[0].figures[1].beside, "as on X");
	ck_assert(odd->rows[0].figures[0].least == -INFINITY);
	ck_assert(odd->rows[0].figures[0].most == INFINITY);
	ck_assert_double_eq(odd->rows[0].figures[1].least, -1.5);
	ck_assert_double_eq(odd->rows[0].figures[1].most, 3);
	ck_assert(proofs.machines[2].stock);

	ck_assert_uint_eq(proofs.n_relations, 2);
	relation = &proofs.relations[0];
	ck_assert_ptr_eq(relation->left.row, &odd->rows[0]);
	ck_assert_ptr_eq(relation->right.row, &proofs.machines[2].rows[0]);
	ck_assert_str_eq(relation->right.figure.column, "c");
	ck_assert_double_eq(relation->factor, 0.85);
	ck_assert_ptr_eq(proofs.relations[1].right.row, &proofs.machines[0].rows[0]);
	ck_assert_str_eq(proofs.relations[1].right.figure.column, "C");
	proofs_free(&proofs);
}
END_TEST

/* A table and what is said of it, its line first. */
static const struct {
	const char *text, *why;
} bad[] = {
	{ "", "there is no row" },
	{ "# nothing\n", "there is no row" },
	{ "h pass\n", "table:1: h: no machine before it" },
	{ "machine\n", "table:1: a machine has a name" },
	{ "machine a/b\n", "machine a/b: a name has up to" },
	{ "machine ..\n", "machine ..: a name has up to" },
	{ "machine \"\"\n", "a name has up to" },
	{ "machine m\n", "table:1: machine m has no row" },
	{ "machine m\nh pass\nmachine n mode smp\n", "table:3: machine n has no row" },
	{ "machine m\nh pass\n\nmachine m mode smp\n",
	  "table:4: machine m is there already, in line 1" },
	{ "machine m\nh pass\nmachine n mode exact\n", "table:3: machine n is the same as m" },
	{ "machine m fault shadow fault lost-pmi\nh pass\nmachine n fault lost-pmi fault shadow\n",
	  "machine n is the same as m" },
	{ "machine m\nh pass\nh pass\n", "table:3: h is there already, in line 2" },
	{ "machine m mode fast\n", "table:1: --mode fast: not smp or exact" },
	{ "machine m mode\n", "table:1: mode has no value" },
	{ "machine m colour red\n", "table:1: a machine has no colour" },
	{ "machine m cpu-model 486\n", "--cpu-model 486" },
	{ "machine m mode smp cpu-model ev67-500\n", "table:1: --mode smp: not on ev67-500" },
	{ "machine m fault shadow cpu-model ev67-500\n", "--fault shadow: not on ev67-500" },
	{ "machine m kernel stock cpu-model ev67-500\n", "there is no stock kernel for alpha" },
	{ "machine m fault nosuch\n", "--fault nosuch" },
	{ "machine m fault shadow fault shadow\n", "given twice" },
	{ "machine m repeat 0\n", "repeat: \"0\"" },
	{ "machine m kernel mine\n", "kernel mine: not stock" },
	{ "machine m kernel stock variant a\n", "the stock kernel has no variants" },
	{ "machine m variant a variant a\n", "is given twice" },
	{ "machine m\nh\n", "table:2: h: not a verdict" },
	{ "machine m\nh good\n", "h: not a verdict to be expected: good" },
	{ "machine m\nh notrun\n", "not a verdict to be expected" },
	{ "machine m\nh none\n", "not a verdict to be expected" },
	{ "machine m\nh fail\n", "table:2: h: fail needs 'by'" },
	{ "machine m\nh fail by\n", "by of what?" },
	{ "machine m\nh fail by also c\n", "by of what?" },
	{ "machine m\nh fail by c c\n", "c is given twice" },
	{ "machine m\nh fail by c also c\n", "c is given twice" },
	{ "machine m\nh fail by klog:nosuch\n", "klog:nosuch: no such class" },
	{ "machine m\nh fail by klog:\n", "no such class" },
	{ "machine m\nh fail by klog:throttle\n", "messages of this class decide nothing" },
	{ "machine m\nh fail by a b c d e f g h i\n", "i: more than 8" },
	{ "machine m\nh fail because c\n", "because: neither by, also" },
	{ "machine m\nh pass by c\n", "a pass takes no by" },
	{ "machine m\nh pass says c\n", "a pass takes no by" },
	{ "machine m\nh fail by c shows c\n", "shows goes with pass, not fail" },
	{ "machine m\nh pass shows c d\n", "shows is for one check" },
	{ "machine m\nh skip by c\n", "nothing decides a skip" },
	{ "machine m\nh pass figure t r\n", "a figure is TABLE ROW COLUMN" },
	{ "machine m\nh pass figure t r c beside\n", "a figure is TABLE ROW COLUMN" },
	{ "machine m\nh pass figure t r c like x\n", "a figure is TABLE ROW COLUMN" },
	{ "machine m\nh pass figure t r c from 1\n", "a figure is TABLE ROW COLUMN" },
	{ "machine m\nh pass figure t r c from 1 beside 2\n", "a figure is TABLE ROW COLUMN" },
	{ "machine m\nh pass figure t r c to 1\n", "a figure is TABLE ROW COLUMN" },
	{ "machine m\nh pass figure t r c beside x from 1 to 2\n", "a figure is TABLE ROW" },
	{ "machine m\nh pass figure t r c from 2 to 1\n", "from 2 to 1: not from one number" },
	{ "machine m\nh pass figure t r c from 1us to 2\n", "from 1us to 2: not from one" },
	{ "machine m\nh pass figure t r c from 1 to inf\n", "from 1 to inf: not from one" },
	{ "machine m\nh hung says \"no end\n", "a quotation mark is missing" },
	{ "machine m\nh hung says \"no\"end\n", "no blank after a quotation mark" },
	{ "machine m\nh pass\nless m h t r c than 1\n", "table:3: not 'less MACHINE" },
	{ "machine m\nh pass\nless m h t r c then 1 m\n", "table:3: not 'less MACHINE" },
	{ "machine m\nh pass\nless m h t r c than x m\n", "less than x times: not a number" },
	{ "machine m\nh pass\nless m h t r c than 0 m\n", "not a number above 0" },
	{ "machine m\nh pass\nless m h t r c than inf m\n", "not a number above 0" },
	{ "machine m\nh pass\nless n h t r c than 1 m\n", "table:3: no machine n" },
	{ "machine m\nh pass\nless m g t r c than 1 m\n", "machine m has no row of g" },
};

START_TEST(refuses)
{
	struct err err = { .text = "" };
	struct proofs proofs;
	const char *text = bad[_i].text;

	ck_assert_int_eq(parse(&proofs, *text ? text : "\n", *text ? strlen(text) : 1, &err),
			 -EINVAL);
	ck_assert_msg(strstr(err.text, bad[_i].why), "'%s': %s", bad[_i].text, err.text);
	ck_assert_msg(!strncmp(err.text, "table:", 6), "%s", err.text);
}
END_TEST

START_TEST(refuses_what_is_no_text)
{
	static const char nul[] = "machine m\nh pass\n\0h pass\n";
	char words[1024] = "machine m\nh fail by";
	struct err err;
	struct proofs proofs;

	ck_assert_int_eq(parse(&proofs, nul, sizeof(nul) - 1, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "this is no text"));
	for (int i = 0; i < 100; i++)
		strcat(words, " c");
	ck_assert_int_eq(parse(&proofs, words, strlen(words), &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "table:2: more than 64 words"));
	ck_assert_int_eq(proofs_read(&proofs, "/nonexistent/proofs", &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent/proofs"));
}
END_TEST

static size_t count_selected(const struct proofs *proofs)
{
	size_t n = 0;

	for (size_t m = 0; m < proofs->n_machines; m++)
		for (size_t r = 0; r < proofs->machines[m].n_rows; r++)
			n += proofs->machines[m].rows[r].selected;
	return n;
}

static const struct {
	const char *pattern;
	size_t rows;
	int relation; /* is selected */
} patterns[] = {
	{ NULL, 4, 1 },	 { "a", 2, 0 },	  { "g", 2, 1 },      { "?", 4, 1 },
	{ "b/g", 1, 0 }, { "*/h", 2, 0 }, { "nosuch", 0, 0 }, { "c/g", 0, 0 },
};

START_TEST(selects)
{
	char *pattern = (char *)patterns[_i].pattern;
	struct proofs proofs;
	struct err err;

	take(&proofs, "machine a\ng pass\nh pass\nmachine b mode smp\ng pass\nh pass\n"
		      "less a g t r c than 1 b\n");
	ck_assert_int_eq(proofs_select(&proofs, &pattern, pattern != NULL, &err),
			 patterns[_i].rows ? 0 : -ENOENT);
	ck_assert_uint_eq(count_selected(&proofs), patterns[_i].rows);
	ck_assert_int_eq(proofs_relation_selected(&proofs.relations[0]), patterns[_i].relation);
	ck_assert(patterns[_i].rows || strstr(err.text, patterns[_i].pattern));
	proofs_free(&proofs);
}
END_TEST

/* For each architecture a machine that has all its faults, and a row: part of a table. */
static void faulty_machines(char *text)
{
	*text = '\0';
	for (const struct lab_arch *arch = lab_archs; arch < lab_archs + LAB_ARCHS; arch++) {
		const struct lab_model *model = lab_models;

		while (model->arch != arch)
			model++;
		sprintf(text + strlen(text), "machine faulty-%s cpu-model %s", arch->name,
			model->name);
		for (const struct lab_fault *fault = lab_faults; fault->name; fault++)
			if (lab_arch_in(fault->archs, arch))
				sprintf(text + strlen(text), " fault %s", fault->name);
		strcat(text, "\nx pass\n");
	}
}

/* What the table has of these hypotheses and variants is not complete for this reason. */
static void lacks(const char *text, const char *const *hypotheses, const char *variants,
		  size_t expected, const char *why)
{
	struct proofs proofs;
	char *gaps = NULL;
	size_t size, n;
	FILE *kernels[LAB_ARCHS] = { fmemopen((char *)variants, strlen(variants), "r") };
	FILE *out = open_memstream(&gaps, &size);
	char all[2048];

	faulty_machines(all);
	strcat(all, text);
	take(&proofs, all);
	n = proofs_gaps(&proofs, hypotheses, kernels, NULL, out);
	fclose(kernels[0]);
	fclose(out);
	ck_assert_msg(n == expected && strstr(gaps, why), "%zu: %s", n, gaps);
	free(gaps);
	proofs_free(&proofs);
}

START_TEST(sees_gaps)
{
	static const char *const h[] = { "h", NULL }, *const no[] = { NULL };
	static const char none[] = "# none\n";
	static const char variants[] = "# two\none patch any it is\ntwo old x86 it was\n";

	lacks("machine m\nh pass\nmachine n mode smp\nh fail by c\n", h, none, 0, "");
	lacks("machine m\nh pass\nmachine n mode smp\nh hung\n", h, none, 0, "");
	lacks("machine m\nh pass\n", h, none, 1, "hypothesis h has no row that refutes it");
	lacks("machine m\nh pass\nmachine n mode smp\nh skip\n", h, none, 1, "refutes");
	lacks("machine m\nh pass\nmachine n mode smp\nh broken\n", h, none, 1, "refutes");
	lacks("machine m\nh hung\n", h, none, 1, "hypothesis h has no row that passes");
	lacks("machine m\nhh pass\n", h, none, 2, "has no row that refutes it; hypothesis h has");
	lacks("machine m variant one,two\nx pass\n", no, variants, 0, "");
	lacks("machine m variant two\nx pass\nmachine n variant one\nx pass\n", no, variants, 0,
	      "");
	lacks("machine m variant twofold,one\nx pass\n", no, variants, 1,
	      "variant two is in no machine of x86");
	lacks("machine m variant one,two cpu-model ev67-500\nx pass\n", no, variants, 1,
	      "variant two is in no machine of x86");
}
END_TEST

/* A mutant with a block of its own need be on no machine. */
START_TEST(sees_no_gap_of_a_mutant)
{
	static const char variants[] = "one mutant any it is\ntwo mutant x86 it was\n";
	static const char *const none[] = { NULL };
	struct mutant mutant = { .machine.name = "two" };
	const struct mutants mutants = { .mutants = &mutant, .n = 1 };
	FILE *kernels[LAB_ARCHS] = { fmemopen((char *)variants, strlen(variants), "r") };
	char all[2048], *gaps = NULL;
	struct proofs proofs;
	size_t size;
	FILE *out = open_memstream(&gaps, &size);

	faulty_machines(all);
	take(&proofs, all);
	proofs_gaps(&proofs, none, kernels, &mutants, out);
	fclose(kernels[0]);
	fclose(out);
	ck_assert_str_eq(gaps, "variant one is in no machine of any");
	free(gaps);
	proofs_free(&proofs);
}
END_TEST

/* Of kernels of both architectures: what all share counts once, the rest for each. */
START_TEST(sees_gaps_of_each_architecture)
{
	static const char x86[] = "one patch any a\ntwo old x86 b\n";
	static const char alpha[] = "one patch any a\nthree mutant alpha c\n";
	static const char *const none[] = { NULL };
	static const struct {
		const char *table;
		const char *gaps;
	} cases[] = {
		{ "machine a variant one,two\nx pass\n"
		  "machine b variant three cpu-model ev67-250\nx pass\n",
		  "" },
		{ "machine a variant two\nx pass\n"
		  "machine b variant one,three cpu-model ev67-250\nx pass\n",
		  "" },
		{ "machine a variant one,two,three\nx pass\n",
		  "variant three is in no machine of alpha" },
		{ "machine a variant two\nx pass\n",
		  "variant one is in no machine of any; variant three is in no machine of alpha" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		FILE *const kernels[LAB_ARCHS] = {
			[LAB_X86] = fmemopen((char *)x86, strlen(x86), "r"),
			[LAB_ALPHA] = fmemopen((char *)alpha, strlen(alpha), "r"),
		};
		char all[2048], *gaps = NULL;
		struct proofs proofs;
		size_t size;
		FILE *out = open_memstream(&gaps, &size);

		faulty_machines(all);
		strcat(all, cases[i].table);
		take(&proofs, all);
		proofs_gaps(&proofs, none, kernels, NULL, out);
		fclose(out);
		ck_assert_str_eq(gaps, cases[i].gaps);
		free(gaps);
		fclose(kernels[LAB_X86]);
		fclose(kernels[LAB_ALPHA]);
		proofs_free(&proofs);
	}
}
END_TEST

START_TEST(sees_missing_faults)
{
	static const char *const none[] = { NULL };
	FILE *const kernels[LAB_ARCHS] = { NULL };
	struct proofs proofs;
	char *gaps = NULL;
	size_t size, n = 0;
	FILE *out = open_memstream(&gaps, &size);

	for (const struct lab_fault *fault = lab_faults; fault->name; fault++)
		for (const struct lab_arch *arch = lab_archs; arch < lab_archs + LAB_ARCHS; arch++)
			n += lab_arch_in(fault->archs, arch);
	take(&proofs, "machine m fault lost-pmi fault sticky-mask\nh pass\n");
	ck_assert_uint_eq(proofs_gaps(&proofs, none, kernels, NULL, out), n - 2);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(gaps, "fault shadow is in no machine of x86"));
	ck_assert_ptr_nonnull(strstr(gaps, "fault lost-pmi is in no machine of alpha"));
	ck_assert_ptr_null(strstr(gaps, "fault lost-pmi is in no machine of x86"));
	ck_assert_ptr_null(strstr(gaps, "fault sticky-mask is"));
	free(gaps);
	proofs_free(&proofs);
}
END_TEST

static void knows(const char *text, const char *why)
{
	/* The kernel of the other architecture is not built. */
	static const char *const tables[LAB_ARCHS] = { [LAB_X86] = "fixtures/kernels/variants" };
	char good[] = "h", bad_one[] = "bad";
	struct suite_test tests[2] = { { .name = good },
				       { .name = bad_one, .problem = "crashes" } };
	const struct suite suite = { tests, 2 };
	struct err err = { .text = "" };
	struct proofs proofs;

	tests[0].declaration = json_pack("{s:[{s:s},{s:s}]}", "checks", "name", "c", "name", "d");
	tests[1].declaration = json_object();
	take(&proofs, text);
	ck_assert_int_eq(proofs_known(&proofs, &suite, tables, &err) != 0, *why != '\0');
	ck_assert_msg(!*why || strstr(err.text, why), "%s", err.text);
	json_decref(tests[0].declaration);
	json_decref(tests[1].declaration);
	proofs_free(&proofs);
}

START_TEST(knows_hypotheses_and_checks)
{
	knows("machine m bound h.c=1\nh fail by c klog:warn also d\n", "");
	knows("machine m\nh pass shows c\n", "");
	knows("machine m\n\nhh pass\n", "table:3: no hypothesis hh");
	knows("machine m\nbad pass\n", "table:2: bad: crashes");
	knows("machine m\nh fail by cc\n", "table:2: h has no check cc");
	knows("machine m\nh fail by c also e\n", "h has no check e");
	knows("machine m\nh pass shows e\n", "h has no check e");
	knows("machine m variant freeze,slow-tick\nh pass\n", "");
	knows("machine m variant plain\nh pass\n", "");
	knows("machine m variant freeze,nosuch\nh pass\n", "table:1: --variant nosuch: none");
	knows("machine m cpu-model ev67-500 variant anything\nh pass\n", "");
	knows("machine m\nh pass\nunproven h c \"a reason\"\n", "");
	knows("machine m\nh pass\nunproven hh c why\n", "table:3: no hypothesis hh");
	knows("machine m\nh pass\nunproven h e why\n", "table:3: h has no check e");
	knows("machine m\nh fail by c\nunproven h c why\n",
	      "table:3: unproven h c: a row refutes it, in line 2");
	knows("machine m option hh.c=1\nh pass\n", "table:1: option hh.c=1: no row of machine m");
	knows("machine m option h.c=1\nh pass\n", "");
	knows("machine m bound hh.c=1\nh pass\n", "table:1: bound hh.c=1: no row of machine m");
}
END_TEST

static void unrefuted(const char *text, size_t expected, const char *gap)
{
	char name[] = "h";
	struct suite_test test = { .name = name };
	const struct suite suite = { &test, 1 };
	struct proofs proofs;
	char *gaps = NULL;
	size_t size;
	FILE *out = open_memstream(&gaps, &size);

	test.declaration = json_pack("{s:[{s:s},{s:s}]}", "checks", "name", "c", "name", "d");
	take(&proofs, text);
	ck_assert_uint_eq(proofs_unrefuted(&proofs, &suite, out), expected);
	fclose(out);
	ck_assert_str_eq(gaps, gap);
	free(gaps);
	json_decref(test.declaration);
	proofs_free(&proofs);
}

/* What may fail beside something else is not what refutes. */
START_TEST(each_check_is_refuted_or_listed)
{
	unrefuted("machine m\nh fail by c d\n", 0, "");
	unrefuted("machine m\nh fail by c\nunproven h d why\n", 0, "");
	unrefuted("machine m\nh fail by c also d\n", 1, "check d of h is refuted by no row");
	unrefuted("machine m\nh pass\n", 2,
		  "check c of h is refuted by no row; check d of h is refuted by no row");
}
END_TEST

/* The table of this project has rows for all that there is. */
START_TEST(own_table_is_complete)
{
	FILE *const variants[LAB_ARCHS] = { fopen("fixtures/kernels/variants", "r") };
	const char *names[256] = { NULL };
	struct mutants mutants;
	struct proofs proofs;
	struct err err = { .text = "" };
	glob_t found;
	char *gaps = NULL;
	size_t size, n;
	FILE *out = open_memstream(&gaps, &size);

	ck_assert_msg(!proofs_read(&proofs, "fixtures/proofs", &err), "%s", err.text);
	ck_assert_msg(!mutants_read(&mutants, "fixtures/kernels/mutants", &err), "%s", err.text);
	ck_assert_int_eq(glob("suites/*/*.c", 0, NULL, &found), 0);
	ck_assert_uint_lt(found.gl_pathc, COUNT(names));
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *name = strrchr(found.gl_pathv[i], '/') + 1;

		name[strlen(name) - 2] = '\0';
		names[i] = name;
	}
	n = proofs_gaps(&proofs, names, variants, &mutants, out);
	fclose(variants[0]);
	fclose(out);
	ck_assert_msg(!n, "%s", gaps);
	free(gaps);
	globfree(&found);
	mutants_free(&mutants);
	proofs_free(&proofs);
}
END_TEST

static const char kernels[] = "machine a\nh pass\nmachine b variant plain fault shadow\nh pass\n"
			      "machine c variant freeze\nh pass\nmachine d kernel stock\nh pass\n"
			      "machine e cpu-model ev67-500\nh pass\n"
			      "machine f cpu-model ev67-500 variant plain\nh pass\n";

/* What boots a kernel that is to be tested. */
START_TEST(kernel_to_be_tested)
{
	struct proofs proofs;
	struct err err;

	for (int only = 0; only < 2; only++) {
		FILE *file = fmemopen((char *)(uintptr_t)kernels, strlen(kernels), "r");

		ck_assert_int_eq(proofs_parse(&proofs, "table", file, &err), 0);
		fclose(file);
		ck_assert_int_eq(proofs_select(&proofs, NULL, 0, &err), 0);
		proofs_test_kernel(&proofs, &lab_archs[LAB_X86], only);
		ck_assert_str_eq(proofs.machines[0].lab.variant, "");
		ck_assert_str_eq(proofs.machines[1].lab.variant, "");
		ck_assert_str_eq(proofs.machines[2].lab.variant, "freeze");
		ck_assert(proofs.machines[0].rows[0].selected);
		ck_assert(proofs.machines[1].rows[0].selected);
		ck_assert_int_eq(proofs.machines[2].rows[0].selected, !only);
		ck_assert_int_eq(proofs.machines[3].rows[0].selected, !only);
		ck_assert_int_eq(proofs.machines[4].rows[0].selected, !only);
		ck_assert_int_eq(proof_machine_selected(&proofs.machines[5]), !only);
		ck_assert_str_eq(proofs.machines[5].lab.variant, "plain");
		for (size_t i = 0; i < 6; i++)
			ck_assert_int_eq(proofs.machines[i].tested, i < 2);
		proofs_free(&proofs);
	}
}
END_TEST

START_TEST(kernel_of_another_architecture)
{
	struct proofs proofs;
	struct err err;

	take(&proofs, kernels);
	ck_assert_int_eq(proofs_select(&proofs, NULL, 0, &err), 0);
	proofs_test_kernel(&proofs, &lab_archs[LAB_ALPHA], true);
	for (size_t i = 0; i < 6; i++) {
		ck_assert_int_eq(proofs.machines[i].tested, i >= 4);
		ck_assert_int_eq(proof_machine_selected(&proofs.machines[i]), i >= 4);
	}
	ck_assert_str_eq(proofs.machines[1].lab.variant, "plain");
	ck_assert_str_eq(proofs.machines[5].lab.variant, "");
	proofs_free(&proofs);
}
END_TEST

Suite *suite(void)
{
	Suite *suite = suite_create("proofs");
	TCase *tcase = tcase_create("proofs");

	tcase_add_test(tcase, reads_machines_and_rows);
	tcase_add_loop_test(tcase, refuses, 0, (int)COUNT(bad));
	tcase_add_test(tcase, refuses_what_is_no_text);
	tcase_add_loop_test(tcase, selects, 0, (int)COUNT(patterns));
	tcase_add_test(tcase, sees_gaps);
	tcase_add_test(tcase, sees_no_gap_of_a_mutant);
	tcase_add_test(tcase, sees_gaps_of_each_architecture);
	tcase_add_test(tcase, sees_missing_faults);
	tcase_add_test(tcase, knows_hypotheses_and_checks);
	tcase_add_test(tcase, each_check_is_refuted_or_listed);
	tcase_add_test(tcase, own_table_is_complete);
	tcase_add_test(tcase, kernel_to_be_tested);
	tcase_add_test(tcase, kernel_of_another_architecture);
	suite_add_tcase(suite, tcase);
	return suite;
}
