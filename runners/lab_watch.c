// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab_watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Booting takes a few seconds on an idle machine. */
#define BOOT_MS 120000

/* The guest gives a sign of life several times in this time (lab_run.c). */
#define SILENCE_MS 30000

/* After the budget: what the guest's own supervisor takes to end and to kill a test, and to give up
 */
#define OVERDUE_MS 60000

void lab_watch_begin(struct lab_watch *watch, double scale, int64_t now)
{
	*watch = (struct lab_watch){ .scale = scale, .started = now, .heard = now };
}

int lab_watch_line(void *context, const char *line, size_t len, bool cut)
{
	struct lab_watch *watch = context;
	char text[64];
	int64_t value;

	if (cut || len >= sizeof(text) || !len)
		return 0;
	memcpy(text, line, len);
	text[len] = '\0';
	if (sscanf(text, "up %" SCNd64, &value) == 1 && value >= 0) {
		watch->up = true;
		watch->guest = value;
	} else if (sscanf(text, "exit %" SCNd64, &value) == 1 && value >= 0 && value < 256) {
		watch->ended = true;
		watch->code = (int)value;
	}
	return 0;
}

void lab_watch_heard(struct lab_watch *watch, int64_t now)
{
	watch->heard = now;
}

void lab_watch_test(struct lab_watch *watch, double budget_s)
{
	watch->overdue =
		watch->guest + (int64_t)(budget_s * 1000) + (int64_t)(OVERDUE_MS * watch->scale);
}

void lab_watch_test_over(struct lab_watch *watch)
{
	watch->overdue = 0;
}

enum lab_death lab_watch_look(const struct lab_watch *watch, int64_t now)
{
	if (watch->ended)
		return LAB_ALIVE;
	if (!watch->up)
		return now - watch->started > (int64_t)(BOOT_MS * watch->scale) ? LAB_NOT_UP
										: LAB_ALIVE;
	if (now - watch->heard > (int64_t)(SILENCE_MS * watch->scale))
		return LAB_SILENT;
	return watch->overdue && watch->guest > watch->overdue ? LAB_OVERDUE : LAB_ALIVE;
}

double lab_watch_silence_s(const struct lab_watch *watch)
{
	return SILENCE_MS * watch->scale / 1000;
}
