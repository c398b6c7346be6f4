// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A comparison as one HTML document: what is compared, verdicts, what to know of the machines, and
 * how to read and to make it. Its figures are in compare_html_series.c.
 */
#include "compare_html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare_words.h"
#include "facts.h"
#include "record.h"
#include "words.h"

void compare_html_cell(struct html *html, const char *class, char *text)
{
	if (text)
		html_cell(html, class, "%s", text);
	else
		html->result = -ENOMEM;
	free(text);
}

void compare_html_headings(struct compare_headings *headings, const struct comparison *all,
			   const char *before, const char *kind, const char *behind)
{
	size_t n = 0;

	headings->all[n++] = before;
	for (size_t c = 0; c < all->n_columns; c++) {
		snprintf(headings->letters[c], sizeof(headings->letters[c]), "%s%c", kind,
			 compare_letter(c));
		headings->all[n++] = headings->letters[c];
	}
	headings->all[n++] = behind;
	headings->all[n] = NULL;
}

static void put_head(struct html *html, const struct comparison *all)
{
	char *title;

	if (asprintf(&title, "pmiproof: %s compared with %zu other%s", all->column[0].name,
		     all->n_columns - 1, all->n_columns == 2 ? "" : "s") < 0) {
		html->result = -ENOMEM;
		return;
	}
	html_begin(html, title);
	free(title);
}

/* Where a difference is none that anybody made. */
static void put_apart(struct html *html, const struct comparison *all)
{
	for (size_t c = 1; c < all->n_columns; c++) {
		char *apart = compare_apart_text(all, c);

		if (!apart)
			html->result = -ENOMEM;
		if (apart && *apart) {
			fputs("<p class=\"note\">", html->out);
			html_text(html, apart);
			fputs(". Side by side, no regression: what differs between them is no "
			      "change that somebody made.</p>\n",
			      html->out);
		}
		free(apart);
	}
}

/* What may explain that figures differ; the values are in the table of machines. */
static void put_warnings(struct html *html, const struct comparison *all)
{
	for (size_t c = 1; c < all->n_columns; c++) {
		const char *before = " differs from A in ";
		bool any = false;

		for (const struct compare_circumstance *i = compare_circumstances;
		     i->path && !all->column[c].apart; i++) {
			if (compare_same(all, c, i))
				continue;
			if (!any)
				fprintf(html->out, "<p class=\"note\">%c", compare_letter(c));
			fprintf(html->out, "%s%s", before, i->what);
			before = ", ";
			any = true;
		}
		if (any)
			fputs(": see <a href=\"#machines\">Machines</a>. That may be why figures "
			      "differ.</p>\n",
			      html->out);
	}
}

static bool any_emulated(const struct comparison *all)
{
	for (size_t c = 0; c < all->n_columns; c++)
		if (compare_emulated(all, c))
			return true;
	return false;
}

static void put_summary(struct html *html, const struct comparison *all)
{
	fputs("<header>\n<h1>pmiproof comparison</h1>\n", html->out);
	html_words(html, "p", compare_conclusion(all));
	put_apart(html, all);
	put_warnings(html, all);
	if (any_emulated(all))
		html_element(html, "p",
			     "Emulated machines are among these: their figures describe the "
			     "emulation and the kernel in it, not silicon.");
	fputs("</header>\n", html->out);
}

