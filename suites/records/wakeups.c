// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: who waits for records is woken when it was asked for: with each Nth one, with each
 * watermark that is passed, by a signal for each overflow, at the limit of overflows, and when the
 * task is gone; every time, and not otherwise.
 *
 * Mechanism: a record that is due to wake marks the ring as readable and asks for an interrupt of
 * its own (irq_work), as an NMI must not wake anybody. That one wakes who sleeps in poll(), and
 * sends the signal. Records of an inherited event do so for the event of the parent.
 *
 * On a broken kernel a profiler sleeps until its ring is full and loses records, or spins.
 *
 * Everything is by counts and order. Time plays a part only in that a wake-up which has not come
 * after seconds is lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "event.h"
#include "fresh_pages.h"
#include "hypothesis.h"
#include "offspring.h"
#include "placement.h"
#include "rate_limit.h"
#include "sleeper.h"
#include "wake_points.h"
#include "workload.h"

#define PAGES 64
#define RING_PAGES 64
#define RECORDS 60	 /* of a row; half of the ring would wake, too: far less */
#define MISSING_ENOUGH 2 /* each is waited for */
#define LIMIT 5		 /* overflows of an event that then stops */
#define CHILDREN 12
#define CHILD_FAULTS 256
#define CHILD_SIGNALS 20
#define PERIOD 100003 /* instructions */
#define ROUND 19      /* of the loop */
#define STEP_TRIES 1000
#define RECORD_SIZE 24 /* bytes: header, address, pid and tid */

/* What makes overflows: page faults, or instructions where there is a PMU. */
struct source {
	const char *name;
	const char *missing, *early; /* checks */
	struct perf_event_attr attr;
	int (*step)(void *context, struct err *err); /* a small part of a period, or one */
	void *context;
};

struct row {
	struct run *run;
	const struct source *source;
	const char *name;
	struct event event;
	struct event anchor; /* see open_inherited() */
	struct wake_points points;
	uint64_t seen; /* bytes of the ring that have been accounted for */
};

static int fault(void *context, struct err *err)
{
	return fresh_pages_go_on(context, 1, err);
}

static int some_instructions(void *context, struct err *err)
{
	const struct workload *work = context;

	(void)err;
	work->run(PERIOD / ROUND / 8);
	return 0;
}

/* Open as asked for by `points`, map and enable. */
static int row_open(struct row *row, struct err *err)
{
	struct perf_event_attr attr = row->source->attr;
	int result;

	if (row->points.watermark) {
		attr.watermark = 1;
		attr.wakeup_watermark = (uint32_t)row->points.watermark;
	} else {
		attr.wakeup_events = (uint32_t)row->points.events;
	}
	result = event_open_self(&row->event, &attr, err);
	if (!result)
		result = event_map(&row->event, RING_PAGES, false, err);
	return result;
}

/* Records that were not accounted for yet. */
static uint64_t new_records(const struct row *row)
{
	return (ring_written(&row->event.ring) - row->seen) / RECORD_SIZE;
}

/* So many wake-ups came with them. */
static void account(struct row *row, uint64_t records, uint64_t wakes)
{
	wake_points_take(&row->points, records, RECORD_SIZE, wakes);
	row->seen += records * RECORD_SIZE;
}

/* Go on until there is a record more; *records is how many there are more. */
static int one_more(struct row *row, uint64_t *records, struct err *err)
{
	uint64_t before = ring_written(&row->event.ring), now = before;
	int result = 0;

	for (int i = 0; !result && now == before && i < STEP_TRIES; i++) {
		result = row->source->step(row->source->context, err);
		now = ring_written(&row->event.ring);
	}
	if (!result && now == before)
		return err_plain(err, ENODATA, "no record comes");
	*records = new_records(row);
	return result;
}

/* What poll() says right now; asking takes the mark away. */
static short events_now(const struct event *event)
{
	struct pollfd ask = { .fd = event->fd, .events = POLLIN };

	return poll(&ask, 1, 0) > 0 ? ask.revents : 0;
}

