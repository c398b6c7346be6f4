// SPDX-License-Identifier: GPL-2.0-or-later
#include "mutate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "known_table.h"
#include "mutate_options.h"
#include "mutate_plan.h"
#include "mutate_results.h"
#include "mutate_table.h"
#include "prove_crew.h"
#include "prove_files.h"
#include "run_parts.h"
#include "splice.h"

#define NAME "lab mutate"
/* Of the part of a document. */
#define MARKERS "mutate"
#define MARKERS_PEERS "mutate-peers"

/* Everything that `pmiproof lab mutate` holds. */
struct mutate {
	struct mutate_options options;
	struct mutants mutants;
	struct suite suite;
	struct known_issues known;
	struct mutate_plan plan;
	struct mutate_results results;
	struct progress progress;
	struct prove_crew crew;
	size_t machines; /* that have ended */
	int64_t started; /* clock_ms() */
	char dir[PATH_MAX];
};

/* Say in a line what came of a guest. */
static void take_guest(struct mutate *mutate, struct prove_guest *guest, double seconds)
{
	char text[2048];
	bool good = mutate_results_take(&mutate->results, guest, text, sizeof(text));

	mutate->machines++;
	progress_end(&mutate->progress, guest->machine->name, good ? VERDICT_PASS : VERDICT_FAIL,
		     text, seconds);
}

static void guest_ended(void *context, struct prove_guest *guest)
{
	struct mutate *mutate = context;

	/* What an interrupt ended says nothing. */
	if (mutate->crew.interrupts &&
	    (!WIFEXITED(guest->status) || WEXITSTATUS(guest->status) == COMMAND_INTERRUPTED))
		return;
	take_guest(mutate, guest, (double)(clock_ms() - guest->started) / 1000);
}

static void set_budget(const struct mutate *mutate, struct prove_guest *guest)
{
	for (size_t i = 0; i < mutate->suite.n; i++)
		if (guest->machine->rows[i].selected)
			guest->budget_s += mutate->suite.tests[i].budget_s;
}

/* Where its report goes; one that is there already is taken. */
static int place_guest(struct mutate *mutate, struct prove_guest *guest, struct err *err)
{
	bool there;
	int result =
		mutate_results_place(&mutate->results, guest, mutate->options.resume, &there, err);

	if (result || !there)
		return result;
	guest->pid = -1; /* as one that has ended well */
	mutate->crew.done++;
	take_guest(mutate, guest, 0);
	return 0;
}

static int run_guests(struct mutate *mutate, struct prove_guest *guests, size_t n, struct err *err)
{
	int result = 0;

	mutate->crew.guests = guests;
	mutate->crew.n = n;
	mutate->crew.done = 0;
	for (size_t i = 0; !result && i < n; i++)
		result = place_guest(mutate, &guests[i], err);
	return result ? result : prove_crew_run(&mutate->crew, err);
}

/* All machines without mutants, so many times each. */
static int run_unmutated(struct mutate *mutate, struct err *err)
{
	size_t runs = mutate->options.runs, n = mutate->plan.n_unmutated * runs;
	struct prove_guest *guests = calloc(n, sizeof(*guests));
	int result;

	if (!guests)
		return err_set(err, ENOMEM, "machines");
	for (size_t i = 0; i < n; i++) {
		guests[i] = (struct prove_guest){
			.machine = &mutate->plan.unmutated[i / runs],
			.round = i % runs,
			.pidfd = -1,
		};
		set_budget(mutate, &guests[i]);
	}
	result = run_guests(mutate, guests, n, err);
	free(guests);
	return result;
}

static int run_mutants(struct mutate *mutate, struct err *err)
{
	struct prove_guest *guests = calloc(mutate->plan.n_subjects, sizeof(*guests));
	size_t n = 0;
	int result;

	if (!guests)
		return err_set(err, ENOMEM, "machines");
	for (size_t i = 0; i < mutate->plan.n_subjects; i++) {
		const struct proof_machine *machine = &mutate->plan.subjects[i].machine;

		if (!mutate_plan_rows(machine))
			continue;
		guests[n] = (struct prove_guest){ .machine = machine, .pidfd = -1 };
		set_budget(mutate, &guests[n++]);
	}
	result = run_guests(mutate, guests, n, err);
	free(guests);
	return result;
}

static int make_subdir(const struct mutate *mutate, const char *name, struct err *err)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", mutate->dir, name);
	if (mkdir(path, 0777) && !(mutate->options.resume && errno == EEXIST))
		return err_set(err, errno, "make %s", path);
	return 0;
}

static int make_dirs(struct mutate *mutate, struct err *err)
{
	const struct mutate_options *options = &mutate->options;
	int result = 0;

	if (!options->resume)
		result = run_make_dir(options->output, mutate->dir, sizeof(mutate->dir), err);
	else if (access(options->output, W_OK))
		result = err_set(err, errno, "--resume %s", options->output);
	else if ((size_t)snprintf(mutate->dir, sizeof(mutate->dir), "%s", options->output) >=
		 sizeof(mutate->dir))
		result = err_set(err, ENAMETOOLONG, "--resume");
	if (!result)
		result = make_subdir(mutate, MUTATE_UNMUTATED, err);
	return result ? result : make_subdir(mutate, MUTATE_MUTANTS, err);
}

