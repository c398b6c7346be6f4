// SPDX-License-Identifier: GPL-2.0-or-later
#include "escalate.h"

#include <check.h>

Suite *suite(void);

#define STALLS ((unsigned)ESCALATE_RCU_STALL | ESCALATE_SOFT_LOCKUP | ESCALATE_HARD_LOCKUP)

START_TEST(by_default_what_means_a_hang)
{
	ck_assert_uint_eq(escalate_resolve(ESCALATE_DEFAULT, true, NULL), STALLS);
	ck_assert_uint_eq(escalate_resolve(ESCALATE_DEFAULT, false, NULL), 0);
}
END_TEST

/* A message that is no fault of the kernel's must not cost the machine. */
START_TEST(not_what_it_may_cause)
{
	static const struct klog_allow may[] = { { KLOG_SOFT_LOCKUP, 1 },
						 { KLOG_RCU_STALL, 0 },
						 { KLOG_NONE, 0 } };

	ck_assert_uint_eq(escalate_resolve(ESCALATE_DEFAULT, true, may),
			  STALLS & ~(unsigned)ESCALATE_SOFT_LOCKUP);
}
END_TEST

START_TEST(what_is_declared_counts)
{
	static const struct klog_allow may[] = { { KLOG_RCU_STALL, 1 }, { KLOG_NONE, 0 } };
	unsigned int both = ESCALATE_RCU_STALL | ESCALATE_UNKNOWN_NMI;

	ck_assert_uint_eq(escalate_resolve(both, true, may), both);
	ck_assert_uint_eq(escalate_resolve(both, false, NULL), both);
	ck_assert_uint_eq(escalate_resolve(ESCALATE_NOTHING, true, NULL), 0);
}
END_TEST

START_TEST(names)
{
	unsigned int seen = 0;

	for (const struct escalate_kind *kind = escalate_kinds; kind->name; kind++) {
		ck_assert_uint_eq(escalate_parse(kind->name), kind->bit);
		ck_assert_uint_eq(seen & kind->bit, 0);
		seen |= kind->bit;
		/* One word for one thing: the class of the message has the same name. */
		ck_assert_str_eq(kind->name, klog_class_name(kind->class));
	}
	ck_assert_uint_eq(seen, ESCALATE_NOTHING - 1U);
	ck_assert_uint_eq(escalate_parse("nothing"), 0);
	ck_assert_uint_eq(escalate_parse(""), 0);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("escalate");
	TCase *t = tcase_create("escalate");

	tcase_add_test(t, by_default_what_means_a_hang);
	tcase_add_test(t, not_what_it_may_cause);
	tcase_add_test(t, what_is_declared_counts);
	tcase_add_test(t, names);
	suite_add_tcase(s, t);
	return s;
}
