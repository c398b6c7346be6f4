// SPDX-License-Identifier: GPL-2.0-or-later
#include "scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Units of time and how many of the smallest one each is. */
static const struct {
	const char *name;
	double ns;
} times[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };

struct scale scale_of_series(const struct comparison *all, size_t first, size_t end)
{
	struct scale scale = { .unit = all->series[first].unit, .factor = 1 };
	double least = INFINITY, most = 0;
	size_t from = COUNT(times);

	for (size_t s = first; s < end; s++)
		for (size_t r = 0; r < all->n_columns; r++) {
			const struct compare_side *side = &all->series[s].side[r];

			if (side->n && side->median > 0)
				least = fmin(least, side->median);
			if (side->n)
				most = fmax(most, fabs(distribution_quantile(&side->samples, 1)));
		}
	for (size_t i = 0; i < COUNT(times); i++)
		if (!strcmp(times[i].name, scale.unit))
			from = i;
	for (size_t i = from; i < COUNT(times); i++)
		if (i == from || (isfinite(least) && least * times[from].ns >= times[i].ns)) {
			scale.factor = times[i].ns / times[from].ns;
			scale.unit = times[i].name;
		}
	least /= scale.factor;
	most /= scale.factor;
	scale.decimals = most < 1e3 ? 2 : most < 1e4 ? 1 : 0;
	if (isfinite(least) && least < 10 * pow(10, -scale.decimals))
		scale.decimals = -1;
	return scale;
}

const char *scale_text(const struct scale *scale, double value, char *text, size_t size)
{
	double shown = value / scale->factor;

	if (!isfinite(shown))
		snprintf(text, size, "-");
	else if (scale->decimals >= 0 && fabs(shown) < 1e7)
		snprintf(text, size, "%.*f", scale->decimals, shown);
	else
		snprintf(text, size, "%.4g", shown);
	return text;
}
