// SPDX-License-Identifier: GPL-2.0-or-later
#include "mirror_dest.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMS "serial:DEVICE[,BAUD], tcp:HOST:PORT or file:PATH"

/* A receiver that takes nothing for this long is given up: the next connection starts anew. */
#define TCP_SILENCE_MS 120000

static const struct {
	unsigned int baud;
	speed_t speed;
} speeds[] = {
	{ 9600, B9600 },     { 19200, B19200 },	  { 38400, B38400 },   { 57600, B57600 },
	{ 115200, B115200 }, { 230400, B230400 }, { 460800, B460800 }, { 921600, B921600 },
};

#define DEFAULT_SPEED B115200

static int set_place(struct mirror_dest *dest, const char *place, size_t length, struct err *err)
{
	if (!length)
		return err_set(err, 0, "--mirror %s: not " FORMS, dest->text);
	if (length >= sizeof(dest->place))
		return err_set(err, ENAMETOOLONG, "--mirror");
	memcpy(dest->place, place, length);
	dest->place[length] = '\0';
	return 0;
}

static int parse_serial(struct mirror_dest *dest, const char *rest, struct err *err)
{
	const char *comma = strrchr(rest, ',');
	size_t length = comma ? (size_t)(comma - rest) : strlen(rest);
	char *end;
	unsigned long baud;

	dest->speed = DEFAULT_SPEED;
	if (comma) {
		baud = strtoul(comma + 1, &end, 10);
		dest->speed = B0;
		for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
			if (end != comma + 1 && !*end && speeds[i].baud == baud)
				dest->speed = speeds[i].speed;
		if (dest->speed == B0)
			return err_set(err, 0,
				       "--mirror %s: '%s' is no speed; 9600, 19200, 38400, 57600, "
				       "115200, 230400, 460800, 921600 are",
				       dest->text, comma + 1);
	}
	return set_place(dest, rest, length, err);
}

static int parse_tcp(struct mirror_dest *dest, const char *rest, struct err *err)
{
	const char *colon = strrchr(rest, ':');
	size_t length = colon ? (size_t)(colon - rest) : 0;
	char *end;
	unsigned long port;

	if (!length)
		return err_set(err, 0, "--mirror %s: not tcp:HOST:PORT", dest->text);
	port = strtoul(colon + 1, &end, 10);
	if (colon[1] < '0' || colon[1] > '9' || *end || port < 1 || port > 65535)
		return err_set(err, 0, "--mirror %s: not a port from 1 to 65535", dest->text);
	snprintf(dest->port, sizeof(dest->port), "%lu", port);
	if (rest[0] == '[' && rest[length - 1] == ']')
		return set_place(dest, rest + 1, length - 2, err);
	return set_place(dest, rest, length, err);
}

static int parse_file(struct mirror_dest *dest, const char *rest, struct err *err)
{
	return set_place(dest, rest, strlen(rest), err);
}

int mirror_dest_parse(struct mirror_dest *dest, const char *text, struct err *err)
{
	static const struct {
		const char *prefix;
		enum mirror_kind kind;
		int (*parse)(struct mirror_dest *dest, const char *rest, struct err *err);
	} kinds[] = {
		{ "serial:", MIRROR_SERIAL, parse_serial },
		{ "tcp:", MIRROR_TCP, parse_tcp },
		{ "file:", MIRROR_FILE, parse_file },
	};

	*dest = (struct mirror_dest){ .text = text };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i].prefix);

		if (strncmp(text, kinds[i].prefix, length) != 0)
			continue;
		dest->kind = kinds[i].kind;
		return kinds[i].parse(dest, text + length, err);
	}
	return err_set(err, 0, "--mirror %s: not " FORMS, text);
}

