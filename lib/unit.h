/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_UNIT_H
#define PMIPROOF_UNIT_H

#include <stddef.h>

#include "err.h"

/*
 * Parse a quantity with a unit ("50us", "1.5ms", "25%", "3") into `unit`: times ("ns", "us", "ms",
 * "s") convert into each other; "%" and other units only into themselves; "1" (a count or ratio)
 * is written without a unit. A bare number is taken as already in `unit`. One space may stand
 * between number and unit. -EINVAL for anything else, negative and non-finite included; then
 * *value is left alone.
 */
int unit_parse(const char *text, const char *unit, double *value, struct err *err);

/*
 * unit_parse(), but a time must name its unit: "50" for a bound of 50 us, taken as 50 ns, would be
 * a refutation by typing error.
 */
int unit_parse_explicit(const char *text, const char *unit, double *value, struct err *err);

/*
 * Format for people: times are scaled ("6.7 us"), others printed with their unit ("12 %", "42").
 * Four significant digits, but whole numbers in full ("1234567"). Returns text; "-" for
 * not-a-number.
 */
const char *unit_format(double value, const char *unit, char *text, size_t size);

/*
 * Parse a whole number from `least` to `most`, as an option takes it ("1500"). -EINVAL for anything
 * else; then *value is left alone.
 */
int unit_parse_count(const char *text, size_t least, size_t most, size_t *value, struct err *err);

#endif
