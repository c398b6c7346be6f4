// SPDX-License-Identifier: GPL-2.0-or-later
#include "record_walk.h"

#include <math.h>

/* A record is of the instruction after the one that overflowed, or a few further on. */
#define ROUNDS_OFF 2

static void judge_step(struct record_walk *walk, uint64_t instructions, uint64_t ip)
{
	uint64_t periods = (instructions + walk->period / 2) / walk->period;
	uint64_t ideal = periods * walk->period;
	uint64_t off = instructions > ideal ? instructions - ideal : ideal - instructions;

	walk->steps++;
	walk->still += ip == walk->last_ip;
	if (!periods)
		walk->repeated++;
	else if (off > ROUNDS_OFF * walk->per_round)
		walk->astray++;
	else
		walk->missing += periods - 1;
}

void record_walk_take(struct record_walk *walk, uint64_t ip, uint64_t to_go)
{
	if (ip < walk->begin || ip >= walk->end)
		return;
	if (!walk->inside++ || to_go > walk->last)
		walk->calls++;
	else
		judge_step(walk, (walk->last - to_go) * walk->per_round, ip);
	walk->last = to_go;
	walk->last_ip = ip;
}

double record_walk_missing(uint64_t count, uint64_t period, uint64_t records, uint64_t lost)
{
	uint64_t due = count / period;

	return (double)due - (double)records - (double)lost;
}

double record_times_apart(const uint64_t *times, size_t n, double part)
{
	size_t apart = 0;
	double least;

	if (n < 2)
		return NAN;
	least = part * ((double)times[n - 1] - (double)times[0]) / (double)(n - 1);
	for (size_t i = 1; i < n; i++)
		apart += times[i] > times[i - 1] && (double)(times[i] - times[i - 1]) >= least;
	return (double)apart / (double)(n - 1);
}
