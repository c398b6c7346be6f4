// SPDX-License-Identifier: GPL-2.0-or-later
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "io.h"
#include "record.h"

#define BOOT_ID_PATH "/proc/sys/kernel/random/boot_id"

/* The directory entry must survive a reset too, or the journal is there but cannot be found. */
static int sync_directory(const char *dir, struct err *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int result = 0;

	if (fd < 0)
		return err_set(err, errno, "open %s", dir);
	/* EINVAL: a file system without fsync on directories has nothing to flush. */
	if (fsync(fd) && errno != EINVAL)
		result = err_set(err, errno, "fsync %s", dir);
	close(fd);
	return result;
}

int journal_begin(struct journal *journal, journal_send send, struct err *err)
{
	ssize_t got;

	memset(journal, 0, sizeof(*journal));
	journal->fd = -1;
	journal->send = send;
	got = io_read_text(BOOT_ID_PATH, journal->boot, sizeof(journal->boot));
	return got < 0 ? err_set(err, (int)-got, "read %s", BOOT_ID_PATH) : 0;
}

/* Where a file system cannot lock, machine_lock() still keeps runs apart. */
static int open_in(struct journal *journal, const char *dir, int flags, struct err *err)
{
	char path[PATH_MAX];
	int result = journal_begin(journal, NULL, err);

	if (result)
		return result;
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, JOURNAL_NAME) >= sizeof(path))
		return err_set(err, ENAMETOOLONG, "%s", dir);
	journal->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0666);
	if (journal->fd < 0)
		return err_set(err, errno, "%s %s", flags ? "create" : "open", path);
	if (flock(journal->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		journal_close(journal);
		return err_plain(err, EBUSY, "%s: another run is writing to it", path);
	}
	return 0;
}

int journal_create(struct journal *journal, const char *dir, struct err *err)
{
	int result;

	journal->fd = -1;
	if (mkdir(dir, 0777) && errno != EEXIST)
		return err_set(err, errno, "mkdir %s", dir);
	result = open_in(journal, dir, O_CREAT | O_EXCL, err);
	return result ? result : sync_directory(dir, err);
}

int journal_reopen(struct journal *journal, const char *dir, struct err *err)
{
	return open_in(journal, dir, 0, err);
}

int journal_cut(struct journal *journal, uint64_t seq, uint64_t whole, struct err *err)
{
	if (ftruncate(journal->fd, (off_t)whole) || fsync(journal->fd))
		return err_set(err, errno, "cut the end of %s", JOURNAL_NAME);
	journal->seq = seq;
	return 0;
}

static void format_time(char *text, size_t size)
{
	struct timespec now;
	struct tm utc;
	size_t used;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	used = strftime(text, size, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text + used, size - used, ".%03ldZ", now.tv_nsec / 1000000);
}

/* The line as it goes to the file: our stamp first, and nothing in `record` can replace it. */
static json_t *stamp(const struct journal *journal, json_t *record)
{
	char now[48];
	json_t *line;

	format_time(now, sizeof(now));
	line = json_pack("{s:i, s:I, s:s, s:s}", "v", RECORD_VERSION, "seq",
			 (json_int_t)(journal->seq + 1), "boot", journal->boot, "time", now);
	if (line && json_object_update_missing(line, record)) {
		json_decref(line);
		line = NULL;
	}
	json_decref(record);
	return line;
}

/* Takes over the reference to `record`. */
static int send_line(const struct journal *journal, json_t *record, struct err *err)
{
	char *line;
	size_t size;
	int result = record_format(record, &line, &size, err);

	if (!line)
		return result;
	result = journal->send(line, size, err);
	free(line);
	return result;
}

int journal_append(struct journal *journal, json_t *record, bool sync, struct err *err)
{
	json_t *line = stamp(journal, record);
	off_t size;
	int result;

	if (!line)
		return err_set(err, ENOMEM, "journal line");
	if (journal->send) {
		result = send_line(journal, line, err);
		journal->seq += result ? 0 : 1;
		return result;
	}
	size = lseek(journal->fd, 0, SEEK_END);
	if (size < 0) {
		json_decref(line);
		return err_set(err, errno, "seek in %s", JOURNAL_NAME);
	}
	result = record_write(journal->fd, line, err);
	if (result) {
		/* A half-written line (disk full) must not run into the next one. */
		if (ftruncate(journal->fd, size))
			err_prefix(err, "cannot cut a half-written line");
		err_prefix(err, "%s", JOURNAL_NAME);
		return result;
	}
	journal->seq++;
	if (sync && fdatasync(journal->fd))
		return err_set(err, errno, "fdatasync %s", JOURNAL_NAME);
	return 0;
}

