// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "html.h"
#include "plot.h"

#define PLOTS_MAX 200 /* each takes a gnuplot to be run */

/* What stands for what, below a plot, where it has room and text is text. */
static void put_legend(struct html *html, const struct plot_shape *shape)
{
	static const char *const marks[PLOT_CURVES] = { "\u25cb", "\u25a1", "\u25b3", "\u25c7",
							"\u25cf" };

	if (!shape->n_legend)
		return;
	fputs("<ul class=\"legend\">\n", html->out);
	for (size_t i = 0; i < shape->n_legend; i++) {
		if (!shape->legend[i])
			continue;
		fprintf(html->out, "<li><span class=\"colour-%zu\">%s</span> ", i + 1,
			shape->marks && marks[i] ? marks[i] : "\u25ac");
		html_text(html, shape->legend[i]);
		fputs("</li>\n", html->out);
	}
	if (shape->band)
		fputs("<li><span class=\"band\">\u25ac</span> bounds</li>\n", html->out);
	fputs("</ul>\n", html->out);
}

static void put_figure(struct html *html, const struct html_plot *plot, const char *svg)
{
	const struct plot_shape *shape = plot->shape;

	fputs("<figure>\n<div class=\"scroll plot\" role=\"img\" aria-label=\"", html->out);
	html_text(html, plot->title);
	fprintf(html->out, "\">%s</div>\n", svg);
	put_legend(html, shape);
	fputs("<figcaption>", html->out);
	html_text(html, plot->title);
	fputs(html->report->emulated ? " (emulated). " : ". ", html->out);
	if (plot->note)
		html_text(html, plot->note);
	if (shape->left_out)
		fprintf(html->out, " The first %zu of %zu rows.", shape->rows,
			shape->rows + shape->left_out);
	fputs("</figcaption>\n</figure>\n", html->out);
}

/* Without gnuplot a report has its tables. */
static void miss(struct html *html, const struct html_plot *plot, int result, const struct err *err)
{
	html->no_gnuplot = result == -ENOENT;
	if (!html->plot_error && asprintf(&html->plot_error, "The plot \"%s\" is missing: %s.",
					  plot->title, err->text) < 0) {
		html->plot_error = NULL;
		html->result = -ENOMEM;
	}
}

void html_missing_plots(struct html *html)
{
	if (html->no_gnuplot)
		html_element(html, "p",
			     "Plots are missing: they need gnuplot where the report is made.");
	else if (html->plot_error)
		html_element(html, "p", html->plot_error);
}

void html_plot(struct html *html, const struct html_plot *plot)
{
	struct err err;
	char name[32];
	char *svg;
	int result;

	snprintf(name, sizeof(name), "plot%u", ++html->plots);
	result = gnuplot_svg(plot->script, name, plot->shape->width, plot->shape->height, &svg,
			     &err);
	if (result)
		miss(html, plot, result, &err);
	else
		put_figure(html, plot, svg);
	free(svg);
}

bool html_plot_room(struct html *html)
{
	if (html->no_gnuplot)
		return false;
	if (html->plots < PLOTS_MAX)
		return true;
	if (!html->plot_error)
		html->plot_error = strdup("There are more plots than a report shows.");
	return false;
}

static void put_plot(struct html *html, const struct plot_spec *spec,
		     const struct cost_table *tables, size_t n, size_t index)
{
	struct plot_shape shape = { 0 };
	struct html_plot plot = { spec->title, spec->note, NULL, &shape };
	char *script = NULL;
	size_t size;
	FILE *out = open_memstream(&script, &size);
	int result = out ? plot_script(spec, tables, n, index, out, &shape) : -ENOMEM;

	if (out && (fclose(out) || !script))
		result = -ENOMEM;
	plot.script = script;
	if (!result)
		html_plot(html, &plot);
	else if (result != -ENODATA)
		html->result = result;
	plot_shape_free(&shape);
	free(script);
}

void html_plots(struct html *html, const struct cost_table *tables, size_t n, size_t index)
{
	for (const struct plot_spec *spec = plot_specs; spec->table; spec++)
		if (plot_fits(spec, tables, n, index) && html_plot_room(html))
			put_plot(html, spec, tables, n, index);
}
