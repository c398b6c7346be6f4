// SPDX-License-Identifier: GPL-2.0-or-later
#include "lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What one read takes: the capacity of a pipe (pipe(7)). */
#define CHUNK 65536

void lines_init(struct lines *lines, int fd, size_t max)
{
	*lines = (struct lines){ .fd = fd, .max = max };
}

static int reserve(struct lines *lines, size_t need)
{
	size_t size = lines->size ? lines->size : 256;
	char *data;

	while (size < need)
		size *= 2;
	if (size == lines->size)
		return 0;
	data = realloc(lines->data, size);
	if (!data)
		return -ENOMEM;
	lines->data = data;
	lines->size = size;
	return 0;
}

static int append(struct lines *lines, const char *text, size_t len)
{
	int result;

	if (len > lines->max - lines->len) {
		len = lines->max - lines->len;
		lines->cut = true;
	}
	result = reserve(lines, lines->len + len);
	if (result)
		return result;
	memcpy(lines->data + lines->len, text, len);
	lines->len += len;
	return 0;
}

static int hand_over(struct lines *lines, line_handler handle, void *context)
{
	int result = handle(context, lines->data, lines->len, lines->cut);

	lines->len = 0;
	lines->cut = false;
	return result;
}

static int feed(struct lines *lines, const char *text, size_t len, line_handler handle,
		void *context)
{
	while (len) {
		const char *newline = memchr(text, '\n', len);
		size_t part = newline ? (size_t)(newline - text) : len;
		int result = append(lines, text, part);

		if (!result && newline) {
			result = hand_over(lines, handle, context);
			part++;
		}
		if (result)
			return result;
		text += part;
		len -= part;
	}
	return 0;
}

int lines_read(struct lines *lines, line_handler handle, void *context)
{
	char chunk[CHUNK];
	ssize_t got;
	int result;

	do
		got = read(lines->fd, chunk, sizeof(chunk));
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	if (got == 0)
		return lines->len || lines->cut ? hand_over(lines, handle, context) : 0;
	result = feed(lines, chunk, (size_t)got, handle, context);
	return result ? result : 1;
}

void lines_close(struct lines *lines)
{
	if (lines->fd >= 0)
		close(lines->fd);
	free(lines->data);
	*lines = (struct lines){ .fd = -1 };
}
