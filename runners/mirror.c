// SPDX-License-Identifier: GPL-2.0-or-later
#include "mirror.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "io.h"
#include "klog.h"
#include "mirror_dest.h"
#include "record.h"

/* Read and sent in one go. */
#define CHUNK 16384

/* How often at least the journal is looked at: inotify(7) may be missing. */
#define TICK_MS 200

/* Locked in memory, as all of ours is; getaddrinfo(3) needs most of it. */
#define STACK_SIZE (256 * 1024)

/* Beyond finish_ms: a thread that the resolver or a disk holds is left to the end of the process.
 */
#define JOIN_MS 1000

static const struct mirror_times run_times = {
	.retry_ms = 2000,
	.give_up_ms = 600000,
	.settle_ms = 2000,
	.finish_ms = 5000,
};

struct mirror {
	struct mirror_dest dest;
	struct mirror_times times;
	pthread_t thread;
	bool started;
	bool append; /* a file is continued */
	char boot[40];
	int fd;	     /* of the destination, -1: not open */
	int journal; /* descriptor */
	int watch;   /* inotify on it, or -1 */
	int wake;    /* eventfd: look at `finish` */
	struct klog klog;
	bool klog_open;
	uint64_t klog_told; /* lost records that were in the news */
	char *log;	    /* line of a kernel-log record that is being sent */
	size_t log_size, log_at;
	off_t end;     /* of the journal line that is being sent, or 0 */
	off_t scanned; /* no end of a line from `at` to here */
	int64_t down;  /* clock_ms() when the connection was lost */
	int64_t next;  /* ... of the next attempt */
	bool tried;    /* another attempt has failed since */
	bool given_up;
	bool doubtful; /* what the other side has of the journal is not known */
	bool dirty;    /* a file was written to since it was flushed */
	size_t lines_left;
	_Atomic int64_t at;	/* journal bytes sent */
	_Atomic bool open;	/* there is a destination */
	_Atomic int64_t finish; /* 0, or clock_ms() by when all is to be sent */
	pthread_mutex_t lock;	/* of the two below */
	char news[600];
	bool fresh;
};

__attribute__((format(printf, 2, 3))) static void tell(struct mirror *mirror, const char *fmt, ...)
{
	va_list args;
	size_t used;

	pthread_mutex_lock(&mirror->lock);
	used = mirror->fresh ? strlen(mirror->news) : 0;
	used += (size_t)snprintf(mirror->news + used, sizeof(mirror->news) - used, "%s%s%s",
				 used ? "; " : "mirror ", used ? "" : mirror->dest.text,
				 used ? "" : ": ");
	if (used >= sizeof(mirror->news))
		used = sizeof(mirror->news) - 1;
	va_start(args, fmt);
	vsnprintf(mirror->news + used, sizeof(mirror->news) - used, fmt, args);
	va_end(args);
	mirror->fresh = true;
	pthread_mutex_unlock(&mirror->lock);
}

/* --- what is sent --- */

/* A kernel-log record as a line. */
static void take_log(struct mirror *mirror, const struct klog_record *log)
{
	json_t *record = json_pack("{s:s, s:s, s:I, s:i, s:I}", "type", "kmsg", "boot",
				   mirror->boot, "kseq", (json_int_t)log->seq, "level", log->level,
				   "ktime_us", (json_int_t)log->time_us);

	record_set_text(record, "text", log->text, (size_t)-1);
	mirror->log_at = 0;
	if (record_format(record, &mirror->log, &mirror->log_size, NULL))
		mirror->log = NULL;
}

static bool next_log(struct mirror *mirror)
{
	struct klog_record log;

	while (mirror->klog_open && !mirror->log && klog_next(&mirror->klog, &log, NULL) > 0)
		take_log(mirror, &log);
	return mirror->log;
}

/* Is there a whole line of the journal that was not sent? A line under way has no end yet. */
static bool next_line(struct mirror *mirror)
{
	char chunk[CHUNK];
	ssize_t got;

	if (mirror->scanned < mirror->at)
		mirror->scanned = mirror->at;
	while (!mirror->end &&
	       (got = pread(mirror->journal, chunk, sizeof(chunk), mirror->scanned)) > 0) {
		const char *newline = memchr(chunk, '\n', (size_t)got);

		if (newline)
			mirror->end = mirror->scanned + (newline - chunk) + 1;
		mirror->scanned += got;
	}
	if (mirror->end)
		mirror->scanned = mirror->end;
	return mirror->end;
}

static ssize_t put(struct mirror *mirror, const void *data, size_t size)
{
	ssize_t n = mirror->dest.kind == MIRROR_TCP ? send(mirror->fd, data, size, MSG_NOSIGNAL)
						    : write(mirror->fd, data, size);

	mirror->dirty |= n > 0;
	return n < 0 ? -errno : n;
}

