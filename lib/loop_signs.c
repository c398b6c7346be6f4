// SPDX-License-Identifier: GPL-2.0-or-later
#include "loop_signs.h"

#include <math.h>

/*
 * Interrupts from elsewhere: twice those of the quiet run, as others come and go; half a per cent
 * of spurious ones, which follow an overflow that was handled together with another; and a few NMIs
 * of a watchdog (one in ten seconds) or a backtrace.
 */
#define EXTRA_FEW 5
#define EXTRA_SHARE 0.005
#define EXTRA_QUIET 2

struct loop_signs loop_signs(const struct loop_seen *seen)
{
	double all = (double)(seen->samples + seen->lost);
	double mean = seen->samples ? (double)seen->periods / (double)seen->samples : 0;

	return (struct loop_signs){
		.periods = seen->count ? all * mean / (double)seen->count : NAN,
		.sibling =
			seen->sibling_expected > 0 ? seen->sibling / seen->sibling_expected : NAN,
		.extra = seen->interrupts - all,
		.extra_max = EXTRA_FEW + EXTRA_SHARE * all + EXTRA_QUIET * seen->interrupts_before,
	};
}
