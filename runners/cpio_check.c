// SPDX-License-Identifier: GPL-2.0-or-later
#include "cpio.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "initramfs.h"

Suite *suite(void);

/* What a shell command prints, in memory that belongs to the caller. */
static void output_of(const char *command, char *text, size_t size)
{
	FILE *out = popen(command, "re"); /* NOLINT(cert-env33-c): the reader is another program */
	size_t got;

	ck_assert_ptr_nonnull(out);
	got = fread(text, 1, size - 1, out);
	text[got] = '\0';
	ck_assert_int_eq(pclose(out), 0);
}

/* Another program reads it: cpio(1). Two archives follow each other, as the kernel allows. */
START_TEST(cpio_reads_it)
{
	char path[] = "/tmp/cpio_check.XXXXXX";
	char command[256], text[4096];
	int fd = mkstemp(path);
	FILE *out = fdopen(fd, "w");
	struct cpio cpio;
	struct err err;

	ck_assert_ptr_nonnull(out);
	cpio_begin(&cpio, out);
	cpio_dir(&cpio, "d");
	cpio_data(&cpio, "d/three", 0644, "abc", 3);
	cpio_data(&cpio, "d/empty", 0600, "", 0);
	cpio_link(&cpio, "link", "d/three");
	ck_assert_int_eq(cpio_file(&cpio, "version", 0755, "/bin/sh", &err), 0);
	ck_assert_int_eq(cpio_file(&cpio, "x", 0755, "/nonexistent", &err), -ENOENT);
	ck_assert_int_eq(cpio_file(&cpio, "x", 0755, "/proc", &err), -EINVAL);
	ck_assert_int_eq(cpio_end(&cpio, &err), 0);
	ck_assert_uint_eq(cpio.written % 512, 0);
	fclose(out);

	snprintf(command, sizeof(command), "cpio -itv --quiet -n <%s | sed 's/  */ /g'", path);
	output_of(command, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "drwxr-xr-x 1 0 0 0 "));
	ck_assert_ptr_nonnull(strstr(text, "-rw-r--r-- 1 0 0 3 "));
	ck_assert_ptr_nonnull(strstr(text, "-rw------- 1 0 0 0 "));
	ck_assert_ptr_nonnull(strstr(text, " link -> d/three\n"));
	snprintf(command, sizeof(command), "cpio -i --quiet --to-stdout d/three <%s", path);
	output_of(command, text, sizeof(text));
	ck_assert_str_eq(text, "abc");
	snprintf(command, sizeof(command),
		 "cpio -i --quiet --to-stdout version <%s | cmp - /bin/sh && echo same", path);
	output_of(command, text, sizeof(text));
	ck_assert_str_eq(text, "same\n");
	remove(path);
}
END_TEST

START_TEST(a_full_disk_is_told)
{
	FILE *out = fopen("/dev/full", "we");
	struct cpio cpio;
	struct err err;

	ck_assert_ptr_nonnull(out);
	cpio_begin(&cpio, out);
	cpio_dir(&cpio, "d");
	ck_assert_int_eq(cpio_end(&cpio, &err), -ENOSPC);
	fclose(out);
}
END_TEST

START_TEST(libraries_in_what_the_loader_prints)
{
	static const struct {
		const char *line, *path;
		bool missing;
	} rows[] = {
		{ "\tlinux-vdso.so.1 (0x00007fdb24a24000)", NULL, false },
		{ "\tlibm.so.6 => /lib/x/libm.so.6 (0x00007f)", "/lib/x/libm.so.6", false },
		{ "\t/lib64/ld-linux-x86-64.so.2 (0x0000)", "/lib64/ld-linux-x86-64.so.2", false },
		{ "\tlibnosuch.so => not found", NULL, true },
		{ "\tstatically linked", NULL, false },
		{ "", NULL, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char line[128];
		bool missing;
		const char *path;

		snprintf(line, sizeof(line), "%s", rows[i].line);
		path = initramfs_library(line, &missing);
		ck_assert_msg(missing == rows[i].missing, "%s", rows[i].line);
		if (rows[i].path)
			ck_assert_str_eq(path, rows[i].path);
		else
			ck_assert_ptr_null(path);
	}
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("cpio");
	TCase *tc = tcase_create("cpio");

	tcase_add_test(tc, cpio_reads_it);
	tcase_add_test(tc, a_full_disk_is_told);
	tcase_add_test(tc, libraries_in_what_the_loader_prints);
	suite_add_tcase(s, tc);
	return s;
}
