/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_EMULATOR_H
#define PMIPROOF_EMULATOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "err.h"
#include "lab_machine.h"

/* What comes out of a machine; each is a pipe to us. */
enum emulator_stream {
	EMULATOR_CONSOLE, /* its first serial port */
	EMULATOR_RECORDS,
	EMULATOR_PULSE,
	EMULATOR_ERRORS, /* what the emulator itself says */
	EMULATOR_STREAMS,
};

/* A running machine: a QEMU process that dies with us. */
struct emulator {
	pid_t pid;
	int pidfd;
	int streams[EMULATOR_STREAMS]; /* non-blocking; whoever takes one over sets it to -1 */
};

/* `initramfs` is a descriptor of a whole archive. Returns 0 or -errno, with nothing left over. */
int emulator_start(struct emulator *emulator, const struct lab_machine *machine, int initramfs,
		   struct err *err);

/* End it if it has not ended, and reap it. Returns its status as of waitpid(). */
int emulator_end(struct emulator *emulator);

/*
 * The longest that a thread of it has waited for a CPU of this machine, in ms since it was started:
 * time in which it could not show a sign of life. 0 when the kernel does not say.
 */
int64_t emulator_waited_ms(const struct emulator *emulator);

/* Become a machine whose console is this terminal. Returns only when that fails: -errno. */
int emulator_become(const struct lab_machine *machine, int initramfs, struct err *err);

#endif
