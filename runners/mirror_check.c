// SPDX-License-Identifier: GPL-2.0-or-later
#include "mirror.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "clock.h"
#include "mirror_dest.h"

Suite *suite(void);

/* Nothing here takes so long, however busy the machine. */
#define PATIENCE_MS 20000

static const struct mirror_times patient = { 20, PATIENCE_MS, PATIENCE_MS, PATIENCE_MS };

static char dir[] = "/tmp/mirror-check-XXXXXX";
static char journal[PATH_MAX];

static void make_dir(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(journal, sizeof(journal), "%s/journal", dir);
	close(open(journal, O_CREAT | O_WRONLY, 0600));
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status, (void)type, (void)where;
	return remove(path);
}

static void remove_dir(void)
{
	ck_assert_int_eq(nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);

	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* The whole file, without the lines that are of the kernel log, if it is long enough. */
static bool has_journal(const char *path, const char *text)
{
	char line[4096], all[16384] = "";
	FILE *file = fopen(path, "r");

	while (file && fgets(line, sizeof(line), file))
		if (!strstr(line, "\"type\":\"kmsg\""))
			strcat(all, line);
	if (file)
		fclose(file);
	return !strcmp(all, text);
}

static void await_journal(const char *path, const char *text)
{
	int64_t until = clock_ms() + PATIENCE_MS;

	while (!has_journal(path, text) && clock_ms() < until)
		clock_sleep_ms(5);
	ck_assert(has_journal(path, text));
}

static void await_news(struct mirrors *mirrors, const char *text)
{
	int64_t until = clock_ms() + PATIENCE_MS;
	char news[1024] = "";

	while (!strstr(news, text) && clock_ms() < until)
		if (!mirrors_news(mirrors, news, sizeof(news)))
			clock_sleep_ms(5);
	ck_assert_msg(strstr(news, text), "'%s' is not in '%s'", text, news);
}

static void start(struct mirrors *mirrors, char *dest, bool resuming,
		  const struct mirror_times *times)
{
	struct err err;

	ck_assert_msg(!mirrors_open(mirrors, &dest, 1, resuming, &err), "%s", err.text);
	mirrors_set_times(mirrors, times);
	ck_assert_msg(!mirrors_start(mirrors, journal, &err), "%s", err.text);
}

/* A listening socket on the loopback, and its address as a DEST. */
static int listen_at(char *dest, size_t size, in_port_t port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = port,
	};
	socklen_t length = sizeof(address);
	int on = 1;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(fd, 5), 0);
	getsockname(fd, (struct sockaddr *)&address, &length);
	snprintf(dest, size, "tcp:127.0.0.1:%d", ntohs(address.sin_port));
	return fd;
}

/* Take what comes through a descriptor into a file, until `text` is its journal. */
static void receive(int fd, const char *path, const char *text)
{
	int64_t until = clock_ms() + PATIENCE_MS;
	int out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	char chunk[4096];

	while (!has_journal(path, text) && clock_ms() < until) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		ck_assert_int_gt(n, 0);
		ck_assert_int_eq(write(out, chunk, (size_t)n), n);
	}
	close(out);
	ck_assert(has_journal(path, text));
}

START_TEST(destinations_are_parsed)
{
	static const struct {
		const char *text, *place, *port;
		enum mirror_kind kind;
		speed_t speed;
	} good[] = {
		{ "serial:/dev/ttyS1", "/dev/ttyS1", "", MIRROR_SERIAL, B115200 },
		{ "serial:/dev/ttyS1,9600", "/dev/ttyS1", "", MIRROR_SERIAL, B9600 },
		{ "tcp:host.example:1", "host.example", "1", MIRROR_TCP, 0 },
		{ "tcp:[::1]:65535", "::1", "65535", MIRROR_TCP, 0 },
		{ "tcp:::1:514", "::1", "514", MIRROR_TCP, 0 },
		{ "file:a:b,c", "a:b,c", "", MIRROR_FILE, 0 },
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct mirror_dest dest;

		ck_assert_int_eq(mirror_dest_parse(&dest, good[i].text, NULL), 0);
		ck_assert_int_eq(dest.kind, good[i].kind);
		ck_assert_str_eq(dest.place, good[i].place);
		ck_assert_str_eq(dest.port, good[i].port);
		ck_assert_uint_eq(dest.speed, good[i].speed);
	}
}
END_TEST

