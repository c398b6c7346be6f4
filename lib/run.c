// SPDX-License-Identifier: GPL-2.0-or-later
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "record.h"
#include "stats.h"
#include "unit.h"

/*
 * Up to this many samples are recorded in the order taken; beyond, as a histogram of exact values,
 * which loses the order only. 65,536 samples make a line of about half a megabyte.
 */
#define SAMPLES_MAX 65536

#define DEFAULT_COLUMNS "n min avg p50 p99 max"

size_t run_check_count(const struct hypothesis *hypothesis)
{
	size_t n = 0;

	while (hypothesis->checks[n].name)
		n++;
	return n;
}

static size_t option_count(const struct hypothesis *hypothesis)
{
	size_t n = 0;

	while (hypothesis->options && hypothesis->options[n].name)
		n++;
	return n;
}

int run_init(struct run *run, const struct hypothesis *hypothesis)
{
	size_t n_checks = run_check_count(hypothesis);

	memset(run, 0, sizeof(*run));
	run->hypothesis = hypothesis;
	run->record_fd = -1;
	run->ack_fd = -1;
	run->said = VERDICT_NONE;
	run->checks = calloc(n_checks + 1, sizeof(*run->checks));
	run->options = calloc(option_count(hypothesis) + 1, sizeof(*run->options));
	run->bounds = calloc(n_checks + 1, sizeof(*run->bounds));
	if (run->checks && run->options && run->bounds)
		return 0;
	run_free(run);
	return -ENOMEM;
}

void run_free(struct run *run)
{
	free(run->checks);
	free(run->options);
	free(run->bounds);
	run->checks = NULL;
	run->options = NULL;
	run->bounds = NULL;
}

const struct cpus *run_cpus(const struct run *run)
{
	return &run->cpus;
}

const char *run_option(const struct run *run, const char *name)
{
	const struct option_spec *options = run->hypothesis->options;

	for (size_t i = 0; options && options[i].name; i++)
		if (!strcmp(options[i].name, name))
			return run->options[i];
	return NULL;
}

bool run_option_count(const struct run *run, const char *name, size_t *value)
{
	const char *text = run_option(run, name);
	struct err err;

	return text && !unit_parse_count(text, 0, SIZE_MAX, value, &err);
}

bool run_bound(struct run *run, const char *check, double *value)
{
	for (size_t i = 0; i < run->n_bounds; i++) {
		if (strcmp(run->bounds[i].check, check) != 0)
			continue;
		run->bounds[i].used = true;
		*value = run->bounds[i].value;
		return true;
	}
	return false;
}

/* Hand a record to the supervisor. A record that cannot be delivered makes the run worthless. */
static void emit(struct run *run, json_t *record)
{
	struct err err;

	if (run->record_fd < 0) {
		json_decref(record);
		return;
	}
	if (record_write(run->record_fd, record, &err))
		run_broken(run, "%s", err.text);
	else if (run->ack_fd >= 0)
		record_wait_ack(run->ack_fd);
}

/* Verdicts said by the run itself: the first worse one stays, with its reason. */
static void say(struct run *run, enum verdict verdict, const char *fmt, va_list args)
{
	if (run->said <= verdict)
		return;
	run->said = verdict;
	vsnprintf(run->reason, sizeof(run->reason), fmt, args);
}

int run_skip(struct run *run, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(run, VERDICT_SKIP, fmt, args);
	va_end(args);
	return 0;
}

int run_broken(struct run *run, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(run, VERDICT_BROKEN, fmt, args);
	va_end(args);
	return 0;
}

bool run_control(struct run *run, const char *name, double value, double floor, const char *unit)
{
	bool ok = isfinite(value) && value > floor;
	json_t *record = json_pack("{s:s, s:s, s:s, s:b}", "type", "control", "name", name, "unit",
				   unit, "ok", ok);
	char text[256], value_text[32], floor_text[32];

	record_set_number(record, "value", value);
	record_set_number(record, "floor", floor);
	emit(run, record);
	snprintf(text, sizeof(text), "%s: %s > %s", name,
		 unit_format(value, unit, value_text, sizeof(value_text)),
		 unit_format(floor, unit, floor_text, sizeof(floor_text)));
	ktap_diag("control %s: %s", text, ok ? "yes" : "no");
	run->controls++;
	if (!ok)
		run_broken(run, "positive control does not hold: %s", text);
	return ok;
}

