// SPDX-License-Identifier: GPL-2.0-or-later
#include "escalation.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite(void);

/* What a sysctl gets, by its name. */
static const char *value_of(const char *name, unsigned int bits, const char *now)
{
	for (size_t i = 0; escalation_sysctl(i); i++)
		if (!strcmp(escalation_sysctl(i), name))
			return escalation_value(i, bits, now);
	ck_abort_msg("no %s", name);
	return NULL;
}

START_TEST(each_kind_sets_its_own)
{
	static const struct {
		unsigned int bits;
		const char *sysctl;
	} rows[] = {
		{ ESCALATE_RCU_STALL, "kernel.panic_on_rcu_stall" },
		{ ESCALATE_SOFT_LOCKUP, "kernel.softlockup_panic" },
		{ ESCALATE_HARD_LOCKUP, "kernel.hardlockup_panic" },
		{ ESCALATE_UNKNOWN_NMI, "kernel.unknown_nmi_panic" },
		{ ESCALATE_HUNG_TASK, "kernel.hung_task_panic" },
	};
	const unsigned int all = ESCALATE_NOTHING - 1U;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_str_eq(value_of(rows[i].sysctl, rows[i].bits, "0"), "1");
		ck_assert_ptr_null(value_of(rows[i].sysctl, all & ~rows[i].bits, "0"));
		ck_assert_ptr_null(value_of(rows[i].sysctl, 0, "0"));
		/* It is as it should be already. */
		ck_assert_ptr_null(value_of(rows[i].sysctl, rows[i].bits, "1"));
	}
}
END_TEST

/* Whatever panics, the machine is to come back; but one that does so sooner is left to it. */
START_TEST(a_panic_ends_in_a_reboot)
{
	static const char *const soon[] = { "1", "10", "-1" };
	static const char *const late[] = { "0", "11", "300" };

	for (size_t i = 0; i < 3; i++) {
		ck_assert_ptr_null(value_of("kernel.panic", ESCALATE_HARD_LOCKUP, soon[i]));
		ck_assert_str_eq(value_of("kernel.panic", ESCALATE_HARD_LOCKUP, late[i]), "10");
	}
	ck_assert_ptr_null(value_of("kernel.panic", 0, "0"));
	ck_assert_int_eq(atoi(value_of("kernel.panic", ESCALATE_RCU_STALL, "0")),
			 ESCALATION_PANIC_S);
}
END_TEST

/* A kernel that lets five stalls pass lets a test's hang pass. */
START_TEST(the_first_stall_counts)
{
	const char *name = "kernel.max_rcu_stall_to_panic";

	ck_assert_str_eq(value_of(name, ESCALATE_RCU_STALL, "5"), "1");
	ck_assert_ptr_null(value_of(name, ESCALATE_RCU_STALL, "0"));
	ck_assert_ptr_null(value_of(name, ESCALATE_RCU_STALL, "1"));
	ck_assert_ptr_null(value_of(name, ESCALATE_SOFT_LOCKUP, "5"));
}
END_TEST

/* Only looks; whether it sets and puts back is for the test of the command. */
START_TEST(plan_for_this_kernel)
{
	struct escalation escalation;
	struct err err;
	char now[SYSCTL_VALUE_MAX];

	ck_assert_int_eq(escalation_plan(&escalation, 0, &err), 0);
	ck_assert_uint_eq(escalation.n, 0);
	ck_assert_int_eq(escalation_plan(&escalation, ESCALATE_NOTHING - 1U, &err), 0);
	ck_assert_uint_le(escalation.n, ESCALATION_MAX);
	for (size_t i = 0; i < escalation.n; i++) {
		const struct sysctl_saved *saved = &escalation.before[i];

		ck_assert(saved->present);
		ck_assert_int_eq(sysctl_read(saved->name, now, sizeof(now), &err), 0);
		ck_assert_str_eq(saved->value, now);
		ck_assert_str_eq(escalation.set[i],
				 value_of(saved->name, ESCALATE_NOTHING - 1U, now));
	}
}
END_TEST

START_TEST(record)
{
	const struct escalation escalation = {
		.before = { { "kernel.panic", true, "0" },
			    { "kernel.softlockup_panic", true, "0" } },
		.set = { "10", "1" },
		.n = 2,
	};
	json_t *got = escalation_record(&escalation, ESCALATE_SOFT_LOCKUP | ESCALATE_RCU_STALL);
	json_t *wanted = json_loads(
		"{\"type\": \"escalation\", \"panic_on\": [\"rcu-stall\", \"soft-lockup\"],"
		"\"set\": {\"kernel.panic\": \"10\", \"kernel.softlockup_panic\": \"1\"},"
		"\"before\": {\"kernel.panic\": \"0\", \"kernel.softlockup_panic\": \"0\"}}",
		0, NULL);

	ck_assert(json_equal(got, wanted));
	json_decref(got);
	json_decref(wanted);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("escalation");
	TCase *t = tcase_create("escalation");

	tcase_add_test(t, each_kind_sets_its_own);
	tcase_add_test(t, a_panic_ends_in_a_reboot);
	tcase_add_test(t, the_first_stall_counts);
	tcase_add_test(t, plan_for_this_kernel);
	tcase_add_test(t, record);
	suite_add_tcase(s, t);
	return s;
}
