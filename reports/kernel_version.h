/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_KERNEL_VERSION_H
#define PMIPROOF_KERNEL_VERSION_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

/* Numbers that are looked at: "6.1.0" has three, "41" of Debian's 6.1.0-41 is one of the build. */
#define KERNEL_NUMBERS 4

struct kernel_numbers {
	unsigned long of[KERNEL_NUMBERS];
	size_t n; /* how many were given */
};

/*
 * What a kernel calls itself (uname -r): numbers, a release candidate, and the build of a
 * distribution, as in 6.12-rc3, 6.1.0-41-amd64 or 5.14.0-427.13.1.el9_4.x86_64. What follows
 * (-amd64, -rt20, +) says nothing about the order.
 */
struct kernel_version {
	struct kernel_numbers release; /* two or more */
	bool candidate;
	unsigned long rc;
	struct kernel_numbers build;
};

/* Take what kernels call themselves. -EINVAL when it does not begin with two numbers. */
int kernel_version_parse(struct kernel_version *version, const char *text);

/*
 * A range of kernels: both ends belong to it, and either may be open. An end stands for all that
 * begins with it: 6.4 as the last one takes in 6.4.12, and 6.1.0-41 takes in 6.1.0-41.2. As the
 * first one 6.4 is 6.4.0 and what comes after it, not its release candidates.
 */
struct kernel_range {
	bool from, to; /* which ends there are */
	struct kernel_version first, last;
};

/*
 * "*" (any kernel), "FIRST..LAST", "FIRST..", "..LAST", or a single version, which is both ends.
 * An end is written in full: nothing may follow its numbers. -EINVAL with err.
 */
int kernel_range_parse(struct kernel_range *range, const char *text, struct err *err);

/* Is the kernel of this name one of them? One whose name cannot be read is in "*" only. */
bool kernel_range_has(const struct kernel_range *range, const char *name);

#endif
