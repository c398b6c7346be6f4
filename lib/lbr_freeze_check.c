// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lbr_freeze.h"

Suite *suite(void);

/* What the driver would get: eight bytes at the number of the register, and nothing else. */
static uint64_t written(int fd, int msr)
{
	uint64_t value = 0;

	ck_assert_int_eq(pread(fd, &value, sizeof(value), msr), (ssize_t)sizeof(value));
	return value;
}

/* The registers lie beside each other and their files' bytes overlap: one file for each. */
START_TEST(registers)
{
	/* Intel SDM: IA32_PERF_GLOBAL_STATUS_RESET is 0x390, _SET is 0x391; LBR_FRZ is bit 58. */
	static const int msr[] = { 0x390, 0x391 };
	struct err err;

	for (int freeze = 0; freeze < 2; freeze++) {
		int fd = memfd_create("msr", MFD_CLOEXEC);

		ck_assert_int_ge(fd, 0);
		ck_assert_int_eq(lbr_freeze(fd, freeze, &err), 0);
		ck_assert_uint_eq(written(fd, msr[freeze]), 1ULL << 58);
		ck_assert_int_eq(lseek(fd, 0, SEEK_END), msr[freeze] + 8);
		close(fd);
	}
}
END_TEST

START_TEST(refused)
{
	struct err err = { .text = "" };

	ck_assert_int_eq(lbr_freeze(-1, true, &err), -EBADF);
	ck_assert_ptr_nonnull(strstr(err.text, "0x391: EBADF"));
}
END_TEST

/* A CPU that is not there: refused by our own check or by the driver, always with a reason. */
START_TEST(no_such_cpu)
{
	struct err err = { .text = "" };
	int result = lbr_freeze_open(1 << 20, &err);

	ck_assert_int_lt(result, 0);
	ck_assert_str_ne(err.text, "");
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("lbr_freeze");
	TCase *tcase = tcase_create("lbr_freeze");

	tcase_add_test(tcase, registers);
	tcase_add_test(tcase, refused);
	tcase_add_test(tcase, no_such_cpu);
	suite_add_tcase(s, tcase);
	return s;
}
