// SPDX-License-Identifier: GPL-2.0-or-later
#include "execution.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "family.h"
#include "hazard.h"
#include "log_record.h"
#include "process.h"
#include "record.h"
#include "spawn.h"
#include "tap.h"

/* From SIGTERM to SIGKILL: time for a test to write down its state as evidence. */
#define TERM_GRACE_MS 5000

/*
 * From SIGKILL to giving up: one that sleeps in the kernel for longer hangs there. One that can
 * run, or that has ended but for its threads, may only lack a CPU.
 */
#define KILL_GRACE_MS 10000
#define KILL_GRACE_ENDING_MS 60000

/* Children that die with their parent may take this long to be gone. */
#define SURVIVOR_GRACE_MS 500

/* Nothing writes to the pipes any more when they are read to their end; a limit all the same. */
#define DRAIN_MS 2000

/* How often at least the clock is looked at. */
#define TICK_MS 200

#define INACTIVITY_MIN_S 30

/* Kernel-log records taken in one go, and journaled in all. */
#define LOG_BATCH 256
#define LOG_MAX 1000

/* Kernel-log level of a warning (KERN_WARNING): up to here a record is kept whatever it says. */
#define LEVEL_WARNING 4

#define FAMILY_MAX 256
#define FAMILY_ROUNDS 100

/* Stands for the rest of an output line that was too long. */
static const char cut_mark[] = " [cut]";

int64_t execution_inactivity_ms(double budget_s)
{
	double seconds = budget_s / 2;

	return (int64_t)(1000 * (seconds < INACTIVITY_MIN_S ? INACTIVITY_MIN_S : seconds));
}

/* What a test did last is what is asked for when it has hung the machine. */
static bool may_be_the_last(const struct execution *execution)
{
	return execution->supervisor->hazard && execution->planned->test->danger == DANGER_MAY_HANG;
}

void execution_append(struct execution *execution, json_t *record, bool sync)
{
	struct err err;
	int result;

	json_object_set_new(record, "test", json_string(execution->planned->test->name));
	json_object_set_new(record, "iter", json_integer(execution->planned->iter));
	if (execution->journal_result) {
		json_decref(record);
		return;
	}
	sync |= may_be_the_last(execution);
	result = journal_append(execution->supervisor->journal, record, sync, &err);
	if (result) {
		execution->journal_result = result;
		execution->journal_err = err;
	}
}

static int emit_output(void *context, const char *text, size_t len, unsigned long omitted)
{
	struct stream *stream = context;
	json_t *record = json_pack("{s:s, s:s}", "type", "output", "stream", stream->name);

	record_set_text(record, "text", text ? text : "", len);
	if (omitted)
		json_object_set_new(record, "omitted", json_integer((json_int_t)omitted));
	execution_append(stream->execution, record, false);
	tap_line(stream->execution->supervisor->tap, text ? text : "", len, stream->is_stderr,
		 omitted);
	return 0;
}

static int take_output(void *context, const char *line, size_t len, bool cut)
{
	struct stream *stream = context;

	char marked[OUTPUT_LINE_MAX + sizeof(cut_mark)];

	if (len)
		snprintf(stream->last, sizeof(stream->last), "%.*s", (int)len, line);
	if (!cut)
		return output_add(&stream->output, line, len);
	memcpy(marked, line, len);
	memcpy(marked + len, cut_mark, sizeof(cut_mark) - 1);
	return output_add(&stream->output, marked, len + sizeof(cut_mark) - 1);
}

static int take_record(void *context, const char *line, size_t len, bool cut)
{
	struct execution *execution = context;
	json_t *record = intake_line(&execution->intake, line, len, cut);

	if (record)
		execution_append(execution, record, false);
	/* A test that does not read them (full pipe) does not want to know. */
	if (execution->ack >= 0 && write(execution->ack, "", 1) < 0)
		return 0;
	return 0;
}

/* A pipe of which we keep the reading end, non-blocking, in `lines`. Returns the other end. */
static int open_pipe(struct lines *lines, size_t max, struct err *err)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return err_set(err, errno, "pipe for a test");
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	lines_init(lines, fds[0], max);
	return fds[1];
}

