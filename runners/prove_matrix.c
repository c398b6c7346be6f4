// SPDX-License-Identifier: GPL-2.0-or-later
#include "prove_matrix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../reports/table.h"
#include "markdown.h"
#include "prove_guest.h"

/* The cells of one row. */
struct line {
	const char *machine, *hypothesis;
	char expected[2048];
	char figure[sizeof(((struct proof_outcome *)0)->figure) +
		    sizeof(((struct proof_outcome *)0)->problem) + 8];
	struct proof_tally tally;
	const struct proof_machine *options; /* whose options belong here; NULL: none */
};

typedef int (*take_line)(void *context, const struct line *line);

size_t prove_matrix_rows(const struct proofs *proofs)
{
	return proofs->n_rows + proofs->n_relations;
}

struct proof_tally prove_matrix_tally(const struct prove_matrix *matrix, size_t row)
{
	size_t rows = prove_matrix_rows(matrix->proofs);
	struct proof_tally tally = { 0 };

	for (size_t round = 0; round < matrix->rounds; round++) {
		const struct proof_outcome *outcome = &matrix->outcomes[round * rows + row];

		if (!outcome->judged)
			continue;
		if (!tally.shown || (!outcome->right && tally.right == tally.judged))
			tally.shown = outcome;
		tally.judged++;
		tally.right += outcome->right;
	}
	return tally;
}

static void list_names(FILE *out, const char *what, const struct proof_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		fprintf(out, "%s%s", i ? ", " : what, list->name[i]);
}

static int expect_row(const struct proof_row *row, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");

	if (!out)
		return -ENOMEM;
	fputs(verdict_name(row->verdict), out);
	list_names(out, " by ", &row->by);
	list_names(out, ", perhaps ", &row->also);
	if (row->says)
		fprintf(out, ": '%s'", row->says);
	return fclose(out) ? -ENOMEM : 0;
}

/* What the row rests on, or what is wrong with it. */
static void fill_figure(struct line *line)
{
	const struct proof_outcome *shown = line->tally.shown;

	if (shown)
		snprintf(line->figure, sizeof(line->figure), "%s%s%s", shown->problem,
			 *shown->problem && *shown->figure ? "; " : "",
			 strcmp(shown->problem, shown->figure) ? shown->figure : "");
}

static int walk_rows(const struct prove_matrix *matrix, take_line take, void *context)
{
	const struct proofs *proofs = matrix->proofs;
	int result = 0;

	for (size_t m = 0; m < proofs->n_machines; m++) {
		const struct proof_machine *machine = &proofs->machines[m];
		bool first = true;

		for (size_t r = 0; !result && r < machine->n_rows; r++) {
			const struct proof_row *row = &machine->rows[r];
			struct line line = {
				.machine = machine->name,
				.hypothesis = row->hypothesis,
				.tally = prove_matrix_tally(matrix, row->index),
				.options = first ? machine : NULL,
			};

			if (!row->selected)
				continue;
			first = false;
			result = expect_row(row, line.expected, sizeof(line.expected));
			fill_figure(&line);
			if (!result)
				result = take(context, &line);
		}
	}
	return result;
}

static int walk(const struct prove_matrix *matrix, take_line take, void *context)
{
	const struct proofs *proofs = matrix->proofs;
	int result = walk_rows(matrix, take, context);

	for (size_t i = 0; !result && i < proofs->n_relations; i++) {
		const struct proof_relation *relation = &proofs->relations[i];
		struct line line = {
			.machine = relation->left.machine_name,
			.hypothesis = relation->left.hypothesis,
			.tally = prove_matrix_tally(matrix, proofs->n_rows + i),
		};

		if (!proofs_relation_selected(relation))
			continue;
		snprintf(line.expected, sizeof(line.expected), "at most %g times %s",
			 relation->factor, relation->right.machine_name);
		fill_figure(&line);
		result = take(context, &line);
	}
	return result;
}

static bool is_wrong(const struct proof_tally *tally)
{
	return tally->right < tally->judged;
}

