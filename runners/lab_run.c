// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab_run.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "initramfs.h"
#include "io.h"
#include "known_table.h"
#include "lab_guest.h"
#include "lab_options.h"
#include "plan.h"
#include "record.h"
#include "run_parts.h"
#include "suite.h"
#include "tap.h"

/* How often at least the clock is looked at. */
#define TICK_MS 200

/*
 * Time between two signs of life, by the guest's clock. In exact mode a second of it takes several
 * of ours while the guest is busy.
 */
#define PULSE_SMP_MS 1000
#define PULSE_EXACT_MS 100

/*
 * At 100 the kernel does not lower kernel.perf_event_max_sample_rate because handlers take long:
 * where how long they take is no part of the model (lab_arch.h), that is the emulation.
 */
#define THROTTLE_SYSCTL "kernel.perf_cpu_time_max_percent"
#define THROTTLE_OFF "100"

/* Machines that die one after the other without starting a test: then something else is wrong. */
#define FALSE_STARTS_MAX 2

/* Everything that `pmiproof lab run` holds. */
struct lab {
	struct lab_options options;
	struct suite suite;
	struct plan plan;
	struct known_issues known;
	struct known_live live;
	struct journal journal;
	struct progress progress;
	struct lab_guest guest;
	struct emulator emulator;
	json_t *machine; /* what is added to machine records */
	FILE *initramfs; /* what all guests have in common */
	int signals;	 /* signalfd */
	bool interrupted;
	unsigned int false_starts; /* in a row */
	int64_t waited;		   /* of the emulator, when it was last looked at */
	int64_t withheld;	   /* time that it did not have a CPU, since the run began */
	char suites[PATH_MAX];
	char dir[PATH_MAX]; /* of the report */
	int argc;
	char **argv;
};

/* Our clock less the time in which the emulator could not run. */
static int64_t fair_ms(struct lab *lab)
{
	int64_t waited = emulator_waited_ms(&lab->emulator);

	if (waited > lab->waited)
		lab->withheld += waited - lab->waited;
	lab->waited = waited;
	return clock_ms() - lab->withheld;
}

/* An unnamed file in memory, which the emulator inherits. */
static FILE *memory_file(const char *name, struct err *err)
{
	int fd = memfd_create(name, 0);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!file) {
		err_set(err, errno, "memory for %s", name);
		if (fd >= 0)
			close(fd);
	}
	return file;
}

/* The initramfs of one guest: what all have in common, and its job. */
static int write_guest(const struct lab *lab, FILE *out, json_t *job, struct err *err)
{
	char piece[65536];
	size_t got;

	rewind(lab->initramfs);
	while ((got = fread(piece, 1, sizeof(piece), lab->initramfs)))
		if (fwrite(piece, 1, got, out) != got)
			break;
	return initramfs_write_job(out, job, err);
}

/* What a guest is to do; 'args' are those of its run, or NULL. */
static json_t *make_job(const struct lab *lab, json_t *args)
{
	const struct lab_machine *machine = &lab->options.machine;
	int pulse = machine->mode == LAB_EXACT ? PULSE_EXACT_MS : PULSE_SMP_MS;
	json_t *job = json_pack("{s:i, s:I, s:{}}", "pulse_ms", pulse, "first",
				(json_int_t)lab->guest.stream.next + 1, "sysctls");

	if (!machine->model->arch->timed_handlers && !lab_machine_is_slow(machine) &&
	    !lab_machine_sets(machine, THROTTLE_SYSCTL))
		json_object_set_new(json_object_get(job, "sysctls"), THROTTLE_SYSCTL,
				    json_string(THROTTLE_OFF));
	if (args)
		json_object_set_new(job, "args", args);
	return job;
}

static int boot(struct lab *lab, struct err *err)
{
	FILE *archive = memory_file("initramfs", err);
	int result;

	if (!archive)
		return -ENOMEM;
	result = write_guest(lab, archive,
			     make_job(lab, lab_options_guest(&lab->options, &lab->suite)), err);
	if (!result)
		result =
			emulator_start(&lab->emulator, &lab->options.machine, fileno(archive), err);
	fclose(archive);
	if (result)
		return result;
	lab->waited = 0;
	lab_guest_boot(&lab->guest, lab->emulator.streams, lab->options.run.scale, fair_ms(lab));
	for (int i = 0; i < EMULATOR_STREAMS; i++)
		lab->emulator.streams[i] = -1;
	return 0;
}

