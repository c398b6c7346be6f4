/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_JUNIT_H
#define PMIPROOF_JUNIT_H

#include "model.h"

/*
 * The report as JUnit XML: a test suite for each hypothesis with a test case for each iteration,
 * and what was measured as properties of the suite. It keeps to what both the schema of Apache
 * Ant's and that of Jenkins' reports allow (reports/schema/junit.xsd). See format.h for the
 * contract.
 */
int junit_write(const struct report *report, FILE *out, struct err *err);

#endif
