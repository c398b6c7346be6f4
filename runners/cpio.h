/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_CPIO_H
#define PMIPROOF_CPIO_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"

/*
 * Writes an archive that the kernel unpacks as initramfs: "newc" of
 * Documentation/driver-api/early-userspace/buffer-format.rst. Everything belongs to root and has no
 * time, so that the same content gives the same bytes. Names have no leading slash. Errors of the
 * stream stay in it (ferror()) and are reported by cpio_end().
 */
struct cpio {
	FILE *out;
	unsigned int files; /* so far; also their inode numbers */
	uint64_t written;   /* bytes of this archive */
};

void cpio_begin(struct cpio *cpio, FILE *out);
void cpio_dir(struct cpio *cpio, const char *name);
void cpio_link(struct cpio *cpio, const char *name, const char *target);

/* A regular file with these permissions. */
void cpio_data(struct cpio *cpio, const char *name, unsigned int mode, const void *data,
	       size_t size);

/* The same with the content of a file of ours. Returns 0 or -errno. */
int cpio_file(struct cpio *cpio, const char *name, unsigned int mode, const char *path,
	      struct err *err);

/* Finish; another archive may follow in the same stream. Returns 0 or -errno. */
int cpio_end(struct cpio *cpio, struct err *err);

#endif