static int run(struct mutate *mutate, struct err *err)
{
	const struct mutate_options *options = &mutate->options;
	size_t all = mutate->plan.n_unmutated * options->runs + mutate->plan.n_subjects;
	int result = make_dirs(mutate, err);

	if (result)
		return result;
	mutate->crew.signals = run_take_signals(err);
	if (mutate->crew.signals < 0)
		return mutate->crew.signals;
	mutate->crew.cpus = options->jobs;
	mutate->crew.files.suites = options->suites;
	mutate->crew.files.with = options->peers ? options->peers_tree : NULL;
	mutate->crew.progress = &mutate->progress;
	mutate->crew.ended = guest_ended;
	mutate->crew.context = mutate;
	progress_init(&mutate->progress, options->json ? stderr : stdout, all);
	mutate->started = clock_ms();
	result = run_unmutated(mutate, err);
	if (!result && !mutate->crew.interrupts && !options->unmutated)
		result = run_mutants(mutate, err);
	close(mutate->crew.signals);
	mutate->results.origin.machines = mutate->machines;
	mutate->results.origin.seconds = (clock_ms() - mutate->started) / 1000;
	mutate->results.origin.cpus = options->jobs;
	return result;
}

static const char *markers(const struct mutate *mutate)
{
	return mutate->options.peers ? MARKERS_PEERS : MARKERS;
}

/* Say what of the whole was not asked for. */
static void put_part(const struct mutate *mutate, FILE *out)
{
	const struct mutate_choice *choice = &mutate->options.choice;

	if (mutate->plan.n_subjects < mutate->mutants.n || mutate->crew.interrupts)
		fprintf(out, "**A part only**: %zu of %zu mutants were asked for%s.\n\n",
			mutate->plan.n_subjects, mutate->mutants.n,
			mutate->crew.interrupts ? ", and the command was interrupted" : "");
	if (choice->named)
		fputs("On each mutant only the hypotheses were run that are to name it.\n\n", out);
	if (choice->n_hypotheses)
		fputs("Not all hypotheses or tests were run.\n\n", out);
}

static int write_markdown(const struct mutate *mutate, struct err *err)
{
	bool peers = mutate->options.peers;
	struct prove_origin origin = mutate->results.origin;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int result;

	if (!out)
		return err_set(err, ENOMEM, "table");
	fputc('\n', out);
	origin.seconds = mutate->options.resume ? -1 : origin.seconds;
	prove_origin_put(&origin, peers ? "make mutate PEERS=1" : "make mutate", out);
	put_part(mutate, out);
	result = peers ? mutate_table_peers(&mutate->results, &mutate->suite, out)
		       : mutate_table_markdown(&mutate->results, out);
	fputc('\n', out);
	if (fclose(out) || result)
		result = err_set(err, ENOMEM, "table");
	else
		result = splice_file(mutate->options.markdown, markers(mutate), text, err);
	free(text);
	return result;
}

static int print_json(const struct mutate *mutate)
{
	json_t *document = mutate_table_json(&mutate->results);
	int result = document ? json_dumpf(document, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII)
			      : -ENOMEM;

	putchar('\n');
	json_decref(document);
	return result;
}

static int print_table(const struct mutate *mutate)
{
	int result = 0;

	putchar('\n');
	if (!mutate->options.unmutated) {
		result = mutate_table_print(&mutate->results, stdout,
					    isatty(STDOUT_FILENO) ? progress_columns(stdout) : 0,
					    progress_colour(stdout));
		putchar('\n');
	}
	mutate_table_sums(&mutate->results, stdout);
	printf("%zu machines in %lld s; reports: %s\n", mutate->machines,
	       (long long)mutate->results.origin.seconds, mutate->dir);
	if (mutate->crew.interrupts)
		printf("interrupted; to go on: pmiproof lab mutate --resume %s\n", mutate->dir);
	return result;
}

/* Is each mutant that is not equivalent killed, and do unmutated runs pass? */
static bool is_all_well(const struct mutate *mutate)
{
	const struct mutate_results *results = &mutate->results;
	bool well = results->good == results->verdicts && results->verdicts;

	for (size_t i = 0; !mutate->options.unmutated && i < mutate->plan.n_subjects; i++) {
		const struct mutate_outcome *outcome = &results->outcomes[i];

		well &= !*outcome->problem &&
			(mutate_fate_killed(outcome->fate) || outcome->fate == FATE_EQUIVALENT);
	}
	return well;
}

/* Print the table and the sums. Returns the exit code. */
static int conclude(const struct mutate *mutate)
{
	int lost = mutate->options.json ? print_json(mutate) : print_table(mutate);
	struct err err;

	if (mutate->options.markdown && write_markdown(mutate, &err))
		return command_error(NAME, "%s", err.text);
	if (command_flush(NAME) || lost)
		return COMMAND_ERROR;
	if (mutate->crew.interrupts)
		return COMMAND_INTERRUPTED;
	return is_all_well(mutate) ? COMMAND_OK : COMMAND_REFUTED;
}

