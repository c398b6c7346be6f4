// SPDX-License-Identifier: GPL-2.0-or-later
#include "console.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "klog.h"
#include "log_record.h"
#include "record.h"

/* Said when a machine is switched off, whatever for (machine_restart() in the kernel). */
#define RESTART "reboot: Restarting system"

void console_init(struct console *console)
{
	*console = (struct console){ .n = 0 };
}

int console_line(void *context, const char *line, size_t len, bool cut)
{
	struct console *console = context;
	char *kept = console->lines[console->n % CONSOLE_LINES];
	size_t used = 0;

	(void)cut;
	for (size_t i = 0; i < len && used + 1 < CONSOLE_LINE_MAX; i++)
		if ((line[i] >= ' ' && line[i] <= '~') || line[i] == '\t')
			kept[used++] = line[i];
	kept[used] = '\0';
	if (used)
		console->n++;
	return 0;
}

void console_mark(struct console *console)
{
	console->said = console->n;
}

/* Number of the first line since the mark that is still there. */
static unsigned long first_kept(const struct console *console)
{
	unsigned long oldest = console->n > CONSOLE_LINES ? console->n - CONSOLE_LINES : 0;

	return oldest > console->said ? oldest : console->said;
}

static const char *line_at(const struct console *console, unsigned long i)
{
	return console->lines[i % CONSOLE_LINES];
}

const char *console_last(const struct console *console)
{
	for (unsigned long i = console->n; i > first_kept(console); i--)
		if (!strstr(line_at(console, i - 1), RESTART))
			return line_at(console, i - 1);
	return "";
}

static void add_output(json_t *records, const char *text, unsigned long omitted)
{
	json_t *record = json_pack("{s:s, s:s}", "type", "output", "stream", "console");

	record_set_text(record, "text", text, (size_t)-1);
	if (omitted)
		json_object_set_new(record, "omitted", json_integer((json_int_t)omitted));
	json_array_append_new(records, record);
}

static bool is_death(enum klog_class class)
{
	return class == KLOG_PANIC || class == KLOG_OOPS || class == KLOG_HARD_LOCKUP ||
	       class == KLOG_SOFT_LOCKUP;
}

/* What the kernel log has of it, told as everywhere. Closes the stream. */
static void classify(FILE *text, json_t *records, char *worst, size_t size)
{
	struct klog_record log;
	struct klog klog;
	struct err err;

	klog_attach(&klog, text);
	while (klog_next(&klog, &log, &err) > 0) {
		if (log.class == KLOG_NONE || log.continues)
			continue;
		json_array_append_new(records, log_record(&log, false));
		if (!*worst && is_death(log.class))
			snprintf(worst, size, "%s: %s", klog_class_name(log.class), log.text);
	}
	klog_close(&klog);
}

json_t *console_evidence(const struct console *console, char *worst, size_t size)
{
	unsigned long first = first_kept(console);
	json_t *records = json_array();
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	*worst = '\0';
	if (!records || !stream) {
		json_decref(records);
		if (stream)
			fclose(stream);
		free(text);
		return NULL;
	}
	for (unsigned long i = first; i < console->n; i++) {
		fprintf(stream, "%s\n", line_at(console, i));
		add_output(records, line_at(console, i), i == first ? first - console->said : 0);
	}
	fclose(stream);
	stream = length ? fmemopen(text, length, "r") : NULL;
	if (stream)
		classify(stream, records, worst, size);
	free(text);
	return records;
}
