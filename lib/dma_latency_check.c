// SPDX-License-Identifier: GPL-2.0-or-later
#include "dma_latency.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

Suite *suite(void);

START_TEST(holds_and_releases)
{
	int32_t us = -1;
	struct err err;
	int fd = dma_latency_hold(7, &err);

	if (fd == -ENOENT || fd == -EACCES || fd == -EPERM) {
		ck_assert_ptr_nonnull(strstr(err.text, "/dev/cpu_dma_latency"));
		fprintf(stderr, "dma_latency_check: not tested: %s\n", err.text);
		return;
	}
	ck_assert_msg(fd >= 0, "%s", err.text);
	/* Somebody else may ask for less at the same time, but not for more. */
	ck_assert_int_eq(dma_latency_read(&us, &err), 0);
	ck_assert_int_ge(us, 0);
	ck_assert_int_le(us, 7);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	dma_latency_release(fd);
	ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
	dma_latency_release(-1);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("dma_latency");
	TCase *tc = tcase_create("dma_latency");

	tcase_add_test(tc, holds_and_releases);
	suite_add_tcase(s, tc);
	return s;
}
