// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../reports/outfile.h"
#include "../reports/trend.h"
#include "command.h"
#include "compare_options.h"
#include "history_show.h"
#include "known_table.h"

/* Where runs leave their reports unless they are told another place. */
#define DEFAULT_DB "pmiproof-reports/history.db"

static const char help[] =
	"usage: pmiproof history [--db FILE] add [--known FILE] REPORT...\n"
	"       pmiproof history [--db FILE] list | flaky\n"
	"       pmiproof history [--db FILE] trend [-f FORMAT] [-o FILE] HYPOTHESIS TABLE ROW "
	"COLUMN\n"
	"       pmiproof history [--db FILE] compare --by KEY [OPTION]...\n"
	"       pmiproof history [--db FILE] export ID DIR\n\n"
	"Keeps reports in one file (default: " DEFAULT_DB "), which several\n"
	"processes may use at a time.\n\n"
	"  add      add reports; one that is there is left alone, one whose run was resumed\n"
	"           since takes the place of what is there\n"
	"  list     all reports\n"
	"  trend    a cell of a cost table, as the report names it, in all reports that have it:\n"
	"           as a table (-f term, the default), as a plot (svg), or both in a page (html);\n"
	"           gnuplot draws plots. Names that begin with - go behind --\n"
	"  flaky    hypotheses whose verdict changed on the same machine, kernel and set-up\n"
	"  compare  groups of reports, as 'pmiproof compare --by KEY' does\n"
	"  export   the report with this id in the list, as a directory, which must not exist\n\n"
	"      --db FILE            another file\n"
	"      --known FILE         for add: table of known issues, in place of the one that is\n"
	"                           installed\n" COMPARE_OPTIONS_HELP
	"  -h, --help               this text\n";

struct history_command {
	const char *db;
	const char *known;
	const char *format; /* NULL: the first that the action has */
	bool output_given;
	struct compare_options compare;
	bool compare_given; /* an option of it */
	char **words;	    /* behind the name of the action */
	int n_words;
};

static int add_one(struct history *history, const char *path, const struct known_issues *known,
		   struct err *err)
{
	static const char *const said[] = {
		[HISTORY_ADDED] = "added as",
		[HISTORY_THERE] = "is there already, as",
		[HISTORY_REPLACED] = "takes the place of the shorter one, as",
	};
	enum history_added added = HISTORY_ADDED;
	int64_t id = 0;
	int result = *path ? history_add(history, path, known, &added, &id, err)
			   : err_plain(err, EINVAL, "the name of a report is empty");

	if (!result)
		printf("%s: %s %lld\n", path, said[added], (long long)id);
	return result;
}

/* One that cannot be added is no reason to leave out the others. */
static int act_add(struct history *history, const struct history_command *command, struct err *err)
{
	struct known_issues known;
	int result = known_table_load(&known, command->known, err);
	int failed = 0;

	for (int i = 0; !result && i < command->n_words; i++) {
		if (!add_one(history, command->words[i], &known, err))
			continue;
		command_error("history", "%s", err->text);
		failed++;
	}
	known_free(&known);
	return result ? result
	       : failed
		       ? err_plain(err, EIO, "%d of %d reports not added", failed, command->n_words)
		       : 0;
}

static int act_list(struct history *history, const struct history_command *command, struct err *err)
{
	(void)command;
	return history_show_list(history, err);
}

static int act_flaky(struct history *history, const struct history_command *command,
		     struct err *err)
{
	(void)command;
	return history_show_flaky(history, err);
}

/* Forms of a trend besides the table. */
static const struct trend_format {
	const char *name;
	int (*print)(struct trend *trend, FILE *out, struct err *err);
} trend_formats[] = { { "svg", trend_svg }, { "html", trend_html } };

static const struct trend_format *trend_format(const char *name)
{
	for (size_t i = 0; name && i < sizeof(trend_formats) / sizeof(trend_formats[0]); i++)
		if (!strcmp(trend_formats[i].name, name))
			return &trend_formats[i];
	return NULL;
}

static int write_trend(struct history *history, const struct history_command *command, FILE *out,
		       struct err *err)
{
	const struct trend_format *format = trend_format(command->format);
	struct trend trend;
	int result = trend_read(&trend, history, command->words, err);

	if (!result)
		result = format->print(&trend, out, err);
	trend_free(&trend);
	return result;
}

static int act_trend(struct history *history, const struct history_command *command,
		     struct err *err)
{
	const char *path = command->compare.output;
	char *text = NULL;
	size_t size;
	FILE *out;
	int result;

	if (!trend_format(command->format))
		return history_show_trend(history, command->words, err);
	out = open_memstream(&text, &size);
	if (!out)
		return err_set(err, ENOMEM, "trend");
	result = write_trend(history, command, out, err);
	if (fclose(out) && !result)
		result = err_set(err, ENOMEM, "trend");
	if (!result && path)
		result = outfile_write(path, text, size, err);
	else if (!result)
		fwrite(text, 1, size, stdout);
	free(text);
	return result;
}

static int act_export(struct history *history, const struct history_command *command,
		      struct err *err)
{
	char *end;
	long long id;

