// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "trend.h"
#include "unit.h"

static void put_head(struct html *html, const struct trend *trend)
{
	char *title, *count;

	if (asprintf(&title, "pmiproof: trend of %s, %s", trend->words[0], trend->words[1]) < 0) {
		html->result = -ENOMEM;
		return;
	}
	html_begin(html, title);
	free(title);
	fputs("<header>\n<h1>pmiproof trend</h1>\n", html->out);
	html_list(html);
	html_pair(html, "hypothesis", trend->words[0]);
	html_pair(html, "table", trend->words[1]);
	html_pair(html, "row", trend->words[2]);
	html_pair(html, "column", trend->words[3]);
	count = asprintf(&count, "%zu, %.10s to %.10s", trend->n, trend->points[0].time,
			 trend->points[trend->n - 1].time) < 0
			? NULL
			: count;
	html_pair_words(html, "reports", count);
	html_list_end(html);
	fputs("</header>\n", html->out);
}

static int put_plot(struct html *html, struct trend *trend, struct err *err)
{
	struct plot_shape shape = { 0 };
	struct html_plot plot = {
		.title = trend->words[1],
		.note = "Over the time of the run, from the least to the greatest of the "
			"iterations of "
			"each report. Above stand the kernels, where another one begins.",
		.shape = &shape,
	};
	char *script = NULL;
	size_t size;
	FILE *text = open_memstream(&script, &size);
	int result =
		text ? trend_script(trend, false, text, &shape, err) : err_set(err, ENOMEM, "plot");

	if (text && fclose(text) && !result)
		result = err_set(err, ENOMEM, "plot");
	plot.script = script;
	if (!result)
		html_plot(html, &plot);
	plot_shape_free(&shape);
	free(script);
	return result;
}

static void put_points(struct html *html, const struct trend *trend)
{
	char column[80], text[48];
	const char *const headings[] = { ">id", "run (UTC)", column, ">up to",
					 "CPU", "~kernel",   NULL };

	snprintf(column, sizeof(column), ">%s", trend->words[3]);
	html_table(html, "in the order of the runs", headings);
	for (size_t i = 0; i < trend->n; i++) {
		const struct trend_point *point = &trend->points[i];
		bool several = point->greatest > point->least;

		html_row(html);
		html_cell(html, "number", "%lld", (long long)point->id);
		html_cell(html, NULL, "%.19s", point->time);
		html_cell(html, "number", "%s",
			  unit_format(point->least, trend->unit, text, sizeof(text)));
		html_cell(html, "number", "%s",
			  several ? unit_format(point->greatest, trend->unit, text, sizeof(text))
				  : "");
		html_cell(html, NULL, "%s", point->cpu);
		html_cell(html, "long", "%s", point->kernel);
	}
	html_table_end(html);
}

int trend_html(struct trend *trend, FILE *out, struct err *err)
{
	const struct report none = { 0 }; /* the name of a CPU says whether it is emulated */
	struct html html = { .out = out, .report = &none };
	int result;

	put_head(&html, trend);
	result = put_plot(&html, trend, err);
	if (!result) {
		put_points(&html, trend);
		html_missing_plots(&html);
		html_end(&html);
	}
	free(html.plot_error);
	return result ? result : html.result ? err_set(err, -html.result, "trend") : 0;
}
