// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What reading a flood of cheap tracepoints costs: this library, which computes a table on the
 * fly, against perf record and trace-cmd record, which only store. Every CPU makes a known number
 * of getppid calls; a kernel-side filter on those processes keeps the rest of the machine out, so
 * that "received of made" is exact. CPU time is user + system time of the whole tool, set-up and
 * children included (wait4), without the flood. docs/bench.md explains and has results.
 */
#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace.h"
#include "trace_fs.h"

#define EVENT_SYSTEM "raw_syscalls"
#define EVENT_NAME "sys_enter"
#define EVENT "raw_syscalls:sys_enter" /* the same, as tools take it */
#define MAX_CPU 256
#define MAX_REPEATS 32
#define BUCKETS 64 /* powers of two of ns */

struct options {
	long events; /* per CPU */
	long repeats;
	long buffer_kb;	 /* per CPU, of those that are given one */
	bool use_top;	 /* trace-cmd may use the top-level trace buffer */
	const char *dir; /* for their files; in memory, so that no disk has a part in it */
};

/* What one run gave. */
struct outcome {
	uint64_t made;
	uint64_t received;
	double cpu_s;	  /* of the tool */
	double flood_s;	  /* from the first call to the last */
	char failed[256]; /* why there is no outcome; "" when there is one */
};

/* What our own run tells its parent, in shared memory. */
struct shared {
	uint64_t handled;
	uint64_t lost;
	char failed[256];
	struct {
		uint64_t last;
		uint64_t count[BUCKETS];
	} table[MAX_CPU]; /* of the ns between events of a CPU */
};

/* One process per CPU, waiting to be let go. */
struct flood {
	struct cpus cpus;
	pid_t pid[MAX_CPU];
	int go[2];
	char filter[MAX_CPU * 32];
};

/* A tool under way: it wrote to `ready` when it records, and ends when written to `end`. */
struct running {
	pid_t pid;
	int ready;
	int end;
	int output; /* a file with what it printed on stderr */
};

/* Where to look for what a tool received. */
struct told {
	const char *file; /* what it recorded */
	int output;	  /* what it said */
};

