// SPDX-License-Identifier: GPL-2.0-or-later
#include "cycles_alias.h"

#include <check.h>
#include <string.h>

Suite *suite(void);

/* As perf writes them: cpu/event=0xc2,umask=0x1,inv=1,cmask=16/. */
static const struct {
	const char *name;
	unsigned int event, umask;
} documented[] = {
	{ "UOPS_RETIRED.ALL", 0xc2, 0x01 },
	{ "INST_RETIRED.ANY_P", 0xc0, 0x00 },
	{ "INST_RETIRED.PREC_DIST", 0xc0, 0x01 },
};

START_TEST(encodings)
{
	const struct cycles_alias *alias = &cycles_aliases[_i];

	ck_assert_str_eq(alias->name, documented[_i].name);
	ck_assert_uint_eq(alias->config & 0xff, documented[_i].event);
	ck_assert_uint_eq(alias->config >> 8 & 0xff, documented[_i].umask);
	ck_assert_uint_eq(alias->config >> 16, 0x1080); /* cmask 16, inv, nothing else */
}
END_TEST

START_TEST(ends)
{
	ck_assert_ptr_null(cycles_aliases[3].name);
}
END_TEST

START_TEST(whole_names_only)
{
	const struct cycles_alias *uops = &cycles_aliases[0];

	ck_assert(cycles_alias_applies(uops, "haswell"));
	ck_assert(cycles_alias_applies(uops, "sandybridge"));
	ck_assert(cycles_alias_applies(uops, "broadwell"));
	ck_assert(!cycles_alias_applies(uops, "skylake"));
	ck_assert(!cycles_alias_applies(uops, "well"));
	ck_assert(!cycles_alias_applies(uops, "haswell_hybrid"));
	ck_assert(!cycles_alias_applies(uops, ""));
	ck_assert(!cycles_alias_applies(uops, "?"));
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("cycles_alias");
	TCase *tcase = tcase_create("cycles_alias");

	tcase_add_loop_test(tcase, encodings, 0, 3);
	tcase_add_test(tcase, ends);
	tcase_add_test(tcase, whole_names_only);
	suite_add_tcase(s, tcase);
	return s;
}
