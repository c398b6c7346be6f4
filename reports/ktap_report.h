/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_KTAP_REPORT_H
#define PMIPROOF_KTAP_REPORT_H

#include "model.h"

/*
 * The report as KTAP version 1 (Documentation/dev-tools/ktap.rst): a test for each hypothesis with
 * its controls, its checks and its verdict as subtests, the rest as diagnostic lines. See format.h
 * for the contract.
 */
int ktap_report_write(const struct report *report, FILE *out, struct err *err);

#endif
