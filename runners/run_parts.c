// SPDX-License-Identifier: GPL-2.0-or-later
#include "run_parts.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>

#include "../reports/known.h"
#include "../reports/report.h"
#include "command.h"
#include "progress.h"

#define DEFAULT_PARENT "pmiproof-reports"

/* Runs started within one second get a number; more than this many is a mistake. */
#define SAME_SECOND_MAX 100

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

int run_make_dir(const char *output, char *dir, size_t size, struct err *err)
{
	if (!output)
		return make_default_dir(dir, size, err);
	if ((size_t)snprintf(dir, size, "%s", output) >= size)
		return err_set(err, ENAMETOOLONG, "--output");
	if (mkdir(output, 0777))
		return err_set(err, errno, "make %s", output);
	return 0;
}

int run_take_signals(struct err *err)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction now;
	sigset_t set;
	int fd;

	sigemptyset(&set);
	/* One that was ignored when we were started (nohup, a shell's background) stays so. */
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaddset(&set, signals[i]);
	signal(SIGPIPE, SIG_IGN); /* a reader that went away must not end a run */
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return err_set(err, errno, "block signals");
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_set(err, errno, "signalfd") : fd;
}

int run_show_report(const char *subcommand, const char *dir, bool ktap,
		    const struct known_issues *known, struct err *err)
{
	struct report_options how = progress_report_options(stdout);
	int result = 0;

	how.known = known;
	if (!ktap) {
		putchar('\n');
		result = report_term(stdout, dir, &how, err);
		printf("report: %s\n", dir);
	}
	/* A reader that went away, or a full disk there, is no failure of the run. */
	if (ferror(stdout))
		result = 0;
	if (command_flush(subcommand) || ktap)
		fprintf(stderr, "report: %s\n", dir);
	return result;
}

int run_exit(const char *dir, int code, const struct known_issues *known)
{
	enum verdict worst = VERDICT_NONE;
	struct report report;

	if (code != COMMAND_REFUTED || known_report(&report, dir, known, NULL))
		return code;
	for (size_t t = 0; t < report.n_tests; t++)
		for (size_t e = 0; e < report.tests[t].n_executions; e++)
			worst = verdict_worse(
				worst, report_execution_verdict(&report.tests[t].executions[e]));
	report_free(&report);
	return command_exit_code(worst);
}