struct counting {
	size_t rounds;
	struct prove_sum sum;
};

static int count_line(void *context, const struct line *line)
{
	struct counting *counting = context;
	const struct proof_tally *tally = &line->tally;

	if (is_wrong(tally)) {
		counting->sum.failed++;
		counting->sum.flaky += tally->right > 0;
	} else if (tally->judged < counting->rounds) {
		counting->sum.missing++;
	} else {
		counting->sum.passed++;
	}
	return 0;
}

struct prove_sum prove_matrix_sum(const struct prove_matrix *matrix)
{
	struct counting counting = { .rounds = matrix->rounds };

	walk(matrix, count_line, &counting);
	return counting.sum;
}

struct printing {
	struct table *table;
	enum prove_shown shown;
	size_t rounds;
};

static int print_line(void *context, const struct line *line)
{
	const struct printing *printing = context;
	struct table *table = printing->table;
	const struct proof_tally *tally = &line->tally;
	bool wrong = is_wrong(tally);
	const char *state = wrong ? "WRONG" : "ok";

	if (printing->shown == PROVE_WRONG && !wrong)
		return 0;
	table_row(table);
	table_cell(table, 0, TABLE_PLAIN, "%s", line->machine);
	table_cell(table, 1, TABLE_PLAIN, "%s", line->hypothesis);
	table_cell(table, 2, TABLE_PLAIN, "%s", line->expected);
	table_cell(table, 3, TABLE_PLAIN, "%s", tally->shown ? tally->shown->verdict : "-");
	if (!tally->shown)
		table_cell(table, 4, TABLE_ODD, "not run");
	else if (printing->rounds > 1)
		table_cell(table, 4, wrong ? TABLE_BAD : TABLE_GOOD, "%s %zu/%zu", state,
			   tally->right, tally->judged);
	else
		table_cell(table, 4, wrong ? TABLE_BAD : TABLE_GOOD, "%s", state);
	table_cell(table, 5, TABLE_PLAIN, "%s", line->figure);
	return 0;
}

int prove_matrix_print(const struct prove_matrix *matrix, enum prove_shown shown, FILE *out,
		       size_t width, bool colour)
{
	static const struct table_column columns[] = {
		{ "machine", TABLE_LEFT },  { "hypothesis", TABLE_LEFT },
		{ "expected", TABLE_LEFT }, { "verdict", TABLE_LEFT },
		{ "", TABLE_LEFT },	    { "decided by", TABLE_STACK },
	};
	struct printing printing = { table_new(columns, 6, 2), shown, matrix->rounds };
	int result = walk(matrix, print_line, &printing);
	int printed = table_print(printing.table, out, 2, width, colour);

	return result ? result : printed;
}

static int write_line(void *context, const struct line *line)
{
	FILE *out = context;
	const struct proof_tally *tally = &line->tally;
	char *options = line->options ? prove_guest_text(line->options) : strdup("");
	char machine[512];

	snprintf(machine, sizeof(machine), "%s%s%s%s", line->machine,
		 options && *options ? " (" : "", options ? options : "",
		 options && *options ? ")" : "");
	fputs("| ", out);
	markdown_cell(out, machine);
	putc(' ', out);
	markdown_cell(out, line->hypothesis);
	putc(' ', out);
	markdown_cell(out, line->expected);
	fprintf(out, " %s%s%s |", tally->shown ? tally->shown->verdict : "-",
		is_wrong(tally) ? ", **WRONG**" : "", tally->shown ? "" : ", not run");
	putc(' ', out);
	markdown_cell(out, line->figure);
	putc('\n', out);
	free(options);
	return options ? 0 : -ENOMEM;
}

int prove_matrix_markdown(const struct prove_matrix *matrix, FILE *out)
{
	fputs("| machine (options of `pmiproof lab run`) | hypothesis | expected | verdict | "
	      "decided by |\n|---|---|---|---|---|\n",
	      out);
	return walk(matrix, write_line, out);
}
