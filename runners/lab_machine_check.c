// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab_machine.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

Suite *suite(void);

static void refuses(struct lab_machine *machine, const char *fault, const char *why)
{
	size_t before = machine->n_faults;
	struct err err;

	ck_assert_int_eq(lab_machine_fault(machine, fault, &err), -EINVAL);
	ck_assert_msg(strstr(err.text, why), "%s: %s", fault, err.text);
	ck_assert_uint_eq(machine->n_faults, before);
}

START_TEST(faults_are_checked)
{
	struct lab_machine machine = { .model = lab_models };
	struct err err;

	ck_assert_int_eq(lab_machine_fault(&machine, "lost-pmi", &err), 0);
	ck_assert_int_eq(lab_machine_fault(&machine, "sticky-mask=0x3", &err), 0);
	ck_assert_int_eq(lab_machine_fault(&machine, "shadow", &err), 0);
	ck_assert_str_eq(machine.faults[0], "lost-pmi=7");
	ck_assert_str_eq(machine.faults[1], "sticky-mask=0x3");
	ck_assert_str_eq(machine.faults[2], "shadow=on");
	refuses(&machine, "nosuch", "none that the lab has");
	refuses(&machine, "", "none that the lab has");
	refuses(&machine, "lost", "none that the lab has");
	refuses(&machine, "lost-pmi,pmu=off", "none that the lab has");
	refuses(&machine, "early-freeze=3,pmu=off", "not a number");
	refuses(&machine, "early-freeze=-3", "not a number");
	refuses(&machine, "early-freeze=", "not a number");
	refuses(&machine, "early-freeze=99999999999999999999", "not a number");
	refuses(&machine, "sticky-any=on", "takes no value");
	refuses(&machine, "lost-pmi=9", "given twice");
	ck_assert(!lab_machine_is_slow(&machine));
	ck_assert_int_eq(lab_machine_fault(&machine, "slow-msr=500", &err), 0);
	ck_assert(lab_machine_is_slow(&machine));
}
END_TEST

START_TEST(cpu_has_model_and_faults)
{
	struct lab_machine machine = { .model = lab_models };
	char text[2048], small[40];
	struct err err;

	ck_assert_int_eq(lab_machine_model(&machine, "Nehalem", &err), 0);
	ck_assert_int_eq(lab_machine_model(&machine, "nosuch", &err), -EINVAL);
	ck_assert_str_eq(machine.model->name, "Nehalem");
	ck_assert_int_eq(lab_machine_fault(&machine, "slow-msr=500", &err), 0);
	ck_assert_int_eq(lab_machine_cpu(&machine, text, sizeof(text), &err), 0);
	ck_assert_ptr_eq(strstr(text, "Nehalem,"), text);
	ck_assert_ptr_nonnull(strstr(text, ",pmu=on,fault-slow-msr=500"));
	ck_assert_int_eq(lab_machine_cpu(&machine, small, sizeof(small), &err), -E2BIG);
}
END_TEST

START_TEST(tables_are_sound)
{
	for (const struct lab_fault *fault = lab_faults; fault->name; fault++) {
		struct lab_machine machine = { .model = lab_models };
		struct err err;

		ck_assert_ptr_nonnull(fault->effect);
		ck_assert_msg(!lab_machine_fault(&machine, fault->name, &err), "%s", err.text);
		for (const struct lab_fault *other = lab_faults; other != fault; other++)
			ck_assert_str_ne(other->name, fault->name);
	}
}
END_TEST

START_TEST(modes)
{
	enum lab_mode mode;

	for (enum lab_mode i = LAB_SMP; i <= LAB_EXACT; i++) {
		ck_assert_int_eq(lab_mode_parse(lab_mode_name(i), &mode), 0);
		ck_assert_int_eq(mode, i);
	}
	ck_assert_int_eq(lab_mode_parse("fast", &mode), -EINVAL);
	ck_assert_uint_eq(lab_mode_cpus(LAB_EXACT), 1);
	ck_assert_uint_eq(lab_mode_cpus(LAB_SMP), 2);
}
END_TEST

START_TEST(what_is_missing_is_named)
{
	struct lab_machine machine = { .model = lab_models };
	struct err err;

	setenv("LAB_DIR", "/nonexistent/lab", 1);
	ck_assert_int_eq(lab_machine_find(&machine, NULL, &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "make lab"));
	ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent/lab/qemu"));
}
END_TEST

