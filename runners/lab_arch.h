/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_LAB_ARCH_H
#define PMIPROOF_LAB_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

/* Architectures of the lab's machines; index into lab_archs. */
enum lab_arch_id { LAB_X86, LAB_ALPHA, LAB_ARCHS };

/* How time passes in a machine. */
enum lab_mode {
	LAB_SMP,   /* several CPUs, real time */
	LAB_EXACT, /* one CPU, time is the number of instructions: the same in each run */
	LAB_MODES,
};

/* CPUs of the largest machine of all. */
#define LAB_CPUS_MAX 2

/* A mode on an architecture. */
struct lab_arch_mode {
	unsigned int cpus; /* 0: there is no such mode */
	int shift;	   /* of -icount: an instruction takes 2^shift ns; unless in real time */
};

/* What differs between machines of one architecture and those of another. */
struct lab_arch {
	const char *name;     /* as fixtures/machines and fixtures/kernels have it */
	const char *subdir;   /* of the lab's directory, or "" */
	const char *program;  /* the emulator's */
	const char *machine;  /* its -M ... */
	const char *memory;   /* ... and -m, in MiB */
	const char *features; /* of -cpu, for each model; with a comma before each */
	struct lab_arch_mode modes[LAB_MODES];
	enum lab_mode standard; /* the mode when none is asked for */

	const char *kernel; /* directory of the one that is booted when no variant is asked for */
	bool stock;	    /* that one is a distribution's, as it is */
	unsigned int machine_id;       /* e_machine of a kernel that is an ELF file (elf.h) */
	bool elf_only;		       /* it always is one */
	const char *arguments;	       /* its command line begins with this */
	const char *variant_arguments; /* to be added for a kernel with variants */
	size_t arguments_max; /* characters of the whole; emulator and kernel cut it silently */

	/*
	 * Programs for its guests are static ones below this directory of the lab's, laid out as
	 * build/ is; NULL: those of this build, with the libraries that they need here.
	 */
	const char *programs;

	/*
	 * The kernel may lower its sampling rate because handlers take long: how long they take is
	 * part of the model, not the emulator's doing.
	 */
	bool timed_handlers;

	const char *make;	   /* target that makes emulator and kernel */
	const char *make_variants; /* target that makes the kernel with variants */
};

extern const struct lab_arch lab_archs[LAB_ARCHS];

/* "smp", "exact". */
const char *lab_mode_name(enum lab_mode mode);
int lab_mode_parse(const char *name, enum lab_mode *mode);

/*
 * The architecture that a kernel is for. -errno: no such file; -EINVAL: no file, or an ELF file for
 * a machine that the lab does not have. What is no ELF file is taken for the first architecture
 * that boots others.
 */
int lab_arch_of_kernel(const char *path, const struct lab_arch **arch, struct err *err);

/* Bit of an architecture in a set of them, and whether it is there. */
#define LAB_ARCH_BIT(id) (1u << (id))
bool lab_arch_in(unsigned int set, const struct lab_arch *arch);

#endif
