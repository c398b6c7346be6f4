/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_EMULATOR_ARGS_H
#define PMIPROOF_EMULATOR_ARGS_H

#include <limits.h>
#include <stddef.h>

#include "err.h"
#include "lab_machine.h"
#include "port.h"

#define EMULATOR_ARGS_MAX 64
#define EMULATOR_TEXTS_MAX 16

/* A command line of the emulator under construction; what is formatted is kept in `texts`. */
struct emulator_args {
	char *argv[EMULATOR_ARGS_MAX + 1];
	size_t n;
	char texts[EMULATOR_TEXTS_MAX][PATH_MAX];
	size_t n_texts;
};

/* Add a word, which must stay where it is. */
void emulator_args_add(struct emulator_args *args, const char *text);

/* Add a word that is made here. */
void emulator_args_addf(struct emulator_args *args, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The command line of the kernel. -EINVAL when the architecture takes no line that is so long: its
 * end, which says what is to be run, would be missing.
 */
int emulator_args_kernel(const struct lab_machine *machine, char *text, size_t size,
			 struct err *err);

/*
 * Program and machine: everything but where console, records and signs of life go. `args` is empty
 * (zeros) before; `initramfs` a descriptor that the emulator inherits. -E2BIG when it does not fit.
 */
int emulator_args_machine(struct emulator_args *args, const struct lab_machine *machine,
			  int initramfs, struct err *err);

/* A debug port whose bytes go to this chardev. */
void emulator_args_port(struct emulator_args *args, const char *chardev, enum port port);

#endif
