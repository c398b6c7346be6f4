// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../reports/outfile.h"
#include "command.h"
#include "progress.h"

#define THRESHOLD_MAX 1e6

const struct compare_format compare_formats[] = {
	{ "term", compare_term },
	{ "html", compare_html },
	{ "mail", compare_mail },
	{ "json", compare_json },
	{ NULL },
};

static int take_format(struct compare_options *options, const char *value, struct err *err)
{
	for (const struct compare_format *f = compare_formats; f->name; f++) {
		if (strcmp(f->name, value) != 0)
			continue;
		options->format = f;
		return 0;
	}
	return err_set(err, 0, "--format %s: not term, html, mail or json", value);
}

static int take_output(struct compare_options *options, const char *value, struct err *err)
{
	if (!*value)
		return err_set(err, 0, "the name after --output is empty");
	options->output = strcmp(value, "-") != 0 ? value : NULL;
	return 0;
}

static int take_by(struct compare_request *request, const char *value, int argc, char **argv,
		   struct err *err)
{
	static const struct {
		const char *name;
		enum compare_by by;
	} keys[] = {
		{ "cpu-model", COMPARE_CPU_MODEL },
		{ "kernel", COMPARE_KERNEL },
		{ "label", COMPARE_LABEL },
	};

	request->by = COMPARE_REPORT;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(keys[i].name, value))
			request->by = keys[i].by;
	if (request->by == COMPARE_REPORT)
		return err_set(err, 0, "--by %s: not cpu-model, kernel or label K", value);
	if (request->by != COMPARE_LABEL)
		return 0;
	if (optind >= argc || !*argv[optind])
		return err_set(err, 0, "--by label: needs the name of a label");
	request->key = argv[optind++];
	return 0;
}

static int take_fail_on(struct compare_options *options, const char *value, struct err *err)
{
	while (*value) {
		size_t length = strcspn(value, ",");

		if (length == strlen("regression") && !strncmp(value, "regression", length))
			options->fail_on_regression = true;
		else if (length == strlen("new-fail") && !strncmp(value, "new-fail", length))
			options->fail_on_new_fail = true;
		else
			break;
		value += length;
		if (!*value)
			return 0;
		value++;
	}
	return err_set(err, 0, "--fail-on: '%s' is not regression or new-fail", value);
}

static int take_threshold(struct compare_request *request, const char *value, struct err *err)
{
	char *end;
	double threshold = strtod(value, &end);

	if (end == value || *end || !(threshold >= 0 && threshold <= THRESHOLD_MAX))
		return err_set(err, 0, "--threshold %s: not a number from 0 to %g percent", value,
			       THRESHOLD_MAX);
	request->threshold = threshold;
	return 0;
}

int compare_options_take(struct compare_options *options, int option, const char *value, int argc,
			 char **argv, struct err *err)
{
	switch (option) {
	case COMPARE_OPT_BY:
		return take_by(&options->request, value, argc, argv, err);
	case COMPARE_OPT_FAIL_ON:
		return take_fail_on(options, value, err);
	case COMPARE_OPT_THRESHOLD:
		return take_threshold(&options->request, value, err);
	case COMPARE_OPT_OUTPUT:
		return take_output(options, value, err);
	default: /* COMPARE_OPT_FORMAT: the last one in the table */
		return take_format(options, value, err);
	}
}

/* What --fail-on finds, a line each on standard error. Returns how much. */
static size_t complain(const char *subcommand, const struct compare_options *options,
		       const struct comparison *all)
{
	size_t found = 0;

	for (size_t c = 1; c < all->n_columns; c++) {
		for (size_t h = 0; options->fail_on_new_fail && h < all->n_hypotheses; h++) {
			if (!compare_new_fail(all, &all->hypotheses[h], c))
				continue;
			command_error(subcommand, "new-fail: %s in %s", all->hypotheses[h].name,
				      all->column[c].name);
			found++;
		}
		for (size_t s = 0; options->fail_on_regression && s < all->n_series; s++) {
			const struct compare_series *series = &all->series[s];

			if (!compare_regressed(series, c, options->request.threshold))
				continue;
			command_error(subcommand, "regression: %s, %s, %s %+.1f %% in %s",
				      series->hypothesis, series->table, series->row,
				      series->change[c].percent, all->column[c].name);
			found++;
		}
	}
	return found;
}

static bool anything_compared(const struct comparison *all)
{
	for (size_t c = 1; c < all->n_columns; c++)
		if (!all->column[c].apart)
			return true;
	return false;
}

/* All of it in memory, to be freed. */
static int make_text(const struct compare_options *options, const struct comparison *all,
		     char **text, size_t *size, struct err *err)
{
	FILE *out = open_memstream(text, size);
	bool lost;
	int result;

	if (!out)
		return err_set(err, ENOMEM, "comparison");
	result = options->format->write(out, all, &options->request, err);
	lost = ferror(out);
	lost |= fclose(out) != 0;
	if (!result && lost)
		result = err_set(err, ENOMEM, "comparison");
	if (result) {
		free(*text);
		*text = NULL;
	}
	return result;
}

static int show(const char *subcommand, const struct compare_options *options,
		const struct comparison *all)
{
	struct err err;
	size_t size;
	char *text;
	int result = make_text(options, all, &text, &size, &err);

	if (result)
		return command_error(subcommand, "%s", err.text);
	if (options->output) {
		if (outfile_write(options->output, text, size, &err))
			result = command_error(subcommand, "%s", err.text);
	} else {
		fwrite(text, 1, size, stdout);
		result = command_flush(subcommand) ? COMMAND_ERROR : COMMAND_OK;
	}
	free(text);
	return result;
}

int compare_options_show(const char *subcommand, struct compare_options *options,
			 const struct comparison *all)
{
	int result;

	/* A file is no terminal. */
	if (!options->output) {
		const struct report_options how = progress_report_options(stdout);

		options->request.shown.colour = how.colour;
		options->request.shown.width = how.width;
		options->request.shown.height = how.height;
	}
	result = show(subcommand, options, all);
	if (result)
		return result;
	if (!options->fail_on_regression && !options->fail_on_new_fail)
		return COMMAND_OK;
	if (complain(subcommand, options, all))
		return COMMAND_REFUTED;
	if (anything_compared(all))
		return COMMAND_OK;
	command_error(subcommand, "--fail-on: there is nothing that can be compared with A");
	return COMMAND_BROKEN;
}
