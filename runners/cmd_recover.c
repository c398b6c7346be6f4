// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

#include "active.h"
#include "command.h"
#include "journal_state.h"
#include "machine_lock.h"
#include "recover.h"

static const char help[] =
	"usage: pmiproof recover DIR\n\n"
	"Puts the machine back as the run of report DIR found it, when that run and what tidies\n"
	"up after it were killed: ends its tests, and puts back sysctls, CPUs that are offline,\n"
	"tracefs, and a watchdog that runs on. A restart of the machine does the same; then there\n"
	"is nothing to be done. May be repeated, and does nothing while a run is going on.\n\n"
	"  -h, --help  this text\n\n"
	"Exit code: 0 the machine is as it was found, 2 it is not, or cannot be told.\n";

/* Say what was done, or why nothing was. */
static void report(const struct journal_state *state, const json_t *did)
{
	json_t *text;
	size_t i;

	json_array_foreach(did, i, text) puts(json_string_value(text));
	if (json_array_size(did))
		return;
	if (state->rebooted)
		puts("the machine was restarted since: nothing of this run is left on it");
	else if (state->done)
		puts("this run has put back everything itself");
	else
		puts("nothing of this run is left");
}

static int recover(const char *dir, struct err *err)
{
	struct journal_state state = { 0 };
	json_t *did = json_array(), *restored = json_array();
	int lock;
	int result = machine_lock(&lock, err);

	if (!result)
		result = recover_read(&state, dir, err);
	if (!result) {
		result = recover_machine(&state, did, restored, err);
		report(&state, did);
	}
	if (!result)
		active_clear(dir);
	journal_state_free(&state);
	json_decref(did);
	json_decref(restored);
	return result;
}

int cmd_recover(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct err err;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option != 'h')
			return command_bad_option("recover", option, argv, options);
		fputs(help, stdout);
		return COMMAND_OK;
	}
	if (optind + 1 != argc)
		return command_error("recover", "exactly one report directory is needed; see "
						"--help");
	if (!*argv[optind])
		return command_error("recover", "the name of the report is empty");
	return recover(argv[optind], &err) ? command_error("recover", "%s", err.text) : COMMAND_OK;
}