static struct check_state *find_check(struct run *run, const char *name, const struct check **spec)
{
	const struct check *checks = run->hypothesis->checks;

	for (size_t i = 0; checks[i].name; i++) {
		if (!strcmp(checks[i].name, name)) {
			*spec = &checks[i];
			return &run->checks[i];
		}
	}
	return NULL;
}

/* Keep the text of this evaluation unless a worse one is already kept. */
static void keep(struct check_state *state, bool ok, bool defined, const char *text)
{
	bool have_failure = state->failed > 0;
	bool have_undefined = state->undefined > 0;

	state->evaluated++;
	state->failed += defined && !ok;
	state->undefined += !defined;
	if (have_failure || (have_undefined && (ok || !defined)))
		return;
	snprintf(state->text, sizeof(state->text), "%s", text);
}

static bool evaluate(struct run *run, const char *check, const char *row, double value,
		     const char *op, double bound, const char *unit, bool holds)
{
	bool defined = isfinite(value) && isfinite(bound);
	bool ok = defined && holds;
	const struct check *spec;
	struct check_state *state = find_check(run, check, &spec);
	char text[256], value_text[32], bound_text[32];
	json_t *record;

	if (!state) {
		run_broken(run, "check %s is not declared", check);
		return false;
	}
	record = json_pack("{s:s, s:s, s:s, s:s, s:s, s:b}", "type", "check", "name", check, "op",
			   op, "unit", unit, "origin", spec->origin, "ok", ok);
	if (row)
		record_set_text(record, "row", row, (size_t)-1);
	record_set_number(record, "value", value);
	record_set_number(record, "bound", bound);
	emit(run, record);
	snprintf(text, sizeof(text), "%s%s%s %s %s", row ? row : "", row ? ": " : "",
		 unit_format(value, unit, value_text, sizeof(value_text)), op,
		 unit_format(bound, unit, bound_text, sizeof(bound_text)));
	keep(state, ok, defined, text);
	if (!ok)
		ktap_diag("check %s: %s does not hold", check, text);
	return ok;
}

bool run_check_le(struct run *run, const char *check, const char *row, double value, double bound,
		  const char *unit)
{
	return evaluate(run, check, row, value, "<=", bound, unit, value <= bound);
}

bool run_check_ge(struct run *run, const char *check, const char *row, double value, double bound,
		  const char *unit)
{
	return evaluate(run, check, row, value, ">=", bound, unit, value >= bound);
}

bool run_check_eq(struct run *run, const char *check, const char *row, double value, double bound,
		  const char *unit)
{
	return evaluate(run, check, row, value, "==", bound, unit, value == bound);
}

static json_t *stats_json(const struct stats *stats)
{
	const struct {
		const char *key;
		double value;
	} keys[] = {
		{ "min", stats->min },
		{ "max", stats->max },
		{ "warm_max", stats->warm_max },
		{ "avg", stats->avg },
		{ "stddev", stats->stddev },
		{ "ewma", stats->ewma },
		{ "p50", stats->p50 },
		{ "p90", stats->p90 },
		{ "p99", stats->p99 },
		{ "p999", stats->p999 },
		{ "p50_low", stats->p50_low },
		{ "p50_high", stats->p50_high },
		{ "confidence", stats->confidence },
	};
	json_t *object = json_object();

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		record_set_number(object, keys[i].key, keys[i].value);
	return object;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static json_t *samples_json(const double *samples, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, record_number(samples[i]));
	return array;
}

/* [[value, count], ...] ascending; NULL when memory ran out. */
static json_t *histogram_json(const double *samples, size_t n)
{
	double *sorted = malloc(n * sizeof(*sorted));
	json_t *array;

	if (!sorted)
		return NULL;
	memcpy(sorted, samples, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_doubles);
	array = json_array();
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i; j < n && sorted[j] == sorted[i]; j++)
			;
		json_array_append_new(
			array, json_pack("[o, I]", record_number(sorted[i]), (json_int_t)(j - i)));
	}
	free(sorted);
	return array;
}

static json_t *labels_json(const char *const *labels)
{
	json_t *object = json_object();

	for (; labels && labels[0]; labels += 2)
		record_set_text(object, labels[0], labels[1], (size_t)-1);
	return object;
}

/* The keys that both kinds of measure have. */
static json_t *measure_json(const char *table, const char *row, const char *name, const char *unit)
{
	json_t *record = json_pack("{s:s, s:s, s:s, s:s}", "type", "measure", "table", table,
				   "name", name, "unit", unit);

	record_set_text(record, "row", row, (size_t)-1);
	return record;
}

