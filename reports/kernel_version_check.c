// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>

#include "kernel_version.h"

Suite *suite(void);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* From the oldest to the newest. */
static const char *const ascending[] = {
	"2.6.39.4",
	"5.14.0-70.13.1.el9_0.x86_64",
	"5.14.0-427.13.1.el9_4.x86_64",
	"6.1.0-9-amd64",
	"6.1.0-41-amd64",
	"6.1.9",
	"6.1.55-rt20",
	"6.1.158",
	"6.4.0-150600.23.17-default",
	"6.4.0-150600.23.25-default",
	"6.12-rc1",
	"6.12.0-0.rc3.26.fc42.x86_64",
	"6.12-rc10+",
	"6.12.0",
	"6.12.1-arch1-1",
	"7.0-rc1",
};

/* The kernels from each one on are those that stand behind it, and up to it those before. */
START_TEST(order)
{
	struct kernel_range from = { .from = true }, to = { .to = true };

	ck_assert_int_eq(kernel_version_parse(&from.first, ascending[_i]), 0);
	to.last = from.first;
	for (int i = 0; i < (int)COUNT(ascending); i++) {
		ck_assert_msg(kernel_range_has(&from, ascending[i]) == (i >= _i), "%s from %s",
			      ascending[i], ascending[_i]);
		/* As an end, a version without a build takes in all its builds. */
		if (to.last.build.n || to.last.candidate || i < _i)
			ck_assert_msg(kernel_range_has(&to, ascending[i]) == (i <= _i),
				      "%s up to %s", ascending[i], ascending[_i]);
	}
}
END_TEST

static const struct {
	const char *range, *kernel;
	bool in;
} ranges[] = {
	{ "*", "6.1.0-41-amd64", true },
	{ "*", "", true },
	{ "*", "mykernel", true },
	{ "6.1..", "mykernel", false },
	{ "..6.1", "", false },
	{ "..6.4", "6.4.12", true },
	{ "..6.4", "6.4.0-150600.23.17-default", true },
	{ "..6.4", "6.4-rc2", true },
	{ "..6.4", "6.5-rc1", false },
	{ "..6.4", "6.40.0", false },
	{ "..6.4.2", "6.4.2-1-generic", true },
	{ "..6.4.2", "6.4.3", false },
	{ "..6.12-rc2", "6.12-rc2-amd64", true },
	{ "..6.12-rc2", "6.12.0-rc2-00045-g0123abc", true },
	{ "..6.12-rc2", "6.12-rc3", false },
	{ "..6.12-rc2", "6.12.0", false },
	{ "..6.12-rc2", "6.12.7", false },
	{ "..6.12-rc2", "6.11.11", true },
	{ "6.4..", "6.4-rc2", false },
	{ "6.4-rc1..", "6.4-rc2", true },
	{ "6.4..", "6.4", true },
	{ "6.4..", "6.4.0-1-amd64", true },
	{ "6.4..", "6.3.99", false },
	{ "..6.1.0-41", "6.1.0-41-cloud-amd64", true },
	{ "..6.1.0-41", "6.1.0-42-amd64", false },
	{ "..6.1.0-41", "6.1.0-9-amd64", true },
	{ "6.1.0-41..", "6.1.0-9-amd64", false },
	{ "6.1.0-41..", "6.1.0-100-amd64", true },
	{ "..5.14.0-427", "5.14.0-427.13.1.el9_4.x86_64", true },
	{ "..5.14.0-427", "5.14.0-428.el9.x86_64", false },
	{ "6.1", "6.1.158", true },
	{ "6.1", "6.1.0-41-amd64", true },
	{ "6.1", "6.2.0", false },
	{ "6.1", "6.0.9", false },
	{ "6.1..6.4", "6.2-rc7", true },
	{ "6.1..6.4", "6.5.0", false },
	{ "6.1..6.4", "5.19.17", false },
};

START_TEST(in_range)
{
	struct kernel_range range;
	struct err err;

	ck_assert_msg(!kernel_range_parse(&range, ranges[_i].range, &err), "%s", err.text);
	ck_assert_msg(kernel_range_has(&range, ranges[_i].kernel) == ranges[_i].in, "%s in %s",
		      ranges[_i].kernel, ranges[_i].range);
}
END_TEST

static const struct {
	const char *range, *error;
} bad[] = {
	{ "", "'' is no range of kernels; * stands for all" },
	{ "..", "'..' is no range of kernels; * stands for all" },
	{ "6", "'6' is no version of a kernel (6.4, 6.12-rc3, 6.1.0-41)" },
	{ "x..6.1", "'x' is no version of a kernel (6.4, 6.12-rc3, 6.1.0-41)" },
	{ "6.1...6.4", "'.6.4' is no version of a kernel (6.4, 6.12-rc3, 6.1.0-41)" },
	{ "6.1-rc..", "'6.1-rc' is no version of a kernel (6.4, 6.12-rc3, 6.1.0-41)" },
	{ "6.1-amd64", "'6.1-amd64' is no version of a kernel (6.4, 6.12-rc3, 6.1.0-41)" },
	{ "6.1.", "'6.1.' is no version of a kernel (6.4, 6.12-rc3, 6.1.0-41)" },
	{ "6.1234567890", "'6.1234567890' is no version of a kernel (6.4, 6.12-rc3, 6.1.0-41)" },
	{ "6.4..6.1", "'6.4..6.1': the first kernel comes after the last" },
	{ "6.1.0-42..6.1.0-41", "'6.1.0-42..6.1.0-41': the first kernel comes after the last" },
	{ "6.1..6.1-rc9", "'6.1..6.1-rc9': the first kernel comes after the last" },
};

START_TEST(bad_ranges)
{
	struct kernel_range range;
	struct err err;

	ck_assert_int_eq(kernel_range_parse(&range, bad[_i].range, &err), -EINVAL);
	ck_assert_str_eq(err.text, bad[_i].error);
}
END_TEST

START_TEST(parts)
{
	struct kernel_version version;

	ck_assert_int_eq(kernel_version_parse(&version, "6.12.0-rc3-45-gabc"), 0);
	ck_assert_uint_eq(version.release.n, 3);
	ck_assert_uint_eq(version.release.of[1], 12);
	ck_assert(version.candidate);
	ck_assert_uint_eq(version.rc, 3);
	ck_assert_uint_eq(version.build.of[0], 45);
	ck_assert_int_eq(kernel_version_parse(&version, "6"), -EINVAL);
	ck_assert_int_eq(kernel_version_parse(&version, "-6.1"), -EINVAL);
	ck_assert_int_eq(kernel_version_parse(&version, ""), -EINVAL);
}
END_TEST

Suite *suite(void)
{
	Suite *all = suite_create("kernel_version");
	TCase *tests = tcase_create("kernel_version");

	tcase_add_loop_test(tests, order, 0, COUNT(ascending));
	tcase_add_loop_test(tests, in_range, 0, COUNT(ranges));
	tcase_add_loop_test(tests, bad_ranges, 0, COUNT(bad));
	tcase_add_test(tests, parts);
	suite_add_tcase(all, tests);
	return all;
}
