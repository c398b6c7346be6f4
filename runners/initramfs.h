/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_INITRAMFS_H
#define PMIPROOF_INITRAMFS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "err.h"
#include "suite.h"

/* Where things are in the guest. */
#define INITRAMFS_COMMAND "/pmiproof/pmiproof"
#define INITRAMFS_JOB "/pmiproof/job"
#define INITRAMFS_KCONFIG "/pmiproof/kconfig"
#define INITRAMFS_WITH "/with" /* folder of what the user adds */

/* Name of busybox among static programs of another architecture. */
#define INITRAMFS_BUSYBOX "busybox"

/* What goes into the guest beside busybox, stress-ng and the libraries that all of it needs. */
struct initramfs {
	const struct suite *suite; /* NULL: none */
	const char *kconfig;	   /* configuration of its kernel, or NULL */
	/* Programs, with their libraries, and folders of such, at the same path; the list ends with
	 * NULL. */
	char *const *with;
	bool shell; /* for people: with perf too, if this machine has it */
	/*
	 * Directory with static programs, pmiproof and suites/THEME/NAME, that stand in for those
	 * of this build: they are all that goes in, with busybox if it lies there. NULL: none do.
	 */
	const char *programs;
};

/*
 * Write the archive, made anew each time from what is installed here now: that takes a fraction of
 * a second, and nothing can be out of date. -ENOENT when busybox is missing, or a program.
 */
int initramfs_write(FILE *out, const struct initramfs *content, struct err *err);

/* Write an archive that holds the job of the guest only, to follow the other. Takes over `job`. */
int initramfs_write_job(FILE *out, json_t *job, struct err *err);

/*
 * The path in a line that the dynamic loader prints for --list, in place (the line is cut): NULL
 * when there is none in it, as for the kernel's vdso. *missing: a library that it did not find.
 */
char *initramfs_library(char *line, bool *missing);

#endif