static ssize_t send_log(struct mirror *mirror)
{
	ssize_t n = put(mirror, mirror->log + mirror->log_at, mirror->log_size - mirror->log_at);

	mirror->log_at += n > 0 ? (size_t)n : 0;
	if (mirror->log_at == mirror->log_size) {
		free(mirror->log);
		mirror->log = NULL;
	}
	return n;
}

static ssize_t send_journal(struct mirror *mirror)
{
	char chunk[CHUNK];
	size_t left = (size_t)(mirror->end - mirror->at);
	ssize_t n = pread(mirror->journal, chunk, left < CHUNK ? left : CHUNK, mirror->at);

	if (n <= 0)
		return n ? -errno : -EIO;
	n = put(mirror, chunk, (size_t)n);
	if (n > 0)
		mirror->at += n;
	if (mirror->at == mirror->end)
		mirror->end = 0;
	return n;
}

/* Send what there is, one line after the other. -EAGAIN: no more can be sent now; 0: no more is. */
static ssize_t pump(struct mirror *mirror)
{
	ssize_t n = 1;

	while (n > 0 || n == -EINTR) {
		/* The kernel log goes first: it does not wait. */
		if (!mirror->end && next_log(mirror))
			n = send_log(mirror);
		else if (next_line(mirror))
			n = send_journal(mirror);
		else
			n = 0;
	}
	if (!n && mirror->dirty && mirror->dest.lasting && fdatasync(mirror->fd))
		return -errno;
	mirror->dirty &= n != 0;
	return n;
}

/* --- the connection --- */

static void give_up(struct mirror *mirror)
{
	mirror->given_up = true;
	mirror->open = false;
}

static void disconnect(struct mirror *mirror, int error)
{
	struct err why;

	mirror_dest_close(&mirror->dest, mirror->fd, true);
	mirror->fd = -1;
	mirror->open = false;
	mirror->down = clock_ms();
	mirror->tried = false;
	mirror->next = mirror->down + mirror->times.retry_ms;
	err_set(&why, error, "the connection was lost");
	if (mirror->dest.lasting) {
		give_up(mirror);
		err_set(&why, error, "nothing more is written");
	}
	tell(mirror, "%s", why.text);
}

/*
 * What was on its way through the old connection is not known: the journal is sent again from its
 * beginning. The line that was cut short there is ended.
 */
static void begin_connection(struct mirror *mirror)
{
	mirror->at = 0;
	mirror->end = mirror->scanned = 0;
	mirror->log_at = 0;
	mirror->open = true;
	if (mirror->dest.kind != MIRROR_FILE || mirror->append || mirror->down)
		(void)put(mirror, "\n", 1);
}

static void reconnect(struct mirror *mirror)
{
	struct err err;
	int64_t now = clock_ms();

	if (mirror->given_up || now < mirror->next)
		return;
	mirror->fd = mirror_dest_open(&mirror->dest, mirror->append, &err);
	if (mirror->fd >= 0) {
		tell(mirror, "connected, %.1f s after that failed",
		     (double)(clock_ms() - mirror->down) / 1000);
		begin_connection(mirror);
		return;
	}
	mirror->tried = true;
	mirror->next = clock_ms() + mirror->times.retry_ms;
	if (now - mirror->down >= mirror->times.give_up_ms) {
		give_up(mirror);
		tell(mirror, "given up, %.1f s after the connection failed: %s",
		     (double)(now - mirror->down) / 1000, err.text);
	}
}

static void await(struct mirror *mirror, bool blocked)
{
	bool connected = mirror->fd >= 0;
	struct pollfd fds[] = {
		{ .fd = mirror->wake, .events = POLLIN },
		{ .fd = mirror->watch, .events = POLLIN },
		{ .fd = connected ? mirror->fd : -1, .events = blocked ? POLLOUT : 0 },
		/* One that is not read now would be ready again and again. */
		{ .fd = connected && !blocked && mirror->klog_open ? klog_fd(&mirror->klog) : -1,
		  .events = POLLIN },
	};
	char events[4096];
	uint64_t count;

	if (poll(fds, sizeof(fds) / sizeof(fds[0]), TICK_MS) <= 0)
		return;
	/* Both only wake us: what is to be done is looked at anyway. */
	if (fds[0].revents && read(mirror->wake, &count, sizeof(count)) < 0)
		tell(mirror, "eventfd: %s", strerror(errno));
	if (fds[1].revents && read(mirror->watch, events, sizeof(events)) < 0)
		tell(mirror, "inotify: %s", strerror(errno));
	if (fds[2].revents & (POLLERR | POLLHUP))
		disconnect(mirror, EPIPE);
}

