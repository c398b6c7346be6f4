/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_JSON_H
#define PMIPROOF_JSON_H

#include "model.h"

/* Version of the document, its "version": see reports/schema/report.schema.json. */
#define JSON_REPORT_VERSION 1

/*
 * Everything of the report as one JSON document in ASCII: verdicts, and the records they come from
 * as they were written. See format.h for the contract.
 */
int json_write(const struct report *report, FILE *out, struct err *err);

/*
 * Write a document in one line of ASCII, so that what reorders or hides text on a terminal is
 * written as what it is. Returns 0, or -1 for a document that is NULL or when memory ran out.
 */
int json_put(const json_t *document, FILE *out);

#endif
