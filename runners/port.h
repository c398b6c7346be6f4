/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PORT_H
#define PMIPROOF_PORT_H

#include <stddef.h>

#include "err.h"

/*
 * Debug ports of the lab's machine (QEMU's isa-debugcon): a byte written there is in a pipe of the
 * host before the next instruction runs. No driver, no interrupt and no buffer is involved, so that
 * what was written stays whatever becomes of the guest, and little is disturbed by writing it.
 */
enum port {
	PORT_RECORDS = 0x5e8, /* the journal, line by line */
	PORT_PULSE = 0x5ea,   /* signs of life, see guest.h */
};

/*
 * Get access to the ports for this process and its children. -errno: no root, or an architecture
 * that the lab does not have.
 */
int port_open(struct err *err);

/* All of it has arrived on return. Needs port_open(). */
void port_write(enum port port, const char *data, size_t size);

#endif