struct contender {
	const char *name;
	const char *const *argv; /* NULL: ourselves. "%x" as in expand() */
	bool (*received)(const struct told *told, uint64_t *received);
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void die(const char *what)
{
	fprintf(stderr, "trace_bench: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static void allowed_cpus(struct cpus *cpus)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		die("sched_getaffinity");
	cpus->n = 0;
	for (int cpu = 0; cpu < MAX_CPU; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus->cpu[cpus->n++] = cpu;
}

static void flood_child(const struct flood *flood, int cpu, long events)
{
	cpu_set_t set;
	char byte;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || read(flood->go[0], &byte, 1) != 1)
		_exit(EXIT_FAILURE);
	for (long i = 0; i < events; i++)
		syscall(SYS_getppid);
	_exit(EXIT_SUCCESS);
}

/* Fork the processes of a flood and write the filter that lets only their calls through. */
static void flood_prepare(struct flood *flood, long events)
{
	size_t used;

	allowed_cpus(&flood->cpus);
	if (pipe2(flood->go, O_CLOEXEC))
		die("pipe");
	used = (size_t)snprintf(flood->filter, sizeof(flood->filter), "id == %d && (", SYS_getppid);
	for (size_t i = 0; i < flood->cpus.n; i++) {
		flood->pid[i] = fork();
		if (flood->pid[i] < 0)
			die("fork");
		if (!flood->pid[i])
			flood_child(flood, flood->cpus.cpu[i], events);
		used += (size_t)snprintf(flood->filter + used, sizeof(flood->filter) - used,
					 "%scommon_pid == %d", i ? " || " : "", (int)flood->pid[i]);
	}
	snprintf(flood->filter + used, sizeof(flood->filter) - used, ")");
}

/* Let it run, or, when there is nothing to measure, just end it. Returns how long it took. */
static double flood_run(struct flood *flood, bool measure)
{
	double start = now_s();

	for (size_t i = 0; i < flood->cpus.n; i++)
		if (measure ? write(flood->go[1], "", 1) != 1 : kill(flood->pid[i], SIGKILL))
			die("start the flood");
	for (size_t i = 0; i < flood->cpus.n; i++)
		if (waitpid(flood->pid[i], NULL, 0) < 0)
			die("wait for the flood");
	close(flood->go[0]);
	close(flood->go[1]);
	return now_s() - start;
}

static void add_to_table(const struct trace_event *event, void *context)
{
	struct shared *shared = context;
	uint64_t delta = event->time - shared->table[event->cpu].last;

	if (shared->table[event->cpu].last)
		shared->table[event->cpu].count[63 - __builtin_clzll(delta | 1)]++;
	shared->table[event->cpu].last = event->time;
}

/* Our own run: record until told to end. */
static int record_ourselves(const struct options *options, const struct flood *flood,
			    struct shared *shared, struct err *err)
{
	struct trace *trace = NULL;
	char byte;
	int result = trace_open(&trace, &flood->cpus, (size_t)options->buffer_kb, err);

	if (result)
		return result;
	result = trace_enable(trace, EVENT_SYSTEM, EVENT_NAME, flood->filter, err);
	if (result >= 0)
		result = trace_start(trace, add_to_table, shared, err);
	if (!result && (write(STDOUT_FILENO, "", 1) != 1 || read(STDIN_FILENO, &byte, 1) != 1))
		result = err_set(err, errno, "pipe");
	if (!result)
		result = trace_stop(trace, err);
	shared->handled = trace_handled(trace);
	shared->lost = trace_lost(trace);
	trace_close(trace);
	return result;
}

/* Put the values of a run into an argument of a contender's command. */
static const char *expand(const char *argument, const struct flood *flood, const char *file)
{
	if (!strcmp(argument, "%filter"))
		return flood->filter;
	if (!strcmp(argument, "%file"))
		return file;
	return argument;
}

__attribute__((noreturn)) static void exec_tool(const struct contender *contender,
						const struct flood *flood, const char *file)
{
	const char *argv[32] = { contender->argv[0] };

	for (size_t i = 1; i < sizeof(argv) / sizeof(*argv) - 1 && contender->argv[i]; i++)
		argv[i] = expand(contender->argv[i], flood, file);
	signal(SIGPIPE, SIG_DFL);
	/* execvp() leaves the strings alone; its type is older than const. */
	execvp(argv[0], (char *const *)argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static void run_child(const struct contender *contender, const struct options *options,
		      const struct flood *flood, struct shared *shared, const char *file)
{
	struct err err;

	if (contender->argv)
		exec_tool(contender, flood, file);
	if (record_ourselves(options, flood, shared, &err))
		snprintf(shared->failed, sizeof(shared->failed), "%.250s", err.text);
	_exit(EXIT_SUCCESS);
}

static void start_contender(struct running *running, const struct contender *contender,
			    const struct options *options, const struct flood *flood,
			    struct shared *shared, const char *file)
{
	int in[2], out[2];

	running->output = memfd_create("stderr", MFD_CLOEXEC);
	if (running->output < 0 || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		die("pipes");
	running->pid = fork();
	if (running->pid < 0)
		die("fork");
	if (!running->pid) {
		if (dup2(in[0], STDIN_FILENO) < 0 || dup2(out[1], STDOUT_FILENO) < 0 ||
		    dup2(running->output, STDERR_FILENO) < 0)
			_exit(EXIT_FAILURE);
		run_child(contender, options, flood, shared, file);
	}
	close(in[0]);
	close(out[1]);
	running->end = in[1];
	running->ready = out[0];
}

/* Tell it to end and wait. Returns its CPU time, or less than 0 when it failed. */
static double end_contender(struct running *running)
{
	struct rusage usage;
	char rest[4096];
	int status = -1;

	/* One that died already is told by its status. */
	(void)!write(running->end, "\n", 1);
	while (read(running->ready, rest, sizeof(rest)) > 0)
		;
	if (wait4(running->pid, &status, 0, &usage) < 0)
		die("wait4");
	close(running->end);
	close(running->ready);
	if (status)
		return -1;
	return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* All of a file from its start, as text; to be freed. */
static char *text_of(int fd)
{
	struct stat stat;
	ssize_t got = -1;
	char *text = NULL;

	if (!fstat(fd, &stat))
		text = calloc(1, (size_t)stat.st_size + 1);
	if (text)
		got = pread(fd, text, (size_t)stat.st_size, 0);
	if (got < 0)
		die("read the output of a tool");
	return text;
}

/* "[ perf record: Captured and wrote 502.116 MB FILE (4097703 samples) ]" */
static bool perf_received(const struct told *told, uint64_t *received)
{
	char *text = text_of(told->output);
	const char *line = strstr(text, "Captured and wrote");
	const char *number = line ? strchr(line, '(') : NULL;
	char *end = NULL;
	unsigned long long value = number ? strtoull(number + 1, &end, 10) : 0;
	bool found = number && !strncmp(end, " samples)", strlen(" samples)"));

	if (found)
		*received = value;
	free(text);
	return found;
}

/* The kernel's counts at its end are in trace-cmd's file: read by then, and read at the very end.
 */
static bool trace_cmd_received(const struct told *told, uint64_t *received)
{
	static const char *const keys[] = { "read events: ", "entries: " };
	char text[512];
	FILE *report;
	bool found = false;

	snprintf(text, sizeof(text), "trace-cmd report --stat -i %s", told->file);
	report = popen(text, "re"); // NOLINT(cert-env33-c): the file is ours
	*received = 0;
	while (report && fgets(text, sizeof(text), report))
		for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
			if (!strncmp(text, keys[i], strlen(keys[i]))) {
				*received += strtoull(text + strlen(keys[i]), NULL, 10);
				found = true;
			}
	return report && !pclose(report) && found;
}

/* What a tool runs while it records: says so, and waits. */
#define UNTIL_TOLD "--", "sh", "-c", "echo; read -r line"
#define PERF "perf", "record", "-a", "-e", EVENT, "--filter", "%filter"
#define TRACE_CMD "trace-cmd", "record", "-e", EVENT, "-f", "%filter"

static const char *const perf_argv[] = { PERF, "-o", "%file", UNTIL_TOLD, NULL };
static const char *const perf_large_argv[] = { PERF, "-m", "64M", "-o", "%file", UNTIL_TOLD, NULL };
/* 1408 KiB is the kernel's default; the buffer keeps the size it was given last. */
static const char *const trace_cmd_argv[] = { TRACE_CMD, "-b",	     "1408", "-o",
					      "%file",	 UNTIL_TOLD, NULL };
static const char *const trace_cmd_large_argv[] = { TRACE_CMD, "-b",	   "65536", "-o",
						    "%file",   UNTIL_TOLD, NULL };

static const struct contender contenders[] = {
	{ "pmiproof", NULL, NULL },
	{ "perf record", perf_argv, perf_received },
	{ "perf record -m 64M", perf_large_argv, perf_received },
	{ "trace-cmd record", trace_cmd_argv, trace_cmd_received },
	{ "trace-cmd record -b 65536", trace_cmd_large_argv, trace_cmd_received },
};
#define CONTENDERS (sizeof(contenders) / sizeof(*contenders))

static void fail(struct outcome *outcome, const char *why)
{
	snprintf(outcome->failed, sizeof(outcome->failed), "%.*s", (int)strcspn(why, "\n"), why);
}

/* How many events a run received, or why it has none. */
static void set_received(struct outcome *outcome, const struct contender *contender,
			 const struct shared *shared, const struct told *told)
{
	char *text;

	if (!contender->argv) {
		outcome->received = shared->handled;
		if (shared->failed[0])
			fail(outcome, shared->failed);
		else if (shared->handled + shared->lost != outcome->made)
			fail(outcome, "handled + lost is not what was made");
		return;
	}
	if (outcome->cpu_s >= 0 && contender->received(told, &outcome->received))
		return;
	text = text_of(told->output);
	fail(outcome, text[0] ? text : "it does not say how many events it has");
	free(text);
}

static void run_once(struct outcome *outcome, const struct contender *contender,
		     const struct options *options, struct shared *shared)
{
	struct running running;
	struct flood flood;
	char file[256];
	char byte;
	bool ready;

	memset(outcome, 0, sizeof(*outcome));
	memset(shared, 0, sizeof(*shared));
	snprintf(file, sizeof(file), "%s/trace_bench-%d", options->dir, (int)getpid());
	flood_prepare(&flood, options->events);
	start_contender(&running, contender, options, &flood, shared, file);
	ready = read(running.ready, &byte, 1) == 1;
	outcome->made = flood.cpus.n * (uint64_t)options->events;
	outcome->flood_s = flood_run(&flood, ready);
	outcome->cpu_s = end_contender(&running);
	set_received(outcome, contender, shared, &(struct told){ file, running.output });
	close(running.output);
	unlink(file);
}

/* Is the tool there, and what it needs? */
static bool is_usable(const struct contender *contender, const struct options *options,
		      struct outcome *outcome)
{
	char command[128];

	if (!contender->argv)
		return true;
	snprintf(command, sizeof(command), "command -v %s >/dev/null", contender->argv[0]);
	if (system(command)) // NOLINT(cert-env33-c): the name is one of the table above
		fail(outcome, "not installed");
	else if (contender->received == trace_cmd_received && !options->use_top)
		fail(outcome, "needs the top-level trace buffer (-t; see ci/bench)");
	return !outcome->failed[0];
}

struct spread {
	double median, min, max;
};

static struct spread spread_of(double *values, size_t n)
{
	gsl_sort(values, 1, n);
	return (struct spread){ gsl_stats_median_from_sorted_data(values, 1, n), values[0],
				values[n - 1] };
}

static double lost_percent(const struct outcome *outcome)
{
	return 100.0 * ((double)outcome->made - (double)outcome->received) / (double)outcome->made;
}

static void print_row(const struct contender *contender, const struct outcome *outcomes, size_t n)
{
	double lost[MAX_REPEATS], cpu[MAX_REPEATS], each[MAX_REPEATS], flood[MAX_REPEATS];
	struct spread l, c, e, f;

	for (size_t i = 0; i < n; i++) {
		if (outcomes[i].failed[0]) {
			printf("%-26s %s\n", contender->name, outcomes[i].failed);
			return;
		}
		lost[i] = lost_percent(&outcomes[i]);
		cpu[i] = outcomes[i].cpu_s;
		each[i] = outcomes[i].cpu_s / (double)outcomes[i].received * 1e9;
		flood[i] = outcomes[i].flood_s;
	}
	l = spread_of(lost, n);
	c = spread_of(cpu, n);
	e = spread_of(each, n);
	f = spread_of(flood, n);
	printf("%-26s %6.2f (%.2f-%.2f)   %7.3f (%.3f-%.3f)   %6.1f (%.1f-%.1f)   %.2f\n",
	       contender->name, l.median, l.min, l.max, c.median, c.min, c.max, e.median, e.min,
	       e.max, f.median);
}

/* Ratio of our CPU time to another's, pair by pair of the same round. */
static void print_ratio(const struct contender *contender, const struct outcome *ours,
			const struct outcome *theirs, size_t n)
{
	double ratio[MAX_REPEATS];
	struct spread r;

	for (size_t i = 0; i < n; i++) {
		if (ours[i].failed[0] || theirs[i].failed[0])
			return;
		ratio[i] = ours[i].cpu_s / theirs[i].cpu_s;
	}
	r = spread_of(ratio, n);
	printf("pmiproof / %-26s CPU time %.3f (%.3f-%.3f)\n", contender->name, r.median, r.min,
	       r.max);
}

/* The table that our run computed on the fly. */
static void print_table(const struct shared *shared)
{
	printf("\nThe table of our last run: ns between events of a CPU, powers of two\n");
	for (int bucket = 0; bucket < BUCKETS; bucket++) {
		uint64_t count = 0;

		for (int cpu = 0; cpu < MAX_CPU; cpu++)
			count += shared->table[cpu].count[bucket];
		if (count)
			printf("%20llu %12llu\n", 1ull << bucket, (unsigned long long)count);
	}
}

static void print_all(struct outcome outcomes[][MAX_REPEATS], size_t n, const struct shared *last)
{
	printf("%-26s %-20s %-23s %-23s %s\n", "tool: median (min-max)", "lost, %", "CPU time, s",
	       "ns per event received", "flood, s");
	for (size_t i = 0; i < CONTENDERS; i++)
		print_row(&contenders[i], outcomes[i], n);
	printf("\n");
	for (size_t i = 1; i < CONTENDERS; i++)
		print_ratio(&contenders[i], outcomes[0], outcomes[i], n);
	print_table(last);
}

/* All contenders in turn, round by round, so that what else the machine does hits all alike. */
static void run_all(const struct options *options)
{
	static struct outcome outcomes[CONTENDERS][MAX_REPEATS];
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct shared *last = calloc(1, sizeof(*last));

	if (shared == MAP_FAILED || !last)
		die("memory");
	for (long round = 0; round < options->repeats; round++)
		for (size_t i = 0; i < CONTENDERS; i++) {
			struct outcome *outcome = &outcomes[i][round];

			if (!is_usable(&contenders[i], options, outcome))
				continue;
			run_once(outcome, &contenders[i], options, shared);
			if (!i)
				memcpy(last, shared, sizeof(*last));
		}
	print_all(outcomes, (size_t)options->repeats, last);
	free(last);
	munmap(shared, sizeof(*shared));
}

static int print_usage(void)
{
	fprintf(stderr,
		"usage: trace_bench [-n EVENTS_PER_CPU] [-r ROUNDS (1-%d)] "
		"[-b BUFFER_KB_PER_CPU] [-d DIR] [-t]\n",
		MAX_REPEATS);
	return 2;
}

static bool parse_number(const char *text, long max, long *value)
{
	char *end;

	errno = 0;
	*value = strtol(text, &end, 10);
	return !errno && end != text && !*end && *value > 0 && *value <= max;
}

static bool parse_options(struct options *options, int argc, char **argv)
{
	bool good = true;
	int option;

	while (good && (option = getopt(argc, argv, "n:r:b:d:t")) >= 0) {
		if (option == 'n')
			good = parse_number(optarg, 1000000000, &options->events);
		else if (option == 'r')
			good = parse_number(optarg, MAX_REPEATS, &options->repeats);
		else if (option == 'b')
			good = parse_number(optarg, 1 << 22, &options->buffer_kb);
		else if (option == 't')
			options->use_top = true;
		else if (option == 'd')
			options->dir = optarg;
		else
			good = false;
	}
	return good && optind == argc;
}

int main(int argc, char **argv)
{
	struct options options = {
		.events = 2500000, .repeats = 5, .buffer_kb = 8192, .dir = "/dev/shm"
	};
	struct err err;

	if (!parse_options(&options, argc, argv))
		return print_usage();
	/* perf and trace-cmd would mount tracefs for everyone where nobody did; this does not. */
	if (trace_fs_reach(&err)) {
		printf("not run: %s\n", err.text);
		return EXIT_SUCCESS;
	}
	signal(SIGPIPE, SIG_IGN); /* of a tool that died */
	printf("%ld " EVENT " events on each CPU at once; %ld rounds; "
	       "pmiproof with %ld KiB of buffer per CPU\n\n",
	       options.events, options.repeats, options.buffer_kb);
	fflush(stdout);
	run_all(&options);
	return EXIT_SUCCESS;
}
