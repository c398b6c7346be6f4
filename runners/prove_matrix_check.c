// SPDX-License-Identifier: GPL-2.0-or-later
#include "prove_matrix.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite(void);

#define ROWS 5 /* of the table below: four rows and a relation */

static const char table[] = "machine a\nh pass\ng fail by c klog:warn also d\n"
			    "machine b fault shadow\nh hung says \"no sign\"\ng pass\n"
			    "less b g t r c than 0.85 a\n";

static const struct proof_outcome right = {
	.judged = true, .right = true, .verdict = "pass", .figure = "c 1, bound <= 2"
};
static const struct proof_outcome wrong = { .judged = true,
					    .verdict = "fail",
					    .problem = "fail, not pass" };

static void take(struct proofs *proofs)
{
	FILE *file = fmemopen((char *)table, strlen(table), "r");
	struct err err = { .text = "" };

	ck_assert_msg(!proofs_parse(proofs, "table", file, &err), "%s", err.text);
	fclose(file);
	ck_assert_int_eq(proofs_select(proofs, NULL, 0, &err), 0);
	ck_assert_uint_eq(prove_matrix_rows(proofs), ROWS);
}

static char *text_of(const struct prove_matrix *matrix,
		     int (*write)(const struct prove_matrix *matrix, FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(write(matrix, out), 0);
	fclose(out);
	return text;
}

static int print(const struct prove_matrix *matrix, FILE *out)
{
	return prove_matrix_print(matrix, PROVE_ALL, out, 0, false);
}

static int print_wrong(const struct prove_matrix *matrix, FILE *out)
{
	return prove_matrix_print(matrix, PROVE_WRONG, out, 0, false);
}

/* With one blank for several: widths of columns are the table's affair. */
static char *squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from != ' ' || to == text || to[-1] != ' ')
			*to++ = *from;
	*to = '\0';
	return text;
}

static void has(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "no '%s' in\n%s", part, text);
}

static size_t lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

START_TEST(sums)
{
	/* right, wrong, not judged, sometimes wrong, sometimes not judged; in two rounds */
	struct proof_outcome outcomes[2 * ROWS] = {
		right, wrong, { 0 }, right, right, right, wrong, { 0 }, wrong, { 0 },
	};
	struct proofs proofs;
	struct prove_matrix matrix = { &proofs, outcomes, 2 };
	struct prove_sum sum;
	struct proof_tally tally;

	take(&proofs);
	sum = prove_matrix_sum(&matrix);
	ck_assert_uint_eq(sum.passed, 1);
	ck_assert_uint_eq(sum.failed, 2);
	ck_assert_uint_eq(sum.flaky, 1);
	ck_assert_uint_eq(sum.missing, 2);
	tally = prove_matrix_tally(&matrix, 3);
	ck_assert_uint_eq(tally.judged, 2);
	ck_assert_uint_eq(tally.right, 1);
	ck_assert_ptr_eq(tally.shown, &outcomes[8]); /* the wrong one is to be seen */
	ck_assert_ptr_eq(prove_matrix_tally(&matrix, 0).shown, &outcomes[0]);
	ck_assert_ptr_null(prove_matrix_tally(&matrix, 2).shown);
	proofs_free(&proofs);
}
END_TEST

START_TEST(only_what_is_selected)
{
	struct proof_outcome outcomes[ROWS] = { right, right, wrong, wrong, wrong };
	char *patterns[] = { (char *)"a" };
	struct proofs proofs;
	struct prove_matrix matrix = { &proofs, outcomes, 1 };
	struct prove_sum sum;
	struct err err;
	char *text;

	take(&proofs);
	for (size_t m = 0; m < proofs.n_machines; m++)
		for (size_t r = 0; r < proofs.machines[m].n_rows; r++)
			proofs.machines[m].rows[r].selected = false;
	ck_assert_int_eq(proofs_select(&proofs, patterns, 1, &err), 0);
	sum = prove_matrix_sum(&matrix);
	ck_assert_uint_eq(sum.passed, 2);
	ck_assert_uint_eq(sum.failed + sum.missing, 0);
	text = text_of(&matrix, print);
	ck_assert(!strstr(text, "hung"));
	free(text);
	proofs_free(&proofs);
}
END_TEST

START_TEST(on_a_terminal)
{
	struct proof_outcome outcomes[ROWS] = { right, wrong, { 0 }, right, right };
	struct proofs proofs;
	struct prove_matrix matrix = { &proofs, outcomes, 1 };
	char *text;

	take(&proofs);
	text = squeeze(text_of(&matrix, print));
	has(text, " a h pass pass ok c 1, bound <= 2\n");
	has(text, " a g fail by c, klog:warn, perhaps d fail WRONG fail, not pass\n");
	has(text, " b h hung: 'no sign' - not run\n");
	has(text, " b g at most 0.85 times a pass ok ");
	free(text);
	text = squeeze(text_of(&matrix, print_wrong));
	has(text, " decided by\n a g fail by c, klog:warn, perhaps d fail WRONG fail, not pass\n");
	ck_assert_uint_eq(lines(text), 2);
	free(text);
	proofs_free(&proofs);
}
END_TEST

START_TEST(as_markdown)
{
	struct proof_outcome outcomes[ROWS] = { right, wrong, { 0 }, right, right };
	struct proofs proofs;
	struct prove_matrix matrix = { &proofs, outcomes, 1 };
	char *text;

	snprintf(outcomes[0].figure, sizeof(outcomes[0].figure), "a|b_c <x>\n");
	take(&proofs);
	text = text_of(&matrix, prove_matrix_markdown);
	/* what came from a machine stays in its cell, and is no markup */
	has(text, "| a (--mode=exact) | h | pass | pass | a\\|b\\_c \\<x\\>\\\\n |\n");
	has(text,
	    "| a | g | fail by c, klog:warn, perhaps d | fail, **WRONG** | fail, not pass |\n");
	has(text, "| b (--mode=exact --fault=shadow) | h | hung: 'no sign' | -, not run |  |\n");
	has(text, "| b | g | at most 0.85 times a | pass | c 1, bound \\<= 2 |\n");
	free(text);
	proofs_free(&proofs);
}
END_TEST

Suite *suite(void)
{
	Suite *suite = suite_create("prove_matrix");
	TCase *tcase = tcase_create("prove_matrix");

	tcase_add_test(tcase, sums);
	tcase_add_test(tcase, only_what_is_selected);
	tcase_add_test(tcase, on_a_terminal);
	tcase_add_test(tcase, as_markdown);
	suite_add_tcase(suite, tcase);
	return suite;
}