static void open_stream(struct execution *execution, int which)
{
	struct stream *stream = &execution->streams[which];

	stream->execution = execution;
	stream->is_stderr = which == 1;
	stream->name = which ? "stderr" : "stdout";
	stream->lines.fd = -1;
	output_init(&stream->output, emit_output, stream);
}

int execution_prepare(struct execution *execution, struct supervisor *supervisor,
		      const struct planned *planned, struct err *err)
{
	struct err why;

	memset(execution, 0, sizeof(*execution));
	execution->supervisor = supervisor;
	execution->planned = planned;
	execution->records.fd = -1;
	execution->ack = -1;
	execution->pidfd = -1;
	execution->cgroup.dir = -1;
	if (intake_init(&execution->intake, planned->test))
		return err_set(err, ENOMEM, "records of %s", planned->test->name);
	open_stream(execution, 0);
	open_stream(execution, 1);
	execution->klog_open = !klog_open_live(&execution->klog, &execution->klog_err);
	if (supervisor->place >= 0 &&
	    cgroup_create(&execution->cgroup, supervisor->place, ++supervisor->started, &why)) {
		json_t *note = json_pack("{s:s}", "type", "note");

		record_set_text(note, "text", why.text, (size_t)-1);
		execution_append(execution, note, false);
	}
	return 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* A pipe of which we keep the writing end; it never makes us wait. Returns the other end. */
static int open_ack(struct execution *execution, struct err *err)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return err_set(err, errno, "pipe for a test");
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	execution->ack = fds[1];
	return fds[0];
}

static int start(struct execution *execution, struct err *err)
{
	struct spawn how = {
		.argv = execution->planned->argv,
		.cgroup = cgroup_open_procs(&execution->cgroup),
		.cpus = execution->supervisor->cpus,
	};
	int result = 0;

	how.record = open_pipe(&execution->records, RECORD_LINE_MAX, err);
	how.out =
		how.record < 0 ? -1 : open_pipe(&execution->streams[0].lines, OUTPUT_LINE_MAX, err);
	how.err = how.out < 0 ? -1 : open_pipe(&execution->streams[1].lines, OUTPUT_LINE_MAX, err);
	if (how.err >= 0 && execution->supervisor->acknowledge)
		how.ack = open_ack(execution, err);
	if (how.err < 0 || how.ack < 0) {
		result = -EMFILE;
	} else {
		execution->started = execution->active = clock_ms();
		execution->pid = spawn(&how, err);
		result = execution->pid < 0 ? (int)execution->pid : 0;
	}
	close_fd(how.record);
	close_fd(how.out);
	close_fd(how.err);
	if (how.ack)
		close_fd(how.ack);
	close_fd(how.cgroup);
	if (result)
		return result;
	execution->pidfd = pidfd_open(execution->pid, 0);
	if (execution->pidfd < 0) {
		result = err_set(err, errno, "pidfd of %d", (int)execution->pid);
		kill(execution->pid, SIGKILL);
		waitpid(execution->pid, &execution->status, 0);
	}
	return result;
}

static unsigned int allowance(const struct execution *execution, enum klog_class class)
{
	const struct klog_allow *allow = execution->planned->test->klog;

	while (allow->class != KLOG_NONE && allow->class != class)
		allow++;
	return allow->class == class ? allow->max : 0;
}

static void journal_log(struct execution *execution, const struct klog_record *log)
{
	bool expected = execution->tally.count[log->class] <= allowance(execution, log->class);

	if (execution->logged++ < LOG_MAX)
		execution_append(execution, log_record(log, expected), false);
}

/* Take up to a batch of kernel-log records. */
static void read_log(struct execution *execution)
{
	struct klog_record log;
	struct err err;

	for (int i = 0; execution->klog_open && i < LOG_BATCH; i++) {
		int result = klog_next(&execution->klog, &log, &err);

		if (result == 0)
			break;
		if (result < 0) {
			execution->klog.lost = true;
			break;
		}
		klog_tally_add(&execution->tally, &log);
		if (log.class != KLOG_NONE || log.continues ||
		    (log.level >= 0 && log.level <= LEVEL_WARNING))
			journal_log(execution, &log);
	}
}