void journal_close(struct journal *journal)
{
	if (journal->fd >= 0)
		close(journal->fd);
	journal->fd = -1;
}

void journal_attach(struct journal_reader *reader, FILE *file, const char *name)
{
	memset(reader, 0, sizeof(*reader));
	reader->file = file;
	reader->name = name;
}

int journal_open(struct journal_reader *reader, const char *path, struct err *err)
{
	char inside[PATH_MAX];
	const char *open_path = path;
	struct stat status;
	FILE *file;

	if (!stat(path, &status) && S_ISDIR(status.st_mode)) {
		if ((size_t)snprintf(inside, sizeof(inside), "%s/%s", path, JOURNAL_NAME) >=
		    sizeof(inside))
			return err_set(err, ENAMETOOLONG, "%s", path);
		open_path = inside;
	}
	file = fopen(open_path, "re");
	if (!file)
		return err_set(err, errno, "open %s", open_path);
	journal_attach(reader, file, path);
	return 0;
}

static int grow(struct journal_reader *reader)
{
	size_t size = reader->size ? reader->size * 2 : 4096;
	char *larger = realloc(reader->buffer, size);

	if (!larger)
		return -ENOMEM;
	reader->buffer = larger;
	reader->size = size;
	return 0;
}

/*
 * One line without its newline into the buffer. Returns 1, 0 at the end of the file, -errno. A
 * line without a newline is at the end and was cut: it counts as the end.
 */
static int read_line(struct journal_reader *reader, size_t *length, struct err *err)
{
	size_t used = 0;
	int c;

	reader->line++;
	while ((c = getc_unlocked(reader->file)) != EOF && c != '\n') {
		if (used == RECORD_LINE_MAX)
			return err_plain(err, EBADMSG, "%s:%lu: line longer than %zu bytes",
					 reader->name, reader->line, RECORD_LINE_MAX);
		if (used == reader->size && grow(reader))
			return err_set(err, ENOMEM, "%s:%lu", reader->name, reader->line);
		reader->buffer[used++] = (char)c;
	}
	if (ferror(reader->file))
		return err_set(err, errno ? errno : EIO, "%s:%lu", reader->name, reader->line);
	if (c == EOF)
		reader->cut = used > 0;
	*length = used;
	return c == EOF ? 0 : 1;
}

/* Version, sequence and the keys that every line has. */
static int check_stamp(struct journal_reader *reader, const json_t *record, struct err *err)
{
	json_t *version = json_object_get(record, "v");
	json_t *seq = json_object_get(record, "seq");

	if (!json_is_object(record))
		return err_plain(err, EBADMSG, "%s:%lu: not a JSON object", reader->name,
				 reader->line);
	if (!json_is_integer(version))
		return err_plain(err, EBADMSG, "%s:%lu: no format version \"v\"", reader->name,
				 reader->line);
	if (json_integer_value(version) != RECORD_VERSION)
		return err_plain(err, EPROTONOSUPPORT,
				 "%s:%lu: record format version %" JSON_INTEGER_FORMAT
				 ", this program reads %d",
				 reader->name, reader->line, json_integer_value(version),
				 RECORD_VERSION);
	if (!json_is_integer(seq) || json_integer_value(seq) != (json_int_t)(reader->seq + 1))
		return err_plain(err, EBADMSG, "%s:%lu: sequence number is not %" PRIu64,
				 reader->name, reader->line, reader->seq + 1);
	if (!json_is_string(json_object_get(record, "boot")) ||
	    !json_is_string(json_object_get(record, "time")) ||
	    !json_is_string(json_object_get(record, "type")))
		return err_plain(err, EBADMSG, "%s:%lu: \"boot\", \"time\" or \"type\" missing",
				 reader->name, reader->line);
	return 0;
}

int journal_next(struct journal_reader *reader, json_t **record, struct err *err)
{
	json_error_t error;
	size_t length = 0;
	int result;

	*record = NULL;
	result = read_line(reader, &length, err);
	if (result <= 0)
		return result;
	*record = json_loadb(reader->buffer, length, JSON_REJECT_DUPLICATES, &error);
	if (!*record)
		return err_plain(err, EBADMSG, "%s:%lu: %s", reader->name, reader->line,
				 error.text);
	result = check_stamp(reader, *record, err);
	if (result) {
		json_decref(*record);
		*record = NULL;
		return result;
	}
	reader->whole += length + 1;
	reader->seq++;
	return 1;
}

void journal_finish(struct journal_reader *reader)
{
	if (reader->file)
		fclose(reader->file);
	free(reader->buffer);
	reader->file = NULL;
	reader->buffer = NULL;
}