static void put_columns(struct html *html, const struct comparison *all)
{
	static const char *const headings[] = { "",	  "report", "compared", "CPU",
						"kernel", "run of", "labels",	NULL };

	fputs("<section>\n<h2>What is compared</h2>\n", html->out);
	html_table(html, all->grouped ? "of groups: their first report" : "", headings);
	for (size_t c = 0; c < all->n_columns; c++) {
		const struct compare_column *column = &all->column[c];
		const char *cpu = json_string_value(facts_at(column->machine, "cpu.name"));
		const char *kernel = json_string_value(facts_at(column->machine, "kernel.release"));

		html_row(html);
		html_cell(html, NULL, "%c", compare_letter(c));
		compare_html_cell(html, "wrap", compare_column_text(all, c));
		html_cell(html, column->apart && c ? "differs" : NULL, "%s%s",
			  !c		  ? "baseline"
			  : column->apart ? "no: "
					  : "with A",
			  c && column->apart ? column->apart : "");
		html_cell(html, "wrap", "%s%s", cpu ? cpu : "unknown",
			  compare_emulated(all, c) ? " (emulated)" : "");
		html_cell(html, NULL, "%s", kernel ? kernel : "unknown");
		html_cell(html, NULL, "%s", record_text(column->run, "time"));
		compare_html_cell(html, "wrap",
				  words_labels(json_object_get(column->run, "labels")));
	}
	html_table_end(html);
	fputs("</section>\n", html->out);
}

/* --- verdicts --- */

static void put_verdict(struct html *html, const struct comparison *all,
			const struct compare_hypothesis *hypothesis, size_t column)
{
	char *text = compare_verdict_text(all, hypothesis, column);

	fprintf(html->out, "<span class=\"verdict %s\">",
		verdict_name(compare_verdict(hypothesis, column)));
	if (text)
		html_text(html, text);
	else
		html->result = -ENOMEM;
	fputs("</span>", html->out);
	free(text);
}

static void put_matrix_row(struct html *html, const struct comparison *all, size_t h)
{
	static const char *const classes[] = {
		[COMPARE_SAME] = NULL,
		[COMPARE_DIFFERS] = "differs",
		[COMPARE_NEW_FAIL] = "bad",
	};
	const struct compare_hypothesis *hypothesis = &all->hypotheses[h];
	bool measured = compare_html_measured(all, hypothesis);

	html_row(html);
	fputs("<td>", html->out);
	if (measured)
		fprintf(html->out, "<a href=\"#hypothesis-%zu\">", h + 1);
	html_text(html, hypothesis->name);
	fputs(measured ? "</a></td>" : "</td>", html->out);
	for (size_t c = 0; c < all->n_columns; c++) {
		fputs("<td>", html->out);
		put_verdict(html, all, hypothesis, c);
		fputs("</td>", html->out);
	}
	compare_html_cell(html, classes[compare_outcome(all, hypothesis)],
			  compare_outcome_text(all, hypothesis));
}

/* What decided where verdicts differ. */
static void put_decisions(struct html *html, const struct comparison *all)
{
	static const char *const headings[] = { "hypothesis", "report", "verdict", "~decided by",
						NULL };
	bool any = false;

	for (size_t h = 0; h < all->n_hypotheses; h++) {
		const struct compare_hypothesis *hypothesis = &all->hypotheses[h];

		if (compare_outcome(all, hypothesis) == COMPARE_SAME)
			continue;
		if (!any)
			html_table(html, "what decided where they differ", headings);
		any = true;
		for (size_t c = 0; c < all->n_columns; c++) {
			html_row(html);
			html_cell(html, NULL, "%s", c ? "" : hypothesis->name);
			html_cell(html, NULL, "%c", compare_letter(c));
			fputs("<td>", html->out);
			put_verdict(html, all, hypothesis, c);
			fputs("</td>", html->out);
			html_cell(html, "long", "%s",
				  hypothesis->decided[c] ? hypothesis->decided[c] : "");
		}
	}
	if (any)
		html_table_end(html);
}

static void put_verdicts(struct html *html, const struct comparison *all)
{
	struct compare_headings headings;

	compare_html_headings(&headings, all, "hypothesis", "", "what changed");
	fputs("<section>\n<h2>Verdicts</h2>\n", html->out);
	html_table(html, "", headings.all);
	for (size_t h = 0; h < all->n_hypotheses; h++)
		put_matrix_row(html, all, h);
	html_table_end(html);
	put_decisions(html, all);
	fputs("</section>\n", html->out);
}