static void look_for_interrupt(struct lab *lab)
{
	struct signalfd_siginfo info;

	while (read(lab->signals, &info, sizeof(info)) == sizeof(info))
		lab->interrupted = true;
}

/* Follow the guest until it has ended or died. *gone: the emulator ended by itself. */
static enum lab_death follow(struct lab *lab, bool *gone)
{
	enum lab_death death = LAB_ALIVE;

	*gone = false;
	while (!*gone && !death && !lab->interrupted && !lab->guest.watch.ended &&
	       !lab->guest.journal_result) {
		struct pollfd fds[2 + EMULATOR_STREAMS] = {
			{ .fd = lab->emulator.pidfd, .events = POLLIN },
			{ .fd = lab->signals, .events = POLLIN },
		};

		for (int i = 0; i < EMULATOR_STREAMS; i++)
			fds[2 + i] =
				(struct pollfd){ .fd = lab->guest.lines[i].fd, .events = POLLIN };
		poll(fds, sizeof(fds) / sizeof(fds[0]), TICK_MS);
		*gone = fds[0].revents != 0;
		look_for_interrupt(lab);
		lab_guest_read(&lab->guest, fair_ms(lab));
		death = lab_watch_look(&lab->guest.watch, fair_ms(lab));
		if (lab->guest.stream.running)
			progress_tick(&lab->progress, "");
	}
	return death;
}

/* Why the guest is no more, in words for the verdict of the test in flight. */
static enum verdict explain(const struct lab *lab, enum lab_death death, int status, char *text,
			    size_t size)
{
	const char *errors = lab->guest.errors;

	switch (death) {
	case LAB_NOT_UP:
		snprintf(text, size, "the machine did not come up");
		return VERDICT_HUNG;
	case LAB_SILENT:
		snprintf(text, size, "the machine gave no sign of life for %g s and was ended",
			 lab_watch_silence_s(&lab->guest.watch));
		return VERDICT_HUNG;
	case LAB_OVERDUE:
		snprintf(text, size,
			 "long over its budget, and the supervisor in the machine did not end it");
		return VERDICT_HUNG;
	case LAB_ALIVE:
		break;
	}
	if (lab->guest.watch.ended) {
		snprintf(text, size, "the supervisor in the machine ended with code %d",
			 lab->guest.watch.code);
		return VERDICT_BROKEN;
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		snprintf(text, size, "the emulator ended with %s %d%s%s",
			 WIFSIGNALED(status) ? "signal" : "code",
			 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
			 *errors ? ": " : "", errors);
		return VERDICT_BROKEN;
	}
	snprintf(text, size, "the machine was reset");
	return VERDICT_HUNG;
}

/* What its console has of why a guest died: a panic or the like, else the last line. */
static void add_last_words(const struct console *console, char *text, size_t size)
{
	size_t used = strlen(text);
	char worst[600];

	json_decref(console_evidence(console, worst, sizeof(worst)));
	if (*worst)
		snprintf(text + used, size - used, "; %.200s", worst);
	else if (*console_last(console))
		snprintf(text + used, size - used, "; last on its console: %.200s",
			 console_last(console));
}

/* The guest has died: judge what it was doing. */
static void bury(struct lab *lab, enum lab_death death, int status)
{
	struct lab_guest *guest = &lab->guest;
	char text[1024];
	enum verdict verdict = explain(lab, death, status, text, sizeof(text));

	if (guest->stream.running) {
		lab->false_starts = 0;
		lab_guest_settle(guest, verdict, text, true);
		return;
	}
	add_last_words(&guest->console, text, sizeof(text));
	lab_guest_note(guest, text);
	if (++lab->false_starts < FALSE_STARTS_MAX)
		return;
	while (lab_stream_planned(&guest->stream))
		lab_guest_settle(guest, VERDICT_BROKEN, text, false);
}

