/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_HYPOTHESIS_H
#define PMIPROOF_HYPOTHESIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpus.h"
#include "escalate.h"
#include "klog.h"
#include "verdict.h"

/*
 * A hypothesis is one claim, tested by one binary: a file that defines `const struct hypothesis
 * hypothesis` and one run function. main() comes from lib/hypothesis_main.c. Every table below ends
 * with an all-zero row.
 */

/* How much a hypothesis may do to the machine when the claim is false. */
enum danger {
	DANGER_SAFE,	     /* nothing beyond using CPU time */
	DANGER_MAY_THROTTLE, /* may lower kernel.perf_event_max_sample_rate (restored) or log about
				it */
	DANGER_MAY_HANG,     /* may stop the machine */
};

const char *danger_name(enum danger danger); /* "safe", "may-throttle", "may-hang" */
/* Returns 0, or -EINVAL for a name that is none of the three. */
int danger_parse(const char *name, enum danger *danger);

/* What must be there for the claim to be testable. An unmet need is a skip with what was tried. */
enum need_kind {
	NEED_END,
	NEED_ROOT,
	/*
	 * A hardware counter that counts, not one that is only listed: user code, or with `value` 1
	 * all code, as a PMU may not be able to tell it from the kernel's (Alpha).
	 */
	NEED_PMU,
	NEED_BRANCH_STACK, /* taken-branch sampling opens */
	NEED_PRECISE,	   /* cycles with precise_ip of at least `value` */
	NEED_TRACEPOINT,   /* what = "system/event" exists */
	NEED_ARCH,	   /* what = machine name of uname(2), "x86_64" */
	NEED_KCONFIG,	/* what = "CONFIG_X" without the prefix; unknown configuration: not met */
	NEED_CPUS,	/* at least `value` usable CPUs */
	NEED_COMMAND,	/* what = program in PATH */
	NEED_FILE,	/* what = path that opens for reading and writing if value, else reading */
	NEED_CPU_CLOCK, /* the cpu-clock software event opens and counts */
};

struct need {
	enum need_kind kind;
	const char *what;
	long value;
};

/*
 * A thing the hypothesis asserts. Declared, so that the number of KTAP results is known before
 * anything runs and so that a check which was never reached cannot pass: it makes `broken`.
 * A check may be evaluated many times (per row, per CPU); the worst evaluation counts.
 */
struct check {
	const char *name;
	const char *claim;  /* what holds if it passes, one line */
	const char *origin; /* where the bound comes from: a derivation, kernel file, document */
	/* May stay unevaluated (no --bound was set, the kernel lacks it): a skip, not a broken run.
	 */
	bool optional;
	/* Unit of the bound that a lab may set with --bound ("ns", "%", "1"); NULL: it may not. */
	const char *bound_unit;
};

/* A parameter of this hypothesis on its command line, --<name>=VALUE. */
struct option_spec {
	const char *name;
	const char *value; /* what stands for VALUE in --help */
	const char *help;
	/* What it may be; anything else is an error before anything runs. Neither: any text. */
	size_t least, most;	  /* most > 0: a whole number in this range */
	const char *const *words; /* one of these, up to NULL */
};

/* One execution. Opaque; everything a run function does to the outside goes through it. */
struct run;

struct hypothesis {
	const char *name;
	const char *claim;  /* one falsifiable sentence */
	const char *source; /* the report or patch it comes from */
	enum danger danger;
	unsigned int budget_s; /* time budget in seconds, on an idle machine, of one run */
	const struct need *needs;
	const struct check *checks;
	const struct klog_allow *klog; /* kernel-log messages it may cause; NULL: none */
	const char *const *sysctls;    /* it may change these; saved before and restored after */
	const struct option_spec *options; /* NULL: none */
	unsigned int
		escalate; /* enum escalate: what becomes a panic while it runs; 0: by default */
	int (*run)(struct run *run);
};

/*
 * The main() of every test binary:
 *   NAME [--cpu LIST] [--bound CHECK=VALUE]... [--<option>=VALUE]...   run, KTAP on stdout
 *   NAME --describe     the declaration as one JSON object
 *   NAME --probe        would it run here? {"ready":bool,"reason":text}; opens, does not run
 *   NAME --help
 * Exit code: that of verdict_ksft_exit(), 2 for bad arguments before anything ran (as KSFT_XFAIL
 * is never returned by a test itself, 2 is free).
 */
int hypothesis_main(const struct hypothesis *hypothesis, int argc, char **argv);

/* CPUs to use: --cpu, else all this process may run on. Never empty. */
const struct cpus *run_cpus(const struct run *run);

/* Value of an option of this hypothesis, or NULL when not given. */
const char *run_option(const struct run *run, const char *name);

/* Value of an option with a range; false, with *value untouched, when it was not given. */
bool run_option_count(const struct run *run, const char *name, size_t *value);

/*
 * The bound that a lab set for a check (--bound warm_max=50us), in the check's bound_unit. False,
 * with *value untouched, when none was given. A bound that the run never asks for is broken.
 */
bool run_bound(struct run *run, const char *check, double *value);

/*
 * Positive control: is the effect observable at all? Records it; when `value` is not above `floor`
 * the run is broken (no conclusion) and false returned, and the caller should return.
 */
bool run_control(struct run *run, const char *name, double value, double floor, const char *unit);

/*
 * Evaluate a declared check: value against bound. `row` says where ("cpu 1, period 17"; NULL: the
 * whole run). Return whether it held. Not-a-number values are broken, not failed.
 */
bool run_check_le(struct run *run, const char *check, const char *row, double value, double bound,
		  const char *unit);
bool run_check_ge(struct run *run, const char *check, const char *row, double value, double bound,
		  const char *unit);
bool run_check_eq(struct run *run, const char *check, const char *row, double value, double bound,
		  const char *unit);

/*
 * A series of samples in the order taken. `table` groups rows that are read together, `row` is the
 * line, `columns` which statistics make the table ("n avg p50 p99 max", names as in struct stats;
 * NULL: "n min avg p50 p99 max"). `labels` is a NULL-terminated list of key, value, key, value...
 * for comparison. resolution: smallest step of the clock the samples were taken with, 0 if exact.
 */
struct measure {
	const char *table;
	const char *row;
	const char *name;
	const char *unit;
	const char *columns;
	const char *const *labels;
	double resolution;
	size_t warm_skip;
	const double *samples;
	size_t n;
};

/* Record a series with its statistics and all its samples (lossless). */
void run_measure(struct run *run, const struct measure *measure);

/* Record one figure of a table: column `name` of line `row`. */
void run_figure(struct run *run, const char *table, const char *row, const char *name, double value,
		const char *unit);

/* A remark for the reader of the report. */
void run_note(struct run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Tell the supervisor and a watching person that there is progress (also resets inactivity). */
void run_progress(struct run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * End with a verdict that no check expresses; for `return run_skip(run, ...)` from the run
 * function. What was recorded before stays. Return 0.
 */
int run_skip(struct run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int run_broken(struct run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
