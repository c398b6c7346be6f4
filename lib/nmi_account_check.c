// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>

#include "nmi_account.h"

Suite *suite(void);

/* One event, two that overflow at times of their own, and two that overflow at once. */
static const struct nmi_account one = {
	.samples = 300, .most = 300, .nmis = 300, .pmis = 300, .calls = 300, .handled = 300
};
static const struct nmi_account two = {
	.samples = 600, .most = 320, .nmis = 600, .pmis = 600, .calls = 600, .handled = 600
};
static const struct nmi_account together = {
	.samples = 600, .most = 300, .nmis = 300, .pmis = 300, .calls = 300, .handled = 600
};
static const struct nmi_account *const sound[] = { &one, &two, &together };

static bool holds(const struct nmi_account *account)
{
	const struct nmi_signs signs = nmi_account_signs(account);

	return signs.handled <= signs.allowed && signs.pmis <= signs.allowed &&
	       signs.nmis <= signs.allowed && signs.calls <= signs.allowed &&
	       signs.idle <= signs.allowed;
}

START_TEST(sound_accounts)
{
	for (int i = 0; i < 3; i++) {
		const struct nmi_signs signs = nmi_account_signs(sound[i]);

		ck_assert_uint_eq(signs.handled + signs.pmis + signs.nmis + signs.calls, 0);
		ck_assert_uint_eq(signs.idle, 0);
	}
}
END_TEST

/* Without BTS the handler counts one more each time. */
START_TEST(one_more_each_time)
{
	for (int i = 0; i < 3; i++) {
		struct nmi_account account = *sound[i];

		account.handled += account.calls;
		ck_assert_uint_eq(nmi_account_signs(&account).handled, 0);
	}
}
END_TEST

/* The watchdog's NMIs come into it: each has its call and its pass. */
START_TEST(a_watchdog)
{
	for (int i = 0; i < 3; i++) {
		struct nmi_account account = *sound[i];

		account.nmis += 3;
		account.pmis += 3;
		account.calls += 3;
		account.handled += 3;
		ck_assert(holds(&account));
	}
}
END_TEST

/* A tenth of anything missing, or too much, shows where it is. */
START_TEST(a_tenth)
{
	for (int i = 0; i < 3; i++) {
		struct nmi_account account = *sound[i];

		account.handled -= account.handled / 10;
		ck_assert_uint_gt(nmi_account_signs(&account).handled, 12);
		account = *sound[i];
		account.idle = account.calls / 10;
		ck_assert(!holds(&account));
		account = *sound[i];
		account.calls -= account.calls / 10;
		ck_assert_uint_gt(nmi_account_signs(&account).calls, 12);
	}
	for (int i = 0; i < 2; i++) {
		struct nmi_account account = *sound[i];

		account.nmis += account.nmis / 10;
		account.calls = account.nmis;
		ck_assert_uint_gt(nmi_account_signs(&account).nmis, 12);
		account = *sound[i];
		account.pmis += account.pmis / 10;
		ck_assert_uint_gt(nmi_account_signs(&account).pmis, 12);
	}
	for (int i = 0; i < 3; i += 2) {
		struct nmi_account account = *sound[i];

		account.pmis -= account.pmis / 10;
		ck_assert_uint_gt(nmi_account_signs(&account).pmis, 12);
		account = *sound[i];
		account.nmis -= account.nmis / 10;
		account.calls = account.nmis;
		ck_assert_uint_gt(nmi_account_signs(&account).nmis, 12);
	}
}
END_TEST

/* A handler that says 1 whatever it handled, and one that says 0. */
START_TEST(handled_is_no_number)
{
	struct nmi_account account = together;

	account.handled = account.calls;
	ck_assert_uint_eq(nmi_account_signs(&account).handled, 300);
	account.handled = 0;
	ck_assert_uint_eq(nmi_account_signs(&account).handled, 600);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("nmi_account");
	TCase *tests = tcase_create("nmi_account");

	tcase_add_test(tests, sound_accounts);
	tcase_add_test(tests, one_more_each_time);
	tcase_add_test(tests, a_watchdog);
	tcase_add_test(tests, a_tenth);
	tcase_add_test(tests, handled_is_no_number);
	suite_add_tcase(s, tests);
	return s;
}
