// SPDX-License-Identifier: GPL-2.0-or-later
#include "lbr_model.h"

#include <check.h>

Suite *suite(void);

static const struct {
	int model;
	unsigned int depth;
	bool cycles;
} known[] = {
	{ 0x1a, 16, false }, /* Core i7-920 */
	{ 0x2a, 16, false }, /* Core i7-2600 */
	{ 0x3a, 16, false }, /* Core i7-3770 */
	{ 0x3c, 16, false }, /* Core i7-4770 */
	{ 0x4f, 16, false }, /* Xeon E5 v4 */
	{ 0x5e, 32, true },  /* Core i7-6700 */
	{ 0x55, 32, true },  /* Xeon Gold 6130 */
	{ 0x6a, 32, true },  /* Xeon Gold 6330 */
};

START_TEST(known_models)
{
	const struct lbr_model *row = lbr_model_find("GenuineIntel", 6, known[_i].model);

	ck_assert_ptr_nonnull(row);
	ck_assert_uint_eq(row->depth, known[_i].depth);
	ck_assert(row->cycles == known[_i].cycles);
}
END_TEST

START_TEST(others_are_not)
{
	ck_assert_ptr_null(lbr_model_find("AuthenticAMD", 6, 0x5e));
	ck_assert_ptr_null(lbr_model_find("GenuineIntel", 15, 0x5e));
	ck_assert_ptr_null(lbr_model_find("GenuineIntel", 6, 0x0f));
	ck_assert_ptr_null(lbr_model_find("", 0, 0));
	/* Whatever this machine is, it is one of the table, or none. */
	if (lbr_model_here())
		ck_assert_uint_ge(lbr_model_here()->depth, 16);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("lbr_model");
	TCase *tcase = tcase_create("models");

	tcase_add_loop_test(tcase, known_models, 0, sizeof(known) / sizeof(known[0]));
	tcase_add_test(tcase, others_are_not);
	suite_add_tcase(s, tcase);
	return s;
}