/* Start to end it: its handler may write evidence first. The first cause is the one that counts. */
static void terminate(struct execution *execution, enum ending ending)
{
	if (execution->ending != ENDING_OWN)
		return;
	execution->ending = ending;
	execution->next = clock_ms() + TERM_GRACE_MS;
	pidfd_send_signal(execution->pidfd, SIGTERM, NULL, 0);
}

/* SIGKILL to the test and everything it started, wherever that went. */
static void kill_all(struct execution *execution)
{
	pid_t pids[FAMILY_MAX];

	cgroup_kill(&execution->cgroup);
	kill(-execution->pid, SIGKILL);
	if (!execution->gone)
		kill(execution->pid, SIGKILL); /* it may not have reached setsid() yet */
	for (int round = 0; round < FAMILY_ROUNDS; round++) {
		size_t n = family_descendants(getpid(), execution->supervisor->janitor, pids,
					      FAMILY_MAX);

		if (!n)
			return;
		for (size_t i = 0; i < n; i++)
			kill(pids[i], SIGKILL);
		clock_sleep_ms(1);
	}
}

bool execution_is_stuck(char state, int64_t since_kill_ms)
{
	bool ending = state == 'R' || state == 'Z' || !state;

	return since_kill_ms >= (ending ? KILL_GRACE_ENDING_MS : KILL_GRACE_MS);
}

/* Is a process that was killed to be waited for no longer? */
static bool take_stuck(struct execution *execution, pid_t pid, int64_t since_kill_ms)
{
	struct process process = { 0 };

	process_read(pid, &process);
	if (!execution_is_stuck(process.state, since_kill_ms))
		return false;
	execution->stuck = pid;
	execution->stuck_state = process.state;
	execution->stuck_s = (double)since_kill_ms / 1000;
	return true;
}

/* A machine that was stopped goes on with a clock that has jumped: look once more at the process.
 */
static void look_after_kill(struct execution *execution, int64_t since_kill_ms)
{
	struct pollfd end = { .fd = execution->pidfd, .events = POLLIN };

	if (poll(&end, 1, 0) > 0)
		execution->gone = true;
	else
		take_stuck(execution, execution->pid, since_kill_ms);
}

static void watch_time(struct execution *execution)
{
	const struct supervisor *supervisor = execution->supervisor;
	double budget_s = execution->planned->test->budget_s * supervisor->scale;
	int64_t now = clock_ms();

	if (execution->ending == ENDING_OWN) {
		if (execution->journal_result)
			terminate(execution, ENDING_JOURNAL);
		else if (now - execution->started > (int64_t)(budget_s * 1000))
			terminate(execution, ENDING_BUDGET);
		else if (now - execution->active > execution_inactivity_ms(budget_s))
			terminate(execution, ENDING_INACTIVE);
	} else if (!execution->killed && now >= execution->next) {
		execution->killed = true;
		execution->next = now;
		kill_all(execution);
	} else if (execution->killed) {
		look_after_kill(execution, now - execution->next);
	}
	progress_tick(supervisor->progress, execution->intake.progress);
}

/* On disk before the watchdog resets the machine for it. */
static void watch_hazard(struct execution *execution)
{
	struct hazard *hazard = execution->supervisor->hazard;
	struct err text;
	json_t *note;

	if (!hazard || !hazard_look(hazard, clock_ms(), &text))
		return;
	note = json_pack("{s:s}", "type", "note");
	record_set_text(note, "text", text.text, (size_t)-1);
	execution_append(execution, note, true);
}

static void watch_interrupt(struct execution *execution)
{
	struct supervisor *supervisor = execution->supervisor;
	unsigned int before = supervisor->interrupts;

	supervisor_look_for_interrupt(supervisor);
	if (supervisor->interrupts == before)
		return;
	if (before == 0)
		progress_say(supervisor->progress,
			     "interrupted: ending the test; once more kills it");
	terminate(execution, ENDING_INTERRUPT);
	if (supervisor->interrupts > 1)
		execution->next = execution->killed ? execution->next : clock_ms();
}