START_TEST(bad_destinations_are_refused)
{
	static const char *const bad[][2] = {
		{ "", "not serial:DEVICE[,BAUD], tcp:HOST:PORT or file:PATH" },
		{ "/dev/ttyS1", "not serial:" },
		{ "udp:host:1", "not serial:" },
		{ "file:", "not serial:" },
		{ "serial:", "not serial:" },
		{ "serial:,9600", "not serial:" },
		{ "serial:/dev/ttyS1,", "'' is no speed" },
		{ "serial:/dev/ttyS1,115201", "'115201' is no speed" },
		{ "serial:/dev/ttyS1,9600x", "is no speed" },
		{ "tcp:host", "not tcp:HOST:PORT" },
		{ "tcp::1", "not tcp:HOST:PORT" },
		{ "tcp:host:", "not a port" },
		{ "tcp:host:0", "not a port" },
		{ "tcp:host:65536", "not a port" },
		{ "tcp:host:-1", "not a port" },
		{ "tcp:host:1x", "not a port" },
		{ "tcp:[]:1", "not serial:" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct mirror_dest dest;
		struct err err;

		ck_assert_int_lt(mirror_dest_parse(&dest, bad[i][0], &err), 0);
		ck_assert_msg(strstr(err.text, bad[i][1]), "%s: %s", bad[i][0], err.text);
	}
}
END_TEST

/* One that cannot be opened is an error at once; those before it are closed. */
START_TEST(what_cannot_be_opened_is_an_error)
{
	char full[PATH_MAX], good[PATH_MAX], refused[64];
	char *dests[] = { good, NULL };
	struct {
		char *dest;
		int error;
	} bad[] = {
		{ refused, ECONNREFUSED },
		{ full, EEXIST },
		{ (char[]){ "file:/nosuch/place" }, ENOENT },
		{ (char[]){ "serial:/dev/null" }, ENOTTY },
		{ (char[]){ "serial:/dev/nosuch" }, ENOENT },
		{ (char[]){ "nonsense" }, EINVAL },
	};

	close(listen_at(refused, sizeof(refused), 0));
	snprintf(good, sizeof(good), "file:%s/good", dir);
	snprintf(full, sizeof(full), "file:%s/full", dir);
	write_to(full + 5, "content");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct mirrors mirrors;
		struct err err;
		int next = dup(0);

		dests[1] = bad[i].dest;
		ck_assert_int_eq(mirrors_open(&mirrors, dests, 2, false, &err), -bad[i].error);
		ck_assert_msg(strstr(err.text, bad[i].dest), "%s", err.text);
		ck_assert_uint_eq(mirrors.n, 0);
		close(next);
		ck_assert_int_eq(dup(0), next);
		close(next);
	}
}
END_TEST

START_TEST(file_gets_whole_lines_as_they_come)
{
	char dest[PATH_MAX];
	struct mirrors mirrors;

	snprintf(dest, sizeof(dest), "file:%s/mirror", dir);
	write_to(journal, "one\ntwo\nth");
	start(&mirrors, dest, false, &patient);
	await_journal(dest + 5, "one\ntwo\n");
	write_to(journal, "r");
	clock_sleep_ms(300);
	ck_assert(has_journal(dest + 5, "one\ntwo\n"));
	write_to(journal, "ee\nfour\n");
	await_journal(dest + 5, "one\ntwo\nthree\nfour\n");
	write_to(journal, "last\n");
	ck_assert_uint_eq(mirrors_finish(&mirrors, NULL), 0);
	ck_assert(has_journal(dest + 5, "one\ntwo\nthree\nfour\nlast\n"));
}
END_TEST

/* Several chunks long: it comes whole, and nothing of the kernel log comes in between. */
START_TEST(long_line_is_not_cut)
{
	enum { LENGTH = 100000 };
	static char line[LENGTH + 2], got[LENGTH + 2];
	char dest[PATH_MAX];
	struct mirrors mirrors;
	FILE *file;

	for (int i = 0; i < LENGTH; i++)
		line[i] = (char)('a' + i % 26);
	line[LENGTH] = '\n';
	snprintf(dest, sizeof(dest), "file:%s/mirror", dir);
	start(&mirrors, dest, false, &patient);
	write_to(journal, line);
	ck_assert_uint_eq(mirrors_finish(&mirrors, NULL), 0);
	file = fopen(dest + 5, "r");
	do
		ck_assert_ptr_nonnull(fgets(got, sizeof(got), file));
	while (strstr(got, "\"type\":\"kmsg\""));
	ck_assert_str_eq(got, line);
	fclose(file);
}
END_TEST

START_TEST(kernel_log_comes_as_records)
{
	int kmsg = open("/dev/kmsg", O_WRONLY);
	char dest[PATH_MAX], line[4096] = "";
	struct mirrors mirrors;
	int64_t until = clock_ms() + PATIENCE_MS;
	FILE *file;

	if (kmsg < 0)
		return; /* only for root */
	snprintf(dest, sizeof(dest), "file:%s/mirror", dir);
	write_to(journal, "one\n");
	start(&mirrors, dest, false, &patient);
	await_journal(dest + 5, "one\n");
	write_to("/dev/kmsg", "<6>mirror_check \"says\" something\n");
	close(kmsg);
	file = fopen(dest + 5, "r");
	while (!strstr(line, "mirror_check") && clock_ms() < until)
		if (!fgets(line, sizeof(line), file))
			clearerr(file);
	fclose(file);
	ck_assert_msg(!strncmp(line, "{\"type\":\"kmsg\",\"boot\":\"", 23), "%s", line);
	ck_assert_ptr_nonnull(strstr(line, "\"level\":6,"));
	ck_assert_ptr_nonnull(strstr(line, "\"text\":\"mirror_check \\\"says\\\" something\"}\n"));
	ck_assert_uint_eq(mirrors_finish(&mirrors, NULL), 0);
}
END_TEST

