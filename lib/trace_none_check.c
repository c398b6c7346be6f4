// SPDX-License-Identifier: GPL-2.0-or-later
/* Without event tracing: what asks for it is told so, and nothing of ours is found or removed. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "trace.h"

Suite *suite(void);

START_TEST(no_session)
{
	const struct cpus cpus = { .n = 1 };
	struct trace *trace = NULL;
	struct err err;

	ck_assert_int_eq(trace_open(&trace, &cpus, 64, &err), -ENOTSUP);
	ck_assert_ptr_null(trace);
	ck_assert_ptr_nonnull(strstr(err.text, "no event tracing"));
	trace_close(trace);
}
END_TEST

/* That an event is not there is an answer, no failure: a need that is not met. */
START_TEST(nothing_is_there)
{
	struct err err;

	ck_assert_int_eq(trace_has("sched", "sched_switch", &err), 0);
	ck_assert_int_eq(trace_instances(&err), 0);
	ck_assert_int_eq(trace_remove_leftovers(0, &err), 0);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("trace_none");
	TCase *tcase = tcase_create("trace_none");

	tcase_add_test(tcase, no_session);
	tcase_add_test(tcase, nothing_is_there);
	suite_add_tcase(s, tcase);
	return s;
}
