/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_SYSCTL_H
#define PMIPROOF_SYSCTL_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

#define SYSCTL_VALUE_MAX 128

/* A sysctl and the value it had. */
struct sysctl_saved {
	const char *name; /* dotted, "kernel.perf_event_max_sample_rate"; owned by the caller */
	bool present;	  /* false: this kernel has none of that name; then it is not restored */
	char value[SYSCTL_VALUE_MAX];
};

/* Read or write one sysctl by its dotted name. -ENOENT when the kernel does not have it. */
int sysctl_read(const char *name, char *value, size_t size, struct err *err);
int sysctl_read_long(const char *name, long *value, struct err *err);
int sysctl_write(const char *name, const char *value, struct err *err);

/* Save the sysctls of a NULL-terminated list of names into saved[]. */
int sysctl_save(struct sysctl_saved *saved, const char *const *names, struct err *err);

/*
 * Write back each of saved[0..n-1] whose value differs now. All are tried; the first error is
 * reported. *changed (may be NULL) counts those that had to be written.
 */
int sysctl_restore(const struct sysctl_saved *saved, size_t n, size_t *changed, struct err *err);

#endif
