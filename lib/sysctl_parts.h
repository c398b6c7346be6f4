/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_SYSCTL_PARTS_H
#define PMIPROOF_SYSCTL_PARTS_H

#include "sysctl.h"

/*
 * Where sysctls are: the kernel's files below root, or what a test puts in their place. Both
 * functions return 0 or -errno.
 */
struct sysctl_source {
	int (*read)(const struct sysctl_source *source, const char *name, char *value, size_t size,
		    struct err *err);
	int (*write)(const struct sysctl_source *source, const char *name, const char *value,
		     struct err *err);
	const char *root; /* put before "/proc/sys" */
	void *context;
};

/* The files below root/proc/sys; "" for this machine. */
struct sysctl_source sysctl_files(const char *root);

int sysctl_save_from(const struct sysctl_source *source, struct sysctl_saved *saved,
		     const char *const *names, struct err *err);
int sysctl_restore_to(const struct sysctl_source *source, const struct sysctl_saved *saved,
		      size_t n, size_t *changed, struct err *err);

#endif
