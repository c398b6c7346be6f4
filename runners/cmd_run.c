// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cgroup.h"
#include "command.h"
#include "janitor.h"
#include "machine.h"
#include "machine_lock.h"
#include "mirror.h"
#include "plan.h"
#include "port.h"
#include "progress.h"
#include "run_options.h"
#include "run_parts.h"
#include "suite.h"
#include "supervisor.h"
#include "surroundings.h"
#include "tap.h"
#include "trace.h"

/* Near the bottom of the scale (proc(5)): a test goes first, and then everything else. */
#define OOM_SCORE_SUPERVISOR "-900"

/* Everything that `pmiproof run` holds. */
struct session {
	struct run_options options;
	struct suite suite;
	struct plan plan;
	struct journal journal;
	struct mirrors mirrors;
	struct progress progress;
	struct supervisor supervisor;
	struct janitor janitor;
	char suites[PATH_MAX];
	char dir[PATH_MAX]; /* of the report */
	int lock;	    /* descriptor, see machine_lock(); open until the machine is as found */
	int argc;
	char **argv;
	bool guest;   /* we are in the lab's machine: the journal goes to its host */
	size_t first; /* number of the first test to run, from 1 */
};

/* Keep to the CPUs that are not tested, if there are any. */
static int leave_tested_cpus(const struct run_options *options, struct err *err)
{
	struct cpus others = { 0 };

	for (size_t i = 0, j = 0; i < options->allowed.n; i++) {
		while (j < options->cpus.n && options->cpus.cpu[j] < options->allowed.cpu[i])
			j++;
		if (j == options->cpus.n || options->cpus.cpu[j] != options->allowed.cpu[i])
			others.cpu[others.n++] = options->allowed.cpu[i];
	}
	return options->cpus.n && others.n ? cpus_unpin(&others, err) : 0;
}

static int lower_oom_score(struct err *err)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	int result = 0;

	if (fd < 0)
		return err_set(err, errno, "open oom_score_adj");
	if (write(fd, OOM_SCORE_SUPERVISOR, strlen(OOM_SCORE_SUPERVISOR)) < 0)
		result = err_set(err, errno, "lower oom_score_adj");
	close(fd);
	return result;
}

/* All sysctls that a test of the suite may change. Newly allocated; the names are the suite's. */
static const char **all_sysctls(const struct suite *suite)
{
	const char **names;
	size_t n = 0;

	for (size_t i = 0; i < suite->n; i++)
		for (const char *const *name = suite->tests[i].sysctls; *name; name++)
			n++;
	names = calloc(n + 1, sizeof(*names));
	n = 0;
	for (size_t i = 0; names && i < suite->n; i++)
		for (const char *const *name = suite->tests[i].sysctls; *name; name++)
			names[n++] = *name;
	return names;
}

static int start_janitor(struct session *session, struct err *err)
{
	const char **sysctls = all_sysctls(&session->suite);
	int result;

	if (!sysctls)
		return err_set(err, ENOMEM, "list of sysctls");
	result = janitor_start(&session->janitor, session->supervisor.place, sysctls, err);
	free(sysctls);
	session->supervisor.janitor = session->janitor.pid;
	return result;
}

static int note_if(struct session *session, int failed, const struct err *why, struct err *err)
{
	return failed ? supervisor_note(&session->supervisor, why->text, err) : 0;
}

/*
 * Make this process one that survives its tests and finds what they leave. What cannot be had is
 * noted in the journal.
 */
static int harden(struct session *session, struct err *err)
{
	struct err why = { .text = "" };
	int place = cgroup_open_place(&why);
	int result = note_if(session, place < 0, &why, err);

	session->supervisor.place = place < 0 ? -1 : place;
	/* What an earlier run left is to be no finding of this one. */
	if (place >= 0)
		cgroup_remove_leftovers(place, 0);
	trace_remove_leftovers(0, NULL);
	if (!result && prctl(PR_SET_CHILD_SUBREAPER, 1))
		result = err_set(err, errno, "become subreaper");
	if (!result)
		result = note_if(session, lower_oom_score(&why), &why, err);
	if (!result && mlockall(MCL_CURRENT | MCL_FUTURE)) {
		err_set(&why, errno, "lock memory");
		result = note_if(session, 1, &why, err);
	}
	if (!result)
		result = note_if(session, leave_tested_cpus(&session->options, &why), &why, err);
	if (!result && surroundings_rearm_warnings(&why)) {
		err_prefix(&why, "warnings that come once per boot are not re-armed");
		result = note_if(session, 1, &why, err);
	}
	return result ? result : start_janitor(session, err);
}

static int send_to_host(const char *line, size_t len, struct err *err)
{
	(void)err;
	port_write(PORT_RECORDS, line, len);
	return 0;
}

static int open_journal(struct session *session, struct err *err)
{
	if (session->guest)
		return journal_begin(&session->journal, send_to_host, err);
	return journal_create(&session->journal, session->dir, err);
}

static int begin_journal(struct session *session, struct err *err)
{
	json_t *record =
		plan_record(&session->suite, &session->options, session->argc, session->argv);
	int result;

	if (!record)
		return err_set(err, ENOMEM, "run record");
	result = open_journal(session, err);
	if (result) {
		json_decref(record);
		return result;
	}
	result = journal_append(&session->journal, record, false, err);
	if (result)
		return result;
	record = machine_inventory("", session->options.identify, err);
	return record ? journal_append(&session->journal, record, true, err) : -ENOMEM;
}

static int note_mirrors(struct session *session, struct err *err)
{
	char text[1024];
	int result = 0;

	while (!result && mirrors_news(&session->mirrors, text, sizeof(text)))
		result = supervisor_note(&session->supervisor, text, err);
	return result;
}

