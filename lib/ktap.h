/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_KTAP_H
#define PMIPROOF_KTAP_H

#include "verdict.h"

/*
 * KTAP on stdout through the kernel's own kselftest.h, which lib/ktap.c alone includes. Texts may
 * hold anything: line breaks and control characters are replaced, so that no text can look like a
 * result line.
 */
void ktap_begin(unsigned int plan);
void ktap_diag(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A result line; verdicts that KTAP does not know become "not ok" with the verdict named. */
void ktap_result(enum verdict verdict, const char *name, const char *reason);

/* The totals line. */
void ktap_end(void);

#endif
