// SPDX-License-Identifier: GPL-2.0-or-later
#include "progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../reports/text.h"
#include "clock.h"

/* Often enough to look alive, seldom enough not to disturb what is measured. */
#define REDRAW_MS 500

/* Columns of the longest verdict name. */
#define VERDICT_WIDTH 6

static const char *const colours[] = {
	[VERDICT_HUNG] = "\033[1;31m", [VERDICT_FAIL] = "\033[31m", [VERDICT_BROKEN] = "\033[35m",
	[VERDICT_KNOWN] = "\033[33m",  [VERDICT_PASS] = "\033[32m", [VERDICT_SKIP] = "\033[36m",
	[VERDICT_NOTRUN] = "\033[36m", [VERDICT_NONE] = "\033[35m",
};

bool progress_colour(FILE *out)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return isatty(fileno(out)) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

unsigned int progress_columns(FILE *out)
{
	struct winsize size;

	return ioctl(fileno(out), TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
}

struct report_options progress_report_options(FILE *out)
{
	struct report_options options = { .colour = progress_colour(out) };
	struct winsize size;

	if (!isatty(fileno(out)))
		return options;
	options.width = progress_columns(out);
	options.height = ioctl(fileno(out), TIOCGWINSZ, &size) || !size.ws_row ? 24 : size.ws_row;
	return options;
}

void progress_init(struct progress *progress, FILE *out, size_t planned)
{
	const char *term = getenv("TERM");

	*progress = (struct progress){
		.out = out,
		.planned = planned,
		.terminal = isatty(fileno(out)) && term && strcmp(term, "dumb") != 0,
		.colour = progress_colour(out),
	};
}

static void erase(struct progress *progress)
{
	if (progress->drawn)
		fputs("\r\033[K", progress->out);
	progress->drawn = false;
}

/* Write at most `columns` characters of escaped text. */
static void put_cut(FILE *out, const char *text, size_t columns)
{
	for (size_t used = 0; *text; text++) {
		bool first_byte = ((unsigned char)*text & 0xc0) != 0x80;

		if (first_byte && used++ == columns)
			return;
		putc(*text, out);
	}
}

/* Whole seconds, but of few all that there is: a scaled budget may be a fraction of one. */
static const char *budget_text(double seconds, char *text, size_t size)
{
	snprintf(text, size, seconds < 10 ? "%.2g" : "%.0f", seconds);
	return text;
}

static void draw_line(struct progress *progress, const char *line)
{
	erase(progress);
	/* One column less: some terminals wrap when the last one is written. */
	put_cut(progress->out, line, progress_columns(progress->out) - 1);
	progress->drawn = true;
	fflush(progress->out);
}

static void draw(struct progress *progress, const char *text)
{
	double elapsed = (double)(clock_ms() - progress->started) / 1000;
	char *safe = text_escape(text, (size_t)-1);
	char budget[32];
	char line[1024];

	snprintf(line, sizeof(line), "[%zu/%zu] %s  %.0f s of %s s%s%s", progress->number,
		 progress->planned, progress->name, elapsed,
		 budget_text(progress->budget_s, budget, sizeof(budget)), safe && *safe ? "  " : "",
		 safe ? safe : "");
	free(safe);
	draw_line(progress, line);
}

void progress_start(struct progress *progress, size_t number, const char *name, double budget_s)
{
	char budget[32];
	char *escaped;

	progress->number = number;
	progress->budget_s = budget_s;
	progress->started = clock_ms();
	progress->redraw = progress->started + REDRAW_MS;
	escaped = text_escape(name, (size_t)-1);
	snprintf(progress->name, sizeof(progress->name), "%s", escaped ? escaped : "");
	free(escaped);
	if (progress->terminal)
		draw(progress, "");
	else
		fprintf(progress->out, "[%zu/%zu] %s  budget %s s\n", progress->number,
			progress->planned, progress->name,
			budget_text(budget_s, budget, sizeof(budget)));
	fflush(progress->out);
}

void progress_tick(struct progress *progress, const char *text)
{
	if (!progress->terminal || clock_ms() < progress->redraw)
		return;
	progress->redraw = clock_ms() + REDRAW_MS;
	draw(progress, text);
}

void progress_status(struct progress *progress, const char *text)
{
	char *safe;

	if (!progress->terminal || clock_ms() < progress->redraw)
		return;
	progress->redraw = clock_ms() + REDRAW_MS;
	safe = text_escape(text, (size_t)-1);
	draw_line(progress, safe ? safe : "");
	free(safe);
}

void progress_end(struct progress *progress, const char *name, enum verdict verdict,
		  const char *reason, double duration_s)
{
	erase(progress);
	fprintf(progress->out, "%s%-*s%s  ", progress->colour ? colours[verdict] : "",
		VERDICT_WIDTH, verdict_name(verdict), progress->colour ? "\033[0m" : "");
	text_put(progress->out, name, (size_t)-1);
	fprintf(progress->out, "  %.1f s", duration_s);
	if (*reason) {
		fputs("  ", progress->out);
		text_put(progress->out, reason, (size_t)-1);
	}
	putc('\n', progress->out);
	fflush(progress->out);
}

void progress_say(struct progress *progress, const char *text)
{
	erase(progress);
	text_put(progress->out, text, (size_t)-1);
	putc('\n', progress->out);
	fflush(progress->out);
}
