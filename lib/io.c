// SPDX-License-Identifier: GPL-2.0-or-later
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int io_write_all(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

ssize_t io_read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t n = 0;
	int errnum;

	if (fd < 0)
		return -errno;
	while (used < size - 1) {
		n = read(fd, text + used, size - 1 - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		used += (size_t)n;
	}
	errnum = errno;
	close(fd);
	if (n < 0)
		return -errnum;
	while (used && strchr("\n \t", text[used - 1]))
		used--;
	text[used] = '\0';
	return (ssize_t)used;
}
