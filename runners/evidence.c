// SPDX-License-Identifier: GPL-2.0-or-later
#include "evidence.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/watchdog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"
#include "log_record.h"
#include "record.h"
#include "watchdog_find.h"

/* A compressed record that the kernel could not decompress (fs/pstore/inode.c). */
#define COMPRESSED ".enc.z"

/* More than any backend of pstore holds in one record; what is larger is left there. */
#define PSTORE_MAX ((size_t)4 << 20)

/* Last lines of the kernel log that are kept whatever they say. */
#define KMSG_LINES 20

/* Up to this level (KERN_WARNING) a record is kept whatever it says, as while a test runs. */
#define LEVEL_WARNING 4
#define LOG_MAX 1000

static void append(struct evidence *evidence, json_t *record, bool sync)
{
	if (evidence->result) {
		json_decref(record);
		return;
	}
	if (evidence->test) {
		json_object_set_new(record, "test", json_string(evidence->test));
		json_object_set_new(record, "iter", json_integer(evidence->iter));
	}
	evidence->result = journal_append(evidence->journal, record, sync, &evidence->err);
}

static void append_text(struct evidence *evidence, const char *stream, const char *text, size_t len)
{
	json_t *record;

	if (!evidence->test)
		return;
	record = json_pack("{s:s, s:s}", "type", "output", "stream", stream);
	record_set_text(record, "text", text, len);
	append(evidence, record, false);
}

/* Sync: a note is the last thing said about something. */
void evidence_note(struct evidence *evidence, const char *text)
{
	json_t *record = json_pack("{s:s}", "type", "note");

	record_set_text(record, "text", text, (size_t)-1);
	append(evidence, record, true);
}

static bool is_death(enum klog_class class)
{
	return class == KLOG_PANIC || class == KLOG_OOPS || class == KLOG_HARD_LOCKUP ||
	       class == KLOG_SOFT_LOCKUP || class == KLOG_RCU_STALL;
}

static unsigned int allowance(const struct evidence *evidence, enum klog_class class)
{
	for (const struct klog_allow *allow = evidence->allow; allow && allow->class != KLOG_NONE;
	     allow++)
		if (allow->class == class)
			return allow->max;
	return 0;
}

static void take_log(struct evidence *evidence, const struct klog_record *log)
{
	klog_tally_add(&evidence->tally, log);
	if (!*evidence->worst && is_death(log->class))
		snprintf(evidence->worst, sizeof(evidence->worst), "%s: %.200s",
			 klog_class_name(log->class), log->text);
	append(evidence,
	       log_record(log,
			  evidence->tally.count[log->class] <= allowance(evidence, log->class)),
	       false);
}

/* Text of a file as lines, and what the kernel log says in it. */
static void take_text(struct evidence *evidence, char *text, size_t size)
{
	FILE *file = fmemopen(text, size, "r");
	struct klog_record log;
	struct klog klog;
	struct err err;

	if (!file) {
		evidence->result = err_set(&evidence->err, errno, "read %zu bytes", size);
		return;
	}
	for (size_t at = 0; at < size;) {
		const char *newline = memchr(text + at, '\n', size - at);
		size_t len = newline ? (size_t)(newline - text) - at : size - at;

		if (len)
			append_text(evidence, "pstore", text + at, len);
		at += len + 1;
	}
	klog_attach(&klog, file);
	while (klog_next(&klog, &log, &err) > 0)
		if (log.class != KLOG_NONE && !log.continues)
			take_log(evidence, &log);
	klog_close(&klog);
}

/* A whole file, newly allocated; *size of it. NULL with errno. */
static char *read_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = fd < 0 ? NULL : malloc(PSTORE_MAX);
	ssize_t got = text ? io_read_all(fd, text, PSTORE_MAX) : -errno;

	if (fd >= 0)
		close(fd);
	if (got >= 0 && (size_t)got < PSTORE_MAX) {
		*size = (size_t)got;
		return text;
	}
	free(text);
	errno = got < 0 ? (int)-got : EFBIG;
	return NULL;
}

static void leave(struct evidence *evidence, const char *name, const char *why)
{
	char text[NAME_MAX + 128];

	snprintf(text, sizeof(text), "left in pstore: %s (%s)", name, why);
	evidence_note(evidence, text);
}

