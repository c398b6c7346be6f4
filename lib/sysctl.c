// SPDX-License-Identifier: GPL-2.0-or-later
#include "sysctl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"
#include "sysctl_parts.h"

/*
 * A sysctl that the kernel refuses to write (EINVAL) while another has certain values, and a value
 * of the other that lets it through. perf_event_max_sample_rate: kernel/events/core.c,
 * perf_event_max_sample_rate_handler(), with perf_cpu_time_max_percent 0 or 100; 25 is the kernel's
 * default.
 */
static const struct {
	const char *name;
	const char *gate;
	const char *open;
} gated[] = {
	{ "kernel.perf_event_max_sample_rate", "kernel.perf_cpu_time_max_percent", "25" },
};

static int sysctl_path(const char *root, const char *name, char *path, size_t size, struct err *err)
{
	size_t len = strlen(name);
	char *dot;
	int used;

	if (!len || name[0] == '.' || name[len - 1] == '.' || strstr(name, "..") ||
	    strchr(name, '/'))
		return err_set(err, 0, "sysctl \"%s\": not a dotted name", name);
	used = snprintf(path, size, "%s/proc/sys/", root);
	if (used < 0 || (size_t)used + len >= size)
		return err_set(err, ENAMETOOLONG, "sysctl %s", name);
	memcpy(path + used, name, len + 1);
	for (dot = path + used; (dot = strchr(dot, '.'));)
		*dot = '/';
	return 0;
}

static int file_read(const struct sysctl_source *source, const char *name, char *value, size_t size,
		     struct err *err)
{
	char path[PATH_MAX];
	int fd, result = sysctl_path(source->root, name, path, sizeof(path), err);
	ssize_t used;

	if (result)
		return result;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "sysctl %s: open %s", name, path);
	used = io_read_all(fd, value, size);
	close(fd);
	if (used >= (ssize_t)size) /* a value that does not fit must not pass as whole */
		used = -EOVERFLOW;
	if (used < 0)
		return err_set(err, (int)-used, "sysctl %s: read %s", name, path);
	while (used > 0 && value[used - 1] == '\n')
		used--;
	value[used] = '\0';
	return 0;
}

/* The kernel takes a value from one write(2) only, and an empty one only as "\n". */
static int write_line(int fd, const char *value)
{
	char *line = NULL;
	int len = asprintf(&line, "%s\n", value);
	ssize_t written;
	int result = 0;

	if (len < 0)
		return -ENOMEM;
	do
		written = write(fd, line, (size_t)len);
	while (written < 0 && errno == EINTR);
	if (written < 0)
		result = -errno;
	else if (written != len)
		result = -EIO;
	free(line);
	return result;
}

static int file_write(const struct sysctl_source *source, const char *name, const char *value,
		      struct err *err)
{
	char path[PATH_MAX];
	int fd, result = sysctl_path(source->root, name, path, sizeof(path), err);

	if (result)
		return result;
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "sysctl %s: open %s", name, path);
	result = write_line(fd, value);
	if (close(fd) && !result)
		result = -errno;
	if (result)
		return err_set(err, -result, "sysctl %s: write \"%s\" to %s", name, value, path);
	return 0;
}

struct sysctl_source sysctl_files(const char *root)
{
	return (struct sysctl_source){ .read = file_read, .write = file_write, .root = root };
}

int sysctl_read(const char *name, char *value, size_t size, struct err *err)
{
	const struct sysctl_source source = sysctl_files("");

	return source.read(&source, name, value, size, err);
}

int sysctl_read_long(const char *name, long *value, struct err *err)
{
	char text[SYSCTL_VALUE_MAX], *end;
	int result = sysctl_read(name, text, sizeof(text), err);
	long number;

	if (result)
		return result;
	errno = 0;
	number = strtol(text, &end, 10);
	if (errno)
		return err_set(err, errno, "sysctl %s: \"%s\"", name, text);
	if (end == text || *end)
		return err_set(err, 0, "sysctl %s: \"%s\" is not one number", name, text);
	*value = number;
	return 0;
}