/* Eight bits, no flow control, nothing translated, whatever the modem lines say. */
static int adjust_line(struct mirror_dest *dest, int fd)
{
	struct termios line;

	if (tcgetattr(fd, &line))
		return -errno;
	if (!dest->adjusted)
		dest->before = line;
	cfmakeraw(&line);
	line.c_cflag = (line.c_cflag & ~(tcflag_t)CRTSCTS) | CLOCAL;
	cfsetispeed(&line, dest->speed);
	cfsetospeed(&line, dest->speed);
	if (tcsetattr(fd, TCSANOW, &line))
		return -errno;
	dest->adjusted = true;
	return 0;
}

static int open_serial(struct mirror_dest *dest)
{
	int fd = open(dest->place, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	int result = fd < 0 ? -errno : adjust_line(dest, fd);

	if (!result)
		return fd;
	if (fd >= 0)
		close(fd);
	return result;
}

static int open_file(struct mirror_dest *dest, bool append)
{
	int fd = open(dest->place,
		      O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY | O_NONBLOCK | O_CLOEXEC, 0666);
	struct stat status;
	int result = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status))
		result = -errno;
	else if (S_ISREG(status.st_mode) && status.st_size && !append)
		result = -EEXIST;
	if (result) {
		close(fd);
		return result;
	}
	dest->lasting = S_ISREG(status.st_mode);
	return fd;
}

static int await_connection(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	socklen_t size = sizeof(int);
	int error = 0;
	int n = poll(&ready, 1, MIRROR_CONNECT_MS);

	if (n <= 0)
		return n ? -errno : -ETIMEDOUT;
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
	return -error;
}

static int connect_to(const struct addrinfo *address)
{
	static const int on = 1, silence = TCP_SILENCE_MS;
	int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
			address->ai_protocol);
	int result = 0;

	if (fd < 0)
		return -errno;
	/* Without them a receiver that lost its power is noticed late. */
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &silence, sizeof(silence));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (connect(fd, address->ai_addr, address->ai_addrlen))
		result = errno == EINPROGRESS ? await_connection(fd) : -errno;
	if (!result)
		return fd;
	close(fd);
	return result;
}

static int open_tcp(struct mirror_dest *dest, struct err *err)
{
	static const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM };
	int result = -EHOSTUNREACH;

	if (!dest->addresses) {
		int problem = getaddrinfo(dest->place, dest->port, &wanted, &dest->addresses);

		if (problem)
			return err_plain(err, ENOENT, "%s: %s", dest->text, gai_strerror(problem));
	}
	for (const struct addrinfo *a = dest->addresses; a && result < 0; a = a->ai_next)
		result = connect_to(a);
	return result < 0 ? err_set(err, -result, "%s", dest->text) : result;
}

int mirror_dest_open(struct mirror_dest *dest, bool append, struct err *err)
{
	int fd;

	if (dest->kind == MIRROR_TCP) {
		fd = open_tcp(dest, err);
	} else {
		fd = dest->kind == MIRROR_SERIAL ? open_serial(dest)
						 : open_file(dest, append || dest->used);
		if (fd < 0)
			err_set(err, -fd, "%s", dest->text);
	}
	dest->used |= fd >= 0;
	return fd;
}

void mirror_dest_close(struct mirror_dest *dest, int fd, bool drop)
{
	/*
	 * The close of a line waits for what it has not sent, up to half a minute. Where all was
	 * written, a few characters may still be in the device, and go out at the speed set here.
	 */
	if (dest->kind == MIRROR_SERIAL && drop)
		tcflush(fd, TCOFLUSH);
	else if (dest->kind == MIRROR_SERIAL)
		tcdrain(fd);
	if (dest->adjusted)
		tcsetattr(fd, TCSANOW, &dest->before);
	dest->adjusted = false;
	close(fd);
}

int mirror_dest_unsent(const struct mirror_dest *dest, int fd)
{
	int unsent = 0;

	/* SIOCOUTQ and TIOCOUTQ are the same; a file has neither. */
	if (dest->lasting || ioctl(fd, SIOCOUTQ, &unsent))
		return 0;
	return unsent;
}

void mirror_dest_free(struct mirror_dest *dest)
{
	if (dest->addresses)
		freeaddrinfo(dest->addresses);
	dest->addresses = NULL;
}
