// SPDX-License-Identifier: GPL-2.0-or-later
#include "prove.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "proofs_cover.h"
#include "prove_crew.h"
#include "prove_files.h"
#include "prove_options.h"
#include "prove_results.h"
#include "run_parts.h"
#include "splice.h"
#include "suite.h"

/* Everything that `pmiproof lab prove` holds. */
struct prove {
	struct prove_options options;
	struct proofs proofs;
	struct mutants mutants; /* for completeness */
	struct suite suite;
	struct progress progress;
	struct prove_crew crew;
	struct prove_results results;
	int64_t started; /* clock_ms() */
	char dir[PATH_MAX], mutants_path[PATH_MAX];
};

static void guest_ended(void *context, struct prove_guest *guest)
{
	struct prove *prove = context;
	char text[1024];
	bool right;

	/* What an interrupt ended says nothing. */
	if (prove->crew.interrupts &&
	    (!WIFEXITED(guest->status) || WEXITSTATUS(guest->status) == COMMAND_INTERRUPTED))
		return;
	prove_results_take(&prove->results, guest);
	right = prove_results_line(&prove->results, guest, text, sizeof(text));
	progress_end(&prove->progress, guest->machine->name, right ? VERDICT_PASS : VERDICT_FAIL,
		     text, (double)(clock_ms() - guest->started) / 1000);
}

static double budget_of(const struct suite *suite, const struct proof_row *row)
{
	const struct suite_test *test =
		suite_test_named(suite, row->hypothesis, strlen(row->hypothesis));

	return test ? test->budget_s : 0;
}

static int add_guest(struct prove *prove, const struct proof_machine *machine, size_t round,
		     struct err *err)
{
	struct prove_guest *guest = &prove->crew.guests[prove->crew.n++];

	*guest = (struct prove_guest){ .machine = machine, .round = round, .pidfd = -1 };
	for (size_t i = 0; i < machine->n_rows; i++) {
		const struct proof_row *row = &machine->rows[i];
		double budget =
			row->selected ? budget_of(&prove->suite, row) * (double)machine->repeat : 0;

		guest->budget_s += budget;
		guest->hangs_s += row->verdict == VERDICT_HUNG ? budget : 0;
	}
	return prove_results_dir(&prove->results, machine, round, guest->dir, sizeof(guest->dir),
				 err);
}

static int add_guests(struct prove *prove, struct err *err)
{
	const struct proofs *proofs = &prove->proofs;
	int result =
		prove_results_init(&prove->results, proofs, prove->options.repeat, prove->dir, err);

	prove->crew.guests =
		calloc(proofs->n_machines * prove->options.repeat, sizeof(*prove->crew.guests));
	if (!result && !prove->crew.guests)
		result = err_set(err, ENOMEM, "machines");
	for (size_t round = 0; !result && round < prove->options.repeat; round++) {
		char dir[PATH_MAX + 32];

		snprintf(dir, sizeof(dir), "%s/%zu", prove->dir, round + 1);
		if (prove->options.repeat > 1 && mkdir(dir, 0777))
			result = err_set(err, errno, "make %s", dir);
		for (size_t m = 0; !result && m < proofs->n_machines; m++)
			if (proof_machine_selected(&proofs->machines[m]))
				result = add_guest(prove, &proofs->machines[m], round, err);
	}
	return result;
}

/* What the table says that the lab does not show. */
static void put_unproven(const struct proofs *proofs, FILE *out)
{
	if (proofs->n_unproven)
		fputs("\nChecks that no machine here refutes (their unit tests do):\n\n", out);
	for (size_t i = 0; i < proofs->n_unproven; i++)
		fprintf(out, "- %s: `%s`: %s\n", proofs->unproven[i].hypothesis,
			proofs->unproven[i].check, proofs->unproven[i].reason);
}

static int write_markdown(const struct prove *prove, struct err *err)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct prove_origin origin = prove->results.origin;
	int result;

	if (!out)
		return err_set(err, ENOMEM, "matrix");
	origin.machines = prove->crew.n;
	origin.seconds = (clock_ms() - prove->started) / 1000;
	origin.cpus = prove->options.jobs;
	fputc('\n', out);
	prove_origin_put(&origin, "make prove", out);
	result = prove_matrix_markdown(&prove->results.matrix, out);
	put_unproven(&prove->proofs, out);
	fputc('\n', out);
	if (fclose(out) || result)
		result = err_set(err, ENOMEM, "matrix");
	else
		result = splice_file(prove->options.markdown, "prove", text, err);
	free(text);
	return result;
}

