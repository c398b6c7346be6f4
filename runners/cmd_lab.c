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

static int print_faults(int argc, char **argv)
{
	int code = table_arguments(
		argc, argv,
		"usage: pmiproof lab faults\n\n"
		"Lists hardware that misbehaves on purpose, for --fault of 'pmiproof lab run' and\n"
		"'pmiproof lab shell': name, what the value stands for, value when none is given,\n"
		"what happens. The emulator knows NAME as property fault-NAME of its CPU.\n");

	if (code >= 0)
		return code;
	for (const struct lab_fault *fault = lab_faults; fault->name; fault++) {
		char usage[64];

		snprintf(usage, sizeof(usage), "%s%s%s", fault->name, fault->argument ? "=" : "",
			 fault->argument ? fault->argument : "");
		printf("%-20s %-6s %s\n", usage, fault->argument ? fault->standard : "",
		       fault->effect);
	}
	return COMMAND_OK;
}

static int print_models(int argc, char **argv)
{
	int code = table_arguments(
		argc, argv,
		"usage: pmiproof lab models\n\n"
		"Lists CPUs that the lab has, for --cpu-model of 'pmiproof lab run' and 'pmiproof\n"
		"lab shell': name, architectural performance monitoring (general-purpose and "
		"fixed\n"
		"counters), last-branch records, precise sampling. The first is the default.\n");

	if (code >= 0)
		return code;
	for (const struct lab_model *model = lab_models; model->name; model++)
		printf("%-16s %-24s LBR %-34s %s\n", model->name, model->perfmon, model->branches,
		       model->precise);
	return COMMAND_OK;
}

/* Of the kernel that make lab-kernels built. */
static int print_variants(int argc, char **argv)
{
	int code = table_arguments(argc, argv,
				   "usage: pmiproof lab variants\n\n"
				   "Lists how the kernel of 'make lab-kernels' can behave, for "
				   "--variant of 'pmiproof lab\n"
				   "run' and 'pmiproof lab shell': name, kind, what is different. "
				   "Kinds: patch (proposed or\n"
				   "merged), old (what kernels did before a fix), mutant (a defect "
				   "made up to see whether\n"
				   "a hypothesis notices).\n");
	char dir[PATH_MAX / 2], path[PATH_MAX];
	struct lab_variant variant;
	struct err err;
	FILE *table;

	if (code >= 0)
		return code;
	if (lab_dir(dir, sizeof(dir), &err))
		return command_error("lab", "%s", err.text);
	snprintf(path, sizeof(path), "%s/variants/variants", dir);
	table = fopen(path, "re");
	if (!table)
		return command_error("lab",
				     "no kernel with variants: run 'make lab-kernels'; %s: %s",
				     path, strerror(errno));
	printf("%-20s %-7s %s\n", LAB_PLAIN, "", "none of these");
	while (lab_variants_next(table, &variant))
		printf("%-20s %-7s %s\n", variant.name, variant.kind, variant.what);
	fclose(table);
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
