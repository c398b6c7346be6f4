/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MAIL_H
#define PMIPROOF_MAIL_H

#include "model.h"

/*
 * The report as plain text of 72 columns for a mail, such as the cover letter of a patch series:
 * what it was measured on, verdicts, and figures with number of samples and confidence interval.
 * With a baseline, both side by side and the change of the median. See format.h for the contract.
 */
int mail_write(const struct report *report, const struct report *baseline, FILE *out,
	       struct err *err);

#endif
