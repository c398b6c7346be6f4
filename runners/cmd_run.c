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

#include "active.h"
#include "cgroup.h"
#include "clock.h"
#include "command.h"
#include "hazard.h"
#include "janitor.h"
#include "known_table.h"
#include "machine.h"
#include "machine_lock.h"
#include "mirror.h"
#include "plan.h"
#include "port.h"
#include "progress.h"
#include "recover.h"
#include "resume.h"
#include "run_options.h"
#include "run_parts.h"
#include "suite.h"
#include "supervisor.h"
#include "surroundings.h"
#include "tap.h"
#include "trace.h"

/* Near the bottom of the scale (proc(5)): a test goes first, and then everything else. */
#define OOM_SCORE_SUPERVISOR "-900"

/* How long and how often a resumed run looks for the end of the one before it. */
#define LOCK_MS 10000
#define LOCK_WAIT_MS 50

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
	struct hazard hazard;
	char suites[PATH_MAX];
	char dir[PATH_MAX]; /* of the report */
	int lock;	    /* descriptor, see machine_lock(); open until the machine is as found */
	int argc;
	char **argv;
	bool guest;		  /* we are in the lab's machine: the journal goes to its host */
	size_t first;		  /* number of the first test to run, from 1 */
	struct run_options asked; /* how a resumed run is to go on */
	struct resume resume;	  /* when asked.resume is set */
	struct known_issues known;
	struct known_live live;
	struct tap tap;
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

/* All sysctls that a test of the suite may change, and those that we change around it. Newly
 * allocated; the names are the suite's. */
static const char **all_sysctls(const struct suite *suite)
{
	const char **names;
	size_t n = 0;

	for (size_t i = 0; i < suite->n; i++)
		for (const char *const *name = suite->tests[i].sysctls; *name; name++)
			n++;
	for (size_t i = 0; escalation_sysctl(i); i++)
		n++;
	names = calloc(n + 1, sizeof(*names));
	n = 0;
	for (size_t i = 0; names && i < suite->n; i++)
		for (const char *const *name = suite->tests[i].sysctls; *name; name++)
			names[n++] = *name;
	for (size_t i = 0; names && escalation_sysctl(i); i++)
		names[n++] = escalation_sysctl(i);
	return names;
}

static int note_if(struct session *session, int failed, const struct err *why, struct err *err)
{
	return failed ? supervisor_note(&session->supervisor, why->text, err) : 0;
}

/* What a dead run of another report left is put back before this one looks at the machine. */
static int recover_other(struct session *session, struct err *err)
{
	json_t *did = json_array();
	struct err why;
	int result = note_if(session, recover_active(session->dir, did, &why), &why, err);
	json_t *text;
	size_t i;

	json_array_foreach(did, i, text)
	{
		if (!result)
			result =
				supervisor_note(&session->supervisor, json_string_value(text), err);
	}
	json_decref(did);
	return result;
}

/* For whoever finds the machine without us and without a janitor. */
static int journal_saved(struct session *session, const char *const *sysctls, struct err *err)
{
	json_t *record;
	int result = recover_other(session, err);

	if (result)
		return result;
	record = recover_saved(sysctls, err);
	result = record ? journal_append(&session->journal, record, true, err) : -EIO;
	active_set(session->dir);
	return result;
}

