// SPDX-License-Identifier: GPL-2.0-or-later
#include "watchdog_find.h"

#include <check.h>
#include <ftw.h>
#include <linux/watchdog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *suite(void);

#define TREES "fixtures/sysfs/watchdog-"

static struct watchdog found[WATCHDOG_MAX];

START_TEST(hardware_before_software)
{
	ck_assert_uint_eq(watchdog_find(TREES "itco", found, WATCHDOG_MAX), 2);
	ck_assert_str_eq(found[0].path, "/dev/watchdog1");
	ck_assert_str_eq(found[0].identity, "iTCO_wdt");
	ck_assert_str_eq(found[0].driver, "iTCO_wdt");
	ck_assert_int_eq(found[0].kind, WATCHDOG_HARDWARE);
	ck_assert_int_eq(found[0].nowayout, 0);
	ck_assert(!found[0].active);
	ck_assert_int_eq(found[0].timeout_s, 30);
	ck_assert_int_eq(found[0].min_timeout_s, 2);
	ck_assert_int_eq(found[0].max_timeout_s, 613);
	ck_assert_int_eq(found[0].boot_status, WDIOF_CARDRESET);
	ck_assert(watchdog_eligible(&found[0], NULL));
	ck_assert_int_eq(found[1].kind, WATCHDOG_SOFTWARE);
	/* Sysfs does not say. */
	ck_assert_str_eq(found[1].driver, "softdog");
}
END_TEST

/* A timer of the kernel stops with the kernel. */
START_TEST(software_alone_is_not_eligible)
{
	struct err why;

	ck_assert_uint_eq(watchdog_find(TREES "softdog", found, WATCHDOG_MAX), 1);
	ck_assert(!watchdog_eligible(&found[0], &why));
	ck_assert_ptr_nonnull(strstr(why.text, "/dev/watchdog0 (Software Watchdog) is a timer"));
}
END_TEST

START_TEST(who_holds_it)
{
	char name[64];

	ck_assert_uint_eq(watchdog_find(TREES "systemd", found, WATCHDOG_MAX), 1);
	ck_assert(found[0].active);
	ck_assert_int_eq(watchdog_holder(TREES "systemd", "/dev/watchdog0", name, sizeof(name)), 1);
	ck_assert_str_eq(name, "systemd");
	ck_assert_int_eq(watchdog_holder(TREES "systemd", "/dev/watchdog1", name, sizeof(name)), 0);
	ck_assert_int_eq(watchdog_holder(TREES "itco", "/dev/watchdog1", name, sizeof(name)), 0);
}
END_TEST

/* One that raises an alarm only is no help, whatever its driver is. */
START_TEST(an_unknown_driver_is_tried)
{
	struct err why;

	ck_assert_uint_eq(watchdog_find(TREES "unknown", found, WATCHDOG_MAX), 2);
	ck_assert_str_eq(found[0].identity, "ACME 9000 WDT");
	ck_assert_int_eq(found[0].kind, WATCHDOG_UNKNOWN);
	ck_assert(watchdog_eligible(&found[0], NULL));
	ck_assert_int_eq(found[1].kind, WATCHDOG_ALARM);
	ck_assert(!watchdog_eligible(&found[1], &why));
	ck_assert_ptr_nonnull(strstr(why.text, "resets nothing"));
}
END_TEST

START_TEST(what_cannot_be_stopped_is_not_chosen)
{
	struct err why;

	ck_assert_uint_eq(watchdog_find(TREES "nowayout", found, WATCHDOG_MAX), 2);
	ck_assert_str_eq(found[0].identity, "i6300ESB timer");
	ck_assert_int_eq(found[0].nowayout, 1);
	ck_assert(!watchdog_eligible(&found[0], &why));
	ck_assert_ptr_nonnull(strstr(why.text, "nowayout"));
	ck_assert(watchdog_eligible(&found[1], NULL));
}
END_TEST

/* ipmi_watchdog has no entry in the class, but the device. */
START_TEST(a_driver_without_the_core)
{
	ck_assert_uint_eq(watchdog_find(TREES "ipmi", found, WATCHDOG_MAX), 2);
	ck_assert_str_eq(found[0].path, "/dev/watchdog");
	ck_assert_str_eq(found[0].driver, "ipmi_watchdog");
	ck_assert_int_eq(found[0].kind, WATCHDOG_HARDWARE);
	ck_assert_int_eq(found[0].nowayout, 0);
	ck_assert_int_eq(found[0].boot_status, -1);
	ck_assert_int_eq(found[1].kind, WATCHDOG_SOFTWARE);
}
END_TEST

START_TEST(room_for_one)
{
	ck_assert_uint_eq(watchdog_find(TREES "itco", found, 1), 1);
	ck_assert_uint_eq(watchdog_find(TREES "itco", found, 0), 0);
	ck_assert_uint_eq(watchdog_find("fixtures/sysfs/garbage", found, WATCHDOG_MAX), 0);
}
END_TEST

