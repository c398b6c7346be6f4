// SPDX-License-Identifier: GPL-2.0-or-later
#include "emulator_args.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* The first process is this command (INITRAMFS_COMMAND), whose words follow the two dashes. */
#define KERNEL_ARGUMENTS "%s rdinit=/pmiproof/pmiproof%s%s%s -- lab guest"

/* Addresses of processes, too, are the same in each run. */
#define EXACT_KERNEL_ARGUMENTS " norandmaps"

void emulator_args_add(struct emulator_args *args, const char *text)
{
	if (args->n < EMULATOR_ARGS_MAX)
		args->argv[args->n++] = (char *)text;
}

void emulator_args_addf(struct emulator_args *args, const char *fmt, ...)
{
	char *text;
	va_list list;

	if (args->n_texts == EMULATOR_TEXTS_MAX)
		return;
	text = args->texts[args->n_texts++];
	va_start(list, fmt);
	vsnprintf(text, sizeof(args->texts[0]), fmt, list);
	va_end(list);
	emulator_args_add(args, text);
}

static void add_all(struct emulator_args *args, const char *const *texts)
{
	for (; *texts; texts++)
		emulator_args_add(args, *texts);
}

/* CPUs and their time. */
static void add_mode(struct emulator_args *args, const struct lab_arch_mode *mode, bool exact)
{
	static const char *const clock[] = { "-rtc", "clock=vm,base=2026-01-01T00:00:00", "-seed",
					     "1", NULL };

	emulator_args_add(args, "-accel");
	emulator_args_add(args, exact ? "tcg,thread=single" : "tcg,thread=multi");
	emulator_args_add(args, "-smp");
	emulator_args_addf(args, "%u", mode->cpus);
	if (!exact)
		return;
	emulator_args_add(args, "-icount");
	emulator_args_addf(args, "shift=%d,sleep=off", mode->shift);
	add_all(args, clock);
}

int emulator_args_kernel(const struct lab_machine *machine, char *text, size_t size,
			 struct err *err)
{
	const struct lab_arch *arch = machine->model->arch;
	char params[2048];
	int result = lab_machine_params(machine, params, sizeof(params), err);
	size_t length;

	if (result)
		return result;
	length = (size_t)snprintf(text, size, KERNEL_ARGUMENTS, arch->arguments,
				  machine->mode == LAB_EXACT ? EXACT_KERNEL_ARGUMENTS : "",
				  *machine->variant ? arch->variant_arguments : "", params);
	return length < size && length <= arch->arguments_max
		       ? 0
		       : err_set(err, 0,
				 "command line of the kernel: %zu characters, %s takes %zu; fewer "
				 "or "
				 "shorter --param and --variant",
				 length, arch->name, arch->arguments_max);
}

int emulator_args_machine(struct emulator_args *args, const struct lab_machine *machine,
			  int initramfs, struct err *err)
{
	static const char *const common[] = { "-nodefaults", "-no-user-config", "-display",
					      "none",	     "-no-reboot",	NULL };
	const struct lab_arch *arch = machine->model->arch;
	bool exact = machine->mode == LAB_EXACT;
	char cpu[2048], kernel[PATH_MAX];
	int result = lab_machine_cpu(machine, cpu, sizeof(cpu), err);

	if (!result)
		result = emulator_args_kernel(machine, kernel, sizeof(kernel), err);
	if (result)
		return result;
	emulator_args_addf(args, "%s/bin/%s", machine->qemu, arch->program);
	emulator_args_add(args, "-L");
	emulator_args_addf(args, "%s/share/qemu", machine->qemu);
	add_all(args, common);
	emulator_args_add(args, "-M");
	emulator_args_add(args, arch->machine);
	emulator_args_add(args, "-m");
	emulator_args_add(args, arch->memory);
	add_mode(args, &arch->modes[machine->mode], exact);
	emulator_args_add(args, "-cpu");
	emulator_args_addf(args, "%s", cpu);
	emulator_args_add(args, "-kernel");
	emulator_args_add(args, machine->kernel);
	emulator_args_add(args, "-initrd");
	emulator_args_addf(args, "/proc/self/fd/%d", initramfs);
	emulator_args_add(args, "-append");
	emulator_args_addf(args, "%s", kernel);
	return 0;
}

void emulator_args_port(struct emulator_args *args, const char *chardev, enum port port)
{
	emulator_args_add(args, "-device");
	emulator_args_addf(args, "isa-debugcon,iobase=0x%x,chardev=%s", port, chardev);
}
