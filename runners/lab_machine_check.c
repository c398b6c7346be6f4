// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab_machine.h"

#include <check.h>
#include <elf.h>
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
	for (const struct lab_model *model = lab_models; model->name; model++) {
		ck_assert_msg(model->arch && model->perfmon && model->branches && model->precise,
			      "%s", model->name);
		for (const struct lab_model *other = lab_models; other != model; other++)
			ck_assert_str_ne(other->name, model->name);
	}
	for (const struct lab_fault *fault = lab_faults; fault->name; fault++) {
		struct lab_machine machine = { .model = lab_models };
		struct err err;

		ck_assert_ptr_nonnull(fault->effect);
		ck_assert_uint_ne(fault->archs, 0);
		ck_assert_msg(!lab_machine_fault(&machine, fault->name, &err), "%s", err.text);
		for (const struct lab_fault *other = lab_faults; other != fault; other++)
			ck_assert_str_ne(other->name, fault->name);
	}
}
END_TEST

START_TEST(alpha_has_models_of_its_own)
{
	struct lab_machine machine = { .model = lab_models };
	char text[256];
	struct err err;

	ck_assert_int_eq(lab_machine_model(&machine, "ev67-667", &err), 0);
	ck_assert_ptr_eq(machine.model->arch, &lab_archs[LAB_ALPHA]);
	ck_assert_int_eq(lab_machine_fault(&machine, "lost-pmi=3", &err), 0);
	ck_assert_int_eq(lab_machine_cpu(&machine, text, sizeof(text), &err), 0);
	ck_assert_str_eq(text, "ev67,frequency=667,pmu=on,fault-lost-pmi=3");
}
END_TEST

/* What is asked for, in any order, and what becomes of it. */
static const struct {
	const char *mode, *fault, *model;
	const char *why; /* NULL: complete, with this many CPUs */
	unsigned int cpus;
} asked[] = {
	{ NULL, NULL, "Haswell", NULL, 2 },
	{ "smp", NULL, "Haswell", NULL, 2 },
	{ "exact", "shadow", "Haswell", NULL, 1 },
	{ NULL, NULL, "ev67-500", NULL, 1 },
	{ "exact", "lost-pmi", "ev67-500", NULL, 1 },
	{ "smp", NULL, "ev67-500", "--mode smp: not on ev67-500, which is alpha", 0 },
	{ NULL, "shadow", "ev67-500", "--fault shadow: not on ev67-500, which is alpha", 0 },
	{ "exact", "sticky-mask=3", "ev67-250", "--fault sticky-mask: not on ev67-250", 0 },
};

START_TEST(order_does_not_matter)
{
	struct err err = { .text = "" };

	for (int model_first = 0; model_first < 2; model_first++) {
		struct lab_machine machine = { .model = lab_models };

		if (model_first)
			ck_assert_int_eq(lab_machine_model(&machine, asked[_i].model, &err), 0);
		if (asked[_i].mode)
			ck_assert_int_eq(lab_machine_mode(&machine, asked[_i].mode, &err), 0);
		if (asked[_i].fault)
			ck_assert_int_eq(lab_machine_fault(&machine, asked[_i].fault, &err), 0);
		if (!model_first)
			ck_assert_int_eq(lab_machine_model(&machine, asked[_i].model, &err), 0);
		ck_assert_int_eq(lab_machine_complete(&machine, &err), asked[_i].why ? -EINVAL : 0);
		if (asked[_i].why)
			ck_assert_msg(strstr(err.text, asked[_i].why), "%s", err.text);
		else
			ck_assert_uint_eq(lab_machine_cpus(&machine), asked[_i].cpus);
	}
}
END_TEST

START_TEST(what_is_no_mode)
{
	struct lab_machine machine = { .model = lab_models };
	struct err err;

	ck_assert_int_eq(lab_machine_mode(&machine, "fast", &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "--mode fast: not smp or exact"));
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
	ck_assert_int_eq(lab_machine_model(&machine, "ev67-500", &err), 0);
	ck_assert_int_eq(lab_machine_find(&machine, NULL, &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "make lab-alpha"));
	ck_assert_ptr_nonnull(
		strstr(err.text, "/nonexistent/lab/alpha/qemu/bin/qemu-system-alpha"));
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
	struct lab_machine plain = { .model = lab_models };
	struct lab_machine variant = { .model = lab_models, .variant = "freeze" };
	struct lab_machine nosuch = { .model = lab_models, .variant = "nosuch" };
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

static void put_elf(const char *dir, const char *name, unsigned int machine)
{
	Elf64_Ehdr header = { .e_ident = ELFMAG, .e_machine = (Elf64_Half)machine };
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(&header, sizeof(header), 1, file), 1);
	fclose(file);
}