START_TEST(tcp_receiver_gets_it)
{
	char dest[64], path[PATH_MAX];
	int listening = listen_at(dest, sizeof(dest), 0);
	struct mirrors mirrors;
	int fd;

	snprintf(path, sizeof(path), "%s/received", dir);
	write_to(journal, "one\n");
	start(&mirrors, dest, false, &patient);
	fd = accept(listening, NULL, NULL);
	receive(fd, path, "\none\n");
	write_to(journal, "two\n");
	ck_assert_uint_eq(mirrors_finish(&mirrors, NULL), 0);
	receive(fd, path, "two\n");
	ck_assert_int_eq(read(fd, path, 1), 0);
}
END_TEST

/* One that goes away and comes again gets the whole journal again. */
START_TEST(tcp_is_connected_again)
{
	char dest[64], path[PATH_MAX];
	int listening = listen_at(dest, sizeof(dest), 0);
	struct mirrors mirrors;
	int fd;

	snprintf(path, sizeof(path), "%s/received", dir);
	write_to(journal, "one\n");
	start(&mirrors, dest, false, &patient);
	fd = accept(listening, NULL, NULL);
	receive(fd, path, "\none\n");
	close(fd);
	write_to(journal, "two\n"); /* gets the reset */
	await_news(&mirrors, "the connection was lost");
	fd = accept(listening, NULL, NULL);
	receive(fd, path, "\none\ntwo\n");
	await_news(&mirrors, "connected, ");
	write_to(journal, "three\n");
	receive(fd, path, "three\n");
	ck_assert_uint_eq(mirrors_finish(&mirrors, NULL), 0);
}
END_TEST

START_TEST(receiver_that_stays_away_is_given_up)
{
	static const struct mirror_times hasty = { 20, 100, 100, 100 };
	char dest[64], path[PATH_MAX];
	int listening = listen_at(dest, sizeof(dest), 0);
	struct mirrors mirrors;
	struct err err;
	int fd;

	snprintf(path, sizeof(path), "%s/received", dir);
	write_to(journal, "one\n");
	start(&mirrors, dest, false, &hasty);
	fd = accept(listening, NULL, NULL);
	receive(fd, path, "\none\n");
	close(listening);
	close(fd);
	write_to(journal, "two\n");
	await_news(&mirrors, "given up, ");
	ck_assert_uint_eq(mirrors_finish(&mirrors, &err), 1);
	ck_assert_ptr_nonnull(strstr(err.text, "no connection at the end of the run"));
}
END_TEST

/* Its buffers fill: that is known, and the end of the run waits only so long. */
START_TEST(receiver_that_does_not_read)
{
	enum { LINES = 400, LENGTH = 50000 };
	static const struct mirror_times hasty = { 20, PATIENCE_MS, 100, 200 };
	static char line[LENGTH + 1];
	char dest[64];
	int listening = listen_at(dest, sizeof(dest), 0);
	struct mirrors mirrors;
	struct err err;
	unsigned int left = 0;

	memset(line, 'x', LENGTH - 1);
	line[LENGTH - 1] = '\n';
	start(&mirrors, dest, false, &hasty);
	ck_assert_int_ge(accept(listening, NULL, NULL), 0);
	for (int i = 0; i < LINES; i++)
		write_to(journal, line);
	mirrors_settle(&mirrors);
	await_news(&mirrors, "bytes of the journal behind");
	ck_assert_uint_eq(mirrors_finish(&mirrors, &err), 1);
	ck_assert_int_eq(sscanf(strstr(err.text, "the last "), "the last %u lines", &left), 1);
	ck_assert_uint_gt(left, 0);
	ck_assert_uint_le(left, LINES);
}
END_TEST

