// SPDX-License-Identifier: GPL-2.0-or-later
#include "freq_track.h"

#include <math.h>

void freq_track_take(struct freq_track *track, uint64_t period)
{
	track->recent[track->n++ % FREQ_TRACK_RECENT] = period;
	track->sum += period;
}

static double factor(double a, double b)
{
	if (!(a > 0) || !(b > 0))
		return FREQ_OFF_MAX;
	return fmin(FREQ_OFF_MAX, a > b ? a / b : b / a);
}

struct freq_signs freq_track_signs(const struct freq_track *track,
				   const struct freq_stretch *stretch)
{
	const uint64_t half = track->n - track->n / 2;
	const uint64_t n = half < FREQ_TRACK_RECENT ? half : FREQ_TRACK_RECENT;
	struct freq_signs signs = { .expected = (double)stretch->count * 1e9 /
						(double)stretch->running /
						(double)stretch->frequency };
	uint64_t least = UINT64_MAX, sum = 0;

	for (uint64_t i = track->n - n; i < track->n; i++) {
		uint64_t period = track->recent[i % FREQ_TRACK_RECENT];

		sum += period;
		least = period < least ? period : least;
	}
	if (n)
		signs.settled = (double)sum / (double)n;
	signs.settled_off = factor(signs.settled, signs.expected);
	signs.off = factor((double)track->n,
			   (double)stretch->frequency * (double)stretch->running / 1e9);
	signs.lowest = n && signs.expected > 0 ? (double)least / signs.expected : 0;
	signs.recorded = factor((double)track->sum, (double)stretch->count);
	return signs;
}

double freq_rare_waited(const struct freq_rare *rare)
{
	if (!rare->period)
		return FREQ_OFF_MAX;
	return fmin(FREQ_OFF_MAX,
		    fmax(rare->sampled ? 0 : 1, (double)rare->count / (double)rare->period));
}

double freq_rare_times(const struct freq_rare *rare)
{
	if (!rare->count)
		return 0;
	return (double)rare->period * (double)rare->frequency * (double)rare->running /
	       (1e9 * (double)rare->count);
}
