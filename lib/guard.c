// SPDX-License-Identifier: GPL-2.0-or-later
#include "guard.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "ktap.h"
#include "machine_lock.h"

/*
 * The guard that the signal handler acts for. A handler has no parameters, so this one thing is
 * global; owner tells a forked child of the test, which inherits the handler, from the test.
 */
static struct guard *volatile active;
static volatile pid_t owner;

/*
 * What a process is ended with: by people, shells and runners, or by its own crash, which must stay
 * one for whoever waits for it. In both cases what was changed is put back.
 */
static const struct {
	int number;
	bool crash;
} signals[GUARD_SIGNALS] = {
	{ SIGTERM, false }, { SIGINT, false },	{ SIGHUP, false }, { SIGQUIT, false },
	{ SIGPIPE, false }, { SIGALRM, false }, { SIGSEGV, true }, { SIGBUS, true },
	{ SIGFPE, true },   { SIGILL, true },	{ SIGABRT, true },
};

/* Say in the records and on stdout where the run was. Calls what a signal handler may. */
static void tell_end(const struct guard *guard, int number)
{
	unsigned int evaluated = 0, failed = 0;
	char line[1024];
	int length;

	for (size_t i = 0; i < run_check_count(guard->run->hypothesis); i++) {
		evaluated += guard->run->checks[i].evaluated;
		failed += guard->run->checks[i].failed;
	}
	length =
		snprintf(line, sizeof(line),
			 "{\"type\":\"note\",\"text\":\"ended by signal %d: %u controls, %u checks "
			 "evaluated, %u failed\"}\n",
			 number, guard->run->controls, evaluated, failed);
	if (guard->run->record_fd >= 0)
		io_write_all(guard->run->record_fd, line, (size_t)length);
	length = snprintf(line, sizeof(line),
			  "# ended by signal %d: %u controls, %u checks evaluated, %u failed\n",
			  number, guard->run->controls, evaluated, failed);
	io_write_all(STDOUT_FILENO, line, (size_t)length);
}

static void die_by(int number)
{
	signal(number, SIG_DFL);
	raise(number);
}

/*
 * Tell where the run was and put back what it changed. Only a test that is being ended comes here;
 * snprintf() on a local buffer and plain system calls are all it uses.
 */
static void on_signal(int number)
{
	const struct guard *guard = active;

	if (!guard || getpid() != owner) {
		die_by(number);
		return;
	}
	tell_end(guard, number);
	if (guard->alone)
		sysctl_restore(guard->saved, guard->n_saved, NULL, NULL);
	_exit(verdict_ksft_exit(VERDICT_BROKEN));
}

/* The same for a crash, after which the process still ends by that signal. */
static void on_crash(int number)
{
	const struct guard *guard = active;

	if (guard && getpid() == owner && guard->alone)
		sysctl_restore(guard->saved, guard->n_saved, NULL, NULL);
	die_by(number);
}

/* What is ignored (nohup, the background of a shell) stays so. */
static void catch_signals(struct guard *guard)
{
	for (size_t i = 0; i < GUARD_SIGNALS; i++) {
		struct sigaction action = { .sa_handler = signals[i].crash ? on_crash : on_signal };

		/* What comes on top must not cut short what the first one makes us do. */
		sigfillset(&action.sa_mask);
		sigaction(signals[i].number, NULL, &guard->actions[i]);
		if (guard->actions[i].sa_handler != SIG_IGN && (guard->alone || !signals[i].crash))
			sigaction(signals[i].number, &action, NULL);
	}
}

static int save_sysctls(struct guard *guard, struct err *err)
{
	const char *const *names = guard->run->hypothesis->sysctls;

	while (names && names[guard->n_saved])
		guard->n_saved++;
	if (!guard->n_saved)
		return 0;
	guard->saved = calloc(guard->n_saved, sizeof(*guard->saved));
	if (!guard->saved)
		return err_set(err, ENOMEM, "saved sysctls");
	return sysctl_save(guard->saved, names, err);
}

int guard_start(struct guard *guard, struct run *run, struct err *err)
{
	int result;

	memset(guard, 0, sizeof(*guard));
	guard->run = run;
	guard->lock = -1;
	guard->alone = run->record_fd < 0;
	if (guard->alone) {
		result = machine_lock(&guard->lock, err);
		if (!result)
			result = save_sysctls(guard, err);
		if (result)
			return result;
		guard->klog_open = !klog_open_live(&guard->klog, &guard->klog_err);
	}
	owner = getpid();
	active = guard;
	catch_signals(guard);
	return 0;
}

/* Read the log to its end and judge it. */
static enum verdict judge_log(struct guard *guard, struct err *why)
{
	struct klog_tally tally = { 0 };
	struct klog_record record;
	int result;

	if (!guard->klog_open) {
		err_set(why, 0, "kernel log not read: %s", guard->klog_err.text);
		/* A pass needs that witness, as under the supervisor; a skip claims nothing. */
		return guard->run->said == VERDICT_SKIP ? VERDICT_SKIP : VERDICT_BROKEN;
	}
	while ((result = klog_next(&guard->klog, &record, why)) > 0) {
		klog_tally_add(&tally, &record);
		if (record.class != KLOG_NONE && !record.continues)
			ktap_diag("kernel log, %s: %s", klog_class_name(record.class), record.text);
	}
	tally.lost = guard->klog.lost;
	tally.lost_count = guard->klog.lost_count;
	klog_close(&guard->klog);
	if (result < 0)
		return VERDICT_BROKEN;
	return klog_judge(&tally, guard->run->hypothesis->klog, why);
}

enum verdict guard_finish(struct guard *guard, struct err *why)
{
	enum verdict verdict = VERDICT_PASS;
	int result;

	why->text[0] = '\0';
	if (guard->alone)
		verdict = judge_log(guard, why);
	/* From here on there is nothing to put back. */
	result = sysctl_restore(guard->saved, guard->n_saved, NULL, why);
	for (size_t i = 0; i < GUARD_SIGNALS; i++)
		sigaction(signals[i].number, &guard->actions[i], NULL);
	active = NULL;
	free(guard->saved);
	if (guard->lock >= 0)
		close(guard->lock);
	return result ? VERDICT_BROKEN : verdict;
}
