/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_IO_H
#define PMIPROOF_IO_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Write all of it, going on after EINTR and short writes. Returns 0 or -errno; then an unknown part
 * has been written. Safe in a signal handler.
 */
int io_write_all(int fd, const void *data, size_t size);

/* Read until data is full or the file ends, going on after EINTR. Returns how much, or -errno. */
ssize_t io_read_all(int fd, void *data, size_t size);

/*
 * Read a small file (proc, sysfs) into text, NUL-terminated and without trailing newline or spaces.
 * Longer content is cut to fit. Returns the length, or -errno.
 */
ssize_t io_read_text(const char *path, char *text, size_t size);

#endif
