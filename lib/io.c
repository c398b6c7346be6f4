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

ssize_t io_read_all(int fd, void *data, size_t size)
{
	char *at = data;
	size_t used = 0;

	while (used < size) {
		ssize_t n = read(fd, at + used, size - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		used += (size_t)n;
	}
	return (ssize_t)used;
}

ssize_t io_read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t used;

	if (fd < 0)
		return -errno;
	used = io_read_all(fd, text, size - 1);
	close(fd);
	if (used < 0)
		return used;
	while (used && strchr("\n \t", text[used - 1]))
		used--;
	text[used] = '\0';
	return used;
}