/* One machine from its start to its end. */
static int run_machine(struct lab *lab, struct err *err)
{
	size_t before = lab->guest.stream.next;
	enum lab_death death;
	bool gone;
	int status;
	int result = boot(lab, err);

	if (result)
		return result;
	death = follow(lab, &gone);
	status = emulator_end(&lab->emulator);
	while (lab_guest_read(&lab->guest, 0))
		; /* what was still in the pipes */
	lab_guest_close(&lab->guest);
	if (lab->guest.stream.next > before)
		lab->false_starts = 0;
	if (lab->guest.journal_result) {
		*err = lab->guest.journal_err;
		return lab->guest.journal_result;
	}
	if (lab->interrupted && lab->guest.stream.running)
		lab_guest_settle(&lab->guest, VERDICT_NOTRUN, "interrupted; the machine was ended",
				 false);
	else if (!lab->interrupted && !lab->guest.stream.done)
		bury(lab, death, gone ? status : 0);
	return 0;
}

static int run_all(struct lab *lab, int *code, struct err *err)
{
	int result = 0;

	tap_begin(&lab->guest.tap, lab->plan.n);
	while (!result && !lab->interrupted && lab_stream_planned(&lab->guest.stream))
		result = run_machine(lab, err);
	while (!result && lab_stream_planned(&lab->guest.stream))
		lab_guest_settle(&lab->guest, VERDICT_NOTRUN, "interrupted", false);
	if (result)
		return result;
	*code = lab->interrupted ? COMMAND_INTERRUPTED : plan_exit(&lab->plan);
	return journal_append(&lab->journal, plan_done(&lab->plan, *code, lab->interrupted), true,
			      err);
}

/* What a report says of the machine beside its inventory. */
static json_t *describe_machine(const struct lab_machine *machine)
{
	json_t *faults = json_array(), *params = json_array();
	char path[PATH_MAX + 16], revision[128];
	json_t *lab;

	for (size_t i = 0; i < machine->n_faults; i++)
		json_array_append_new(faults, json_string(machine->faults[i]));
	for (size_t i = 0; i < machine->n_params; i++)
		json_array_append_new(params, json_string(machine->params[i]));
	snprintf(path, sizeof(path), "%s/revision", machine->qemu);
	if (io_read_text(path, revision, sizeof(revision)) < 0)
		snprintf(revision, sizeof(revision), "unknown");
	lab = json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "arch", machine->model->arch->name,
			"cpu_model", machine->model->name, "mode", lab_mode_name(machine->mode),
			"emulator", revision, "faults", faults, "params", params);
	if (lab && *machine->variant)
		json_object_set_new(lab, "variant", json_string(machine->variant));
	record_set_text(lab, "kernel", strrchr(machine->kernel, '/') + 1, (size_t)-1);
	return json_pack("{s:b, s:o}", "emulated", 1, "lab", lab);
}

static int begin(struct lab *lab, struct err *err)
{
	json_t *record = plan_record(&lab->suite, &lab->options.run, lab->argc, lab->argv);
	int result;

	lab->machine = describe_machine(&lab->options.machine);
	lab->signals = run_take_signals(err);
	result = lab->signals < 0 ? lab->signals : 0;
	if (!result && (!record || !lab->machine))
		result = err_set(err, ENOMEM, "first records");
	if (!result)
		result = journal_create(&lab->journal, lab->dir, err);
	if (result) {
		json_decref(record);
		return result;
	}
	result = journal_append(&lab->journal, record, false, err);
	if (result)
		return result;
	/* What is known even if no guest comes up. */
	record = json_pack("{s:s}", "type", "machine");
	json_object_update(record, lab->machine);
	return journal_append(&lab->journal, record, true, err);
}

static int conduct(struct lab *lab, struct err *err)
{
	int code = COMMAND_ERROR;
	int result;

	progress_init(&lab->progress, lab->options.run.ktap ? stderr : stdout, lab->plan.n);
	lab_stream_init(&lab->guest.stream, &lab->plan);
	result = begin(lab, err);
	if (result)
		return command_error("lab", "%s", err->text);
	lab->guest.journal = &lab->journal;
	lab->guest.progress = &lab->progress;
	lab->guest.tap.out = lab->options.run.ktap ? stdout : NULL;
	lab->live = (struct known_live){ &lab->known, lab->dir };
	lab->guest.known = &lab->live;
	lab->guest.machine = lab->machine;
	result = run_all(lab, &code, err);
	journal_close(&lab->journal);
	if (!result)
		result = run_show_report("lab run", lab->dir, lab->options.run.ktap, &lab->known,
					 err);
	return result ? command_error("lab", "%s", err->text)
		      : run_exit(lab->dir, code, &lab->known);
}