/* After a reset the receiver may be late: the run does not wait for it, and it gets everything. */
START_TEST(resuming_does_not_need_the_receiver)
{
	char dest[64], path[PATH_MAX];
	int listening = listen_at(dest, sizeof(dest), 0);
	struct mirrors mirrors;
	struct sockaddr_in address = { .sin_port = 0 };
	socklen_t length = sizeof(address);
	int fd;

	snprintf(path, sizeof(path), "%s/received", dir);
	write_to(journal, "one\n");
	getsockname(listening, (struct sockaddr *)&address, &length);
	close(listening);
	start(&mirrors, dest, true, &patient);
	await_news(&mirrors, "ECONNREFUSED");
	listening = listen_at(dest, sizeof(dest), address.sin_port);
	fd = accept(listening, NULL, NULL);
	receive(fd, path, "\none\n");
	ck_assert_uint_eq(mirrors_finish(&mirrors, NULL), 0);
}
END_TEST

START_TEST(resuming_continues_a_file)
{
	char dest[PATH_MAX];
	struct mirrors mirrors;

	snprintf(dest, sizeof(dest), "file:%s/mirror", dir);
	write_to(dest + 5, "one\ntw");
	write_to(journal, "one\ntwo\n");
	start(&mirrors, dest, true, &patient);
	ck_assert_uint_eq(mirrors_finish(&mirrors, NULL), 0);
	ck_assert(has_journal(dest + 5, "one\ntw\none\ntwo\n"));
}
END_TEST

START_TEST(serial_line_is_raw_and_put_back)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	struct termios before, line, after;
	char dest[PATH_MAX], path[PATH_MAX];
	struct mirrors mirrors;

	ck_assert(!grantpt(master) && !unlockpt(master));
	snprintf(dest, sizeof(dest), "serial:%s,57600", ptsname(master));
	snprintf(path, sizeof(path), "%s/received", dir);
	ck_assert_int_eq(tcgetattr(master, &before), 0);
	ck_assert(before.c_oflag & OPOST);
	write_to(journal, "one\n");
	start(&mirrors, dest, false, &patient);
	receive(master, path, "\none\n"); /* not "\r\n" */
	tcgetattr(master, &line);
	ck_assert_uint_eq(cfgetospeed(&line), B57600);
	ck_assert_uint_eq(mirrors_finish(&mirrors, NULL), 0);
	tcgetattr(master, &after);
	ck_assert_uint_eq(cfgetospeed(&after), cfgetospeed(&before));
	ck_assert_uint_eq(after.c_oflag, before.c_oflag);
	ck_assert_uint_eq(after.c_cflag, before.c_cflag);
}
END_TEST

/* Nobody reads the line: its buffer fills, and the end waits only so long. */
START_TEST(serial_line_that_stalls)
{
	static const struct mirror_times hasty = { 20, PATIENCE_MS, 100, 200 };
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	char dest[PATH_MAX];
	struct mirrors mirrors;
	struct err err;

	ck_assert(!grantpt(master) && !unlockpt(master));
	snprintf(dest, sizeof(dest), "serial:%s", ptsname(master));
	for (int i = 0; i < 20000; i++)
		write_to(journal, "0123456789\n");
	start(&mirrors, dest, false, &hasty);
	ck_assert_uint_eq(mirrors_finish(&mirrors, &err), 1);
	ck_assert_msg(strstr(err.text, "lines of the journal were not sent"), "%s", err.text);
}
END_TEST

/*
 * As with a full disk, that mirror ends, and it is known where. This file takes numbers only, and
 * says so with EINVAL.
 */
START_TEST(file_that_cannot_be_written)
{
	char dest[] = "file:/proc/self/oom_score_adj";
	struct mirrors mirrors;
	struct err err;

	write_to(journal, "one\ntwo\n");
	start(&mirrors, dest, false, &patient);
	await_news(&mirrors, "nothing more is written: EINVAL");
	ck_assert_uint_eq(mirrors_finish(&mirrors, &err), 1);
	ck_assert_msg(strstr(err.text, "the last 2 lines of the journal were not sent"), "%s",
		      err.text);
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("mirror");
	TCase *c = tcase_create("mirror");

	tcase_add_checked_fixture(c, make_dir, remove_dir);
	tcase_set_timeout(c, 60);
	tcase_add_test(c, destinations_are_parsed);
	tcase_add_test(c, bad_destinations_are_refused);
	tcase_add_test(c, what_cannot_be_opened_is_an_error);
	tcase_add_test(c, file_gets_whole_lines_as_they_come);
	tcase_add_test(c, long_line_is_not_cut);
	tcase_add_test(c, kernel_log_comes_as_records);
	tcase_add_test(c, tcp_receiver_gets_it);
	tcase_add_test(c, tcp_is_connected_again);
	tcase_add_test(c, receiver_that_stays_away_is_given_up);
	tcase_add_test(c, receiver_that_does_not_read);
	tcase_add_test(c, resuming_does_not_need_the_receiver);
	tcase_add_test(c, resuming_continues_a_file);
	tcase_add_test(c, serial_line_is_raw_and_put_back);
	tcase_add_test(c, serial_line_that_stalls);
	tcase_add_test(c, file_that_cannot_be_written);
	suite_add_tcase(s, c);
	return s;
}
