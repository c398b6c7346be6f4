// SPDX-License-Identifier: GPL-2.0-or-later
#include "prove_guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "spawn.h"

static void add(json_t *args, const char *option, const char *value)
{
	json_array_append_new(args, json_sprintf("%s=%s", option, value));
}

/* Settings of hypotheses that are not to be run are none of a run. */
static void add_settings(json_t *args, const struct proof_machine *machine, const char *option,
			 const struct proof_list *settings)
{
	for (size_t i = 0; i < settings->n; i++) {
		const struct proof_row *row = proof_setting_row(machine, settings->name[i]);

		if (row && row->selected)
			add(args, option, settings->name[i]);
	}
}

json_t *prove_guest_options(const struct proof_machine *machine, const char *kernel)
{
	const struct lab_machine *lab = &machine->lab;
	json_t *args = json_array();
	char repeat[32];

	add(args, "--mode", lab_mode_name(lab->mode));
	if (lab->model != lab_models)
		add(args, "--cpu-model", lab->model->name);
	if (*lab->variant)
		add(args, "--variant", lab->variant);
	else if (kernel && machine->tested)
		add(args, "--kernel", kernel);
	for (size_t i = 0; i < lab->n_faults; i++) {
		/* One that takes no value has "on" here. */
		size_t length = strcspn(lab->faults[i], "=");
		bool on = !strcmp(lab->faults[i] + length, "=on");

		json_array_append_new(args, json_sprintf("--fault=%.*s", on ? (int)length : INT_MAX,
							 lab->faults[i]));
	}
	for (size_t i = 0; i < lab->n_params; i++)
		add(args, "--param", lab->params[i]);
	add_settings(args, machine, "--bound", &machine->bounds);
	add_settings(args, machine, "--option", &machine->own);
	snprintf(repeat, sizeof(repeat), "%zu", machine->repeat);
	if (machine->scale)
		add(args, "--timeout-scale", machine->scale);
	if (machine->repeat > 1)
		add(args, "--repeat", repeat);
	return args;
}

char *prove_guest_text(const struct proof_machine *machine)
{
	json_t *args = prove_guest_options(machine, NULL);
	const json_t *arg;
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	json_array_foreach(args, i, arg)
	{
		if (out && json_is_string(arg))
			fprintf(out, "%s%s", i ? " " : "", json_string_value(arg));
	}
	json_decref(args);
	if (!out || fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* A bound of a hypothesis that does not run now would be refused. */
static bool is_bound_of_others(const char *arg, const struct proof_machine *machine)
{
	static const char option[] = "--bound=";
	const char *bound = arg + strlen(option);

	if (strncmp(arg, option, strlen(option)) != 0)
		return false;
	for (size_t i = 0; i < machine->n_rows; i++) {
		const struct proof_row *row = &machine->rows[i];
		size_t length = strlen(row->hypothesis);

		if (row->selected && !strncmp(bound, row->hypothesis, length) &&
		    bound[length] == '.')
			return false;
	}
	return true;
}

/* The command line: an array of the arguments in `args`, which must outlive it. */
static char **make_argv(json_t *args)
{
	char **argv = calloc(json_array_size(args) + 1, sizeof(*argv));
	json_t *arg;
	size_t i;

	json_array_foreach(args, i, arg)
	{
		if (argv)
			argv[i] = (char *)json_string_value(arg);
	}
	return argv;
}

static json_t *command_line(const struct prove_guest *guest, const struct prove_guest_files *files)
{
	const struct proof_machine *machine = guest->machine;
	json_t *args =
		json_pack("[s, s, s, s, s]", "/proc/self/exe", "lab", "run", "-o", guest->dir);
	json_t *options = prove_guest_options(machine, files->kernel);
	const json_t *option;
	size_t i;

	json_array_foreach(options, i, option)
	{
		if (!is_bound_of_others(json_string_value(option), machine))
			json_array_append(args, (json_t *)option);
	}
	json_decref(options);
	if (files->suites)
		add(args, "--suites", files->suites);
	if (files->with)
		add(args, "--with", files->with);
	json_array_append_new(args, json_string("--"));
	for (i = 0; i < machine->n_rows; i++)
		if (machine->rows[i].selected)
			json_array_append_new(args, json_string(machine->rows[i].hypothesis));
	return args;
}

/* Returns a descriptor, or -1 with err. */
static int open_log(const struct prove_guest *guest, struct err *err)
{
	char path[PATH_MAX + 8];
	int fd;

	snprintf(path, sizeof(path), "%s.log", guest->dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		err_set(err, errno, "make %s", path);
	return fd;
}

int prove_guest_start(struct prove_guest *guest, const struct prove_guest_files *files,
		      struct err *err)
{
	json_t *args = command_line(guest, files);
	char **argv = make_argv(args);
	int log = argv ? open_log(guest, err) : -1;
	const struct spawn how = {
		.argv = argv,
		.out = log,
		.err = log,
		.record = -1,
		.cgroup = -1,
	};
	int result = log < 0 ? -EIO : 0;

	if (!argv)
		err_set(err, ENOMEM, "command line");
	if (!result) {
		guest->started = clock_ms();
		guest->pid = spawn(&how, err);
		result = guest->pid < 0 ? guest->pid : 0;
	}
	if (log >= 0)
		close(log);
	if (!result) {
		guest->pidfd = pidfd_open(guest->pid, 0);
		if (guest->pidfd < 0) {
			result = err_set(err, errno, "pidfd of lab run");
			kill(guest->pid, SIGKILL);
			prove_guest_reap(guest);
		}
	}
	free(argv);
	json_decref(args);
	return result;
}

void prove_guest_reap(struct prove_guest *guest)
{
	while (waitpid(guest->pid, &guest->status, 0) < 0 && errno == EINTR)
		;
	if (guest->pidfd >= 0)
		close(guest->pidfd);
	guest->pidfd = -1;
	guest->pid = -1;
}

void prove_guest_last_line(const struct prove_guest *guest, char *text, size_t size)
{
	char path[PATH_MAX + 8];
	char *line = NULL;
	size_t room = 0;
	FILE *file;

	text[0] = '\0';
	snprintf(path, sizeof(path), "%s.log", guest->dir);
	file = fopen(path, "re");
	while (file && getline(&line, &room, file) > 0)
		snprintf(text, size, "%.*s", (int)strcspn(line, "\n"), line);
	free(line);
	if (file)
		fclose(file);
}
