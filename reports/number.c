// SPDX-License-Identifier: GPL-2.0-or-later
#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enough for any double (IEEE 754 binary64), and what always is enough of them. */
#define DIGITS_MIN 15
#define DIGITS_MAX 17

const char *number_format_real(double value, char *text, size_t size)
{
	char *comma;

	*text = '\0';
	if (!isfinite(value))
		return text;
	for (int digits = DIGITS_MIN; digits <= DIGITS_MAX; digits++) {
		snprintf(text, size, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	comma = strchr(text, ',');
	if (comma)
		*comma = '.';
	return text;
}

const char *number_format(const json_t *number, char *text, size_t size)
{
	*text = '\0';
	if (json_is_integer(number))
		snprintf(text, size, "%" JSON_INTEGER_FORMAT, json_integer_value(number));
	else if (json_is_real(number))
		number_format_real(json_real_value(number), text, size);
	return text;
}