/* Read from a pipe; true when something came. Its end closes it. */
static bool read_pipe(struct execution *execution, struct lines *lines, line_handler handle,
		      void *context)
{
	int result = lines_read(lines, handle, context);

	if (result == -EAGAIN)
		return false;
	if (result <= 0) {
		lines_close(lines);
		return false;
	}
	execution->active = clock_ms();
	return true;
}

/* Read once from each pipe that is open; true when anything came. */
static bool read_pipes(struct execution *execution)
{
	bool any = false;

	if (execution->records.fd >= 0)
		any |= read_pipe(execution, &execution->records, take_record, execution);
	for (int i = 0; i < 2; i++) {
		struct stream *stream = &execution->streams[i];

		if (stream->lines.fd >= 0)
			any |= read_pipe(execution, &stream->lines, take_output, stream);
	}
	return any;
}

/* Until the process has ended, or cannot be ended. */
static void follow(struct execution *execution)
{
	while (!execution->gone && !execution->stuck) {
		struct pollfd fds[] = {
			{ .fd = execution->pidfd, .events = POLLIN },
			{ .fd = execution->supervisor->signals, .events = POLLIN },
			{ .fd = execution->records.fd, .events = POLLIN },
			{ .fd = execution->streams[0].lines.fd, .events = POLLIN },
			{ .fd = execution->streams[1].lines.fd, .events = POLLIN },
			{ .fd = execution->klog_open ? klog_fd(&execution->klog) : -1,
			  .events = POLLIN },
		};

		if (poll(fds, sizeof(fds) / sizeof(fds[0]), TICK_MS) > 0) {
			read_pipes(execution);
			read_log(execution);
			execution->gone = fds[0].revents != 0;
			if (fds[1].revents)
				watch_interrupt(execution);
		}
		watch_time(execution);
		watch_hazard(execution);
	}
	execution->ended = clock_ms();
}

/* Find what is left of a test whose process has ended. It gets a moment to end too. */
static void find_survivors(struct execution *execution)
{
	int64_t until = clock_ms() + SURVIVOR_GRACE_MS;
	pid_t pids[FAMILY_MAX];
	size_t used = 0;
	size_t n;

	if (execution->killed)
		return; /* then all were killed at once */
	for (;;) {
		n = family_descendants(getpid(), execution->supervisor->janitor, pids, FAMILY_MAX);
		if (!n || clock_ms() >= until)
			break;
		clock_sleep_ms(10);
	}
	execution->survivors = n;
	for (size_t i = 0; i < n && used + 1 < sizeof(execution->survivor_names); i++) {
		struct process process = { .name = "?" };

		process_read(pids[i], &process);
		used += (size_t)snprintf(execution->survivor_names + used,
					 sizeof(execution->survivor_names) - used, "%s%s",
					 i ? ", " : "", process.name);
	}
}

/* What it left was killed, too, and takes its time to be gone, or sleeps in the kernel for ever. */
static void await_rest(struct execution *execution)
{
	int64_t killed = clock_ms();
	pid_t one;

	while (family_descendants(getpid(), execution->supervisor->janitor, &one, 1) &&
	       !take_stuck(execution, one, clock_ms() - killed)) {
		kill(one, SIGKILL);
		clock_sleep_ms(10);
	}
}

/* Take what is still in the pipes and in the kernel log, now that nobody writes any more. */
static void drain(struct execution *execution)
{
	int64_t until = clock_ms() + DRAIN_MS;
	struct err err;

	while (read_pipes(execution) && clock_ms() < until)
		;
	for (int i = 0; i < 2; i++)
		output_finish(&execution->streams[i].output);
	while (execution->klog_open && execution->logged < LOG_MAX && clock_ms() < until) {
		unsigned int before = execution->logged;

		read_log(execution);
		if (execution->logged == before)
			break;
	}
	if (execution->klog_open && execution->klog.lost)
		execution->tally.lost = true;
	if (cgroup_destroy(&execution->cgroup, &err) && !execution->stuck) {
		json_t *note = json_pack("{s:s}", "type", "note");

		record_set_text(note, "text", err.text, (size_t)-1);
		execution_append(execution, note, false);
	}
}

