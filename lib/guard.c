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

/*
 * The guard that the signal handler acts for. A handler has no parameters, so this one thing is
 * global; owner tells a forked child of the test, which inherits the handler, from the test.
 */
static struct guard *volatile active;
static volatile pid_t owner;

/*
 * Tell where the run was and put back what it changed. Only a test that is being ended comes here;
 * snprintf() on a local buffer and plain system calls are all it uses.
 */
static void on_signal(int number)
{
	struct guard *guard = active;
	char line[1024];
	unsigned int evaluated = 0, failed = 0;
	int length;

	if (!guard || getpid() != owner) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
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
	if (guard->alone)
		sysctl_restore(guard->saved, guard->n_saved, NULL, NULL);
	_exit(verdict_ksft_exit(VERDICT_BROKEN));
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
	struct sigaction action = { .sa_handler = on_signal };
	int result;

	memset(guard, 0, sizeof(*guard));
	guard->run = run;
	guard->alone = run->record_fd < 0;
	if (guard->alone) {
		result = save_sysctls(guard, err);
		if (result)
			return result;
		guard->klog_open = !klog_open_live(&guard->klog, &guard->klog_err);
	}
	owner = getpid();
	active = guard;
	sigemptyset(&action.sa_mask);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	return 0;
}

/* Read the log to its end and judge it. */
static enum verdict judge_log(struct guard *guard, struct err *why)
{
	struct klog_tally tally = { 0 };
	struct klog_record record;
	int result;

	if (!guard->klog_open) {
		err_set(why, 0, "%s", guard->klog_err.text);
		return VERDICT_SKIP;
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
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	active = NULL;
	if (!guard->alone)
		return verdict;
	verdict = judge_log(guard, why);
	result = sysctl_restore(guard->saved, guard->n_saved, NULL, why);
	free(guard->saved);
	return result ? VERDICT_BROKEN : verdict;
}