static void judge(struct row *row, const char *what, const char *missing, const char *early)
{
	struct run *run = row->run;
	char line[80];

	snprintf(line, sizeof(line), "%s, %s: %s", what, row->name, row->source->name);
	run_figure(run, "wake-ups", line, "records", (double)row->points.records, "1");
	run_figure(run, "wake-ups", line, "due", (double)row->points.due, "1");
	run_figure(run, "wake-ups", line, "missing", (double)row->points.missing, "1");
	run_figure(run, "wake-ups", line, "not due", (double)row->points.early, "1");
	if (!run_control(run, line, (double)row->points.due, 1, "1"))
		return;
	run_check_eq(run, missing, line, (double)row->points.missing, 0, "1");
	run_check_eq(run, early, line, (double)row->points.early, 0, "1");
}

/* Nobody sleeps: the mark is looked at after each record. */
static int look_each_time(struct row *row, struct err *err)
{
	int result = event_enable(&row->event, err);

	while (!result && row->points.records < RECORDS) {
		uint64_t records, due, seen = 0;

		result = one_more(row, &records, err);
		if (result)
			break;
		due = wake_points_due(&row->points, records, RECORD_SIZE);
		/* A mark does not say how often. */
		if (events_now(&row->event) & POLLIN)
			seen = due ? due : 1;
		account(row, records, seen);
	}
	return result;
}

/* How often the sleeper was woken by now: if it was, it has told by the time it sleeps again. */
static unsigned int wakes_now(struct sleeper *sleeper)
{
	unsigned int wakes = 0;

	sleeper_asleep(sleeper);
	sleeper_woken(sleeper, 0, &wakes, NULL);
	return wakes;
}

/* It must sleep before it can be woken. What waiting for that takes is done once, unsampled. */
static int enable_asleep(struct row *row, struct sleeper *sleeper, struct err *err)
{
	if (!sleeper_asleep(sleeper))
		return err_plain(err, ETIMEDOUT, "the thread that is to be woken does not sleep");
	return event_enable(&row->event, err);
}

/* Another thread sleeps. */
static int sleep_each_time(struct row *row, struct sleeper *sleeper, struct err *err)
{
	unsigned int woken = 0, wakes;
	int result = enable_asleep(row, sleeper, err);

	while (!result && row->points.records < RECORDS && row->points.missing < MISSING_ENOUGH) {
		uint64_t records, due;

		result = one_more(row, &records, err);
		if (result)
			break;
		due = wake_points_due(&row->points, records, RECORD_SIZE);
		if (due)
			sleeper_woken(sleeper, woken + 1, NULL, NULL);
		wakes = wakes_now(sleeper);
		/* Two that are due while it has not run yet are one. */
		account(row, records, wakes > woken && wakes - woken < due ? due : wakes - woken);
		woken = wakes;
	}
	return result;
}

static void run_poll(struct run *run, const struct source *source, const char *name,
		     const struct wake_points *points)
{
	struct row row = { run, source, name, EVENT_CLOSED, EVENT_CLOSED, *points, 0 };
	struct err err;

	run_progress(run, "poll, %s: %s", name, source->name);
	if (row_open(&row, &err) || look_each_time(&row, &err))
		run_broken(run, "poll, %s: %s", name, err.text);
	else
		judge(&row, "poll", source->missing ? source->missing : "poll_each",
		      source->early ? source->early : "poll_not_before");
	event_close(&row.event);
}

static void run_sleeper(struct run *run, const struct source *source, const char *name,
			const struct wake_points *points)
{
	struct row row = { run, source, name, EVENT_CLOSED, EVENT_CLOSED, *points, 0 };
	struct sleeper sleeper = { .started = false };
	struct err err;

	run_progress(run, "sleeper, %s: %s", name, source->name);
	if (row_open(&row, &err) || sleeper_start(&sleeper, row.event.fd, &err) ||
	    sleep_each_time(&row, &sleeper, &err))
		run_broken(run, "sleeper, %s: %s", name, err.text);
	else
		judge(&row, "sleeper", source->missing ? source->missing : "sleeper_woken",
		      source->early ? source->early : "sleeper_not_woken_else");
	sleeper_stop(&sleeper);
	event_close(&row.event);
}

/* --- Signals --- */