/* They start when this process is where it stays: on its processors, with its signals. */
static int start_mirrors(struct session *session, struct err *err)
{
	char path[PATH_MAX];

	if (!session->mirrors.n)
		return 0;
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", session->dir, JOURNAL_NAME) >=
	    sizeof(path))
		return err_set(err, ENAMETOOLONG, "%s", session->dir);
	return mirrors_start(&session->mirrors, path, err);
}

/* What a mirror lacks is no failure of the run: what counts is in the journal. */
static void finish_mirrors(struct session *session)
{
	struct err err;

	if (mirrors_finish(&session->mirrors, &err))
		command_error("run", "%s", err.text);
}

static int run_one(struct session *session, struct planned *planned, struct err *err)
{
	struct supervisor *supervisor = &session->supervisor;
	const struct suite_test *test = planned->test;

	supervisor_look_for_interrupt(supervisor);
	if (supervisor->stuck)
		return supervisor_pass_over(supervisor, planned, VERDICT_NOTRUN,
					    "a process of an earlier test cannot be killed", err);
	if (supervisor->interrupts)
		return supervisor_pass_over(supervisor, planned, VERDICT_NOTRUN, "interrupted",
					    err);
	if (test->problem[0])
		return supervisor_pass_over(supervisor, planned, VERDICT_BROKEN, test->problem,
					    err);
	if (test->danger > session->options.allow) {
		char reason[128];

		snprintf(reason, sizeof(reason), "%s: run only with --allow %s",
			 danger_name(test->danger), danger_name(test->danger));
		return supervisor_pass_over(supervisor, planned, VERDICT_SKIP, reason, err);
	}
	return supervisor_run(supervisor, planned, err);
}

static int run_all(struct session *session, int *code, struct err *err)
{
	bool interrupted;
	int result = 0;

	tap_begin(session->supervisor.tap, session->plan.n);
	for (size_t i = session->first - 1; !result && i < session->plan.n; i++) {
		result = run_one(session, &session->plan.entries[i], err);
		if (!result)
			result = note_mirrors(session, err);
		/* The host has a fresh machine for the rest. */
		if (session->guest && session->supervisor.stuck)
			return result;
	}
	if (result)
		return result;
	mirrors_settle(&session->mirrors);
	result = note_mirrors(session, err);
	if (result)
		return result;
	interrupted = session->supervisor.interrupts > 0;
	*code = interrupted ? COMMAND_INTERRUPTED : plan_exit(&session->plan);
	return journal_append(&session->journal, plan_done(&session->plan, *code, interrupted),
			      true, err);
}

/* The run itself, with everything made ready. */
static int conduct(struct session *session, struct err *err)
{
	struct supervisor *supervisor = &session->supervisor;
	int code = COMMAND_ERROR;
	int result;

	*supervisor = (struct supervisor){
		.journal = &session->journal,
		.progress = &session->progress,
		.tap = session->options.ktap ? stdout : NULL,
		.cpus = &session->options.allowed,
		.scale = session->options.scale,
		.place = -1,
		.signals = -1,
		.acknowledge = session->guest,
	};
	progress_init(&session->progress, session->options.ktap ? stderr : stdout, session->plan.n);
	supervisor->signals = run_take_signals(err);
	result = supervisor->signals < 0 ? supervisor->signals : 0;
	if (!result)
		result = begin_journal(session, err);
	if (!result)
		result = harden(session, err);
	if (!result)
		result = start_mirrors(session, err);
	if (result) {
		finish_mirrors(session);
		return command_error("run", "%s", err->text);
	}
	result = run_all(session, &code, err);
	janitor_stop(&session->janitor);
	journal_close(&session->journal);
	finish_mirrors(session);
	if (!result && !session->guest)
		result = run_show_report("run", session->dir, session->options.ktap, err);
	return result ? command_error("run", "%s", err->text) : code;
}

static int prepare(struct session *session, struct err *err)
{
	const struct run_options *options = &session->options;
	const char *suites = options->suites ? options->suites : session->suites;
	int result = 0;

	if (!options->suites)
		result = suite_default_dir(session->suites, sizeof(session->suites), err);
	if (!result)
		result = suite_load(&session->suite, suites, options->patterns, options->n_patterns,
				    err);
	if (!result)
		result = plan_make(&session->plan, &session->suite, options, err);
	if (!result)
		result = machine_lock(&session->lock, err);
	if (result || session->guest)
		return result;
	result = mirrors_open(&session->mirrors, options->mirrors, options->n_mirrors, false, err);
	if (!result)
		result = run_make_dir(options->output, session->dir, sizeof(session->dir), err);
	if (result)
		mirrors_finish(&session->mirrors, NULL);
	return result;
}

static int run_session(int argc, char **argv, bool guest, size_t first)
{
	struct session *session = calloc(1, sizeof(*session));
	struct err err;
	int code;

	if (!session)
		return command_error("run", "out of memory");
	session->argc = argc;
	session->argv = argv;
	session->guest = guest;
	session->first = first;
	code = run_options_parse(&session->options, NULL, argc, argv);
	if (code < 0)
		code = prepare(session, &err) ? command_error("run", "%s", err.text)
					      : conduct(session, &err);
	plan_free(&session->plan);
	suite_free(&session->suite);
	run_options_free(&session->options);
	free(session);
	return code;
}

int cmd_run(int argc, char **argv)
{
	return run_session(argc, argv, false, 1);
}

int cmd_run_in_guest(int argc, char **argv, size_t first)
{
	return run_session(argc, argv, true, first ? first : 1);
}