START_TEST(flags_as_words)
{
	static const struct {
		long status;
		const char *words;
	} rows[] = {
		{ 0, "[]" },
		{ -1, "[]" },
		{ WDIOF_CARDRESET, "[\"card-reset\"]" },
		{ WDIOF_OVERHEAT | WDIOF_POWEROVER, "[\"overheat\", \"power-over\"]" },
		{ WDIOF_FANFAULT | WDIOF_EXTERN1 | WDIOF_EXTERN2 | WDIOF_POWERUNDER,
		  "[\"fan-fault\", \"extern1\", \"extern2\", \"power-under\"]" },
		{ WDIOF_CARDRESET | 0x8000, "[\"card-reset\", \"0x8000\"]" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *words = watchdog_flags(rows[i].status);
		char *text = json_dumps(words, 0);

		ck_assert_str_eq(text, rows[i].words);
		free(text);
		json_decref(words);
	}
}
END_TEST

/* Mutations of a tree with one watchdog. */
static char root[] = "/tmp/watchdog-find-XXXXXX";

static void put(const char *path, const char *text)
{
	char full[256];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(full, 0777);
	}
	file = fopen(full, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

#define DOG "/sys/class/watchdog/watchdog0/"

static void make_tree(void)
{
	snprintf(root, sizeof(root), "/tmp/watchdog-find-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	put(DOG "identity", "iTCO_wdt\n");
	put(DOG "nowayout", "0\n");
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void drop_tree(void)
{
	nftw(root, drop, 8, FTW_DEPTH | FTW_PHYS);
}

/* What sysfs does not say, or says in noise, is not known; it is neither good nor bad. */
START_TEST(noise_is_not_known)
{
	put(DOG "timeout", "soon\n");
	put(DOG "bootstatus", "");
	put(DOG "state", "\xff\xfe\n");
	ck_assert_uint_eq(watchdog_find(root, found, WATCHDOG_MAX), 1);
	ck_assert_int_eq(found[0].timeout_s, -1);
	ck_assert_int_eq(found[0].boot_status, -1);
	ck_assert(!found[0].active);
	ck_assert_int_eq(found[0].kind, WATCHDOG_HARDWARE);
}
END_TEST

START_TEST(other_names_in_the_class)
{
	put("/sys/class/watchdog/watchdogX/identity", "iTCO_wdt\n");
	put("/sys/class/watchdog/rtc0/identity", "iTCO_wdt\n");
	put("/sys/class/watchdog/watchdog10/identity", "iTCO_wdt\n");
	put("/sys/class/watchdog/watchdog9/identity", "iTCO_wdt\n");
	ck_assert_uint_eq(watchdog_find(root, found, WATCHDOG_MAX), 3);
	ck_assert_str_eq(found[0].path, "/dev/watchdog0");
	ck_assert_str_eq(found[1].path, "/dev/watchdog9");
	ck_assert_str_eq(found[2].path, "/dev/watchdog10");
}
END_TEST

/* A kernel without WATCHDOG_SYSFS: nothing is known before it is opened. */
START_TEST(no_attributes)
{
	char path[256];

	snprintf(path, sizeof(path), "%s" DOG "identity", root);
	unlink(path);
	snprintf(path, sizeof(path), "%s" DOG "nowayout", root);
	unlink(path);
	ck_assert_uint_eq(watchdog_find(root, found, WATCHDOG_MAX), 1);
	ck_assert_int_eq(found[0].kind, WATCHDOG_UNKNOWN);
	ck_assert_int_eq(found[0].nowayout, -1);
	ck_assert(watchdog_eligible(&found[0], NULL));
}
END_TEST

/* /dev/watchdog is another name of the first of the class, unless a driver has it to itself. */
START_TEST(another_name_of_the_first)
{
	put("/dev/watchdog", "");
	ck_assert_uint_eq(watchdog_find(root, found, WATCHDOG_MAX), 1);
	put("/sys/module/ib700wdt/refcnt", "0\n");
	ck_assert_uint_eq(watchdog_find(root, found, WATCHDOG_MAX), 2);
	ck_assert_str_eq(found[1].driver, "ib700wdt");
}
END_TEST

START_TEST(a_device_of_nobody_known)
{
	drop_tree();
	snprintf(root, sizeof(root), "/tmp/watchdog-find-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	put("/dev/watchdog", "");
	ck_assert_uint_eq(watchdog_find(root, found, WATCHDOG_MAX), 1);
	ck_assert_int_eq(found[0].kind, WATCHDOG_UNKNOWN);
	ck_assert_str_eq(found[0].path, "/dev/watchdog");
}
END_TEST

START_TEST(nowayout_of_a_parameter)
{
	put("/dev/watchdog", "");
	put("/sys/module/ipmi_watchdog/parameters/nowayout", "Y\n");
	ck_assert_uint_eq(watchdog_find(root, found, WATCHDOG_MAX), 2);
	ck_assert_str_eq(found[1].driver, "ipmi_watchdog");
	ck_assert_int_eq(found[1].nowayout, 1);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("watchdog_find");
	TCase *trees = tcase_create("trees");
	TCase *mutations = tcase_create("mutations");

	tcase_add_test(trees, hardware_before_software);
	tcase_add_test(trees, software_alone_is_not_eligible);
	tcase_add_test(trees, who_holds_it);
	tcase_add_test(trees, an_unknown_driver_is_tried);
	tcase_add_test(trees, what_cannot_be_stopped_is_not_chosen);
	tcase_add_test(trees, a_driver_without_the_core);
	tcase_add_test(trees, room_for_one);
	tcase_add_test(trees, flags_as_words);
	tcase_add_checked_fixture(mutations, make_tree, drop_tree);
	tcase_add_test(mutations, noise_is_not_known);
	tcase_add_test(mutations, other_names_in_the_class);
	tcase_add_test(mutations, no_attributes);
	tcase_add_test(mutations, another_name_of_the_first);
	tcase_add_test(mutations, a_device_of_nobody_known);
	tcase_add_test(mutations, nowayout_of_a_parameter);
	suite_add_tcase(s, trees);
	suite_add_tcase(s, mutations);
	return s;
}