/* The next signal within a time, of this event; false when there is none. */
static bool next_signal(const struct event *event, int number, long ms, int *code)
{
	const struct timespec limit = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	if (sigtimedwait(&set, &info, &limit) != number || info.si_fd != event->fd)
		return false;
	*code = info.si_code;
	return true;
}

/* Send `number`, which is blocked and queued, to this thread for what happens to the event. */
static int ask_for_signals(const struct event *event, int number, struct err *err)
{
	const struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = gettid() };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	if (pthread_sigmask(SIG_BLOCK, &set, NULL) || fcntl(event->fd, F_SETOWN_EX, &owner) ||
	    fcntl(event->fd, F_SETSIG, number) || fcntl(event->fd, F_SETFL, O_ASYNC))
		return err_set(err, errno, "ask for a signal of an event");
	return 0;
}

/* After each record wait for its signal; what is left then was not due. */
static int signal_each_time(struct row *row, int number, struct err *err)
{
	int result = event_enable(&row->event, err);
	int code;

	while (!result && row->points.records < RECORDS && row->points.missing < MISSING_ENOUGH) {
		uint64_t records = 0, seen = 0;

		result = one_more(row, &records, err);
		while (seen < records && next_signal(&row->event, number, SLEEPER_LIMIT_MS, &code))
			seen += code == POLL_IN;
		while (next_signal(&row->event, number, 0, &code))
			seen++;
		account(row, records, seen);
	}
	return result;
}

/*
 * The event stops itself with the last of so many overflows, and says so. Each signal is waited
 * for: the kernel may put off sending it, and stopping the event, to the next tick.
 */
static int signal_at_limit(struct row *row, int number, unsigned int *ins, unsigned int *hups,
			   struct err *err)
{
	int result = event_refresh(&row->event, LIMIT, err);
	uint64_t records;
	int code = POLL_IN;

	for (int i = 0; !result && code == POLL_IN && i < LIMIT; i++) {
		/* None comes when a fault of somebody else has used up the limit. */
		if (one_more(row, &records, err) ||
		    !next_signal(&row->event, number, SLEEPER_LIMIT_MS, &code))
			break;
		*ins += code == POLL_IN;
		*hups += code == POLL_HUP;
	}
	/* Beyond the limit, by far. */
	for (int i = 0; !result && i < 100; i++)
		result = row->source->step(row->source->context, err);
	while (!result && next_signal(&row->event, number, 0, &code)) {
		*ins += code == POLL_IN;
		*hups += code == POLL_HUP;
	}
	return result;
}

static void run_signals(struct run *run, const struct source *source)
{
	const int number = SIGRTMIN + 3;
	struct row row = { run, source, "each", EVENT_CLOSED, EVENT_CLOSED, { .events = 1 }, 0 };
	struct err err;

	run_progress(run, "signals: %s", source->name);
	if (row_open(&row, &err) || ask_for_signals(&row.event, number, &err) ||
	    signal_each_time(&row, number, &err))
		run_broken(run, "signals: %s", err.text);
	else
		judge(&row, "signal", source->missing ? source->missing : "signal_each",
		      source->early ? source->early : "signal_not_else");
	event_close(&row.event);
}

static void run_limit(struct run *run, const struct source *source)
{
	const int number = SIGRTMIN + 4;
	struct row row = { run, source, "limit", EVENT_CLOSED, EVENT_CLOSED, { .events = 1 }, 0 };
	unsigned int ins = 0, hups = 0;
	struct err err;

	if (row_open(&row, &err) || ask_for_signals(&row.event, number, &err) ||
	    signal_at_limit(&row, number, &ins, &hups, &err)) {
		run_broken(run, "limit: %s", err.text);
	} else {
		run_check_eq(run, "hang_up_at_limit", source->name, hups, 1, "1");
		run_check_eq(run, "hang_up_at_limit", "before it", ins, LIMIT - 1, "1");
	}
	event_close(&row.event);
}

/* --- Children, and the end of a task --- */

