/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_NUMBER_H
#define PMIPROOF_NUMBER_H

#include <jansson.h>
#include <stddef.h>

/*
 * A recorded number as text for programs: a whole number in full, another with as few digits as
 * read back as the same; with a point in every locale; never with more than 31 characters. "" for
 * what is no number. Returns text.
 */
const char *number_format(const json_t *number, char *text, size_t size);

/* The same of a number that was computed; "" when it is not finite. */
const char *number_format_real(double value, char *text, size_t size);

#endif