static int put_matrix(const struct prove *prove, enum prove_shown shown)
{
	return prove_matrix_print(&prove->results.matrix, shown, stdout,
				  isatty(STDOUT_FILENO) ? progress_columns(stdout) : 0,
				  progress_colour(stdout));
}

/* Print the matrix and the sums. Returns the exit code. */
static int conclude(const struct prove *prove)
{
	struct prove_sum sum = prove_matrix_sum(&prove->results.matrix);
	size_t rows = sum.passed + sum.failed + sum.missing;
	struct err err;
	bool lost;

	putchar('\n');
	lost = put_matrix(prove, PROVE_ALL);
	printf("\n%zu machines in %lld s; reports: %s\n", prove->crew.done,
	       (long long)(clock_ms() - prove->started) / 1000, prove->dir);
	if (!prove->options.n_patterns)
		put_unproven(&prove->proofs, stdout);
	if (prove->options.repeat > 1)
		printf("%zu rounds: %zu of %zu rows (%.1f %%) came out right in some rounds only\n",
		       prove->options.repeat, sum.flaky, rows,
		       rows ? 100 * (double)sum.flaky / (double)rows : 0);
	if (sum.missing)
		printf("%s: %zu of %zu rows are missing\n",
		       prove->crew.interrupts ? "interrupted" : "incomplete", sum.missing, rows);
	else if (prove->options.markdown && write_markdown(prove, &err))
		return command_error("lab prove", "%s", err.text);
	if (sum.failed) {
		/* Once more, where who looks at the end of a long log sees them. */
		puts("\nwrong:");
		lost |= put_matrix(prove, PROVE_WRONG) != 0;
	}
	printf("%zu passed, %zu failed\n", sum.passed, sum.failed);
	if (command_flush("lab prove") || lost)
		return COMMAND_ERROR;
	if (prove->crew.interrupts)
		return COMMAND_INTERRUPTED;
	return sum.failed || sum.missing || !sum.passed ? COMMAND_REFUTED : COMMAND_OK;
}

/* Say what would be run. */
static void list(const struct prove *prove)
{
	for (size_t m = 0; m < prove->proofs.n_machines; m++) {
		const struct proof_machine *machine = &prove->proofs.machines[m];
		char *options = prove_guest_text(machine);

		if (proof_machine_selected(machine))
			printf("%s: pmiproof lab run %s\n", machine->name, options ? options : "");
		free(options);
	}
}

/* The names of all hypotheses, as proofs_gaps() takes them: an array to be freed, or NULL. */
static const char **names_of(const struct suite *suite)
{
	const char **names = calloc(suite->n + 1, sizeof(*names));

	for (size_t i = 0; names && i < suite->n; i++)
		names[i] = suite->tests[i].name;
	return names;
}

static void close_tables(FILE **tables)
{
	for (size_t i = 0; i < LAB_ARCHS; i++)
		if (tables[i])
			fclose(tables[i]);
}

static int open_tables(const struct prove_files *files, FILE **tables, struct err *err)
{
	for (size_t i = 0; i < LAB_ARCHS; i++) {
		if (!files->variants[i])
			continue;
		tables[i] = fopen(files->variants[i], "re");
		if (!tables[i])
			return err_set(err, errno, "open %s", files->variants[i]);
	}
	return 0;
}

static int check_complete(const struct prove *prove, const struct prove_files *files,
			  struct err *err)
{
	const char **names = names_of(&prove->suite);
	FILE *tables[LAB_ARCHS] = { NULL };
	char *gaps = NULL;
	size_t size, n = 0;
	FILE *out = open_memstream(&gaps, &size);
	int result = open_tables(files, tables, err);

	if (!result && (!names || !out))
		result = err_set(err, ENOMEM, "%s", prove->proofs.path);
	if (!result)
		n = proofs_gaps(&prove->proofs, names, tables, &prove->mutants, out);
	if (!result && !n)
		n = proofs_unrefuted(&prove->proofs, &prove->suite, out);
	close_tables(tables);
	if (out)
		fclose(out);
	if (n)
		result = err_set(err, 0, "%s has %zu gap%s (--partial allows that): %s",
				 prove->proofs.path, n, n == 1 ? "" : "s", gaps);
	free(gaps);
	free(names);
	return result;
}