/* --- machines --- */

/* A line with a value for each column; those that are not as in A are marked. */
static void put_values(struct html *html, const struct comparison *all, const char *what,
		       char *const *values)
{
	bool any = false;

	for (size_t c = 0; c < all->n_columns; c++)
		any |= values[c] && *values[c];
	if (!any)
		return;
	html_row(html);
	html_cell(html, NULL, "%s", what);
	for (size_t c = 0; c < all->n_columns; c++) {
		const char *value = values[c] ? values[c] : "";
		bool differs = c && strcmp(value, values[0] ? values[0] : "") != 0;

		html_cell(html, differs ? "long differs" : "long", "%s%s", differs ? "\u2260 " : "",
			  *value || !differs ? value : "unknown");
	}
}

static void free_values(char **values, size_t n)
{
	for (size_t c = 0; c < n; c++)
		free(values[c]);
}

/* What identifies a machine, but for what is among the circumstances. */
static void put_facts(struct html *html, const struct comparison *all)
{
	for (const struct fact *fact = facts; fact->name; fact++) {
		char *values[COMPARE_MAX] = { NULL };
		const struct compare_circumstance *i = compare_circumstances;

		while (i->path && strcmp(i->path, fact->path) != 0)
			i++;
		for (size_t c = 0; !i->path && c < all->n_columns; c++) {
			const json_t *value = facts_at(all->column[c].machine, fact->path);

			values[c] = facts_empty(value) ? NULL : facts_text(value);
		}
		put_values(html, all, fact->name, values);
		free_values(values, all->n_columns);
	}
}

static void put_circumstances(struct html *html, const struct comparison *all)
{
	for (const struct compare_circumstance *i = compare_circumstances; i->path; i++) {
		char *values[COMPARE_MAX] = { NULL };
		bool known = false;

		for (size_t c = 0; c < all->n_columns; c++) {
			json_t *value = compare_value(all->column[c].machine, i);

			known |= !facts_empty(value) || compare_mixed(all, c, i);
			json_decref(value);
		}
		for (size_t c = 0; known && c < all->n_columns; c++) {
			values[c] = compare_value_text(all, c, i);
			if (!values[c])
				html->result = -ENOMEM;
		}
		put_values(html, all, i->what, values);
		free_values(values, all->n_columns);
	}
}

static bool is_shown(const char *path)
{
	for (const struct fact *fact = facts; fact->name; fact++)
		if (!strcmp(fact->path, path))
			return true;
	for (const struct compare_circumstance *i = compare_circumstances; i->path; i++)
		if (!strcmp(i->path, path) && !i->member)
			return true;
	return false;
}

/* The whole inventories, as far as they differ and it was not said yet. */
static void put_rest(struct html *html, const struct comparison *all, json_t *const *flat,
		     json_t *paths, const char *const *headings)
{
	const char *path;
	bool any = false;
	json_t *unused;

	json_object_foreach(paths, path, unused)
	{
		const json_t *base = json_object_get(flat[0], path);
		char *values[COMPARE_MAX];
		bool differs = false;

		for (size_t c = 0; c < all->n_columns; c++) {
			const json_t *value = json_object_get(flat[c], path);

			differs |= !base != !value || (base && !json_equal(base, value));
			values[c] = (char *)json_string_value(value);
		}
		if (!differs || is_shown(path))
			continue;
		if (!any)
			html_table(html, "what else differs in the inventories", headings);
		any = true;
		put_values(html, all, path, values);
	}
	if (any)
		html_table_end(html);
}

