// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Units of time with their size in ns, ascending. */
static const struct {
	const char *name;
	double ns;
} times[] = {
	{ "ns", 1 },
	{ "us", 1e3 },
	{ "ms", 1e6 },
	{ "s", 1e9 },
};

#define TIMES (sizeof(times) / sizeof(times[0]))

/* From here on three digits and a decimal would round to a fourth digit: time for the next unit. */
#define SCALE_UP_AT 999.95

/* Above this a double does not hold every whole number, so its digits would claim too much. */
#define WHOLE_MAX 1e15

/* The row of `times`, or TIMES when it is no unit of time. */
static size_t find_time(const char *name)
{
	size_t i = 0;

	while (i < TIMES && strcmp(times[i].name, name) != 0)
		i++;
	return i;
}

/* Decimal only: strtod() alone also takes white space, hexadecimal, "inf" and "nan". */
static bool parse_number(const char *text, double *value, const char **suffix)
{
	size_t digits = strspn(text, "0123456789.");
	char *end;

	if (!digits || text[digits] == 'x' || text[digits] == 'X')
		return false;
	errno = 0;
	*value = strtod(text, &end);
	*suffix = end;
	return end != text && !errno && isfinite(*value);
}

int unit_parse(const char *text, const char *unit, double *value, struct err *err)
{
	const char *suffix;
	size_t from, to;
	double number;

	if (!parse_number(text, &number, &suffix))
		return err_set(err, 0, "\"%s\": not a number of %s", text, unit);
	if (suffix[0] == ' ' && suffix[1])
		suffix++;
	from = find_time(suffix);
	to = find_time(unit);
	if (from < TIMES && to < TIMES)
		number *= times[from].ns / times[to].ns;
	else if (*suffix && (strcmp(suffix, unit) != 0 || !strcmp(unit, "1")))
		return err_set(err, 0, "\"%s\": \"%s\" is no unit for a value in %s", text, suffix,
			       unit);
	if (!isfinite(number))
		return err_set(err, 0, "\"%s\": too large in %s", text, unit);
	*value = number;
	return 0;
}

int unit_parse_explicit(const char *text, const char *unit, double *value, struct err *err)
{
	if (find_time(unit) < TIMES && *text && !isalpha((unsigned char)text[strlen(text) - 1]))
		return err_set(err, 0, "\"%s\": a time needs its unit (ns, us, ms, s)", text);
	return unit_parse(text, unit, value, err);
}

int unit_parse_count(const char *text, size_t least, size_t most, size_t *value, struct err *err)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(text, &end, 10);
	/* strtoull() alone also takes white space, signs, and nothing at all. */
	if (!isdigit((unsigned char)*text) || *end || errno || number < least || number > most)
		return err_set(err, 0, "\"%s\": not a whole number from %zu to %zu", text, least,
			       most);
	*value = (size_t)number;
	return 0;
}

/* Four significant digits, more only for the whole part; no exponent in the everyday range. */
static void format_number(double value, char *text, size_t size)
{
	if (fabs(value) >= 1000 && fabs(value) < WHOLE_MAX)
		snprintf(text, size, "%.0f", value);
	else
		snprintf(text, size, "%.4g", value);
}

const char *unit_format(double value, const char *unit, char *text, size_t size)
{
	size_t i = find_time(unit);
	char number[32];

	if (isnan(value)) {
		snprintf(text, size, "-");
		return text;
	}
	if (i < TIMES && isfinite(value)) {
		/* Through ns, not from unit to unit, so that rounding does not add up. */
		double ns = value * times[i].ns;

		for (i = 0; i < TIMES - 1 && fabs(ns) / times[i].ns >= SCALE_UP_AT; i++)
			;
		value = ns / times[i].ns;
		unit = times[i].name;
	}
	format_number(value, number, sizeof(number));
	if (!strcmp(unit, "1"))
		unit = "";
	snprintf(text, size, "%s%s%s", number, *unit ? " " : "", unit);
	return text;
}
