// SPDX-License-Identifier: GPL-2.0-or-later
#include "sysctl.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sysctl_parts.h"

Suite *suite(void);

/* A kernel in memory with the rules that make restoring hard. */
struct fake {
	const char *name;
	char value[SYSCTL_VALUE_MAX];
	int read_error;
	int write_error;
	bool ignores; /* takes a write and keeps its value */
	unsigned int writes;
};

#define RATE "kernel.perf_event_max_sample_rate"
#define PERCENT "kernel.perf_cpu_time_max_percent"

static struct fake *fake_find(const struct sysctl_source *source, const char *name)
{
	struct fake *fake = source->context;

	for (; fake->name; fake++)
		if (!strcmp(fake->name, name))
			return fake;
	return NULL;
}

static int fake_read(const struct sysctl_source *source, const char *name, char *value, size_t size,
		     struct err *err)
{
	const struct fake *fake = fake_find(source, name);

	if (!fake)
		return err_set(err, ENOENT, "%s", name);
	if (fake->read_error)
		return err_set(err, fake->read_error, "%s", name);
	snprintf(value, size, "%s", fake->value);
	return 0;
}

static int fake_write(const struct sysctl_source *source, const char *name, const char *value,
		      struct err *err)
{
	struct fake *fake = fake_find(source, name);
	const struct fake *percent = fake_find(source, PERCENT);

	ck_assert_ptr_nonnull(fake);
	fake->writes++;
	if (fake->write_error)
		return err_set(err, fake->write_error, "%s", name);
	if (!strcmp(name, RATE) && percent &&
	    (!strcmp(percent->value, "0") || !strcmp(percent->value, "100")))
		return err_set(err, EINVAL, "%s", name);
	if (!fake->ignores)
		snprintf(fake->value, sizeof(fake->value), "%s", value);
	return 0;
}

static struct sysctl_source fake_source(struct fake *fakes)
{
	return (struct sysctl_source){ .read = fake_read, .write = fake_write, .context = fakes };
}

/* root/proc/sys/kernel/<leaf> with that content. */
static void put_file(const char *root, const char *leaf, const void *text, size_t len)
{
	static const char *const dirs[] = { "", "/proc", "/proc/sys", "/proc/sys/kernel" };
	char path[PATH_MAX];
	int fd;

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", root, dirs[i]);
		ck_assert(!mkdir(path, 0700) || errno == EEXIST);
	}
	ck_assert_int_lt(snprintf(path, sizeof(path), "%s/proc/sys/kernel/%s", root, leaf),
			 (int)sizeof(path));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, len), (ssize_t)len);
	close(fd);
}

static char root_dir[64];

