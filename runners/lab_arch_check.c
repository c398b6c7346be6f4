// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab_arch.h"

#include <check.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *suite(void);

START_TEST(modes)
{
	enum lab_mode mode;

	for (enum lab_mode i = LAB_SMP; i < LAB_MODES; i++) {
		ck_assert_int_eq(lab_mode_parse(lab_mode_name(i), &mode), 0);
		ck_assert_int_eq(mode, i);
	}
	ck_assert_int_eq(lab_mode_parse("fast", &mode), -EINVAL);
}
END_TEST

START_TEST(table_is_sound)
{
	for (size_t i = 0; i < LAB_ARCHS; i++) {
		const struct lab_arch *arch = &lab_archs[i];
		char path[128];

		ck_assert_uint_gt(arch->modes[arch->standard].cpus, 0);
		ck_assert_uint_eq(arch->modes[LAB_EXACT].cpus, 1);
		for (size_t m = 0; m < LAB_MODES; m++)
			ck_assert_uint_le(arch->modes[m].cpus, LAB_CPUS_MAX);
		for (size_t j = 0; j < i; j++) {
			ck_assert_str_ne(arch->name, lab_archs[j].name);
			ck_assert_str_ne(arch->subdir, lab_archs[j].subdir);
			ck_assert_uint_ne(arch->machine_id, lab_archs[j].machine_id);
		}
		/* The name is the one that its sources go by. */
		snprintf(path, sizeof(path), "fixtures/kernels/%s/build", arch->name);
		ck_assert_msg(!access(path, R_OK), "%s", path);
	}
}
END_TEST

START_TEST(sets)
{
	unsigned int alpha = LAB_ARCH_BIT(LAB_ALPHA);

	ck_assert(lab_arch_in(alpha, &lab_archs[LAB_ALPHA]));
	ck_assert(!lab_arch_in(alpha, &lab_archs[LAB_X86]));
	ck_assert(!lab_arch_in(0, &lab_archs[LAB_X86]));
}
END_TEST

static const struct {
	const char *magic;
	unsigned int machine;
	size_t size;
	int arch; /* -1: refused */
	const char *why;
} kernels[] = {
	{ ELFMAG, EM_ALPHA, sizeof(Elf64_Ehdr), LAB_ALPHA, "" },
	{ ELFMAG, EM_X86_64, sizeof(Elf64_Ehdr), LAB_X86, "" },
	{ ELFMAG, EM_AARCH64, sizeof(Elf64_Ehdr), -1, "an ELF file for machine 183" },
	{ "MZ..", EM_ALPHA, sizeof(Elf64_Ehdr), LAB_X86, "" },
	{ ELFMAG, EM_ALPHA, sizeof(Elf64_Ehdr) - 1, LAB_X86, "" },
	{ ELFMAG, EM_ALPHA, 0, LAB_X86, "" },
};

START_TEST(kernels_tell_their_architecture)
{
	Elf64_Ehdr header = { .e_machine = (Elf64_Half)kernels[_i].machine };
	char path[] = "/tmp/lab-arch-XXXXXX";
	const struct lab_arch *arch = NULL;
	int fd = mkstemp(path);
	struct err err;
	int result;

	ck_assert_int_ge(fd, 0);
	memcpy(header.e_ident, kernels[_i].magic, SELFMAG);
	ck_assert_int_eq(write(fd, &header, kernels[_i].size), (ssize_t)kernels[_i].size);
	close(fd);
	result = lab_arch_of_kernel(path, &arch, &err);
	unlink(path);
	if (kernels[_i].arch < 0) {
		ck_assert_int_eq(result, -EINVAL);
		ck_assert_msg(strstr(err.text, kernels[_i].why), "%s", err.text);
	} else {
		ck_assert_int_eq(result, 0);
		ck_assert_ptr_eq(arch, &lab_archs[kernels[_i].arch]);
	}
}
END_TEST

START_TEST(what_is_no_kernel)
{
	const struct lab_arch *arch;
	struct err err;

	ck_assert_int_eq(lab_arch_of_kernel("/nonexistent/vmlinuz", &arch, &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "kernel /nonexistent/vmlinuz: ENOENT"));
	ck_assert_int_eq(lab_arch_of_kernel("/tmp", &arch, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "kernel /tmp: not a file"));
}
END_TEST

Suite *suite(void)
{
	Suite *suite = suite_create("lab_arch");
	TCase *tcase = tcase_create("arch");

	tcase_add_test(tcase, modes);
	tcase_add_test(tcase, table_is_sound);
	tcase_add_test(tcase, sets);
	tcase_add_loop_test(tcase, kernels_tell_their_architecture, 0,
			    (int)(sizeof(kernels) / sizeof(kernels[0])));
	tcase_add_test(tcase, what_is_no_kernel);
	suite_add_tcase(suite, tcase);
	return suite;
}