/* A child that touches these pages (NULL: none), and waits until it may end: gate[1] is closed. */
static pid_t start_child(int gate[2], const struct fresh_pages *pages, struct err *err)
{
	char token;
	pid_t pid;

	if (pipe2(gate, O_CLOEXEC))
		return err_set(err, errno, "pipe to a child");
	pid = fork();
	if (!pid) {
		close(gate[1]);
		if (pages)
			fresh_pages_touch(pages, 0, pages->n);
		_exit(read(gate[0], &token, 1) < 0 ? 1 : 0);
	}
	close(gate[0]);
	if (pid < 0) {
		close(gate[1]);
		return err_set(err, errno, "child");
	}
	return pid;
}

/*
 * Each child makes at least as many records as are to wake, so that it wakes at least once. More
 * faults, also of this task, come with each fork: all together must be worth what came.
 */
static int wait_for_children(struct row *row, struct sleeper *sleeper,
			     const struct fresh_pages *pages, struct err *err)
{
	unsigned int woken = 0, missing = 0;
	int result = enable_asleep(row, sleeper, err);

	for (int i = 0; !result && i < CHILDREN && missing < MISSING_ENOUGH; i++) {
		int gate[2];
		pid_t child = start_child(gate, pages, err);

		if (child < 0)
			return child;
		/* Before it ends: that wakes, too. */
		missing += !sleeper_woken(sleeper, woken + 1, NULL, NULL);
		close(gate[1]);
		if (waitpid(child, NULL, 0) != child)
			result = err_set(err, errno, "child");
		woken = wakes_now(sleeper);
	}
	if (!result)
		result = event_disable(&row->event, err);
	woken = wakes_now(sleeper);
	account(row, new_records(row), woken);
	/* Two that are due while it has not run yet are one. */
	row->points.missing = missing;
	return result;
}

/*
 * An inherited event of a task can be mapped when it is of one CPU. Where all events of a task are
 * inherited, parent and child exchange them at a switch from one to the other, and the child's
 * overflows are then of the parent's event: another event, which is not, keeps them apart.
 */
static int open_inherited(struct row *row, uint32_t wakeup_events, int cpu, struct err *err)
{
	const struct perf_event_attr other =
		event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct perf_event_attr attr = row->source->attr;
	int result = event_open_self(&row->anchor, &other, err);

	attr.inherit = 1;
	attr.wakeup_events = wakeup_events;
	if (!result)
		result = event_open_task_cpu(&row->event, &attr, gettid(), cpu, err);
	return result ? result : event_map(&row->event, RING_PAGES, false, err);
}

static void run_inherited(struct run *run, const struct source *source, int cpu)
{
	struct row row = { .run = run,
			   .source = source,
			   .name = "children",
			   .event = EVENT_CLOSED,
			   .anchor = EVENT_CLOSED,
			   .points.events = CHILD_FAULTS };
	struct sleeper sleeper = { .started = false };
	struct fresh_pages pages = { 0 };
	struct err err;

	run_progress(run, "children");
	if (fresh_pages_map(&pages, CHILD_FAULTS, &err) ||
	    open_inherited(&row, CHILD_FAULTS, cpu, &err) ||
	    sleeper_start(&sleeper, row.event.fd, &err) ||
	    wait_for_children(&row, &sleeper, &pages, &err))
		run_broken(run, "children: %s", err.text);
	else
		judge(&row, "sleeper", "inherited_wake", "inherited_wake");
	sleeper_stop(&sleeper);
	event_close(&row.event);
	event_close(&row.anchor);
	fresh_pages_unmap(&pages);
}

/* One page after the other, with more than a tick of any length between: no two are one signal. */
static void touch_slowly(void *context)
{
	const struct fresh_pages *pages = context;

	for (size_t i = 0; i < pages->n; i++) {
		fresh_pages_touch(pages, i, 1);
		clock_sleep_ms(11);
	}
}

