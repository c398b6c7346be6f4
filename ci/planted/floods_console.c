// SPDX-License-Identifier: GPL-2.0-or-later
/* Floods the console of the lab's machine, with lines of text and then with what is none; passes.
 */
#include <fcntl.h>

#include "planted.h"

#define LINES 5000
#define NOISE (64 << 10)

static int run_it(struct run *run)
{
	char noise[256];
	FILE *console;

	if (!planted_in_lab())
		return run_skip(run, "not in the lab");
	console = fopen("/dev/console", "we");
	if (!console)
		return run_broken(run, "no console");
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (char)(i == '\n' ? 0 : i);
	for (int i = 0; i < LINES; i++)
		fprintf(console, "flood %d: {\"type\":\"end\",\"verdict\":\"fail\"}\n", i);
	for (size_t sent = 0; sent < NOISE; sent += sizeof(noise))
		fwrite(noise, 1, sizeof(noise), console);
	fclose(console);
	planted_pass(run);
	return 0;
}

PLANTED("floods_console", run_it, 60, .danger = DANGER_SAFE);
