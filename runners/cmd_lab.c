// SPDX-License-Identifier: GPL-2.0-or-later
/* `pmiproof lab`: finds its own subcommand and leaves the rest to it. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "guest.h"
#include "lab_machine.h"
#include "lab_run.h"
#include "lab_variants.h"
#include "mutate.h"
#include "prove.h"

static int wants_help(int argc, char **argv)
{
	return argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
}

/* A table takes no arguments. Returns -1 to print it, or an exit code. */
static int table_arguments(int argc, char **argv, const char *help)
{
	if (wants_help(argc, argv)) {
		fputs(help, stdout);
		return COMMAND_OK;
	}
	return argc > 1 ? command_error("lab", "%s takes no argument: %s", argv[0], argv[1]) : -1;
}

/* The names of architectures in a set, with blanks between them. */
static const char *archs_text(unsigned int set, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (const struct lab_arch *arch = lab_archs; arch < lab_archs + LAB_ARCHS; arch++)
		if (lab_arch_in(set, arch) && used < size)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "",
						 arch->name);
	return text;
}

static int print_faults(int argc, char **argv)
{
	int code = table_arguments(
		argc, argv,
		"usage: pmiproof lab faults\n\n"
		"Lists hardware that misbehaves on purpose, for --fault of 'pmiproof lab run' and\n"
		"'pmiproof lab shell': name, what the value stands for, value when none is given,\n"
		"architectures that have it, what happens. The emulator knows NAME as property "
		"fault-NAME of its CPU.\n");

	if (code >= 0)
		return code;
	for (const struct lab_fault *fault = lab_faults; fault->name; fault++) {
		char usage[64], archs[64];

		snprintf(usage, sizeof(usage), "%s%s%s", fault->name, fault->argument ? "=" : "",
			 fault->argument ? fault->argument : "");
		printf("%-20s %-6s %-9s  %s\n", usage, fault->argument ? fault->standard : "",
		       archs_text(fault->archs, archs, sizeof(archs)), fault->effect);
	}
	return COMMAND_OK;
}

static int print_models(int argc, char **argv)
{
	int code = table_arguments(
		argc, argv,
		"usage: pmiproof lab models\n\n"
		"Lists CPUs that the lab has, for --cpu-model of 'pmiproof lab run' and 'pmiproof\n"
		"lab shell': name, architecture, performance monitoring (on x86 general-purpose "
		"and\n"
		"fixed counters), branch records, precise sampling. The first is the default.\n");

	if (code >= 0)
		return code;
	for (const struct lab_model *model = lab_models; model->name; model++)
		printf("%-16s %-6s %-24s %-38s %s\n", model->name, model->arch->name,
		       model->perfmon, model->branches, model->precise);
	return COMMAND_OK;
}

/* Tables of variants of the kernels that are built; NULL: that one is not. Returns how many are. */
static size_t open_variants(FILE **tables, struct err *err)
{
	size_t n = 0;

	/* Backwards: what is to be said when there is none is what the first one lacks. */
	for (size_t i = LAB_ARCHS; i-- > 0;) {
		char path[PATH_MAX];

		tables[i] = lab_machine_variants(&lab_archs[i], path, sizeof(path), err)
				    ? NULL
				    : fopen(path, "re");
		n += tables[i] != NULL;
	}
	return n;
}

/* Print those of a table that no table before it has. */
static void print_table(FILE *const *tables, size_t which)
{
	struct lab_variant variant;

	rewind(tables[which]);
	while (lab_variants_next(tables[which], &variant)) {
		unsigned int archs = LAB_ARCH_BIT(which);
		char text[64];

		for (size_t i = 0; i < LAB_ARCHS; i++)
			if (i != which && tables[i] && lab_variants_know(tables[i], variant.name))
				archs |= LAB_ARCH_BIT(i);
		if (archs >> which << which == archs)
			printf("%-28s %-7s %-9s  %s\n", variant.name, variant.kind,
			       archs_text(archs, text, sizeof(text)), variant.what);
	}
}

/* Of the kernels that make lab-kernels and its like built. */
static int print_variants(int argc, char **argv)
{
	int code = table_arguments(
		argc, argv,
		"usage: pmiproof lab variants\n\n"
		"Lists how the kernels of 'make lab-kernels' and 'make lab-alpha' can behave, for\n"
		"--variant of 'pmiproof lab run' and 'pmiproof lab shell': name, kind, "
		"architectures\n"
		"whose kernel has it, what is different. Kinds: patch (proposed or merged), old "
		"(what\n"
		"kernels did before a fix), mutant (a defect made up to see whether a hypothesis\n"
		"notices).\n");
	unsigned int built = 0;
	FILE *tables[LAB_ARCHS];
	char text[64];
	struct err err;

	if (code >= 0)
		return code;
	if (!open_variants(tables, &err))
		return command_error("lab", "%s", err.text);
	for (size_t i = 0; i < LAB_ARCHS; i++)
		built |= tables[i] ? LAB_ARCH_BIT(i) : 0;
	printf("%-28s %-7s %-9s  %s\n", LAB_PLAIN, "", archs_text(built, text, sizeof(text)),
	       "none of these");
	for (size_t i = 0; i < LAB_ARCHS; i++)
		if (tables[i])
			print_table(tables, i);
	for (size_t i = 0; i < LAB_ARCHS; i++)
		if (tables[i])
			fclose(tables[i]);
	return COMMAND_OK;
}

static int guest(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return guest_main();
}

/* Those without a help line are not for people. */
static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "run", lab_run, "test hypotheses on an emulated machine and leave a report" },
	{ "prove", lab_prove, "compare verdicts with what is expected of many machines" },
	{ "mutate", lab_mutate, "see which planted breaks of the kernel are noticed" },
	{ "shell", lab_shell, "a shell on such a machine" },
	{ "faults", print_faults, "list hardware that misbehaves on purpose" },
	{ "models", print_models, "list CPUs to choose from" },
	{ "variants", print_variants, "list kernels that behave in another way" },
	{ "guest", guest, NULL },
};

static void help(FILE *out)
{
	fputs("usage: pmiproof lab COMMAND [OPTION]... [ARGUMENT]...\n\n"
	      "Emulated machines with a PMU, for hypotheses that need one where there is none, "
	      "and\n"
	      "for faults that real hardware does not show on demand. 'make lab' builds it.\n\n",
	      out);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].help)
			fprintf(out, "  %-10s%s\n", commands[i].name, commands[i].help);
	fputs("\n'pmiproof lab COMMAND --help' describes a command.\n", out);
}

int cmd_lab(int argc, char **argv)
{
	if (wants_help(argc, argv)) {
		help(stdout);
		return COMMAND_OK;
	}
	if (argc < 2)
		return command_error("lab", "which command? see 'pmiproof lab --help'");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	return command_error("lab", "no command '%s'; see 'pmiproof lab --help'", argv[1]);
}
