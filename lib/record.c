// SPDX-License-Identifier: GPL-2.0-or-later
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"

/* U+FFFD, the replacement character, in UTF-8. */
static const char replacement[] = "\xef\xbf\xbd";

/* Writing down a record of a megabyte takes an emulated machine a few seconds. */
#define ACK_MS 20000

/* The open descriptor that a variable names, and remove the variable; -1 when there is none. */
static int take_descriptor(const char *variable, struct err *err)
{
	const char *text = getenv(variable);
	char *end;
	long fd;

	if (!text)
		return -1;
	errno = 0;
	fd = strtol(text, &end, 10);
	if (errno || end == text || *end || fd < 0 || fd > 1 << 20)
		return err_set(err, EINVAL, "%s=%s", variable, text);
	if (fcntl((int)fd, F_SETFD, FD_CLOEXEC))
		return err_set(err, errno, "%s=%ld", variable, fd);
	unsetenv(variable);
	return (int)fd;
}

int record_open(struct err *err)
{
	return take_descriptor(RECORD_FD_ENV, err);
}

int record_open_ack(struct err *err)
{
	return take_descriptor(RECORD_ACK_ENV, err);
}

void record_wait_ack(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	char byte;

	if (poll(&ready, 1, ACK_MS) > 0 && read(fd, &byte, 1) != 1)
		return; /* nobody acknowledges any more */
}

int record_format(json_t *record, char **line, size_t *size, struct err *err)
{
	*line = json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(17));
	json_decref(record);
	if (!*line)
		return err_set(err, ENOMEM, "record");
	*size = strlen(*line) + 1;
	if (*size > RECORD_LINE_MAX) {
		free(*line);
		*line = NULL;
		return err_set(err, EMSGSIZE, "record of %zu bytes", *size - 1);
	}
	/* The terminating NUL becomes the newline, so that the line goes out in one write. */
	(*line)[*size - 1] = '\n';
	return 0;
}

int record_write(int fd, json_t *record, struct err *err)
{
	sigset_t all, old;
	size_t size;
	char *line;
	int result = record_format(record, &line, &size, err);

	if (!line)
		return result;
	/* A handler that writes evidence must find the stream between two lines. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	result = io_write_all(fd, line, size);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	free(line);
	return result ? err_set(err, -result, "write record") : 0;
}

void record_set_number(json_t *object, const char *key, double value)
{
	if (!isfinite(value))
		return;
	json_object_set_new(object, key, record_number(value));
}

const char *record_text(const json_t *record, const char *key)
{
	const char *text = json_string_value(json_object_get(record, key));

	return text ? text : "";
}

json_t *record_number(double value)
{
	/* Whole numbers as such: shorter, and exact for a reader without doubles. */
	if (value == trunc(value) && fabs(value) < 0x1p53)
		return json_integer((json_int_t)value);
	return json_real(value);
}

/* Length of the valid UTF-8 sequence at text, 0 when there is none. jansson is the judge. */
static size_t sequence(const char *text, size_t len)
{
	for (size_t n = 1; n <= 4 && n <= len; n++) {
		json_t *valid = text[0] ? json_stringn(text, n) : NULL;

		json_decref(valid);
		if (valid)
			return n;
	}
	return 0;
}

void record_set_text(json_t *object, const char *key, const char *text, size_t len)
{
	json_t *string = NULL;
	size_t used = 0;
	char *copy;

	if (len == (size_t)-1)
		len = strlen(text);
	if (!memchr(text, 0, len))
		string = json_stringn(text, len);
	if (string) {
		json_object_set_new(object, key, string);
		return;
	}
	copy = malloc(len * (sizeof(replacement) - 1) + 1);
	if (!copy)
		return;
	for (size_t i = 0; i < len;) {
		size_t n = sequence(text + i, len - i);
		const char *from = n ? text + i : replacement;
		size_t add = n ? n : sizeof(replacement) - 1;

		memcpy(copy + used, from, add);
		used += add;
		i += n ? n : 1;
	}
	json_object_set_new(object, key, json_stringn(copy, used));
	free(copy);
}