/* A thread's faults; those of this task, few, come on top. */
static int signals_of_child(struct row *row, struct fresh_pages *pages, int number, struct err *err)
{
	int result = event_enable(&row->event, err);
	uint64_t seen = 0;
	long tid = 0;
	int code;

	if (!result)
		tid = offspring_thread(touch_slowly, pages, err);
	if (tid < 0)
		result = (int)tid;
	if (!result)
		result = event_disable(&row->event, err);
	while (!result && next_signal(&row->event, number, 11, &code))
		seen++;
	account(row, new_records(row), seen);
	/* Twice as many come from newer kernels: docs/hypotheses/wakeups.md. */
	row->points.early = 0;
	row->points.missing = seen < pages->n ? pages->n - seen : 0;
	return result;
}

static void run_inherited_signals(struct run *run, const struct source *source, int cpu)
{
	const int number = SIGRTMIN + 5;
	struct row row = { .run = run,
			   .source = source,
			   .name = "of a child",
			   .event = EVENT_CLOSED,
			   .anchor = EVENT_CLOSED,
			   .points.events = 1 };
	struct fresh_pages pages = { 0 };
	struct err err;

	if (fresh_pages_map(&pages, CHILD_SIGNALS, &err) || open_inherited(&row, 1, cpu, &err) ||
	    ask_for_signals(&row.event, number, &err) ||
	    signals_of_child(&row, &pages, number, &err))
		run_broken(run, "signals of a child: %s", err.text);
	else
		judge(&row, "signals", "inherited_signal", "inherited_signal");
	event_close(&row.event);
	event_close(&row.anchor);
	fresh_pages_unmap(&pages);
}

static int hang_up(struct event *event, int gate, pid_t pid, unsigned int *before,
		   unsigned int *after, struct err *err)
{
	struct sleeper sleeper;
	int result = sleeper_start(&sleeper, event->fd, err);

	if (!result && !sleeper_asleep(&sleeper))
		result = err_plain(err, ETIMEDOUT, "the thread that is to be woken does not sleep");
	*before = (events_now(event) & POLLHUP) != 0 || sleeper.hangups;
	close(gate);
	if (waitpid(pid, NULL, 0) != pid && !result)
		result = err_set(err, errno, "child");
	if (!result)
		sleeper_woken(&sleeper, 1, NULL, after);
	sleeper_stop(&sleeper);
	return result;
}

static void run_exit(struct run *run, const struct source *source)
{
	struct event event = EVENT_CLOSED;
	unsigned int before = 0, after = 0;
	int gate[2];
	struct err err;
	pid_t pid;
	int result;

	run_progress(run, "end of a task");
	pid = start_child(gate, NULL, &err);
	if (pid < 0) {
		run_broken(run, "%s", err.text);
		return;
	}
	result = event_open_task(&event, &source->attr, pid, &err);
	if (!result)
		result = event_map(&event, 1, false, &err);
	if (!result)
		result = event_enable(&event, &err);
	if (!result) {
		result = hang_up(&event, gate[1], pid, &before, &after, &err);
	} else {
		close(gate[1]);
		waitpid(pid, NULL, 0);
	}
	if (result) {
		run_broken(run, "end of a task: %s", err.text);
	} else {
		run_check_eq(run, "no_hang_up_before", source->name, before, 0, "1");
		run_check_eq(run, "hang_up_at_exit", source->name, after, 1, "1");
	}
	event_close(&event);
}

static void run_source(struct run *run, const struct source *source)
{
	static const struct {
		const char *name;
		struct wake_points points;
	} rows[] = {
		{ "every record", { .events = 1 } },
		{ "every 3rd", { .events = 3 } },
		{ "every 10th", { .events = 10 } },
		{ "every 100 bytes", { .watermark = 100 } },
		{ "every 333 bytes", { .watermark = 333 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		run_poll(run, source, rows[i].name, &rows[i].points);
		run_sleeper(run, source, rows[i].name, &rows[i].points);
	}
	run_signals(run, source);
	run_limit(run, source);
	run_exit(run, source);
}

static int run_wakeups(struct run *run)
{
	struct fresh_pages pages;
	struct source faults = { .name = "page faults",
				 .attr = event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS),
				 .step = fault,
				 .context = &pages };
	struct source instructions = { .name = "instructions",
				       .missing = "interrupts_wake",
				       .early = "interrupts_wake_not_else",
				       .attr = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS),
				       .step = some_instructions };
	struct placement placement;
	struct err err;

	faults.attr.exclude_kernel = 1;
	faults.attr.sample_period = 1;
	faults.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	instructions.attr.sample_period = PERIOD;
	instructions.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	instructions.context = (void *)workload_find("multiply");
	if (placement_pin(&placement, run_cpus(run)->cpu[0], &err))
		return run_broken(run, "%s", err.text);
	if (fresh_pages_map(&pages, PAGES, &err)) {
		run_broken(run, "%s", err.text);
	} else {
		run_source(run, &faults);
		run_inherited(run, &faults, run_cpus(run)->cpu[0]);
		run_inherited_signals(run, &faults, run_cpus(run)->cpu[0]);
		if (event_probe(&instructions.attr, &err))
			run_note(run, "without a hardware event that can leave out the kernel: %s",
				 err.text);
		else
			run_source(run, &instructions);
	}
	fresh_pages_unmap(&pages);
	if (placement_restore(&placement, &err))
		run_broken(run, "%s", err.text);
	return 0;
}

