// SPDX-License-Identifier: GPL-2.0-or-later
#include "html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "record.h"
#include "term.h"
#include "words.h"

static void put_head(struct html *html)
{
	const char *cpu = json_string_value(facts_at(html->report->machine, "cpu.name"));
	char *title;

	if (asprintf(&title, "pmiproof: %s, %s", cpu ? cpu : "unknown CPU",
		     record_text(html->report->run, "time")) < 0) {
		html->result = -ENOMEM;
		return;
	}
	html_begin(html, title);
	free(title);
}

static size_t count_verdict(const struct report *report, enum verdict verdict)
{
	size_t n = 0;

	for (size_t t = 0; t < report->n_tests; t++)
		n += report_test_verdict(&report->tests[t]) == verdict;
	return n;
}

/* Entries of the table of known issues: those met, and those to be taken out of it. */
static void put_issues(struct html *html)
{
	const json_t *issue;
	size_t i;

	if (!json_array_size(html->report->known))
		return;
	html_list(html);
	json_array_foreach(html->report->known, i, issue)
	{
		html_pair_words(html, "known", words_issue(issue));
	}
	html_list_end(html);
}

/* What one should know after one look. */
static void put_summary(struct html *html)
{
	fputs("<header>\n<h1>pmiproof report</h1>\n<p class=\"counts\">", html->out);
	for (enum verdict v = VERDICT_HUNG; v <= VERDICT_NONE; v++) {
		size_t n = count_verdict(html->report, v);

		if (!n)
			continue;
		fprintf(html->out, "<span class=\"count\">%zu ", n);
		html_verdict(html, v);
		fputs("</span>\n", html->out);
	}
	fputs("</p>\n", html->out);
	html_words(html, "p", words_conclusion(html->report));
	put_issues(html);
	fputs("</header>\n", html->out);
}

static void put_fact(struct html *html, const char *name, const json_t *value)
{
	char *text = facts_empty(value) ? strdup("") : facts_text(value);

	if (text)
		html_pair(html, name, text);
	else
		html->result = -ENOMEM;
	free(text);
}

static void put_machine(struct html *html)
{
	const struct report *report = html->report;
	const json_t *item;
	size_t i;

	fputs("<section>\n<h2>Machine and run</h2>\n", html->out);
	if (report->emulated)
		html_element(html, "p",
			     "An emulated machine: figures describe the emulation and "
			     "the kernel in it, not silicon.");
	html_list(html);
	for (const struct fact *fact = facts; fact->name; fact++)
		put_fact(html, fact->name, facts_at(report->machine, fact->path));
	html_pair(html, "run of", record_text(report->run, "time"));
	html_pair(html, "pmiproof", record_text(report->run, "version"));
	html_pair_words(html, "labels", words_labels(json_object_get(report->run, "labels")));
	json_array_foreach(report->watchdogs, i, item)
	{
		html_pair_words(html, "watchdog", words_watchdog(item));
	}
	json_array_foreach(report->resumes, i, item)
	{
		html_pair_words(html, "resumed", words_resumed(item));
	}
	html_list_end(html);
	fputs("</section>\n", html->out);
}

static void put_time(struct html *html, const struct report_test *test)
{
	double seconds = 0;
	bool timed = false;

	for (size_t e = 0; e < test->n_executions; e++) {
		const json_t *duration = json_object_get(test->executions[e].end, "duration_s");

		seconds += json_number_value(duration);
		timed |= duration && test->executions[e].start;
	}
	if (timed)
		html_cell(html, "number", "%.1f s", seconds);
	else
		html_cell(html, "number", "%s", "");
}

static void put_verdicts(struct html *html)
{
	static const char *const headings[] = { "hypothesis", "verdict", ">time", "~decided by",
						NULL };
	const struct report *report = html->report;

	fputs("<section>\n<h2>Verdicts</h2>\n", html->out);
	html_table(html, "", headings);
	for (size_t t = 0; t < report->n_tests; t++) {
		const struct report_test *test = &report->tests[t];
		char *decision = term_decision(report, test);

		html_row(html);
		fputs("<td>", html->out);
		if (test->n_executions)
			fprintf(html->out, "<a href=\"#hypothesis-%zu\">", t + 1);
		html_text(html, test->name);
		fputs(test->n_executions ? "</a></td><td>" : "</td><td>", html->out);
		html_verdict(html, report_test_verdict(test));
		fputs("</td>", html->out);
		put_time(html, test);
		html_cell(html, "long", "%s", decision ? decision : "");
		if (!decision)
			html->result = -ENOMEM;
		free(decision);
	}
	html_table_end(html);
	fputs("</section>\n", html->out);
}

static void put_reproduce(struct html *html)
{
	const char *cwd = record_text(html->report->run, "cwd");

	fputs("<section>\n<h2>How to reproduce</h2>\n<pre class=\"command\">", html->out);
	html_words(html, "code", words_command(html->report));
	fputs("</pre>\n<p>", html->out);
	if (*cwd) {
		fputs("It was started in <code>", html->out);
		html_text(html, cwd);
		fputs("</code>. ", html->out);
	}
	fputs("A report directory (<code>-o</code>) must not exist yet. For one hypothesis alone, "
	      "name it in the place of the names at the end.</p>\n</section>\n",
	      html->out);
}

/* All that is known of the machine. */
static void put_whole_inventory(struct html *html)
{
	static const char *const headings[] = { "what", "~is", NULL };
	json_t *flat = facts_flat(html->report->machine);
	const char *path;
	json_t *value;

	if (!flat)
		html->result = -ENOMEM;
	if (json_object_size(flat)) {
		fputs("<section>\n<h2>Machine in full</h2>\n", html->out);
		html_table(html, "", headings);
		json_object_foreach(flat, path, value)
		{
			html_row(html);
			html_cell(html, NULL, "%s", path);
			html_cell(html, "long", "%s", json_string_value(value));
		}
		html_table_end(html);
		fputs("</section>\n", html->out);
	}
	json_decref(flat);
}

/* What belongs to no hypothesis, and what was not right with the journal or the plots. */
static void put_remarks(struct html *html)
{
	const struct report *report = html->report;
	size_t ignored = json_array_size(report->ignored);
	const json_t *note;
	size_t i;

	fputs("<section>\n<h2>Remarks</h2>\n", html->out);
	html_logs(html, "kernel-log events outside any hypothesis", report->logs);
	json_array_foreach(report->notes, i, note)
	{
		html_element(html, "p", record_text(note, "text"));
	}
	if (report->cut)
		html_element(html, "p",
			     "The last line of the journal was not whole, and left out.");
	if (ignored)
		fprintf(html->out,
			"<p>%zu record%s of unknown type or written twice left out.</p>\n", ignored,
			ignored == 1 ? "" : "s");
	html_missing_plots(html);
	html_element(html, "p",
		     "~ before a value: not above the resolution of the clock. - in the place of "
		     "one: not measured, or it cannot be computed.");
	fputs("</section>\n", html->out);
}

int html_write(const struct report *report, FILE *out, struct err *err)
{
	struct html html = { .out = out, .report = report };

	put_head(&html);
	put_summary(&html);
	put_verdicts(&html);
	put_machine(&html);
	put_reproduce(&html);
	for (size_t t = 0; t < report->n_tests; t++)
		if (report->tests[t].n_executions)
			html_test(&html, &report->tests[t], t + 1);
	put_remarks(&html);
	put_whole_inventory(&html);
	html_end(&html);
	free(html.plot_error);
	return html.result ? err_set(err, -html.result, "report") : 0;
}
