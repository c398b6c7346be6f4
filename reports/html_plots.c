// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "gnuplot.h"
#include "html.h"
#include "plot.h"

static void put_figure(struct html *html, const struct plot_spec *spec,
		       const struct plot_shape *shape, const char *svg)
{
	fputs("<figure>\n<div class=\"scroll plot\" role=\"img\" aria-label=\"", html->out);
	html_text(html, spec->title);
	fprintf(html->out, "\">%s</div>\n<figcaption>", svg);
	html_text(html, spec->title);
	fputs(html->report->emulated ? " (emulated). " : ". ", html->out);
	if (spec->note)
		html_text(html, spec->note);
	if (shape->left_out)
		fprintf(html->out, " The first %zu of %zu rows.", shape->rows,
			shape->rows + shape->left_out);
	fputs("</figcaption>\n</figure>\n", html->out);
}

/* Without gnuplot a report has its tables. */
static void miss(struct html *html, const struct plot_spec *spec, int result, const struct err *err)
{
	html->no_gnuplot = result == -ENOENT;
	if (!html->plot_error && asprintf(&html->plot_error, "The plot \"%s\" is missing: %s.",
					  spec->title, err->text) < 0) {
		html->plot_error = NULL;
		html->result = -ENOMEM;
	}
}

static void draw(struct html *html, const struct plot_spec *spec, const char *script,
		 const struct plot_shape *shape)
{
	struct err err;
	char name[32];
	char *svg;
	int result;

	snprintf(name, sizeof(name), "plot%u", ++html->plots);
	result = gnuplot_svg(script, name, shape->width, shape->height, &svg, &err);
	if (result)
		miss(html, spec, result, &err);
	else
		put_figure(html, spec, shape, svg);
	free(svg);
}

static void put_plot(struct html *html, const struct plot_spec *spec,
		     const struct cost_table *tables, size_t n, size_t index)
{
	struct plot_shape shape;
	char *script = NULL;
	size_t size;
	FILE *out = open_memstream(&script, &size);
	int result = out ? plot_script(spec, tables, n, index, out, &shape) : -ENOMEM;

	if (out && (fclose(out) || !script))
		result = -ENOMEM;
	if (!result)
		draw(html, spec, script, &shape);
	else if (result != -ENODATA)
		html->result = result;
	free(script);
}

void html_plots(struct html *html, const struct cost_table *tables, size_t n, size_t index)
{
	for (const struct plot_spec *spec = plot_specs; spec->table && !html->no_gnuplot; spec++)
		if (plot_fits(spec, tables, n, index))
			put_plot(html, spec, tables, n, index);
}
