// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of the emulator for each architecture and mode, whole. */
#include "emulator_args.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite(void);

/* What each machine has, before and after what is of its architecture and mode. */
#define FIXED " -nodefaults -no-user-config -display none -no-reboot "
#define CLOCK " -rtc clock=vm,base=2026-01-01T00:00:00 -seed 1"
#define X86_ABSENT                                                                         \
	",pcid=off,x2apic=off,tsc-deadline=off,hle=off,rtm=off,invpcid=off,rdseed=off,"    \
	"3dnowprefetch=off,xsavec=off,avx512f=off,avx512dq=off,avx512cd=off,avx512bw=off," \
	"avx512vl=off"
#define BOOT " -kernel /k -initrd /proc/self/fd/9 -append console=ttyS0 quiet panic=-1"
#define X86_BOOT BOOT " nokaslr mitigations=off tsc=reliable random.trust_cpu=on"
#define FIRST " rdinit=/pmiproof/pmiproof"
#define X86 "/q/bin/qemu-system-x86_64 -L /q/share/qemu" FIXED "-M pc -m 1024 "
#define ALPHA                                                                  \
	"/q/bin/qemu-system-alpha -L /q/share/qemu" FIXED "-M clipper -m 512 " \
	"-accel tcg,thread=single -smp 1 -icount shift=4,sleep=off" CLOCK

static const struct {
	const char *model, *mode, *fault, *variant, *param;
	const char *expected;
} lines[] = {
	{ "Skylake-Client", NULL, NULL, NULL, NULL,
	  X86 "-accel tcg,thread=multi -smp 2 -cpu Skylake-Client" X86_ABSENT
	      ",pmu=on" X86_BOOT FIRST " -- lab guest" },
	{ "SandyBridge", "exact", "lost-pmi=9", "freeze", "nosmt",
	  X86 "-accel tcg,thread=single -smp 1 -icount shift=0,sleep=off" CLOCK
	      " -cpu SandyBridge,stepping=7" X86_ABSENT ",pmu=on,fault-lost-pmi=9" X86_BOOT FIRST
	      " norandmaps pmi_apic_hz=1000000000 pmi_variant=freeze nosmt -- lab guest" },
	{ "ev67-500", NULL, NULL, NULL, NULL,
	  ALPHA " -cpu ev67,frequency=500,pmu=on" BOOT " epoch=2000" FIRST
		" norandmaps -- lab guest" },
	{ "ev67-667", "exact", NULL, "fixed", "x=1",
	  ALPHA " -cpu ev67,frequency=667,pmu=on" BOOT " epoch=2000" FIRST
		" norandmaps pmi_variant=fixed x=1 -- lab guest" },
};

/* The arguments with blanks between them: to be freed. */
static char *join(const struct emulator_args *args)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < args->n; i++)
		fprintf(out, "%s%s", i ? " " : "", args->argv[i]);
	fclose(out);
	ck_assert_ptr_null(args->argv[args->n]);
	return text;
}

START_TEST(whole_lines)
{
	struct lab_machine machine = { .qemu = "/q", .kernel = "/k", .model = lab_models };
	struct emulator_args args = { .n = 0 };
	struct err err = { .text = "" };
	char *text;

	if (lines[_i].mode)
		ck_assert_int_eq(lab_machine_mode(&machine, lines[_i].mode, &err), 0);
	if (lines[_i].fault)
		ck_assert_int_eq(lab_machine_fault(&machine, lines[_i].fault, &err), 0);
	if (lines[_i].variant)
		ck_assert_int_eq(lab_machine_variant(&machine, lines[_i].variant, &err), 0);
	if (lines[_i].param)
		ck_assert_int_eq(lab_machine_param(&machine, lines[_i].param, &err), 0);
	ck_assert_int_eq(lab_machine_model(&machine, lines[_i].model, &err), 0);
	ck_assert_msg(!lab_machine_complete(&machine, &err), "%s", err.text);
	ck_assert_int_eq(emulator_args_machine(&args, &machine, 9, &err), 0);
	text = join(&args);
	ck_assert_str_eq(text, lines[_i].expected);
	free(text);
}
END_TEST

/* What QEMU and the kernel would cut is refused. */
START_TEST(too_long)
{
	struct lab_machine machine = { .qemu = "/q", .kernel = "/k" };
	struct emulator_args args = { .n = 0 };
	struct err err = { .text = "" };
	char param[128] = "", text[4096];
	size_t length;

	ck_assert_int_eq(lab_machine_model(&machine, "ev67-500", &err), 0);
	ck_assert_int_eq(lab_machine_complete(&machine, &err), 0);
	memset(param, 'x', 100);
	ck_assert_int_eq(lab_machine_param(&machine, param, &err), 0);
	ck_assert_int_eq(emulator_args_kernel(&machine, text, sizeof(text), &err), 0);
	/* Another one with its blank: to the last character, or one beyond. */
	length = 255 - strlen(text) - 1 + (size_t)_i;
	ck_assert_uint_lt(length, sizeof(param));
	memset(param, 'y', length);
	param[length] = '\0';
	ck_assert_int_eq(lab_machine_param(&machine, param, &err), 0);
	ck_assert_int_eq(emulator_args_machine(&args, &machine, 9, &err), _i ? -EINVAL : 0);
	if (_i)
		ck_assert_ptr_nonnull(strstr(err.text, "256 characters, alpha takes 255"));
}
END_TEST

START_TEST(ports)
{
	struct emulator_args args = { .n = 0 };
	char *text;

	emulator_args_port(&args, "records", PORT_RECORDS);
	emulator_args_port(&args, "pulse", PORT_PULSE);
	text = join(&args);
	ck_assert_str_eq(text, "-device isa-debugcon,iobase=0x5e8,chardev=records "
			       "-device isa-debugcon,iobase=0x5ea,chardev=pulse");
	free(text);
}
END_TEST

Suite *suite(void)
{
	Suite *suite = suite_create("emulator_args");
	TCase *tcase = tcase_create("args");

	tcase_add_loop_test(tcase, whole_lines, 0, (int)(sizeof(lines) / sizeof(lines[0])));
	tcase_add_loop_test(tcase, too_long, 0, 2);
	tcase_add_test(tcase, ports);
	suite_add_tcase(suite, tcase);
	return suite;
}
