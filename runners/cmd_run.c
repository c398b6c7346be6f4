// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../reports/report.h"
#include "cgroup.h"
#include "command.h"
#include "janitor.h"
#include "machine.h"
#include "plan.h"
#include "progress.h"
#include "run_options.h"
#include "suite.h"
#include "supervisor.h"
#include "surroundings.h"
#include "tap.h"

#define DEFAULT_PARENT "pmiproof-reports"

#define MACHINE_LOCK "/proc/sys/kernel/perf_event_max_sample_rate"

/* Runs started within one second get a number; more than this many is a mistake. */
#define SAME_SECOND_MAX 100

/* Near the bottom of the scale (proc(5)): a test goes first, and then everything else. */
#define OOM_SCORE_SUPERVISOR "-900"

/* Everything that `pmiproof run` holds. */
struct session {
	struct run_options options;
	struct suite suite;
	struct plan plan;
	struct journal journal;
	struct progress progress;
	struct supervisor supervisor;
	struct janitor janitor;
	char suites[PATH_MAX];
	char dir[PATH_MAX]; /* of the report */
	int argc;
	char **argv;
};

/* Make a directory named after the time, which nobody else has. */
static int make_default_dir(char *dir, size_t size, struct err *err)
{
	time_t now = time(NULL);
	struct tm utc;
	char stamp[32];

	if (mkdir(DEFAULT_PARENT, 0777) && errno != EEXIST)
		return err_set(err, errno, "make %s", DEFAULT_PARENT);
	gmtime_r(&now, &utc);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H-%M-%SZ", &utc);
	snprintf(dir, size, DEFAULT_PARENT "/%s", stamp);
	for (int number = 2; mkdir(dir, 0777); number++) {
		if (errno != EEXIST || number > SAME_SECOND_MAX)
			return err_set(err, errno, "make %s", dir);
		snprintf(dir, size, DEFAULT_PARENT "/%s-%d", stamp, number);
	}
	return 0;
}

static int make_dir(struct session *session, struct err *err)
{
	const char *output = session->options.output;

	if (!output)
		return make_default_dir(session->dir, sizeof(session->dir), err);
	if ((size_t)snprintf(session->dir, sizeof(session->dir), "%s", output) >=
	    sizeof(session->dir))
		return err_set(err, ENAMETOOLONG, "--output");
	if (mkdir(output, 0777))
		return err_set(err, errno, "make %s", output);
	return 0;
}

/* From here on a Ctrl-C is something that is read, and does not end us. */
static int take_signals(struct session *session, struct err *err)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction now;
	sigset_t set;

	sigemptyset(&set);
	/* One that was ignored when we were started (nohup, a shell's background) stays so. */
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaddset(&set, signals[i]);
	signal(SIGPIPE, SIG_IGN); /* a reader that went away must not end a run */
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return err_set(err, errno, "block signals");
	session->supervisor.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return session->supervisor.signals < 0 ? err_set(err, errno, "signalfd") : 0;
}

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
	if (place >= 0)
		cgroup_remove_leftovers(place, 0);
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

static int begin_journal(struct session *session, struct err *err)
{
	json_t *record =
		plan_record(&session->suite, &session->options, session->argc, session->argv);
	int result;

	if (!record)
		return err_set(err, ENOMEM, "run record");
	result = journal_create(&session->journal, session->dir, err);
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
	for (size_t i = 0; !result && i < session->plan.n; i++)
		result = run_one(session, &session->plan.entries[i], err);
	if (result)
		return result;
	interrupted = session->supervisor.interrupts > 0;
	*code = interrupted ? COMMAND_INTERRUPTED : plan_exit(&session->plan);
	return journal_append(&session->journal, plan_done(&session->plan, *code, interrupted),
			      true, err);
}

static int show_report(const struct session *session, struct err *err)
{
	struct report_options how = {
		.colour = session->progress.colour,
		.width = session->progress.terminal ? progress_columns(stdout) : 0,
	};
	int result = 0;

	if (!session->options.ktap) {
		putchar('\n');
		result = report_term(stdout, session->dir, &how, err);
	}
	fprintf(session->options.ktap ? stderr : stdout, "report: %s\n", session->dir);
	return result;
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
	};
	progress_init(&session->progress, session->options.ktap ? stderr : stdout, session->plan.n);
	result = take_signals(session, err);
	if (!result)
		result = begin_journal(session, err);
	if (!result)
		result = harden(session, err);
	if (result)
		return command_error("run", "%s", err->text);
	result = run_all(session, &code, err);
	janitor_stop(&session->janitor);
	journal_close(&session->journal);
	if (!result)
		result = show_report(session, err);
	return result ? command_error("run", "%s", err->text) : code;
}

/*
 * One run at a time on a machine: runs would see each other's sysctls and load, and two that sample
 * at the shortest period were seen to stop a machine. The lock is on a file that every kernel with
 * perf has, so that none has to be made; its descriptor stays open, also in the janitor, until the
 * machine is as it was found.
 */
static int own_machine(struct err *err)
{
	int fd = open(MACHINE_LOCK, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : err_set(err, errno, "open %s", MACHINE_LOCK);
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		err_set(err, errno, "another run is going on on this machine: lock %s",
			MACHINE_LOCK);
		close(fd);
		return -EBUSY;
	}
	return 0;
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
		result = own_machine(err);
	return result ? result : make_dir(session, err);
}

int cmd_run(int argc, char **argv)
{
	struct session *session = calloc(1, sizeof(*session));
	struct err err;
	int code;

	if (!session)
		return command_error("run", "out of memory");
	session->argc = argc;
	session->argv = argv;
	code = run_options_parse(&session->options, argc, argv);
	if (code < 0)
		code = prepare(session, &err) ? command_error("run", "%s", err.text)
					      : conduct(session, &err);
	plan_free(&session->plan);
	suite_free(&session->suite);
	run_options_free(&session->options);
	free(session);
	return code;
}