static void list_machine(const char *kind, const struct proof_machine *machine, size_t times)
{
	char *options = prove_guest_text(machine);

	printf("%s/%s: pmiproof lab run %s", kind, machine->name, options ? options : "");
	for (size_t i = 0; i < machine->n_rows; i++)
		if (machine->rows[i].selected)
			printf(" %s", machine->rows[i].hypothesis);
	if (times > 1)
		printf("   (%zu times)", times);
	putchar('\n');
	free(options);
}

/* Say what would be run. */
static void list(const struct mutate *mutate)
{
	const struct mutate_plan *plan = &mutate->plan;

	for (size_t i = 0; i < plan->n_unmutated; i++)
		list_machine(MUTATE_UNMUTATED, &plan->unmutated[i], mutate->options.runs);
	for (size_t i = 0; !mutate->options.unmutated && i < plan->n_subjects; i++)
		if (mutate_plan_rows(&plan->subjects[i].machine))
			list_machine(MUTATE_MUTANTS, &plan->subjects[i].machine, 1);
}

/* Are kernels there for all machines, and are the mutants variants of theirs? */
static int check_kernels(const struct mutate *mutate, struct err *err)
{
	const struct mutate_plan *plan = &mutate->plan;
	struct proofs all = { .path = mutate->mutants.path };
	struct prove_files files;
	int result;

	all.machines = calloc(plan->n_unmutated + plan->n_subjects, sizeof(*all.machines));
	if (!all.machines)
		return err_set(err, ENOMEM, "machines");
	for (size_t i = 0; i < plan->n_unmutated; i++)
		all.machines[all.n_machines++] = plan->unmutated[i];
	for (size_t i = 0; i < plan->n_subjects; i++)
		all.machines[all.n_machines++] = plan->subjects[i].machine;
	result = prove_files_find(&files, &all, true, err);
	if (!result)
		result = prove_files_check(&all, NULL, err);
	for (size_t i = 0; !result && i < plan->n_subjects; i++)
		result = mutant_known(&mutate->mutants, plan->subjects[i].mutant, files.variants,
				      err);
	free(all.machines);
	return result;
}

/* One that cannot be asked what it is tells nothing of a mutant. */
static int check_suite(const struct suite *suite, struct err *err)
{
	for (size_t i = 0; i < suite->n; i++)
		if (suite->tests[i].problem[0])
			return err_set(err, 0, "%s: %s", suite->tests[i].name,
				       suite->tests[i].problem);
	return 0;
}

/* Read and check everything that can be before anything is run. */
static int load(struct mutate *mutate, struct err *err)
{
	const struct mutate_options *options = &mutate->options;
	int result = mutants_read(&mutate->mutants, options->table, err);

	if (!result)
		result = suite_load_own(&mutate->suite, options->suites, err);
	if (!result)
		result = check_suite(&mutate->suite, err);
	/* Of tests of others they name nothing. */
	if (!result && !options->peers)
		result = mutants_checks_known(&mutate->mutants, &mutate->suite, err);
	if (!result)
		result = known_table_load(&mutate->known, NULL, err);
	if (!result)
		result = mutate_plan_make(&mutate->plan, &mutate->mutants, &mutate->suite,
					  &options->choice, err);
	if (!result && !options->list)
		result = check_kernels(mutate, err);
	if (!result)
		result = mutate_results_init(&mutate->results, &mutate->plan, mutate->dir,
					     options->runs, &mutate->known, err);
	if (!result && options->witness)
		result = mutate_results_witness(&mutate->results, options->witness, err);
	if (!result && options->markdown)
		result = splice_file(options->markdown, markers(mutate), NULL, err);
	return result;
}

static void release(struct mutate *mutate)
{
	mutate_results_free(&mutate->results);
	mutate_plan_free(&mutate->plan);
	known_free(&mutate->known);
	suite_free(&mutate->suite);
	mutants_free(&mutate->mutants);
	free(mutate);
}

int lab_mutate(int argc, char **argv)
{
	struct mutate *mutate = calloc(1, sizeof(*mutate));
	struct err err;
	int code;

	if (!mutate)
		return command_error(NAME, "out of memory");
	code = mutate_options_parse(&mutate->options, argc, argv);
	/* Mutants are of the lab's own kernel. */
	unsetenv("LAB_KERNEL");
	if (code < 0 && load(mutate, &err))
		code = command_error(NAME, "%s", err.text);
	if (code < 0 && mutate->options.list) {
		list(mutate);
		code = command_flush(NAME) ? COMMAND_ERROR : COMMAND_OK;
	}
	if (code < 0 && run(mutate, &err))
		code = command_error(NAME, "%s", err.text);
	if (code < 0)
		code = conclude(mutate);
	release(mutate);
	return code;
}