/* The table of mutants, of which the table of proofs need say nothing. */
static int load_mutants(struct prove *prove, struct err *err)
{
	int result = mutants_default(prove->mutants_path, sizeof(prove->mutants_path), err);

	return result ? result : mutants_read(&prove->mutants, prove->mutants_path, err);
}

/* A kernel is to be tested: where it can be. */
static int test_kernel(struct prove *prove, struct err *err)
{
	const struct prove_options *options = &prove->options;
	const struct lab_arch *arch;
	int result = lab_arch_of_kernel(options->kernel, &arch, err);

	if (!result)
		proofs_test_kernel(&prove->proofs, arch, !options->n_patterns);
	return result;
}

/* Read and check everything that can be before anything is run. */
static int load(struct prove *prove, struct err *err)
{
	const struct prove_options *options = &prove->options;
	struct prove_files files;
	int result = proofs_read(&prove->proofs, options->table, err);

	if (!result)
		result = suite_load_own(&prove->suite, prove->options.suites, err);
	if (!result)
		result = proofs_select(&prove->proofs, options->patterns, options->n_patterns, err);
	if (!result && options->kernel)
		result = test_kernel(prove, err);
	if (!result)
		result = prove_files_find(&files, &prove->proofs, options->partial, err);
	if (!result)
		result = proofs_known(&prove->proofs, &prove->suite, files.variants, err);
	if (!result && !options->partial)
		result = load_mutants(prove, err);
	if (!result && !options->partial)
		result = check_complete(prove, &files, err);
	if (!result)
		result = prove_files_check(&prove->proofs, options->kernel, err);
	if (!result && options->markdown)
		result = splice_file(options->markdown, "prove", NULL, err);
	return result;
}

/* $LAB_KERNEL is for the same machines as --kernel, not for all that `lab run` is started for. */
static void take_kernel(struct prove *prove)
{
	const char *kernel = getenv("LAB_KERNEL");

	if (!prove->options.kernel && kernel && *kernel)
		prove->options.kernel = kernel;
	unsetenv("LAB_KERNEL"); /* `kernel` remains: it is of the environment we were given */
}

static int run(struct prove *prove, struct err *err)
{
	int result = run_make_dir(prove->options.output, prove->dir, sizeof(prove->dir), err);

	if (!result)
		result = add_guests(prove, err);
	if (result)
		return result;
	prove->crew.signals = run_take_signals(err);
	if (prove->crew.signals < 0)
		return prove->crew.signals;
	prove->crew.cpus = prove->options.jobs;
	prove->crew.files.kernel = prove->options.kernel;
	prove->crew.files.suites = prove->options.suites;
	prove->crew.progress = &prove->progress;
	prove->crew.ended = guest_ended;
	prove->crew.context = prove;
	progress_init(&prove->progress, stdout, prove->crew.n);
	prove->started = clock_ms();
	result = prove_crew_run(&prove->crew, err);
	close(prove->crew.signals);
	if (!result)
		prove_results_relate(&prove->results);
	return result;
}

static void release(struct prove *prove)
{
	prove_results_free(&prove->results);
	free(prove->crew.guests);
	suite_free(&prove->suite);
	mutants_free(&prove->mutants);
	proofs_free(&prove->proofs);
	free(prove);
}

int lab_prove(int argc, char **argv)
{
	struct prove *prove = calloc(1, sizeof(*prove));
	struct err err;
	int code;

	if (!prove)
		return command_error("lab prove", "out of memory");
	code = prove_options_parse(&prove->options, argc, argv);
	take_kernel(prove);
	if (code < 0 && load(prove, &err))
		code = command_error("lab prove", "%s", err.text);
	if (code < 0 && prove->options.list) {
		list(prove);
		code = command_flush("lab prove") ? COMMAND_ERROR : COMMAND_OK;
	}
	if (code < 0 && run(prove, &err))
		code = command_error("lab prove", "%s", err.text);
	if (code < 0)
		code = conclude(prove);
	release(prove);
	return code;
}
