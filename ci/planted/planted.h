/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PLANTED_H
#define PMIPROOF_PLANTED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hypothesis.h"
#include "record.h"

/*
 * Test binaries that misbehave on purpose: what ci/end-to-end runs the command on. Those that keep
 * to the rules of a hypothesis define one with PLANTED(); those that break them are raw programs
 * with a main() of their own (PLANTED_RAW()).
 */

/* What a planted hypothesis may be given beyond its name, run function, and budget. */
#define PLANTED(id, run_function, seconds, ...)                                             \
	static const struct check planted_checks[] = {                                      \
		{ "held", "a number is below another", "planted: 1 < 2", false },           \
		{ 0 },                                                                      \
	};                                                                                  \
	const struct hypothesis hypothesis = {                                              \
		.name = id,                                                                 \
		.claim = "The supervisor gives this planted test the verdict it deserves.", \
		.source = "planted",                                                        \
		.budget_s = seconds,                                                        \
		.checks = planted_checks,                                                   \
		.run = run_function,                                                        \
		__VA_ARGS__                                                                 \
	}

/* A positive control and a check, both as they should be: the rest of the test is what is bad. */
static inline void planted_pass(struct run *run)
{
	run_control(run, "present", 1, 0, "1");
	run_check_le(run, "held", NULL, 1, 2, "1");
}

/* Start a process in a session of its own that is nobody's child; named to be looked for. */
static inline void planted_leave_process(void)
{
	pid_t pid = fork();

	if (pid > 0) {
		waitpid(pid, NULL, 0);
		return;
	}
	setsid();
	if (fork() == 0) {
		execlp("sleep", "planted-survivor", "1000", (char *)NULL);
		_exit(127);
	}
	_exit(0);
}

/* The main() of a raw planted program: a declaration, else its body with the record descriptor. */
#define PLANTED_RAW(id, body)                                                                    \
	int main(int argc, char **argv)                                                          \
	{                                                                                        \
		if (argc > 1 && !strcmp(argv[1], "--describe")) {                                \
			puts("{\"name\":\"" id "\",\"claim\":\"c\",\"source\":\"planted\","      \
			     "\"danger\":\"safe\",\"budget_s\":60,\"needs\":[],\"checks\":["     \
			     "{\"name\":\"held\",\"claim\":\"c\",\"origin\":\"o\","              \
			     "\"optional\":false}],\"klog\":[],\"sysctls\":[],\"options\":[]}"); \
			return 0;                                                                \
		}                                                                                \
		if (argc > 1 && !strcmp(argv[1], "--probe")) {                                   \
			puts("{\"ready\":true,\"reason\":\"\"}");                                \
			return 0;                                                                \
		}                                                                                \
		return body(record_open(NULL));                                                  \
	}

/* Records of a raw program that would pass. */
#define PLANTED_CHECK                                                                  \
	"{\"type\":\"check\",\"name\":\"held\",\"op\":\"<=\",\"value\":1,\"bound\":2," \
	"\"unit\":\"1\",\"origin\":\"o\",\"ok\":true}\n"
#define PLANTED_VERDICT "{\"type\":\"verdict\",\"verdict\":\"pass\",\"reason\":\"\"}\n"

#endif