/* Another architecture has files of its own, and takes no kernel but its own kind. */
START_TEST(alpha_is_found)
{
	static const char *const folders[] = { "alpha", "alpha/qemu", "alpha/qemu/bin",
					       "alpha/variants", "alpha/guest" };
	char dir[] = "/tmp/lab-machine-XXXXXX", kernel[64], command[64];
	struct lab_machine alpha = { 0 }, x86 = { .model = lab_models };
	struct err err;

	ck_assert_int_eq(lab_machine_model(&alpha, "ev67-500", &err), 0);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		put_dir(dir, folders[i]);
	put_dir(dir, "qemu");
	put_dir(dir, "qemu/bin");
	put_file(dir, "qemu/bin/qemu-system-x86_64", "");
	put_file(dir, "bzImage", "");
	put_file(dir, "alpha/qemu/bin/qemu-system-alpha", "");
	setenv("LAB_DIR", dir, 1);
	unsetenv("LAB_KERNEL");
	ck_assert_int_eq(lab_machine_find(&alpha, NULL, &err), -ENOENT);
	ck_assert_msg(strstr(err.text, "run 'make lab-alpha'"), "%s", err.text);
	put_elf(dir, "alpha/variants/vmlinuz", EM_ALPHA);
	put_file(dir, "alpha/variants/variants", "fixed patch alpha x\n");
	ck_assert_int_eq(lab_machine_find(&alpha, NULL, &err), -ENOENT);
	ck_assert_msg(strstr(err.text, "no programs for alpha"), "%s", err.text);
	put_file(dir, "alpha/guest/pmiproof", "");
	/* No variant asked for and any: it is the same kernel. */
	ck_assert_msg(!lab_machine_find(&alpha, NULL, &err), "%s", err.text);
	snprintf(kernel, sizeof(kernel), "%s/alpha/variants/vmlinuz", dir);
	ck_assert_str_eq(alpha.kernel, kernel);
	ck_assert_ptr_nonnull(strstr(alpha.programs, "/alpha/guest"));
	strcpy(alpha.variant, "fixed");
	ck_assert_int_eq(lab_machine_find(&alpha, NULL, &err), 0);
	ck_assert_str_eq(alpha.kernel, kernel);
	strcpy(alpha.variant, "freeze");
	ck_assert_int_eq(lab_machine_find(&alpha, NULL, &err), -EINVAL);
	ck_assert_int_eq(lab_machine_find(&x86, kernel, &err), -EINVAL);
	ck_assert_msg(strstr(err.text, "for alpha, not x86 as Skylake-Client is"), "%s", err.text);
	snprintf(kernel, sizeof(kernel), "%s/bzImage", dir);
	ck_assert_int_eq(lab_machine_find(&x86, kernel, &err), 0);
	ck_assert_str_eq(x86.programs, "");
	ck_assert_int_eq(lab_machine_find(&alpha, kernel, &err), -EINVAL);
	ck_assert_msg(strstr(err.text, "for x86, not alpha as ev67-500 is"), "%s", err.text);
	setenv("LAB_KERNEL", kernel, 1);
	ck_assert_int_eq(lab_machine_find(&alpha, NULL, &err), -EINVAL);
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
	tcase_add_test(tc, alpha_has_models_of_its_own);
	tcase_add_loop_test(tc, order_does_not_matter, 0, (int)(sizeof(asked) / sizeof(asked[0])));
	tcase_add_test(tc, what_is_no_mode);
	tcase_add_test(tc, what_is_missing_is_named);
	tcase_add_test(tc, params_follow_each_other);
	tcase_add_test(tc, params_are_checked);
	tcase_add_test(tc, kernel_is_found);
	tcase_add_test(tc, alpha_is_found);
	tcase_add_test(tc, a_sysctl_that_a_parameter_sets);
	suite_add_tcase(s, tc);
	return s;
}
