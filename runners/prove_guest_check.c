// SPDX-License-Identifier: GPL-2.0-or-later
#include "prove_guest.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "prove_crew.h"

Suite *suite(void);

static void take(struct proofs *proofs, const char *text)
{
	FILE *file = fmemopen((char *)text, strlen(text), "r");
	struct err err = { .text = "" };

	ck_assert_msg(!proofs_parse(proofs, "table", file, &err), "%s", err.text);
	fclose(file);
}

static const struct {
	const char *machine, *options;
} machines[] = {
	{ "", "--mode=exact" },
	{ "mode smp cpu-model Haswell", "--mode=smp --cpu-model=Haswell" },
	{ "fault lost-pmi=9 fault shadow fault sticky-mask",
	  "--mode=exact --fault=lost-pmi=9 --fault=shadow --fault=sticky-mask=1" },
	{ "variant a,b param x=1 bound h.c=3us repeat 5",
	  "--mode=exact --variant=a,b --param=x=1 --bound=h.c=3us --repeat=5" },
	{ "option h.n=3 bound other.c=1 option h.m=x",
	  "--mode=exact --option=h.n=3 --option=h.m=x" },
	{ "kernel stock", "--mode=exact" },
	{ "cpu-model ev67-500 fault lost-pmi variant fixed",
	  "--mode=exact --cpu-model=ev67-500 --variant=fixed --fault=lost-pmi=7" },
	{ "timeout-scale 0.5", "--mode=exact --timeout-scale=0.5" },
};

START_TEST(options)
{
	char *const patterns[] = { (char[]){ "h" } };
	struct proofs proofs;
	char table[256];
	char *text;

	/* Of what is for "other", which is not to be run, nothing is passed on. */
	snprintf(table, sizeof(table), "machine m %s\nh pass\nother pass\n", machines[_i].machine);
	take(&proofs, table);
	ck_assert_int_eq(proofs_select(&proofs, patterns, 1, NULL), 0);
	text = prove_guest_text(&proofs.machines[0]);
	ck_assert_str_eq(text, machines[_i].options);
	free(text);
	proofs_free(&proofs);
}
END_TEST

/* What of the options says which kernel, "" when none does. */
static const char *kernel_option(const json_t *args)
{
	const char *found = "";
	json_t *arg;
	size_t i;

	json_array_foreach(args, i, arg)
	{
		const char *text = json_string_value(arg);

		if (!strncmp(text, "--kernel", 8) || !strncmp(text, "--variant", 9)) {
			ck_assert_str_eq(found, "");
			found = text;
		}
	}
	return found;
}

/* A kernel to be tested is for machines of its architecture that do not ask for one. */
START_TEST(kernel)
{
	static const char *const kernels[] = { "--kernel=/k", "--kernel=/k", "", "--variant=b",
					       "" };
	struct proofs proofs;

	take(&proofs, "machine a\nh pass\nmachine b variant plain\nh pass\n"
		      "machine c kernel stock\nh pass\nmachine d variant b\nh pass\n"
		      "machine e param x=1 cpu-model ev67-500\nh pass\n");
	proofs_test_kernel(&proofs, &lab_archs[LAB_X86], false);
	for (size_t i = 0; i < 5; i++) {
		json_t *args = prove_guest_options(&proofs.machines[i], "/k");

		ck_assert_str_eq(kernel_option(args), kernels[i]);
		json_decref(args);
	}
	proofs_free(&proofs);
}
END_TEST

/* Machines by their name, in the order in which they start. */
START_TEST(order)
{
	static const char *const expected[] = { "smp", "hangs", "long", "long", "short" };
	struct prove_guest guests[5];
	struct proofs proofs;

	take(&proofs, "machine short\nh pass\nmachine long repeat 2\nh pass\n"
		      "machine smp mode smp\nh pass\nmachine hangs repeat 3\nh hung\n");
	for (size_t i = 0; i < 4; i++)
		guests[i] = (struct prove_guest){
			.machine = &proofs.machines[i],
			.budget_s = i == 1 ? 60 : 10,
			.hangs_s = i == 3 ? 10 : 0,
		};
	guests[4] = guests[1];
	guests[4].round = 1;
	prove_crew_sort(guests, 5);
	for (size_t i = 0; i < 5; i++)
		ck_assert_str_eq(guests[i].machine->name, expected[i]);
	ck_assert_uint_eq(guests[2].round, 0);
	ck_assert_uint_eq(guests[3].round, 1);
	proofs_free(&proofs);
}
END_TEST

Suite *suite(void)
{
	Suite *suite = suite_create("prove_guest");
	TCase *tcase = tcase_create("prove_guest");

	tcase_add_loop_test(tcase, options, 0, sizeof(machines) / sizeof(machines[0]));
	tcase_add_test(tcase, kernel);
	tcase_add_test(tcase, order);
	suite_add_tcase(suite, tcase);
	return suite;
}