	errno = 0;
	id = strtoll(command->words[0], &end, 10);
	if (errno || end == command->words[0] || *end)
		return err_plain(err, EINVAL, "%s is no number of a report", command->words[0]);
	if (!*command->words[1])
		return err_plain(err, EINVAL, "the name of the directory is empty");
	return history_export(history, id, command->words[1], err);
}

static const struct action {
	const char *name;
	int (*act)(struct history *history, const struct history_command *command, struct err *err);
	int least, most; /* words behind it */
	const char *words;
} actions[] = {
	{ "add", act_add, 1, INT32_MAX, "one report at least" },
	{ "list", act_list, 0, 0, "nothing behind it" },
	{ "flaky", act_flaky, 0, 0, "nothing behind it" },
	{ "trend", act_trend, 4, 4, "HYPOTHESIS TABLE ROW COLUMN" },
	{ "compare", NULL, 0, 0, "nothing behind it" },
	{ "export", act_export, 2, 2, "ID DIR" },
};

static const struct action *find_action(const char *name)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (!strcmp(actions[i].name, name))
			return &actions[i];
	return NULL;
}

static int compare(struct history *history, struct history_command *command, struct err *err)
{
	struct comparison all;
	int result = history_compare(history, &command->compare.request, &all, err);

	if (result)
		return command_error("history", "%s", err->text);
	result = compare_options_show("history", &command->compare, &all);
	comparison_free(&all);
	return result;
}

static int act(const struct action *action, struct history_command *command)
{
	struct history *history;
	struct err err;
	int code = COMMAND_OK;

	if (history_open(&history, command->db, action->act == act_add, &err))
		return command_error("history", "%s", err.text);
	if (!action->act)
		code = compare(history, command, &err);
	else if (action->act(history, command, &err))
		code = command_error("history", "%s", err.text);
	history_close(history);
	return code;
}

/* The form that is asked for, and where it goes: both actions have them that compare or plot. */
static int check_form(const struct action *action, struct history_command *command)
{
	const char *format = command->format;
	bool trend = action->act == act_trend;
	struct err err;

	if (action->act && !trend && (format || command->output_given))
		return command_error("history",
				     "--format and --output: only for trend and compare");
	if (!action->act && format &&
	    compare_options_take(&command->compare, COMPARE_OPT_FORMAT, format, 0, NULL, &err))
		return command_error("history", "%s", err.text);
	if (trend && format && strcmp(format, "term") != 0 && !trend_format(format))
		return command_error("history", "--format %s: not term, svg or html", format);
	if (trend && !trend_format(format) && command->compare.output)
		return command_error("history", "--output: with --format svg or html");
	return COMMAND_OK;
}

/* Does the action take what was given? */
static int check(const struct action *action, const struct history_command *command)
{
	bool groups = command->compare.request.by != COMPARE_REPORT;

	if (command->n_words < action->least || command->n_words > action->most)
		return command_error("history", "%s takes %s; see --help", action->name,
				     action->words);
	if (!*command->db)
		return command_error("history", "the name after --db is empty");
	if (command->known && action->act != act_add)
		return command_error("history", "--known: only for add");
	if (command->compare_given && action->act)
		return command_error("history", "options of compare are not for %s", action->name);
	if (!action->act && !groups)
		return command_error("history", "compare needs --by; see --help");
	return COMMAND_OK;
}

enum { OPT_DB = COMPARE_OPTIONS_MORE, OPT_KNOWN };

static int take_option(struct history_command *command, int option, int argc, char **argv)
{
	struct err err;

	if (option == OPT_DB)
		command->db = optarg;
	else if (option == OPT_KNOWN)
		command->known = optarg;
	else if (option == COMPARE_OPT_FORMAT)
		command->format = optarg;
	else if (compare_options_take(&command->compare, option, optarg, argc, argv, &err))
		return command_error("history", "%s", err.text);
	else if (option == COMPARE_OPT_OUTPUT)
		command->output_given = true;
	else
		command->compare_given = true;
	return COMMAND_OK;
}

int cmd_history(int argc, char **argv)
{
	static const struct option options[] = {
		COMPARE_OPTIONS,
		{ "db", required_argument, NULL, OPT_DB },
		{ "known", required_argument, NULL, OPT_KNOWN },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct history_command command = { .db = DEFAULT_DB, .compare = COMPARE_OPTIONS_INIT };
	const struct action *action;
	int result = COMMAND_OK;
	int option;

	opterr = 0;
	while (!result && (option = getopt_long(argc, argv, ":" COMPARE_OPTIONS_SHORT "h", options,
						NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return COMMAND_OK;
		}
		result = option == '?' || option == ':'
				 ? command_bad_option("history", option, argv, options)
				 : take_option(&command, option, argc, argv);
	}
	if (result)
		return result;
	if (optind == argc)
		return command_error("history", "what is to be done is missing; see --help");
	action = find_action(argv[optind]);
	if (!action)
		return command_error("history", "no action '%s'; see --help", argv[optind]);
	command.compare.request.args = argv;
	command.compare.request.n_args = (size_t)argc;
	command.words = argv + optind + 1;
	command.n_words = argc - optind - 1;
	result = check(action, &command);
	if (!result)
		result = check_form(action, &command);
	return result ? result : act(action, &command);
}