/* In a run that has ended (`finish`): is there nothing more to do, or no time for it? */
static bool is_over(struct mirror *mirror, int64_t finish, bool idle)
{
	struct pollfd broken = { .fd = mirror->fd };

	if (!finish)
		return false;
	if (clock_ms() >= finish)
		return true;
	if (mirror->fd < 0)
		return mirror->given_up || mirror->tried;
	return idle && !mirror_dest_unsent(&mirror->dest, mirror->fd) && !poll(&broken, 1, 0);
}

static void tell_lost(struct mirror *mirror)
{
	uint64_t lost = mirror->klog.lost_count;

	if (!mirror->klog_open || lost == mirror->klog_told)
		return;
	mirror->klog_told = lost;
	tell(mirror,
	     "%" PRIu64 " records of the kernel log were overwritten before they could be sent",
	     lost);
}

static size_t count_lines(int fd, off_t at)
{
	char chunk[CHUNK];
	size_t n = 0;
	ssize_t got;

	while ((got = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		for (ssize_t i = 0; i < got; i++)
			n += chunk[i] == '\n';
		at += got;
	}
	return n;
}

static void *run(void *context)
{
	struct mirror *mirror = context;
	ssize_t n;

	pthread_setname_np(pthread_self(), "mirror");
	if (mirror->fd >= 0)
		begin_connection(mirror);
	for (;;) {
		int64_t finish = mirror->finish; /* what was written before that is seen below */

		if (mirror->fd < 0)
			reconnect(mirror);
		n = mirror->fd < 0 ? 0 : pump(mirror);
		if (n < 0 && n != -EAGAIN)
			disconnect(mirror, (int)-n);
		tell_lost(mirror);
		if (is_over(mirror, finish, n == 0))
			break;
		await(mirror, n == -EAGAIN);
	}
	mirror->doubtful = mirror->fd < 0 && !mirror->dest.lasting;
	mirror->lines_left = count_lines(mirror->journal, mirror->at);
	if (mirror->fd >= 0)
		mirror_dest_close(&mirror->dest, mirror->fd, n != 0);
	mirror->fd = -1;
	return NULL;
}

/* --- what a run calls --- */

static void free_mirror(struct mirror *mirror)
{
	if (mirror->fd >= 0)
		mirror_dest_close(&mirror->dest, mirror->fd, true);
	if (mirror->journal >= 0)
		close(mirror->journal);
	if (mirror->watch >= 0)
		close(mirror->watch);
	if (mirror->wake >= 0)
		close(mirror->wake);
	if (mirror->klog_open)
		klog_close(&mirror->klog);
	free(mirror->log);
	mirror_dest_free(&mirror->dest);
	pthread_mutex_destroy(&mirror->lock);
	free(mirror);
}

static int open_mirror(struct mirror *mirror, const char *text, bool resuming, struct err *err)
{
	struct err why;
	int result;

	*mirror = (struct mirror){
		.times = run_times,
		.append = resuming,
		.fd = -1,
		.journal = -1,
		.watch = -1,
		.wake = -1,
		.down = resuming ? clock_ms() : 0,
	};
	pthread_mutex_init(&mirror->lock, NULL);
	result = mirror_dest_parse(&mirror->dest, text, err);
	if (result)
		return result;
	mirror->fd = mirror_dest_open(&mirror->dest, resuming, &why);
	if (mirror->fd < 0 && !resuming) {
		*err = why;
		err_prefix(err, "--mirror");
		return mirror->fd;
	}
	if (mirror->fd < 0)
		tell(mirror, "%s; it is tried again", why.text);
	return 0;
}

int mirrors_open(struct mirrors *mirrors, char *const *dests, size_t n, bool resuming,
		 struct err *err)
{
	int result = 0;

	mirrors->n = 0;
	mirrors->of = calloc(n ? n : 1, sizeof(struct mirror *));
	if (!mirrors->of)
		return err_set(err, ENOMEM, "mirrors");
	while (!result && mirrors->n < n) {
		struct mirror *mirror = malloc(sizeof(*mirror));

		if (!mirror) {
			result = err_set(err, ENOMEM, "mirror %s", dests[mirrors->n]);
			break;
		}
		result = open_mirror(mirror, dests[mirrors->n], resuming, err);
		mirrors->of[mirrors->n++] = mirror;
	}
	if (result) {
		while (mirrors->n)
			free_mirror(mirrors->of[--mirrors->n]);
		free(mirrors->of);
		mirrors->of = NULL;
	}
	return result;
}

void mirrors_set_times(struct mirrors *mirrors, const struct mirror_times *times)
{
	for (size_t i = 0; i < mirrors->n; i++)
		mirrors->of[i]->times = *times;
}

/* A thread inherits the signals that are blocked. */
static int start_thread(struct mirror *mirror)
{
	pthread_attr_t how;
	sigset_t all, before;
	int result;

	sigfillset(&all);
	pthread_attr_init(&how);
	pthread_attr_setstacksize(&how, STACK_SIZE);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	result = pthread_create(&mirror->thread, &how, run, mirror);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&how);
	mirror->started = !result;
	return result;
}