START_TEST(params_follow_each_other)
{
	struct lab_machine machine = { .model = lab_models };
	char text[64], small[12];
	struct err err;

	ck_assert_int_eq(lab_machine_params(&machine, text, sizeof(text), &err), 0);
	ck_assert_str_eq(text, "");
	ck_assert_int_eq(lab_machine_variant(&machine, "freeze,prec-dist", &err), 0);
	ck_assert_int_eq(lab_machine_param(&machine, "x86.fixed=1", &err), 0);
	ck_assert_int_eq(lab_machine_param(&machine, "nosmt", &err), 0);
	ck_assert_int_eq(lab_machine_params(&machine, text, sizeof(text), &err), 0);
	ck_assert_str_eq(text, " pmi_variant=freeze,prec-dist x86.fixed=1 nosmt");
	ck_assert_int_eq(lab_machine_params(&machine, small, sizeof(small), &err), -E2BIG);
	machine = (struct lab_machine){ .variant = "plain" };
	ck_assert_int_eq(lab_machine_params(&machine, text, sizeof(text), &err), 0);
	ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(params_are_checked)
{
	static const char *const bad[] = { "",	  "--",	      "a b",	      "a\tb",
					   "a\n", "\xc3\xa4", "pmi_variant=x" };
	struct lab_machine machine = { .model = lab_models };
	char longest[sizeof(machine.params[0]) + 1];
	struct err err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_int_eq(lab_machine_param(&machine, bad[i], &err), -EINVAL);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ck_assert_int_eq(lab_machine_param(&machine, longest, &err), -EINVAL);
	ck_assert_int_eq(lab_machine_param(&machine, longest + 1, &err), 0);
	for (size_t i = 1; i < LAB_PARAMS_MAX; i++)
		ck_assert_int_eq(lab_machine_param(&machine, "quiet", &err), 0);
	ck_assert_int_eq(lab_machine_param(&machine, "quiet", &err), -EINVAL);
	ck_assert_uint_eq(machine.n_params, LAB_PARAMS_MAX);
}
END_TEST

static void put_file(const char *dir, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fchmod(fileno(file), 0700);
	fclose(file);
}

static void put_dir(const char *dir, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

START_TEST(kernel_is_found)
{
	char dir[] = "/tmp/lab-machine-XXXXXX", own[64], command[64];
	struct lab_machine plain = { 0 }, variant = { .variant = "freeze" };
	struct lab_machine nosuch = { .variant = "nosuch" };
	struct err err;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	put_dir(dir, "qemu");
	put_dir(dir, "qemu/bin");
	put_dir(dir, "kernel");
	put_file(dir, "qemu/bin/qemu-system-x86_64", "");
	put_file(dir, "kernel/vmlinuz", "");
	put_file(dir, "own", "");
	setenv("LAB_DIR", dir, 1);
	unsetenv("LAB_KERNEL");
	ck_assert_int_eq(lab_machine_find(&plain, NULL, &err), 0);
	ck_assert_ptr_nonnull(strstr(plain.kernel, "/kernel/vmlinuz"));
	ck_assert_int_eq(lab_machine_find(&variant, NULL, &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "make lab-kernels"));
	put_dir(dir, "variants");
	put_file(dir, "variants/vmlinuz", "");
	put_file(dir, "variants/variants", "freeze patch x86 x\n");
	ck_assert_int_eq(lab_machine_find(&variant, NULL, &err), 0);
	ck_assert_ptr_nonnull(strstr(variant.kernel, "/variants/vmlinuz"));
	ck_assert_int_eq(lab_machine_find(&nosuch, NULL, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "lab variants"));
	/* Without a table beside it a kernel judges for itself. */
	snprintf(own, sizeof(own), "%s/own", dir);
	ck_assert_int_eq(lab_machine_find(&nosuch, own, &err), 0);
	ck_assert_str_eq(nosuch.kernel, own);
	setenv("LAB_KERNEL", own, 1);
	ck_assert_int_eq(lab_machine_find(&variant, NULL, &err), 0);
	ck_assert_str_eq(variant.kernel, own);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0); /* NOLINT(cert-env33-c) */
}
END_TEST

START_TEST(a_sysctl_that_a_parameter_sets)
{
	struct lab_machine machine = { .model = lab_models };
	struct err err;

	ck_assert(!lab_machine_sets(&machine, "kernel.x"));
	ck_assert_int_eq(lab_machine_param(&machine, "sysctl.kernel.xy=1", &err), 0);
	ck_assert_int_eq(lab_machine_param(&machine, "kernel.x=1", &err), 0);
	ck_assert(!lab_machine_sets(&machine, "kernel.x"));
	ck_assert_int_eq(lab_machine_param(&machine, "sysctl.kernel.x=1", &err), 0);
	ck_assert(lab_machine_sets(&machine, "kernel.x"));
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("lab_machine");
	TCase *tc = tcase_create("machine");

	tcase_add_test(tc, faults_are_checked);
	tcase_add_test(tc, cpu_has_model_and_faults);
	tcase_add_test(tc, tables_are_sound);
	tcase_add_test(tc, modes);
	tcase_add_test(tc, what_is_missing_is_named);
	tcase_add_test(tc, params_follow_each_other);
	tcase_add_test(tc, params_are_checked);
	tcase_add_test(tc, kernel_is_found);
	tcase_add_test(tc, a_sysctl_that_a_parameter_sets);
	suite_add_tcase(s, tc);
	return s;
}