#define EVENTS_ORIGIN "perf_event_open(2), wakeup_events: every Nth sample, no other"
#define WATERMARK_ORIGIN                                                                      \
	"; wakeup_watermark: the record that brings what was written above another multiple " \
	"of it"

static const struct need needs[] = {
	{ .kind = NEED_CPU_CLOCK }, /* software events, as all rows but those of a PMU */
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "poll_each",
	  .claim = "poll() says that there is something to read with each record that is to wake",
	  .origin = EVENTS_ORIGIN WATERMARK_ORIGIN },
	{ .name = "poll_not_before",
	  .claim = "and not with any other",
	  .origin = EVENTS_ORIGIN WATERMARK_ORIGIN },
	{ .name = "sleeper_woken",
	  .claim = "who sleeps in poll() is woken by each record that is to wake",
	  .origin = EVENTS_ORIGIN WATERMARK_ORIGIN "; lost when it has not come after seconds" },
	{ .name = "sleeper_not_woken_else",
	  .claim = "and not by any other",
	  .origin = EVENTS_ORIGIN WATERMARK_ORIGIN },
	{ .name = "signal_each",
	  .claim = "with O_ASYNC each overflow sends a signal, POLL_IN",
	  .origin = "perf_event_open(2), overflow handling: a signal for each overflow" },
	{ .name = "signal_not_else", .claim = "and nothing else does", .origin = "as signal_each" },
	{ .name = "hang_up_at_limit",
	  .claim =
		  "the last overflow of an event with a limit sends POLL_HUP, those before POLL_IN",
	  .origin = "perf_event_open(2), PERF_EVENT_IOC_REFRESH" },
	{ .name = "no_hang_up_before",
	  .claim = "no POLLHUP while the task of an event lives",
	  .origin = "perf_event_open(2), POLL_HUP" },
	{ .name = "hang_up_at_exit",
	  .claim = "who sleeps in poll() is woken with POLLHUP when the task ends",
	  .origin = "perf_event_open(2), POLL_HUP" },
	{ .name = "inherited_wake",
	  .claim = "records of children wake who polls the parent's event, and only when due",
	  .origin = EVENTS_ORIGIN "; each child makes as many records as are to wake, or more" },
	{ .name = "inherited_signal",
	  .claim = "overflows of a child send signals to who asked for those of the parent's event",
	  .origin =
		  "as signal_each; the child waits for more than a tick between two. More are not "
		  "judged: with Linux 6.18 it is twice as many now and then" },
	{ .name = "interrupts_wake",
	  .claim = "poll_each, sleeper_woken and signal_each for records of PMIs",
	  .origin = EVENTS_ORIGIN WATERMARK_ORIGIN,
	  .optional = true },
	{ .name = "interrupts_wake_not_else",
	  .claim = "and not otherwise",
	  .origin = EVENTS_ORIGIN WATERMARK_ORIGIN,
	  .optional = true },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "wakeups",
	.claim = "Who waits for records is woken with each record that is to wake, by a signal "
		 "with each overflow, and when the task is gone: every time, and not otherwise.",
	.source = "perf_event_open(2), overflow handling",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 120,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_wakeups,
};