static int start_mirror(struct mirror *mirror, const char *path, struct err *err)
{
	struct err why;
	int result;

	io_read_text("/proc/sys/kernel/random/boot_id", mirror->boot, sizeof(mirror->boot));
	mirror->journal = open(path, O_RDONLY | O_CLOEXEC);
	if (mirror->journal < 0)
		return err_set(err, errno, "open %s", path);
	mirror->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (mirror->wake < 0)
		return err_set(err, errno, "eventfd of a mirror");
	mirror->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (mirror->watch >= 0)
		inotify_add_watch(mirror->watch, path, IN_MODIFY);
	mirror->klog_open = !klog_open_live(&mirror->klog, &why);
	if (!mirror->klog_open)
		tell(mirror, "the kernel log is not sent: %s", why.text);
	result = start_thread(mirror);
	return result ? err_set(err, result, "thread of mirror %s", mirror->dest.text) : 0;
}

int mirrors_start(struct mirrors *mirrors, const char *path, struct err *err)
{
	int result = 0;

	for (size_t i = 0; !result && i < mirrors->n; i++)
		result = start_mirror(mirrors->of[i], path, err);
	return result;
}

bool mirrors_news(struct mirrors *mirrors, char *text, size_t size)
{
	bool fresh = false;

	for (size_t i = 0; !fresh && i < mirrors->n; i++) {
		struct mirror *mirror = mirrors->of[i];

		pthread_mutex_lock(&mirror->lock);
		fresh = mirror->fresh;
		mirror->fresh = false;
		if (fresh)
			snprintf(text, size, "%s", mirror->news);
		pthread_mutex_unlock(&mirror->lock);
	}
	return fresh;
}

static int64_t behind(const struct mirror *mirror)
{
	struct stat status;

	if (!mirror->started || fstat(mirror->journal, &status))
		return 0;
	return status.st_size - mirror->at;
}

void mirrors_settle(struct mirrors *mirrors)
{
	for (size_t i = 0; i < mirrors->n; i++) {
		struct mirror *mirror = mirrors->of[i];
		int64_t until = clock_ms() + mirror->times.settle_ms;

		while (mirror->open && behind(mirror) && clock_ms() < until)
			clock_sleep_ms(5);
		if (mirror->open && behind(mirror))
			tell(mirror, "%" PRId64 " bytes of the journal behind", behind(mirror));
	}
}

/* Wait for its end. False: the thread is held up somewhere, and what it uses must stay. */
static bool join(struct mirror *mirror)
{
	struct timespec until;
	int64_t ms = mirror->times.finish_ms + JOIN_MS;

	if (!mirror->started)
		return true;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += ms / 1000 + 1;
	return !pthread_timedjoin_np(mirror->thread, NULL, &until);
}

static bool has_loss(const struct mirror *mirror, bool ended, struct err *err)
{
	const char *text = mirror->dest.text;

	if (!ended)
		err_plain(err, EIO, "mirror %s: held up; what it has sent is not known", text);
	else if (mirror->doubtful)
		err_plain(err, EIO, "mirror %s: no connection at the end of the run", text);
	else if (mirror->lines_left)
		err_plain(err, EIO, "mirror %s: the last %zu lines of the journal were not sent",
			  text, mirror->lines_left);
	return !ended || mirror->doubtful || mirror->lines_left;
}

size_t mirrors_finish(struct mirrors *mirrors, struct err *err)
{
	static const uint64_t one = 1;
	size_t lossy = 0;

	for (size_t i = 0; i < mirrors->n; i++) {
		struct mirror *mirror = mirrors->of[i];

		mirror->finish = clock_ms() + mirror->times.finish_ms;
		if (mirror->started && write(mirror->wake, &one, sizeof(one)) < 0)
			continue; /* it looks in each tick all the same */
	}
	for (size_t i = 0; i < mirrors->n; i++) {
		struct mirror *mirror = mirrors->of[i];
		bool ended = join(mirror);

		lossy += has_loss(mirror, ended, lossy ? NULL : err);
		if (ended)
			free_mirror(mirror);
	}
	free(mirrors->of);
	*mirrors = (struct mirrors){ 0 };
	return lossy;
}
