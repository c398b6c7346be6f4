/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MIRROR_DEST_H
#define PMIPROOF_MIRROR_DEST_H

#include <limits.h>
#include <netdb.h>
#include <stdbool.h>
#include <termios.h>

#include "err.h"

enum mirror_kind {
	MIRROR_SERIAL,
	MIRROR_TCP,
	MIRROR_FILE,
};

/* Where a mirror goes: the DEST of --mirror. */
struct mirror_dest {
	const char *text; /* as given; the caller's */
	enum mirror_kind kind;
	char place[PATH_MAX];	    /* device, host, or path */
	char port[8];		    /* tcp */
	speed_t speed;		    /* serial: termios(3) constant */
	struct addrinfo *addresses; /* tcp, once the host is known */
	bool used;		    /* it has been open before */
	bool adjusted;		    /* serial: `before` is to be put back */
	struct termios before;
	bool lasting; /* what is open is a file that stays: it is flushed, and an error is final */
};

/*
 * Parse "serial:DEVICE[,BAUD]" (default 115200), "tcp:HOST:PORT" or "file:PATH". HOST is a name, an
 * address, or an IPv6 address in brackets.
 */
int mirror_dest_parse(struct mirror_dest *dest, const char *text, struct err *err);

/*
 * Open it for writing, without blocking. Returns a descriptor or -errno. May take
 * MIRROR_CONNECT_MS, and longer where the resolver does. A file that has content is refused with
 * EEXIST unless `append`, and where it was open before.
 */
int mirror_dest_open(struct mirror_dest *dest, bool append, struct err *err);

#define MIRROR_CONNECT_MS 5000

/*
 * Close it. What a line or a connection has not sent is dropped where `drop`, else the kernel goes
 * on sending it (a line: for as long as its driver waits at a close).
 */
void mirror_dest_close(struct mirror_dest *dest, int fd, bool drop);

/* Bytes that were written and have not reached the other side; 0 where nobody knows. */
int mirror_dest_unsent(const struct mirror_dest *dest, int fd);

void mirror_dest_free(struct mirror_dest *dest);

#endif