static void make_root(void)
{
	snprintf(root_dir, sizeof(root_dir), "/tmp/sysctl_check.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root_dir));
}

static void remove_root(void)
{
	char command[PATH_MAX + 16];

	snprintf(command, sizeof(command), "rm -rf '%s'", root_dir);
	ck_assert_int_eq(system(command), 0); // NOLINT(cert-env33-c): a path of our own making
}

START_TEST(bad_names_are_refused)
{
	static const char *const names[] = { "",     ".",    "..",	 ".kernel", "kernel.",
					     "a..b", "/etc", "kernel/x", "../x",    "a.../b" };
	char value[SYSCTL_VALUE_MAX];
	struct err err;

	ck_assert_int_eq(sysctl_read(names[_i], value, sizeof(value), &err), -EINVAL);
	ck_assert_int_eq(sysctl_write(names[_i], "1", &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "not a dotted name"));
}
END_TEST

START_TEST(overlong_name_is_refused)
{
	char name[PATH_MAX], value[8];

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ck_assert_int_eq(sysctl_read(name, value, sizeof(value), NULL), -ENAMETOOLONG);
}
END_TEST

START_TEST(reads_this_kernel)
{
	char value[SYSCTL_VALUE_MAX];
	struct err err;
	long number;

	ck_assert_int_eq(sysctl_read("kernel.ostype", value, sizeof(value), &err), 0);
	ck_assert_str_eq(value, "Linux");
	ck_assert_int_eq(sysctl_read_long("kernel.tainted", &number, &err), 0);
	ck_assert_int_ge(number, 0);
	ck_assert_int_eq(sysctl_read_long("kernel.ostype", &number, &err), -EINVAL);
	ck_assert_int_eq(sysctl_read("kernel.no_such_thing", value, sizeof(value), &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "kernel.no_such_thing"));
	ck_assert_ptr_nonnull(strstr(err.text, "ENOENT"));
}
END_TEST

START_TEST(values_keep_blanks_but_not_the_newline)
{
	const struct sysctl_source source = sysctl_files(root_dir);
	char value[SYSCTL_VALUE_MAX];

	put_file(root_dir, "printk", "4\t4 1\t7\n", 8);
	ck_assert_int_eq(source.read(&source, "kernel.printk", value, sizeof(value), NULL), 0);
	ck_assert_str_eq(value, "4\t4 1\t7");
	put_file(root_dir, "printk", "", 0);
	ck_assert_int_eq(source.read(&source, "kernel.printk", value, sizeof(value), NULL), 0);
	ck_assert_str_eq(value, "");
}
END_TEST

START_TEST(a_value_that_does_not_fit_is_an_error)
{
	const struct sysctl_source source = sysctl_files(root_dir);
	char value[4] = "";

	put_file(root_dir, "x", "abc", 3);
	ck_assert_int_eq(source.read(&source, "kernel.x", value, sizeof(value), NULL), 0);
	ck_assert_str_eq(value, "abc");
	put_file(root_dir, "x", "abcd", 4);
	ck_assert_int_eq(source.read(&source, "kernel.x", value, sizeof(value), NULL), -EOVERFLOW);
}
END_TEST

START_TEST(writing_replaces_all_and_creates_nothing)
{
	const struct sysctl_source source = sysctl_files(root_dir);
	char value[SYSCTL_VALUE_MAX];
	struct err err;

	put_file(root_dir, "x", "123456\n", 7);
	ck_assert_int_eq(source.write(&source, "kernel.x", "9", &err), 0);
	ck_assert_int_eq(source.read(&source, "kernel.x", value, sizeof(value), NULL), 0);
	ck_assert_str_eq(value, "9");
	ck_assert_int_eq(source.write(&source, "kernel.y", "9", &err), -ENOENT);
	ck_assert_int_eq(source.read(&source, "kernel.y", value, sizeof(value), NULL), -ENOENT);
}
END_TEST

START_TEST(save_and_restore_files)
{
	static const char *const names[] = { "kernel.a", "kernel.missing", "kernel.b", NULL };
	const struct sysctl_source source = sysctl_files(root_dir);
	struct sysctl_saved saved[3];
	char value[SYSCTL_VALUE_MAX];
	struct err err;
	size_t changed = 99;

	put_file(root_dir, "a", "1\n", 2);
	put_file(root_dir, "b", "x y\n", 4);
	ck_assert_int_eq(sysctl_save_from(&source, saved, names, &err), 0);
	ck_assert(saved[0].present && !saved[1].present && saved[2].present);
	ck_assert_str_eq(saved[1].name, "kernel.missing");
	ck_assert_int_eq(sysctl_restore_to(&source, saved, 3, &changed, &err), 0);
	ck_assert_uint_eq(changed, 0);

	put_file(root_dir, "b", "changed\n", 8);
	put_file(root_dir, "missing", "here now\n", 9);
	ck_assert_int_eq(sysctl_restore_to(&source, saved, 3, &changed, &err), 0);
	ck_assert_uint_eq(changed, 1);
	ck_assert_int_eq(source.read(&source, "kernel.b", value, sizeof(value), NULL), 0);
	ck_assert_str_eq(value, "x y");
	ck_assert_int_eq(source.read(&source, "kernel.missing", value, sizeof(value), NULL), 0);
	ck_assert_str_eq(value, "here now");
}
END_TEST

START_TEST(a_value_grown_too_long_is_put_back)
{
	const struct sysctl_source source = sysctl_files(root_dir);
	const struct sysctl_saved saved[] = { { "kernel.a", true, "1" } };
	char grown[SYSCTL_VALUE_MAX + 10], value[SYSCTL_VALUE_MAX];

	memset(grown, 'z', sizeof(grown));
	put_file(root_dir, "a", grown, sizeof(grown));
	ck_assert_int_eq(sysctl_restore_to(&source, saved, 1, NULL, NULL), 0);
	ck_assert_int_eq(source.read(&source, "kernel.a", value, sizeof(value), NULL), 0);
	ck_assert_str_eq(value, "1");
}
END_TEST

START_TEST(save_goes_on_after_an_error)
{
	static const char *const names[] = { "a", "b", "c", NULL };
	struct fake fakes[] = { { .name = "a", .value = "1", .read_error = EACCES },
				{ .name = "b", .value = "2", .read_error = EIO },
				{ .name = "c", .value = "3" },
				{ .name = NULL } };
	const struct sysctl_source source = fake_source(fakes);
	struct sysctl_saved saved[3];
	struct err err;

	ck_assert_int_eq(sysctl_save_from(&source, saved, names, &err), -EACCES);
	ck_assert_ptr_nonnull(strstr(err.text, "a: EACCES"));
	ck_assert(!saved[0].present && !saved[1].present && saved[2].present);
	ck_assert_str_eq(saved[2].value, "3");
}
END_TEST

START_TEST(restore_goes_on_after_an_error)
{
	struct fake fakes[] = { { .name = "a", .value = "9", .write_error = EPERM },
				{ .name = "b", .value = "9", .write_error = EIO },
				{ .name = "c", .value = "9" },
				{ .name = NULL } };
	const struct sysctl_source source = fake_source(fakes);
	const struct sysctl_saved saved[] = { { "a", true, "1" },
					      { "b", true, "2" },
					      { "c", true, "3" } };
	struct err err;
	size_t changed;

	ck_assert_int_eq(sysctl_restore_to(&source, saved, 3, &changed, &err), -EPERM);
	ck_assert_ptr_nonnull(strstr(err.text, "a: EPERM"));
	ck_assert_uint_eq(changed, 3);
	ck_assert_str_eq(fakes[2].value, "3");
}
END_TEST

START_TEST(a_sysctl_that_vanished_is_an_error)
{
	struct fake fakes[] = { { .name = "c", .value = "9" }, { .name = NULL } };
	const struct sysctl_source source = fake_source(fakes);
	const struct sysctl_saved saved[] = { { "gone", true, "1" }, { "c", true, "3" } };

	ck_assert_int_eq(sysctl_restore_to(&source, saved, 2, NULL, NULL), -ENOENT);
	ck_assert_str_eq(fakes[0].value, "3");
}
END_TEST

/* The rate is listed first and refused until the percentage, listed after it, is back. */
START_TEST(refused_ones_are_tried_again_after_the_others)
{
	struct fake fakes[] = { { .name = RATE, .value = "5000" },
				{ .name = PERCENT, .value = "100" },
				{ .name = NULL } };
	const struct sysctl_source source = fake_source(fakes);
	const struct sysctl_saved saved[] = { { RATE, true, "100000" }, { PERCENT, true, "25" } };
	struct err err;
	size_t changed;

	ck_assert_int_eq(sysctl_restore_to(&source, saved, 2, &changed, &err), 0);
	ck_assert_str_eq(fakes[0].value, "100000");
	ck_assert_str_eq(fakes[1].value, "25");
	ck_assert_uint_eq(changed, 2);
	/* Once is enough: each write of 100 or 0 makes the kernel log a warning. */
	ck_assert_uint_eq(fakes[1].writes, 1);
}
END_TEST

/* The percentage goes back to a value under which the rate can no longer be written. */
START_TEST(a_gate_that_is_to_be_closed_is_opened_for_it)
{
	static const char *const closed[] = { "0", "100" };
	struct fake fakes[] = { { .name = PERCENT, .value = "25" },
				{ .name = RATE, .value = "5000" },
				{ .name = NULL } };
	const struct sysctl_source source = fake_source(fakes);
	struct sysctl_saved saved[] = { { PERCENT, true, "" }, { RATE, true, "100000" } };
	struct err err;

	snprintf(saved[0].value, sizeof(saved[0].value), "%s", closed[_i]);
	ck_assert_int_eq(sysctl_restore_to(&source, saved, 2, NULL, &err), 0);
	ck_assert_str_eq(fakes[0].value, closed[_i]);
	ck_assert_str_eq(fakes[1].value, "100000");
}
END_TEST

/* Only the rate was saved; the percentage, which stands in its way, must come out unchanged. */
START_TEST(a_gate_that_is_not_ours_is_left_as_found)
{
	struct fake fakes[] = { { .name = PERCENT, .value = "100" },
				{ .name = RATE, .value = "5000" },
				{ .name = NULL } };
	const struct sysctl_source source = fake_source(fakes);
	const struct sysctl_saved saved[] = { { RATE, true, "100000" } };

	ck_assert_int_eq(sysctl_restore_to(&source, saved, 1, NULL, NULL), 0);
	ck_assert_str_eq(fakes[0].value, "100");
	ck_assert_str_eq(fakes[1].value, "100000");
}
END_TEST

START_TEST(a_write_without_effect_is_an_error)
{
	struct fake fakes[] = { { .name = "a", .value = "9", .ignores = true }, { .name = NULL } };
	const struct sysctl_source source = fake_source(fakes);
	const struct sysctl_saved saved[] = { { "a", true, "1" } };
	struct err err;

	ck_assert_int_eq(sysctl_restore_to(&source, saved, 1, NULL, &err), -EIO);
	ck_assert_ptr_nonnull(strstr(err.text, "does not stay"));
}
END_TEST

START_TEST(nothing_to_restore)
{
	size_t changed = 7;

	ck_assert_int_eq(sysctl_restore(NULL, 0, &changed, NULL), 0);
	ck_assert_uint_eq(changed, 0);
}
END_TEST

START_TEST(this_kernel_unchanged)
{
	static const char *const names[] = { "kernel.ostype", "kernel.no_such_thing", NULL };
	struct sysctl_saved saved[2];
	size_t changed = 7;
	struct err err;

	ck_assert_int_eq(sysctl_save(saved, names, &err), 0);
	ck_assert(saved[0].present && !saved[1].present);
	ck_assert_int_eq(sysctl_restore(saved, 2, &changed, &err), 0);
	ck_assert_uint_eq(changed, 0);
}
END_TEST

static TCase *case_files(void)
{
	TCase *files = tcase_create("files");

	tcase_add_checked_fixture(files, make_root, remove_root);
	tcase_add_test(files, values_keep_blanks_but_not_the_newline);
	tcase_add_test(files, a_value_that_does_not_fit_is_an_error);
	tcase_add_test(files, writing_replaces_all_and_creates_nothing);
	tcase_add_test(files, save_and_restore_files);
	tcase_add_test(files, a_value_grown_too_long_is_put_back);
	return files;
}

Suite *suite(void)
{
	Suite *s = suite_create("sysctl");
	TCase *names = tcase_create("names");
	TCase *restore = tcase_create("restore");

	tcase_add_loop_test(names, bad_names_are_refused, 0, 10);
	tcase_add_test(names, overlong_name_is_refused);
	tcase_add_test(names, reads_this_kernel);
	tcase_add_test(restore, save_goes_on_after_an_error);
	tcase_add_test(restore, restore_goes_on_after_an_error);
	tcase_add_test(restore, a_sysctl_that_vanished_is_an_error);
	tcase_add_test(restore, refused_ones_are_tried_again_after_the_others);
	tcase_add_loop_test(restore, a_gate_that_is_to_be_closed_is_opened_for_it, 0, 2);
	tcase_add_test(restore, a_gate_that_is_not_ours_is_left_as_found);
	tcase_add_test(restore, a_write_without_effect_is_an_error);
	tcase_add_test(restore, nothing_to_restore);
	tcase_add_test(restore, this_kernel_unchanged);
	suite_add_tcase(s, names);
	suite_add_tcase(s, case_files());
	suite_add_tcase(s, restore);
	return s;
}