static void put_machines(struct html *html, const struct comparison *all)
{
	json_t *flat[COMPARE_MAX] = { NULL }, *paths = json_object();
	struct compare_headings headings;

	compare_html_headings(&headings, all, "", "~", NULL);
	fputs("<section id=\"machines\">\n<h2>Machines</h2>\n", html->out);
	html_table(html, all->grouped ? "of the first report of each group" : "", headings.all);
	put_facts(html, all);
	put_circumstances(html, all);
	html_table_end(html);
	html_element(html, "p",
		     "\u2260: not as in A. Where verdicts or figures differ, that may be why.");
	for (size_t c = 0; c < all->n_columns; c++) {
		flat[c] = facts_flat(all->column[c].machine);
		if (!flat[c] || !paths || json_object_update_missing(paths, flat[c]))
			html->result = -ENOMEM;
	}
	put_rest(html, all, flat, paths, headings.all);
	for (size_t c = 0; c < all->n_columns; c++)
		json_decref(flat[c]);
	json_decref(paths);
	fputs("</section>\n", html->out);
}

/* --- how to read and to make it --- */

static void put_reading(struct html *html, const struct comparison *all)
{
	fputs("<section>\n<h2>How to read it</h2>\n", html->out);
	html_list(html);
	if (all->grouped)
		html_pair(html, "n",
			  "reports of a group: each adds one value, the median of its samples");
	html_pair(html, "change", "of the median, against A");
	html_pair(html, "95 % interval",
		  "of the median, and of its change, from order statistics: no assumption on the "
		  "distribution");
	html_pair(html, "p",
		  "two-sided Mann-Whitney test, corrected for all comparisons of this page with "
		  "Holm's method; below 0.05 a difference is significant");
	html_pair(html, "~ few", "no change: with so few samples none could be significant");
	html_pair(html, "~ chance", "no change: p is not below 0.05, it may be chance");
	html_pair(html, "~ clock",
		  "no change: significant, but the medians are not further apart than the smallest "
		  "step of the clock");
	html_pair(html, "not compared",
		  "another CPU model, or an emulated and a real machine, side by side: whatever "
		  "differs, it is no regression");
	html_list_end(html);
	html_missing_plots(html);
	fputs("</section>\n", html->out);
}

static char *command_of(const struct compare_request *request)
{
	struct words words;

	if (!words_begin(&words))
		return NULL;
	fputs("pmiproof", words.out);
	for (size_t i = 0; i < request->n_args; i++) {
		putc(' ', words.out);
		words_put_shell(words.out, request->args[i]);
	}
	return words_finish(&words, 0);
}

static void put_reproduce(struct html *html, const struct comparison *all,
			  const struct compare_request *request)
{
	static const char *const headings[] = { "", "~command of the run", NULL };

	fputs("<section>\n<h2>How to reproduce</h2>\n", html->out);
	if (request->n_args) {
		html_element(html, "p", "This page is made from the reports by");
		fputs("<pre class=\"command\">", html->out);
		html_words(html, "code", command_of(request));
		fputs("</pre>\n", html->out);
	}
	html_table(html, all->grouped ? "of the first report of each group" : "", headings);
	for (size_t c = 0; c < all->n_columns; c++) {
		const struct report report = {
			.run = all->column[c].run,
			.machine = all->column[c].machine,
		};

		html_row(html);
		html_cell(html, NULL, "%c", compare_letter(c));
		compare_html_cell(html, "long mono",
				  report.run ? words_command(&report) : strdup("in the report"));
	}
	html_table_end(html);
	html_element(html, "p",
		     "Runs that are to be compared are best made in turns, each several times: "
		     "the tests know only of the scatter within a run.");
	fputs("</section>\n", html->out);
}

int compare_html(FILE *out, const struct comparison *all, const struct compare_request *request,
		 struct err *err)
{
	const struct report none = { 0 }; /* what is emulated is said of each table */
	struct html html = { .out = out, .report = &none };

	put_head(&html, all);
	put_summary(&html, all);
	put_columns(&html, all);
	put_verdicts(&html, all);
	compare_html_series(&html, all);
	put_machines(&html, all);
	put_reading(&html, all);
	put_reproduce(&html, all, request);
	html_end(&html);
	free(html.plot_error);
	return html.result ? err_set(err, -html.result, "comparison") : 0;
}
