// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "emulator_args.h"

#define MACHINE_HELP                                                                              \
	"      --cpu-model M    CPU of the machine (see 'pmiproof lab models')\n"                 \
	"      --fault NAME[=N] hardware that misbehaves (see 'pmiproof lab faults'); may be\n"   \
	"                       repeated\n"                                                       \
	"      --variant NAME   the kernel with variants, with these on (see 'pmiproof lab\n"     \
	"                       variants'; NAME[,NAME]...; plain: none); may be repeated\n"       \
	"      --param TEXT     parameter for the kernel's command line; may be repeated\n"       \
	"      --kernel FILE    kernel to boot, of the CPU's architecture (default:\n"            \
	"                       $LAB_KERNEL, else the lab's own)\n"                               \
	"      --mode MODE      smp: two CPUs, real time; exact: one CPU, time counts\n"          \
	"                       instructions, user counts and addresses are the same in each "    \
	"run\n"                                                                                   \
	"                       (default: the first that the architecture has)\n"                 \
	"      --with PATH      a program and its libraries, or a folder of such: /with/NAME in " \
	"the\n"                                                                                   \
	"                       machine; may be repeated (not on an Alpha)\n"

static const char run_help[] =
	"usage: pmiproof lab run [OPTION]... [PATTERN...]\n\n"
	"Tests hypotheses on an emulated machine, where nothing real can hang, and leaves a "
	"report.\n"
	"A machine that dies is replaced by a new one for the next test.\n\n" MACHINE_HELP
	"      --unmet          only hypotheses that need a PMU and cannot run here; then the "
	"report\n"
	"                       of -o DIR goes to DIR-lab\n\n"
	"As in 'pmiproof run', where --help says more: -o DIR, --repeat N, --cpu LIST,\n"
	"--timeout-scale X, --label K=V, --allow LEVEL (default: may-hang),\n"
	"--bound HYPOTHESIS.CHECK=VALUE, --option HYPOTHESIS.NAME=VALUE, --workload CMD, --ktap,\n"
	"--known FILE, --suites DIR. Exit codes, too.\n\n"
	"Figures from the lab describe the emulation, not silicon.\n";

static const char shell_help[] =
	"usage: pmiproof lab shell [OPTION]...\n\n"
	"A shell on the serial console of an emulated machine; hypotheses are in "
	"/pmiproof/suites,\n"
	"perf is there if it is installed here. Its end switches the machine off, Ctrl-A X kills\n"
	"it.\n\n" MACHINE_HELP "      --suites DIR     where the hypotheses are\n";

enum {
	OPT_CPU_MODEL = RUN_OPTIONS_MORE,
	OPT_FAULT,
	OPT_KERNEL,
	OPT_MODE,
	OPT_PARAM,
	OPT_VARIANT,
	OPT_WITH,
	OPT_UNMET,
};

static const struct option long_options[] = {
	{ "cpu-model", required_argument, NULL, OPT_CPU_MODEL },
	{ "fault", required_argument, NULL, OPT_FAULT },
	{ "kernel", required_argument, NULL, OPT_KERNEL },
	{ "mode", required_argument, NULL, OPT_MODE },
	{ "param", required_argument, NULL, OPT_PARAM },
	{ "variant", required_argument, NULL, OPT_VARIANT },
	{ "with", required_argument, NULL, OPT_WITH },
	{ "unmet", no_argument, NULL, OPT_UNMET },
	{ 0 },
};

static int add_with(struct lab_options *options, const char *path, struct err *err)
{
	char *real;

	if (options->n_with == LAB_WITH_MAX)
		return err_set(err, 0, "--with %s: more than %d", path, LAB_WITH_MAX);
	real = realpath(path, NULL);
	if (!real)
		return err_set(err, errno, "--with %s", path);
	options->with[options->n_with++] = real;
	return 0;
}

