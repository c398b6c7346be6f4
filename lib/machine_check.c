// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine.h"
#include <check.h>
#include <stdio.h>
Suite *suite(void);
START_TEST(x) { json_t *j = machine_inventory("", false, NULL); json_dumpf(j, stdout, JSON_INDENT(1)); json_decref(j); }
END_TEST
Suite *suite(void) { Suite *s = suite_create("machine"); TCase *t = tcase_create("t"); tcase_add_test(t, x); suite_add_tcase(s, t); return s; }
