/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_LAB_MACHINE_H
#define PMIPROOF_LAB_MACHINE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "lab_arch.h"

#define LAB_FAULTS_MAX 16
#define LAB_PARAMS_MAX 8

/* A CPU that the lab has a PMU for. */
struct lab_model {
	const struct lab_arch *arch;
	const char *name; /* no other one has it, on any architecture */
	const char *perfmon;
	const char *branches;
	const char *precise;
	const char *cpu;   /* QEMU's name for it; NULL: the same */
	const char *extra; /* properties that make it a usable one, each after a comma */
};

/* Hardware that misbehaves on purpose: a property of QEMU's -cpu. */
struct lab_fault {
	unsigned int archs;   /* that have it: LAB_ARCH_BIT() of each */
	const char *name;     /* the property is called fault-<name> */
	const char *argument; /* what it stands for; NULL: it takes none */
	const char *standard; /* value when none is given; "on" where it takes none */
	const char *effect;
};

/* Both end with a row whose name is NULL. The first model is the default. */
extern const struct lab_model lab_models[];
extern const struct lab_fault lab_faults[];

/* An emulated machine as asked for. */
struct lab_machine {
	char qemu[PATH_MAX];	 /* directory with bin/ and share/qemu/ */
	char programs[PATH_MAX]; /* directory of programs for its guests, "" for those of here */
	char kernel[PATH_MAX];	 /* what the emulator's -kernel takes */
	char kconfig[PATH_MAX];	 /* its configuration, "" when there is none beside it */
	const struct lab_model *model;
	char faults[LAB_FAULTS_MAX][64]; /* "NAME=VALUE", checked */
	size_t n_faults;
	char variant[1024]; /* of the kernel: names with commas, "plain", or "" for none asked for
			     */
	char params[LAB_PARAMS_MAX][128]; /* for its command line, checked */
	size_t n_params;
	enum lab_mode mode;
	bool mode_given;
};

/* -EINVAL for a model that is not in the table. */
int lab_machine_model(struct lab_machine *machine, const char *name, struct err *err);

/* -EINVAL for a mode that there is not. */
int lab_machine_mode(struct lab_machine *machine, const char *name, struct err *err);

/* Add "NAME" or "NAME=VALUE". -EINVAL when it is none, or no such value, or was given already. */
int lab_machine_fault(struct lab_machine *machine, const char *text, struct err *err);

/* Add names of variants, with commas. -EINVAL when they can be none (lab_variants_add). */
int lab_machine_variant(struct lab_machine *machine, const char *text, struct err *err);

/* Add a parameter to the kernel's command line. -EINVAL when it is not one word, or is ours. */
int lab_machine_param(struct lab_machine *machine, const char *text, struct err *err);

/*
 * All that was asked for is said: a mode if none was given, and -EINVAL for what the architecture
 * of the model does not have.
 */
int lab_machine_complete(struct lab_machine *machine, struct err *err);

/* CPUs that it has, once complete. */
unsigned int lab_machine_cpus(const struct lab_machine *machine);

/* The directory that make lab fills: $LAB_DIR, or "lab" beside this program. */
int lab_dir(char *dir, size_t size, struct err *err);

/*
 * Path of the table of variants of an architecture's own kernel, in lab_dir(). -errno with what to
 * do about it when it cannot be read; the path is there all the same.
 */
int lab_machine_variants(const struct lab_arch *arch, char *path, size_t size, struct err *err);

/*
 * Find emulator, programs and kernel of a complete machine: `kernel`, else $LAB_KERNEL, else what
 * make left in lab_dir(). -ENOENT, with what to do about it. -EINVAL for a kernel of another
 * architecture, and for a variant that is not in the table beside the kernel; without one there the
 * kernel itself refuses what it does not know.
 */
int lab_machine_find(struct lab_machine *machine, const char *kernel, struct err *err);

/* Is it slow by a fault, so that the kernel is to notice? */
bool lab_machine_is_slow(const struct lab_machine *machine);

/* Does a parameter set that sysctl (sysctl.NAME=VALUE)? Then nobody else is to. */
bool lab_machine_sets(const struct lab_machine *machine, const char *sysctl);

/*
 * What is added to the kernel's command line: variants and parameters, each after a space. -E2BIG
 * when it does not fit.
 */
int lab_machine_params(const struct lab_machine *machine, char *text, size_t size, struct err *err);

/* The value of -cpu. -E2BIG when it does not fit. */
int lab_machine_cpu(const struct lab_machine *machine, char *text, size_t size, struct err *err);

#endif