static int start_janitor(struct session *session, struct err *err)
{
	const char **sysctls = all_sysctls(&session->suite);
	int result = 0;

	if (!sysctls)
		return err_set(err, ENOMEM, "list of sysctls");
	if (!session->guest)
		result = journal_saved(session, sysctls, err);
	if (!result)
		result = janitor_start(&session->janitor, session->supervisor.place, sysctls, err);
	free(sysctls);
	session->supervisor.janitor = session->janitor.pid;
	return result;
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

static int journal_machine(struct session *session, struct err *err)
{
	json_t *record = machine_inventory("", session->options.identify, err);

	return record ? journal_append(&session->journal, record, true, err) : -ENOMEM;
}

/* KTAP of a run that is resumed has all its results. */
static void show_kept(struct session *session)
{
	tap_begin(&session->tap, session->plan.n);
	for (size_t i = 0; i < session->plan.n; i++) {
		const struct planned *kept = &session->plan.entries[i];

		if (kept->verdict != VERDICT_NONE)
			tap_result(&session->tap, kept->number, kept->label,
				   known_live_verdict(&session->live, kept->test->name, kept->iter,
						      kept->verdict),
				   "before the run was resumed");
	}
}

/* Nothing of the journal is changed before this. */
static int resume_journal(struct session *session, struct err *err)
{
	const struct resume *resume = &session->resume;
	size_t left = 0;
	int result = journal_cut(&session->journal, resume->seq, resume->whole, err);

	for (size_t i = 0; i < session->plan.n; i++)
		left += session->plan.entries[i].verdict == VERDICT_NONE;
	left -= resume->state.start != NULL; /* in flight: that has only to be ended */
	show_kept(session);
	if (!result)
		result = journal_append(&session->journal, resume_record(resume, left), true, err);
	if (!result)
		result = journal_machine(session, err);
	return result ? result : resume_settle(resume, &session->supervisor, &session->plan, err);
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
	return result ? result : journal_machine(session, err);
}

/* The reason to reset the machine: nothing can be tested in it any more, and nobody is there. */
static bool holds_up(void *context)
{
	struct supervisor *supervisor = context;

	supervisor_look_for_interrupt(supervisor);
	return !supervisor->interrupts && supervisor_is_stuck(supervisor);
}

/* Only a restart ends what the test has left; the run is then resumed. */
static int reset_stuck(struct session *session, const struct planned *planned, struct err *err)
{
	struct supervisor *supervisor = &session->supervisor;
	char text[80];
	const struct hazard_reason reason = { .text = text,
					      .holds = holds_up,
					      .context = supervisor };

	if (!holds_up(supervisor) || !hazard_may_reset(&session->hazard))
		return 0;
	snprintf(text, sizeof(text), "process %d cannot be killed", (int)supervisor->stuck);
	progress_say(supervisor->progress, "the watchdog resets the machine, as a process cannot "
					   "be killed; Ctrl-C prevents that");
	return hazard_reset(&session->hazard, planned, &reason, err);
}

/* Around one that may hang this machine; the lab's has its host to watch over it. */
static int run_hazardous(struct session *session, struct planned *planned, struct err *err)
{
	struct hazard *hazard = &session->hazard;
	struct err left;
	int result = hazard_enter(hazard, planned, err);

	if (result == HAZARD_REFUSED)
		return supervisor_pass_over(&session->supervisor, planned, VERDICT_SKIP, err->text,
					    err);
	if (result)
		return result;
	result = supervisor_run(&session->supervisor, planned, err);
	if (!result)
		result = reset_stuck(session, planned, err);
	if (hazard_leave(hazard, planned, &left) && !result) {
		*err = left;
		result = -EIO;
	}
	return result;
}

static int note_mirrors(struct session *session, struct err *err)
{
	char text[1024];
	int result = 0;

	while (!result && mirrors_news(&session->mirrors, text, sizeof(text)))
		result = supervisor_note(&session->supervisor, text, err);
	return result;
}

/* One that cannot be reached after a reset is no reason not to go on with the run. */
static int open_mirrors(struct session *session, struct err *err)
{
	const struct run_options *options = &session->options;

	return mirrors_open(&session->mirrors, options->mirrors, options->n_mirrors,
			    session->asked.resume != NULL, err);
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
	if (*session->resume.loop)
		return supervisor_pass_over(supervisor, planned, VERDICT_NOTRUN,
					    session->resume.loop, err);
	if (supervisor_is_stuck(supervisor))
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
	if (test->danger == DANGER_MAY_HANG && supervisor->hazard)
		return run_hazardous(session, planned, err);
	return supervisor_run(supervisor, planned, err);
}

/* Watchdogs of this machine; the lab's are the business of its host. */
static int begin_hazard(struct session *session, struct err *err)
{
	if (session->guest)
		return 0;
	session->hazard = (struct hazard){
		.options = &session->options.hazard,
		.ops = &watchdog_system,
		.journal = &session->journal,
		.janitor = &session->janitor,
		.cpus = &session->options.allowed,
		.dir = session->dir,
	};
	session->supervisor.hazard = &session->hazard;
	return hazard_begin(&session->hazard, err);
}

static int run_all(struct session *session, int *code, struct err *err)
{
	bool interrupted;
	int result = 0;

	if (!session->asked.resume)
		tap_begin(&session->tap, session->plan.n);
	for (size_t i = session->first - 1; !result && i < session->plan.n; i++) {
		if (session->plan.entries[i].verdict != VERDICT_NONE)
			continue; /* of the run that is resumed */
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

	session->tap.out = session->options.ktap ? stdout : NULL;
	session->live = (struct known_live){ &session->known, session->dir };
	*supervisor = (struct supervisor){
		.journal = &session->journal,
		.progress = &session->progress,
		.tap = &session->tap,
		.known = &session->live,
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
		result = session->asked.resume ? resume_journal(session, err)
					       : begin_journal(session, err);
	if (!result)
		result = harden(session, err);
	if (!result)
		result = begin_hazard(session, err);
	if (!result)
		result = start_mirrors(session, err);
	if (result) {
		finish_mirrors(session);
		return command_error("run", "%s", err->text);
	}
	result = run_all(session, &code, err);
	/* Nothing is to be put back any more. Killed from here on, we leave a janitor or no link.
	 */
	if (!session->guest)
		active_clear(session->dir);
	janitor_stop(&session->janitor, session->guest ? NULL : hazard_end(&session->hazard));
	journal_close(&session->journal);
	finish_mirrors(session);
	if (result && !session->guest)
		return command_error("run", "%s; it ends here: 'pmiproof run --resume %s' goes on",
				     err->text, session->dir);
	if (!result && !session->guest)
		result = run_show_report("run", session->dir, session->options.ktap,
					 &session->known, err);
	if (result)
		return command_error("run", "%s", err->text);
	return session->guest ? code : run_exit(session->dir, code, &session->known);
}

/* Nothing is left of a run, or nothing that can be run now: its exit code. */
static int say_complete(struct session *session)
{
	const struct journal_state *state = &session->resume.state;
	FILE *out = session->asked.ktap ? stderr : stdout;

	/* It may have been killed, and its janitor with it, right after its last record. */
	if (state->done)
		active_clear(session->dir);
	fputs("nothing is left to be run", out);
	if (state->notrun && state->stopped)
		fprintf(out, ", as the machine was reset %u times: with --max-resets %u it goes on",
			state->resets, state->resets + 1);
	else if (state->notrun)
		fputs(" before a restart of the machine, as a process could not be killed", out);
	fprintf(out, "\nreport: %s\n", session->dir);
	return run_exit(session->dir, session->resume.state.exit, &session->known);
}

/* What is to be run, and in which order. */
static int make_plan(struct session *session, struct err *err)
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
	return result;
}

static int prepare(struct session *session, struct err *err)
{
	int result = make_plan(session, err);

	if (!result)
		result = machine_lock(&session->lock, err);
	if (result || session->guest)
		return result;
	result = known_table_load(&session->known, session->options.known, err);
	if (result)
		return result;
	result = open_mirrors(session, err);
	if (!result)
		result = run_make_dir(session->options.output, session->dir, sizeof(session->dir),
				      err);
	if (result)
		mirrors_finish(&session->mirrors, NULL);
	return result;
}

/* What cut a run off may still be tidying up after it, and holds the lock so long. */
static int await_machine(int *lock, struct err *err)
{
	int64_t until = clock_ms() + LOCK_MS;
	int result;

	while ((result = machine_lock(lock, err)) == -EBUSY && clock_ms() < until)
		clock_sleep_ms(LOCK_WAIT_MS);
	return result;
}

/* The table of a resumed run: one that is named now, or else that of the run. */
static int load_known(struct session *session, struct err *err)
{
	const char *now = session->asked.known, *before = session->options.known;
	char path[PATH_MAX];

	if (now || !before)
		return known_table_load(&session->known, now, err);
	if (resume_path(&session->resume, before, path, sizeof(path), err))
		return -ENAMETOOLONG;
	if (!known_table_load(&session->known, path, err))
		return 0;
	err_prefix(err, "--known of the run");
	return -EINVAL;
}

/* Everything of a resumed run up to its plan. Returns -1 to go on, or an exit code. */
static int prepare_resume(struct session *session, struct err *err)
{
	const struct run_options *asked = &session->asked;
	struct resume *resume = &session->resume;
	size_t retries = 0;
	int code;

	if (!realpath(asked->resume, session->dir))
		return command_error("run", "--resume %s: %s", asked->resume,
				     strerrorname_np(errno));
	if (await_machine(&session->lock, err) ||
	    resume_open(resume, &session->journal, session->dir, asked->resets_max, err))
		return command_error("run", "%s", err->text);
	code = run_options_parse(&session->options, NULL, resume->argc, resume->argv);
	if (code >= 0)
		return code;
	session->options.ktap = asked->ktap;
	if (load_known(session, err))
		return command_error("run", "%s", err->text);
	if (journal_state_complete(&resume->state, asked->resets_max) && !asked->retry_hung)
		return say_complete(session);
	if (resume_surroundings(resume, err) || make_plan(session, err) ||
	    resume_plan(resume, &session->suite, &session->plan, asked->retry_hung, &retries, err))
		return command_error("run", "%s", err->text);
	if (journal_state_complete(&resume->state, asked->resets_max) && !retries)
		return say_complete(session);
	return open_mirrors(session, err) ? command_error("run", "%s", err->text) : -1;
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
	code = run_options_parse(&session->asked, NULL, argc, argv);
	if (code < 0 && session->asked.resume)
		code = prepare_resume(session, &err);
	else if (code < 0) {
		session->options = session->asked;
		session->asked = (struct run_options){ 0 };
		code = prepare(session, &err) ? command_error("run", "%s", err.text) : -1;
	}
	if (code < 0)
		code = conduct(session, &err);
	plan_free(&session->plan);
	suite_free(&session->suite);
	run_options_free(&session->options);
	run_options_free(&session->asked);
	resume_free(&session->resume);
	known_free(&session->known);
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