static int take(void *context, int option, const char *value, struct err *err)
{
	struct lab_options *options = context;

	switch (option) {
	case OPT_CPU_MODEL:
		return lab_machine_model(&options->machine, value, err);
	case OPT_FAULT:
		return lab_machine_fault(&options->machine, value, err);
	case OPT_KERNEL:
		options->kernel = value;
		return *value ? 0 : err_set(err, 0, "--kernel: the name is empty");
	case OPT_MODE:
		return lab_machine_mode(&options->machine, value, err);
	case OPT_PARAM:
		return lab_machine_param(&options->machine, value, err);
	case OPT_VARIANT:
		return lab_machine_variant(&options->machine, value, err);
	case OPT_WITH:
		return add_with(options, value, err);
	default: /* OPT_UNMET: the last one in the table */
		options->unmet = true;
		return 0;
	}
}

/* What can be said only when all options are known. */
static int check(const struct lab_options *options, bool shell, struct err *err)
{
	char arguments[PATH_MAX];
	const struct cpus *cpus = &options->run.cpus;
	unsigned int n = lab_machine_cpus(&options->machine);

	if (options->n_with && options->machine.model->arch->programs)
		return err_set(err, 0, "--with: programs of this machine do not run on %s",
			       options->machine.model->name);
	if (shell && options->run.n_patterns)
		return err_set(err, 0, "shell takes no argument: %s", options->run.patterns[0]);
	if (options->run.hazard.watchdog || options->run.hazard.no_escalate)
		return err_set(err, 0,
			       "--watchdog and --no-escalate: not in the lab, whose host watches");
	if (cpus->n && cpus->cpu[cpus->n - 1] >= (int)n)
		return err_set(err, 0, "--cpu %s: this machine has CPU 0 only",
			       options->run.cpu_list);
	return emulator_args_kernel(&options->machine, arguments, sizeof(arguments), err);
}

int lab_options_parse(struct lab_options *options, bool shell, int argc, char **argv)
{
	const struct run_options_more more = {
		.subcommand = "lab",
		.help = shell ? shell_help : run_help,
		.options = long_options,
		.take = take,
		.context = options,
		.cpus = LAB_CPUS_MAX,
		.allow = DANGER_MAY_HANG,
	};
	struct err err;
	int code;

	*options = (struct lab_options){ .machine.model = lab_models };
	code = run_options_parse(&options->run, &more, argc, argv);
	if (code >= 0)
		return code;
	if (lab_machine_complete(&options->machine, &err) || check(options, shell, &err) ||
	    lab_machine_find(&options->machine, options->kernel, &err))
		return command_error("lab", "%s", err.text);
	return -1;
}

void lab_options_free(struct lab_options *options)
{
	for (size_t i = 0; i < options->n_with; i++)
		free(options->with[i]);
	run_options_free(&options->run);
}

__attribute__((format(printf, 2, 3))) static void add(json_t *args, const char *fmt, ...)
{
	va_list list;

	va_start(list, fmt);
	json_array_append_new(args, json_vsprintf(fmt, list));
	va_end(list);
}

json_t *lab_options_guest(const struct lab_options *options, const struct suite *suite)
{
	const struct run_options *run = &options->run;
	json_t *args = json_array();

	add(args, "run");
	add(args, "--repeat=%u", run->repeat);
	add(args, "--timeout-scale=%g", run->scale);
	add(args, "--allow=%s", danger_name(run->allow));
	if (run->cpu_list)
		add(args, "--cpu=%s", run->cpu_list);
	for (size_t i = 0; i < run->bounds.n; i++)
		add(args, "--bound=%s.%s", run->bounds.of[i].hypothesis, run->bounds.of[i].setting);
	for (size_t i = 0; i < run->own.n; i++)
		add(args, "--option=%s.%s", run->own.of[i].hypothesis, run->own.of[i].setting);
	if (run->workload)
		add(args, "--workload=%s", run->workload);
	add(args, "--");
	for (size_t i = 0; i < suite->n; i++)
		add(args, "%s/%s", suite->tests[i].theme, suite->tests[i].name);
	return args;
}