void run_measure(struct run *run, const struct measure *measure)
{
	const char *columns = measure->columns ? measure->columns : DEFAULT_COLUMNS;
	struct stats stats;
	char p50[32], p99[32], max[32];
	json_t *record;
	size_t bad = 0;

	for (size_t i = 0; i < measure->n; i++)
		bad += !isfinite(measure->samples[i]);
	if (bad || stats_summarise(&stats, measure->samples, measure->n, measure->warm_skip)) {
		run_broken(run, "measure %s, %s: %zu of %zu samples are not numbers",
			   measure->table, measure->row, bad, measure->n);
		return;
	}
	record = measure_json(measure->table, measure->row, measure->name, measure->unit);
	json_object_set_new(record, "labels", labels_json(measure->labels));
	json_object_set_new(record, "n", json_integer((json_int_t)measure->n));
	json_object_set_new(record, "warm_skip", json_integer((json_int_t)measure->warm_skip));
	record_set_number(record, "resolution", measure->resolution);
	json_object_set_new(record, "columns", json_string(columns));
	json_object_set_new(record, "stats", stats_json(&stats));
	if (measure->n <= SAMPLES_MAX)
		json_object_set_new(record, "samples", samples_json(measure->samples, measure->n));
	else
		json_object_set_new(record, "histogram",
				    histogram_json(measure->samples, measure->n));
	emit(run, record);
	ktap_diag("%s: %s: n %zu, p50 %s, p99 %s, max %s", measure->table, measure->row, measure->n,
		  unit_format(stats.p50, measure->unit, p50, sizeof(p50)),
		  unit_format(stats.p99, measure->unit, p99, sizeof(p99)),
		  unit_format(stats.max, measure->unit, max, sizeof(max)));
}

void run_figure(struct run *run, const char *table, const char *row, const char *name, double value,
		const char *unit)
{
	json_t *record = measure_json(table, row, name, unit);
	char text[32];

	record_set_number(record, "value", value);
	emit(run, record);
	ktap_diag("%s: %s: %s %s", table, row, name, unit_format(value, unit, text, sizeof(text)));
}

/* A record whose only content is text. */
static void emit_text(struct run *run, const char *type, const char *text)
{
	json_t *record = json_pack("{s:s}", "type", type);

	record_set_text(record, "text", text, (size_t)-1);
	emit(run, record);
	ktap_diag("%s", text);
}

void run_note(struct run *run, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	emit_text(run, "note", text);
}

void run_progress(struct run *run, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	emit_text(run, "progress", text);
}

/* The first check in the given state, or NULL. */
static const struct check *first_check(const struct run *run,
				       bool (*is)(const struct check *, const struct check_state *))
{
	const struct check *checks = run->hypothesis->checks;

	for (size_t i = 0; checks[i].name; i++)
		if (is(&checks[i], &run->checks[i]))
			return &checks[i];
	return NULL;
}

static bool has_failed(const struct check *check, const struct check_state *state)
{
	(void)check;
	return state->failed > 0;
}

static bool is_undefined(const struct check *check, const struct check_state *state)
{
	(void)check;
	return state->undefined > 0;
}

static bool is_unreached(const struct check *check, const struct check_state *state)
{
	return !state->evaluated && !check->optional;
}

enum verdict run_judge(struct run *run, int returned)
{
	const struct check *check = first_check(run, has_failed);

	if (check) {
		snprintf(run->reason, sizeof(run->reason), "%s: %s", check->name,
			 run->checks[check - run->hypothesis->checks].text);
		return VERDICT_FAIL;
	}
	if (returned && run->said > VERDICT_BROKEN)
		run_broken(run, "run function returned %d", returned);
	if (run->said != VERDICT_NONE)
		return run->said;
	check = first_check(run, is_undefined);
	if (check)
		run_broken(run, "check %s: not a number: %s", check->name,
			   run->checks[check - run->hypothesis->checks].text);
	check = first_check(run, is_unreached);
	if (check)
		run_broken(run, "check %s was never reached", check->name);
	for (size_t i = 0; i < run->n_bounds; i++)
		if (!run->bounds[i].used)
			run_broken(run, "the bound of check %s was not asked for",
				   run->bounds[i].check);
	if (!run->controls)
		run_broken(run, "no positive control was made");
	return run->said == VERDICT_NONE ? VERDICT_PASS : run->said;
}