int sysctl_write(const char *name, const char *value, struct err *err)
{
	const struct sysctl_source source = sysctl_files("");

	return source.write(&source, name, value, err);
}

int sysctl_save_from(const struct sysctl_source *source, struct sysctl_saved *saved,
		     const char *const *names, struct err *err)
{
	int result = 0;

	for (size_t i = 0; names[i]; i++) {
		struct err this;
		int status;

		saved[i].name = names[i];
		status = source->read(source, names[i], saved[i].value, sizeof(saved[i].value),
				      &this);
		saved[i].present = !status;
		if (status)
			saved[i].value[0] = '\0';
		if (!status || status == -ENOENT || result)
			continue;
		result = status;
		if (err)
			*err = this;
	}
	return result;
}

int sysctl_save(struct sysctl_saved *saved, const char *const *names, struct err *err)
{
	const struct sysctl_source source = sysctl_files("");

	return sysctl_save_from(&source, saved, names, err);
}

/* Write back one sysctl that differs. 1 written, 0 nothing to do, -errno. */
static int restore_one(const struct sysctl_source *source, const struct sysctl_saved *saved,
		       struct err *err)
{
	char now[SYSCTL_VALUE_MAX];
	int result;

	if (!saved->present)
		return 0;
	result = source->read(source, saved->name, now, sizeof(now), err);
	/* Too long to be what was saved: differs. */
	if (result && result != -EOVERFLOW)
		return result;
	if (!result && !strcmp(now, saved->value))
		return 0;
	result = source->write(source, saved->name, saved->value, err);
	return result ? result : 1;
}

struct pass {
	size_t written;
	size_t failed;
	int error; /* first */
};

static struct pass restore_all(const struct sysctl_source *source, const struct sysctl_saved *saved,
			       size_t n, struct err *err)
{
	struct pass pass = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct err this;
		int result = restore_one(source, &saved[i], &this);

		if (result > 0)
			pass.written++;
		if (result >= 0)
			continue;
		pass.failed++;
		if (pass.error)
			continue;
		pass.error = result;
		if (err)
			*err = this;
	}
	return pass;
}

/* Restore what only another sysctl stands in the way of: open that for a moment. */
static void restore_gated(const struct sysctl_source *source, const struct sysctl_saved *saved)
{
	char gate[SYSCTL_VALUE_MAX];

	for (size_t i = 0; i < sizeof(gated) / sizeof(gated[0]); i++) {
		if (strcmp(saved->name, gated[i].name) ||
		    restore_one(source, saved, NULL) != -EINVAL ||
		    source->read(source, gated[i].gate, gate, sizeof(gate), NULL) ||
		    source->write(source, gated[i].gate, gated[i].open, NULL))
			continue;
		/* What fails here is found, and reported, by the pass that follows. */
		restore_one(source, saved, NULL);
		source->write(source, gated[i].gate, gate, NULL);
	}
}

int sysctl_restore_to(const struct sysctl_source *source, const struct sysctl_saved *saved,
		      size_t n, size_t *changed, struct err *err)
{
	struct pass pass = restore_all(source, saved, n, err);

	if (changed)
		*changed = pass.written + pass.failed;
	/*
	 * Again while it helps: one may have been refused because of another that is only now as it
	 * was, or have been changed by the kernel when another was written.
	 */
	for (size_t i = 0; i < n && pass.written; i++)
		pass = restore_all(source, saved, n, err);
	if (pass.failed) {
		for (size_t i = 0; i < n; i++)
			restore_gated(source, &saved[i]);
		pass = restore_all(source, saved, n, err);
	}
	if (pass.error)
		return pass.error;
	if (pass.written)
		return err_set(err, EIO, "sysctl: a value written back does not stay");
	return 0;
}

int sysctl_restore(const struct sysctl_saved *saved, size_t n, size_t *changed, struct err *err)
{
	const struct sysctl_source source = sysctl_files("");

	return sysctl_restore_to(&source, saved, n, changed, err);
}