static void take_file(struct evidence *evidence, const char *dir, const char *name, time_t since)
{
	char path[PATH_MAX], said[NAME_MAX + 64];
	size_t length = strlen(name), size;
	struct stat status;
	char *text;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >= sizeof(path) ||
	    stat(path, &status) || !S_ISREG(status.st_mode))
		return;
	if (status.st_mtime < since) {
		leave(evidence, name, "it is older than what was cut off");
		return;
	}
	if (length > strlen(COMPRESSED) &&
	    !strcmp(name + length - strlen(COMPRESSED), COMPRESSED)) {
		leave(evidence, name, "it is compressed");
		return;
	}
	text = read_file(path, &size);
	if (!text) {
		leave(evidence, name, strerrorname_np(errno));
		return;
	}
	if (size)
		take_text(evidence, text, size);
	free(text);
	evidence->taken++;
	if (!evidence->test) {
		leave(evidence, name, "no test was running");
		return;
	}
	snprintf(said, sizeof(said), "taken from pstore: %s, %zu bytes", name, size);
	evidence_note(evidence, said);
	if (!evidence->result && unlink(path))
		leave(evidence, name, strerrorname_np(errno));
}

void evidence_pstore(struct evidence *evidence, const char *dir, time_t since)
{
	struct dirent **names;
	int n = scandir(dir, &names, NULL, versionsort);

	if (n < 0) {
		char text[PATH_MAX + 64];

		snprintf(text, sizeof(text), "%s cannot be read: %s", dir, strerrorname_np(errno));
		evidence_note(evidence, text);
		return;
	}
	for (int i = 0; i < n; i++) {
		if (!evidence->result)
			take_file(evidence, dir, names[i]->d_name, since);
		free(names[i]);
	}
	free(names);
}

/* The last lines of a log, whatever they say. */
struct last_lines {
	char text[KMSG_LINES][KLOG_TEXT_MAX];
	size_t n;
};

static void put_last(struct evidence *evidence, const struct last_lines *last)
{
	size_t first = last->n > KMSG_LINES ? last->n - KMSG_LINES : 0;

	for (size_t i = first; i < last->n; i++)
		append_text(evidence, "kmsg", last->text[i % KMSG_LINES], (size_t)-1);
}

void evidence_kernel_log(struct evidence *evidence, uint64_t kseq, uint64_t since_us)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct last_lines *last = calloc(1, sizeof(*last));
	unsigned int logged = 0;
	struct klog_record log;
	struct klog klog;
	struct err err;

	if (fd < 0 || !last) {
		err_set(&err, errno, "read /dev/kmsg");
		evidence_note(evidence, err.text);
		if (fd >= 0)
			close(fd);
		free(last);
		return;
	}
	klog_attach_fd(&klog, fd, NULL);
	while (!evidence->result && klog_next(&klog, &log, &err) > 0) {
		if (log.seq <= kseq || log.time_us < since_us)
			continue;
		snprintf(last->text[last->n++ % KMSG_LINES], KLOG_TEXT_MAX, "%s", log.text);
		if ((log.class != KLOG_NONE || log.continues ||
		     (log.level >= 0 && log.level <= LEVEL_WARNING)) &&
		    logged++ < LOG_MAX)
			take_log(evidence, &log);
	}
	klog_close(&klog);
	put_last(evidence, last);
	free(last);
}

void evidence_watchdog(struct evidence *evidence, const char *root)
{
	struct watchdog *found = calloc(WATCHDOG_MAX, sizeof(*found));
	size_t n = found ? watchdog_find(root, found, WATCHDOG_MAX) : 0;

	for (size_t i = 0; i < n; i++) {
		const char *name = *found[i].identity ? found[i].identity : found[i].driver;
		bool reset = found[i].boot_status > 0 && found[i].boot_status & WDIOF_CARDRESET;
		char text[160];

		snprintf(text, sizeof(text), "%s (%s): boot status %#lx%s", found[i].path, name,
			 (unsigned long)found[i].boot_status,
			 reset ? ": it has reset the machine" : "");
		if (found[i].boot_status > 0)
			evidence_note(evidence, text);
		if (reset && !*evidence->reset)
			snprintf(evidence->reset, sizeof(evidence->reset), "%s", text);
	}
	free(found);
}
