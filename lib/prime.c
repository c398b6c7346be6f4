// SPDX-License-Identifier: GPL-2.0-or-later
#include "prime.h"

#include <stdbool.h>

static bool is_prime(uint64_t number)
{
	for (uint64_t divisor = 2; divisor * divisor <= number; divisor++)
		if (number % divisor == 0)
			return false;
	return number >= 2;
}

uint64_t prime_from(uint64_t least)
{
	while (!is_prime(least))
		least++;
	return least;
}
