/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_ESCALATION_H
#define PMIPROOF_ESCALATION_H

#include <jansson.h>
#include <stddef.h>

#include "err.h"
#include "escalate.h"
#include "sysctl.h"

/* Seconds from a panic to the reboot: time for what dumps (pstore, a serial console). */
#define ESCALATION_PANIC_S 10

/*
 * Name of the i-th sysctl that escalation may change, NULL after the last: whoever puts things back
 * after a crash is to know them all.
 */
const char *escalation_sysctl(size_t i);

#define ESCALATION_MAX 8

/* What is set while one test runs, and what was there before. */
struct escalation {
	struct sysctl_saved before[ESCALATION_MAX]; /* only those that are to be changed */
	char set[ESCALATION_MAX][SYSCTL_VALUE_MAX];
	size_t n;
};

/*
 * Value that the i-th sysctl is to get for these bits (enum escalate)
 * where it has `now`; NULL when it is to stay.
 */
const char *escalation_value(size_t i, unsigned int bits, const char *now);

/* Find out what is to be changed. Changes nothing; a sysctl that this kernel lacks is left out. */
int escalation_plan(struct escalation *escalation, unsigned int bits, struct err *err);

/* An "escalation" record of it, a new reference; `wanted` as words, values before and after. */
json_t *escalation_record(const struct escalation *escalation, unsigned int bits);

/* Set all. On an error what was set is put back. */
int escalation_apply(const struct escalation *escalation, struct err *err);

/* Put all back. */
int escalation_undo(const struct escalation *escalation, struct err *err);

#endif
