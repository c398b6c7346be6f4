// SPDX-License-Identifier: GPL-2.0-or-later
#include "suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *suite(void);

#define DECLARATION                                                                       \
	"{\"name\":\"one\",\"claim\":\"c\",\"source\":\"s\",\"danger\":\"may-throttle\"," \
	"\"budget_s\":60,\"needs\":[],\"checks\":[{\"name\":\"a\",\"optional\":false}],"  \
	"\"klog\":[{\"class\":\"throttle\",\"max\":3}],\"sysctls\":[\"kernel.x\"],"       \
	"\"escalate\":[\"rcu-stall\",\"unknown-nmi\"],"                                   \
	"\"options\":[{\"name\":\"workload\"}]}"

static void make(struct suite_test *test)
{
	*test = (struct suite_test){
		.name = strdup("one"),
		.declaration = json_object(),
		.klog = calloc(1, sizeof(*test->klog)),
		.sysctls = calloc(1, sizeof(*test->sysctls)),
	};
}

static void drop(struct suite_test *test)
{
	free(test->name);
	free(test->klog);
	free(test->sysctls);
	json_decref(test->declaration);
}

/* A declaration in which the first `from` is replaced by `to`. */
static int declare(const char *from, const char *to, struct err *err)
{
	char text[2048];
	const char *at = strstr(DECLARATION, from);
	struct suite_test test;
	int result;

	ck_assert_ptr_nonnull(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - DECLARATION), DECLARATION, to,
		 at + strlen(from));
	make(&test);
	result = suite_declare(&test, text, strlen(text), err);
	drop(&test);
	return result;
}

START_TEST(declaration)
{
	struct suite_test test;
	struct err err;

	make(&test);
	ck_assert_int_eq(suite_declare(&test, DECLARATION, strlen(DECLARATION), &err), 0);
	ck_assert_int_eq(test.danger, DANGER_MAY_THROTTLE);
	ck_assert_uint_eq(test.budget_s, 60);
	ck_assert_int_eq(test.klog[0].class, KLOG_THROTTLE);
	ck_assert_uint_eq(test.klog[0].max, 3);
	ck_assert_int_eq(test.klog[1].class, KLOG_NONE);
	ck_assert_str_eq(test.sysctls[0], "kernel.x");
	ck_assert_ptr_null(test.sysctls[1]);
	ck_assert_uint_eq(test.escalate, ESCALATE_RCU_STALL | ESCALATE_UNKNOWN_NMI);
	ck_assert_ptr_nonnull(suite_find(&test, "checks", "a"));
	ck_assert_ptr_null(suite_find(&test, "checks", "b"));
	ck_assert_ptr_null(suite_find(&test, "nosuch", "a"));
	ck_assert_str_eq(suite_text(&test, "claim"), "c");
	ck_assert_str_eq(suite_text(&test, "nosuch"), "");
	drop(&test);
}
END_TEST

static const struct {
	const char *from, *to, *named;
} wrong[] = {
	{ "\"one\"", "\"two\"", "name" },
	{ "\"claim\":\"c\",", "", "claim" },
	{ "\"s\"", "\"\"", "source" },
	{ "may-throttle", "harmless", "danger" },
	{ "60", "0", "budget_s" },
	{ "60", "86401", "budget_s" },
	{ "60", "\"60\"", "budget_s" },
	{ "[{\"name\":\"a\",\"optional\":false}]", "[]", "checks" },
	{ "[{\"name\":\"a\",", "[{\"name\":\"a\"},{\"name\":\"a\",", "checks" },
	{ "{\"name\":\"a\",", "{", "checks" },
	{ "\"throttle\"", "\"nosuch\"", "klog" },
	{ "\"max\":3", "\"max\":-1", "klog" },
	{ "\"kernel.x\"", "\"../../etc/passwd\"", "sysctls" },
	{ "\"kernel.x\"", "7", "sysctls" },
	{ "\"rcu-stall\"", "\"everything\"", "escalate" },
	{ "\"rcu-stall\"", "7", "escalate" },
	{ "[\"rcu-stall\",\"unknown-nmi\"]", "true", "escalate" },
	{ "\"options\":[{\"name\":\"workload\"}]", "\"options\":{}", "options" },
	{ "{\"name\":\"one\"", "[\"name\"", "JSON" },
	{ "\"budget_s\":60,", "\"budget_s\":60,\"budget_s\":61,", "JSON" },
};

START_TEST(wrong_declaration)
{
	struct err err;

	ck_assert_int_eq(declare(wrong[_i].from, wrong[_i].to, &err), -EBADMSG);
	ck_assert_msg(strstr(err.text, wrong[_i].named) != NULL, "%s", err.text);
}
END_TEST

/* A folder of scripts that stand for test binaries. */
static void script(const char *dir, const char *theme, const char *name, const char *body)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, theme);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s/%s", dir, theme, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "#!/bin/sh\n%s\n", body);
	fclose(file);
	ck_assert_int_eq(chmod(path, 0755), 0);
}

static void remove_tree(const char *dir)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0); /* NOLINT(cert-env33-c) */
}

START_TEST(finds_and_describes)
{
	char dir[] = "/tmp/suite_check-XXXXXX";
	char *theme[] = { (char[]){ "b/*" } };
	char *none[] = { (char[]){ "one" }, (char[]){ "x*" } };
	struct suite found;
	struct err err;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	script(dir, "b", "one", "echo '" DECLARATION "'");
	script(dir, "a", "fails", "exit 3");
	script(dir, "a", "prints", "yes");
	script(dir, "a", "object.o", "exit 0");
	script(dir, "c", "one", "echo '" DECLARATION "'");
	ck_assert_int_eq(suite_load(&found, dir, NULL, 0, &err), 0);
	ck_assert_uint_eq(found.n, 4);
	ck_assert_str_eq(found.tests[0].name, "fails");
	ck_assert_ptr_nonnull(strstr(found.tests[0].problem, "exit status 3"));
	ck_assert_ptr_nonnull(strstr(found.tests[1].problem, "printed more than"));
	ck_assert_str_eq(found.tests[2].theme, "b");
	ck_assert_str_eq(found.tests[2].problem, "");
	ck_assert_ptr_nonnull(strstr(found.tests[3].problem, "same name"));
	suite_free(&found);
	ck_assert_int_eq(suite_load(&found, dir, theme, 1, &err), 0);
	ck_assert_uint_eq(found.n, 1);
	suite_free(&found);
	ck_assert_int_eq(suite_load(&found, dir, none, 2, &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "'x*'"));
	remove_tree(dir);
	ck_assert_int_eq(suite_load(&found, dir, NULL, 0, &err), -ENOENT);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("suite");
	TCase *c = tcase_create("suite");

	tcase_set_timeout(c, 60);
	tcase_add_test(c, declaration);
	tcase_add_loop_test(c, wrong_declaration, 0, sizeof(wrong) / sizeof(wrong[0]));
	tcase_add_test(c, finds_and_describes);
	suite_add_tcase(s, c);
	return s;
}
