// SPDX-License-Identifier: GPL-2.0-or-later
#include "precise.h"

#include <math.h>
#include <stdlib.h>

static int compare_offsets(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

long code_find(const struct code_layout *code, uint64_t address)
{
	uint64_t offset = address - code->begin; /* beyond any end when before */
	uint32_t key = (uint32_t)offset;
	const uint32_t *found;

	if (offset >= code->start[code->n])
		return CODE_OUTSIDE;
	found = bsearch(&key, code->start, code->n, sizeof(key), compare_offsets);
	return found ? found - code->start : CODE_ASTRAY;
}

static double total(const uint64_t *count, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)count[i];
	return sum;
}

double histogram_least_to_mean(const uint64_t *count, size_t n)
{
	double sum = total(count, n), least = INFINITY;

	if (!(sum > 0))
		return NAN;
	for (size_t i = 0; i < n; i++)
		least = fmin(least, (double)count[i]);
	return least / (sum / (double)n);
}

double histogram_distance(const uint64_t *a, const uint64_t *b, size_t n)
{
	double all_a = total(a, n), all_b = total(b, n), apart = 0;

	if (!(all_a > 0) || !(all_b > 0))
		return NAN;
	for (size_t i = 0; i < n; i++)
		apart += fabs((double)a[i] / all_a - (double)b[i] / all_b);
	return apart / 2;
}

void exactness_add(struct exactness *exactness, const struct counted_code *code, uint64_t ip,
		   bool exact, uint64_t counter)
{
	const struct code_layout *layout = &code->layout;
	long found = code_find(layout, ip);

	if (found == CODE_OUTSIDE)
		return;
	exactness->repeated += exactness->seen && counter <= exactness->last;
	exactness->last = counter;
	exactness->seen++;
	if (ip >= layout->begin + layout->start[code->first]) {
		exactness->inside++;
		exactness->exact += exact;
	}
	exactness->named += exact;
	exactness->fits += exact && found >= 0 && counter % code->per_round == code->after[found];
}
