/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_CSV_H
#define PMIPROOF_CSV_H

#include "model.h"

/*
 * The report as comma-separated values (RFC 4180): one line for each verdict, control, check,
 * figure and statistic of a series, all with the same columns. A text that a spreadsheet would take
 * for a formula gets an apostrophe in front. See format.h for the contract.
 */
int csv_write(const struct report *report, FILE *out, struct err *err);

/* Write one field, quoted where it needs to be. */
void csv_put_text(FILE *out, const char *text);

#endif