static int load_suite(struct lab *lab, struct err *err)
{
	const struct run_options *run = &lab->options.run;
	int result = 0;

	if (!run->suites)
		result = suite_default_dir(lab->suites, sizeof(lab->suites), err);
	if (!result)
		result = suite_load(&lab->suite, run->suites ? run->suites : lab->suites,
				    run->patterns, run->n_patterns, err);
	return result;
}

static int make_initramfs(struct lab *lab, bool shell, struct err *err)
{
	const struct lab_machine *machine = &lab->options.machine;
	const struct initramfs content = {
		.suite = &lab->suite,
		.kconfig = *machine->kconfig ? machine->kconfig : NULL,
		.programs = *machine->programs ? machine->programs : NULL,
		.with = lab->options.with,
		.shell = shell,
	};

	lab->initramfs = memory_file("initramfs", err);
	return lab->initramfs ? initramfs_write(lab->initramfs, &content, err) : -ENOMEM;
}

/* Leave out what runs on this machine, or needs no PMU. */
static void keep_unmet(struct suite *suite)
{
	static const char *const needs[] = { "pmu", "branch-stack", "precise" };
	size_t kept = 0;

	for (size_t i = 0; i < suite->n; i++) {
		const json_t *need;
		struct err why;
		bool wants_pmu = false, ready = false;
		struct suite_test test = suite->tests[i];
		char reason[512];
		size_t j;

		json_array_foreach(json_object_get(test.declaration, "needs"), j, need)
		{
			const char *name = json_string_value(json_object_get(need, "need"));

			for (size_t k = 0; name && k < sizeof(needs) / sizeof(needs[0]); k++)
				wants_pmu |= !strcmp(name, needs[k]);
		}
		if (wants_pmu &&
		    (suite_probe(&test, &ready, reason, sizeof(reason), &why) || !ready)) {
			suite->tests[i] = suite->tests[kept];
			suite->tests[kept++] = test;
		}
	}
	suite_cut(suite, kept);
}

static int prepare(struct lab *lab, struct err *err)
{
	const struct run_options *run = &lab->options.run;
	char output[PATH_MAX];
	int result = load_suite(lab, err);

	if (!result)
		result = known_table_load(&lab->known, run->known, err);
	if (!result && lab->options.unmet)
		keep_unmet(&lab->suite);
	if (!result)
		result = plan_make(&lab->plan, &lab->suite, run, err);
	if (!result)
		result = make_initramfs(lab, false, err);
	if (result || !lab->plan.n)
		return result;
	snprintf(output, sizeof(output), "%s%s", run->output ? run->output : "",
		 lab->options.unmet ? "-lab" : "");
	return run_make_dir(run->output ? output : NULL, lab->dir, sizeof(lab->dir), err);
}

static void release(struct lab *lab)
{
	if (lab->initramfs)
		fclose(lab->initramfs);
	json_decref(lab->machine);
	plan_free(&lab->plan);
	suite_free(&lab->suite);
	known_free(&lab->known);
	lab_options_free(&lab->options);
	free(lab);
}

int lab_run(int argc, char **argv)
{
	struct lab *lab = calloc(1, sizeof(*lab));
	struct err err;
	int code;

	if (!lab)
		return command_error("lab", "out of memory");
	lab->argc = argc;
	lab->argv = argv;
	lab->emulator.pid = -1;
	code = lab_options_parse(&lab->options, false, argc, argv);
	if (code < 0 && prepare(lab, &err))
		code = command_error("lab", "%s", err.text);
	if (code < 0 && !lab->plan.n) {
		puts("lab: no hypothesis needs a PMU that is not here");
		code = COMMAND_OK;
	}
	if (code < 0)
		code = conduct(lab, &err);
	release(lab);
	return code;
}

int lab_shell(int argc, char **argv)
{
	struct lab *lab = calloc(1, sizeof(*lab));
	struct err err;
	int code;

	if (!lab)
		return command_error("lab", "out of memory");
	code = lab_options_parse(&lab->options, true, argc, argv);
	if (code < 0) {
		int result = load_suite(lab, &err);

		if (!result)
			result = make_initramfs(lab, true, &err);
		if (!result)
			result = initramfs_write_job(lab->initramfs, make_job(lab, NULL), &err);
		if (!result)
			emulator_become(&lab->options.machine, fileno(lab->initramfs), &err);
		code = command_error("lab", "%s", err.text);
	}
	release(lab);
	return code;
}