int execution_run(struct execution *execution, struct err *err)
{
	int result = start(execution, err);

	if (result)
		return result;
	follow(execution);
	if (execution->gone)
		find_survivors(execution);
	kill_all(execution);
	if (execution->gone)
		await_rest(execution);
	drain(execution);
	if (execution->gone)
		waitpid(execution->pid, &execution->status, 0);
	execution->supervisor->stuck = execution->stuck;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		; /* what was left to us by a process that ended before it */
	return 0;
}

static const char *how_it_went(const struct execution *execution)
{
	return execution->killed ? "it ignored SIGTERM and was killed" : "it ended on SIGTERM";
}

static void judge_ending(const struct execution *execution, struct judge *judge)
{
	double budget_s = execution->planned->test->budget_s * execution->supervisor->scale;

	switch (execution->ending) {
	case ENDING_OWN:
		break;
	case ENDING_BUDGET:
		judge_add(judge, VERDICT_HUNG, "not ended within its budget of %g s; %s", budget_s,
			  how_it_went(execution));
		break;
	case ENDING_INACTIVE:
		judge_add(judge, VERDICT_HUNG, "no output and no record for %g s; %s",
			  (double)execution_inactivity_ms(budget_s) / 1000, how_it_went(execution));
		break;
	case ENDING_INTERRUPT:
		judge_add(judge, VERDICT_NOTRUN, "interrupted; %s", how_it_went(execution));
		break;
	case ENDING_JOURNAL:
		judge_add(judge, VERDICT_BROKEN, "%s", execution->journal_err.text);
		break;
	}
	if (execution->stuck)
		judge_add(judge, VERDICT_HUNG,
			  "process %d is still there %.0f s after SIGKILL (state %c): nothing more "
			  "can be tested before it is gone, which may take a reboot",
			  (int)execution->stuck, execution->stuck_s, execution->stuck_state);
}

/* The exit status of a test that ended by itself, against what it said. */
static void judge_status(const struct execution *execution, struct judge *judge)
{
	enum verdict said = execution->intake.said;
	const char *last = execution->streams[1].last;

	if (WIFSIGNALED(execution->status)) {
		judge_add(judge, VERDICT_BROKEN, "killed by SIG%s",
			  sigabbrev_np(WTERMSIG(execution->status)));
		return;
	}
	if (said == VERDICT_NONE)
		judge_add(judge, VERDICT_BROKEN, "ended without a verdict, exit status %d%s%s",
			  WEXITSTATUS(execution->status), *last ? ": " : "", last);
	else if (WEXITSTATUS(execution->status) != verdict_ksft_exit(said))
		judge_add(judge, VERDICT_BROKEN, "exit status %d contradicts its verdict %s",
			  WEXITSTATUS(execution->status), verdict_name(said));
}

static void judge_log(const struct execution *execution, struct judge *judge)
{
	struct err why = { .text = "" };
	enum verdict verdict;

	if (!execution->klog_open) {
		/* Without the kernel log nobody knows whether the kernel complained. */
		verdict = judge_verdict(judge);
		if (verdict == VERDICT_PASS || verdict == VERDICT_KNOWN)
			judge_add(judge, VERDICT_BROKEN, "the kernel log could not be read: %s",
				  execution->klog_err.text);
		return;
	}
	verdict = klog_judge(&execution->tally, execution->planned->test->klog, &why);
	if (verdict != VERDICT_PASS)
		judge_add(judge, verdict, "%s", why.text);
}

void execution_judge(const struct execution *execution, struct judge *judge)
{
	bool own = execution->ending == ENDING_OWN;

	judge_ending(execution, judge);
	intake_judge(&execution->intake, own, judge);
	if (own)
		judge_status(execution, judge);
	if (execution->survivors)
		judge_add(judge, VERDICT_BROKEN, "left %zu processes behind: %s",
			  execution->survivors, execution->survivor_names);
	judge_log(execution, judge);
}

void execution_free(struct execution *execution)
{
	cgroup_destroy(&execution->cgroup, NULL);
	intake_free(&execution->intake);
	lines_close(&execution->records);
	for (int i = 0; i < 2; i++) {
		lines_close(&execution->streams[i].lines);
		output_free(&execution->streams[i].output);
	}
	if (execution->klog_open)
		klog_close(&execution->klog);
	close_fd(execution->ack);
	close_fd(execution->pidfd);
}
