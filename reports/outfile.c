// SPDX-License-Identifier: GPL-2.0-or-later
#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"

/* Of a new file: what the umask leaves of it, as for any other program. */
static mode_t new_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static int write_in_place(const char *path, const char *text, size_t size, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int result;

	if (fd < 0)
		return err_set(err, errno, "open %s", path);
	result = io_write_all(fd, text, size);
	if (close(fd) && !result)
		result = -errno;
	return result ? err_set(err, -result, "write %s", path) : 0;
}

static int write_beside(const char *path, mode_t mode, const char *text, size_t size,
			struct err *err)
{
	char name[PATH_MAX];
	int result;
	int fd;

	if ((size_t)snprintf(name, sizeof(name), "%s.XXXXXX", path) >= sizeof(name))
		return err_set(err, ENAMETOOLONG, "%s", path);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "make a file beside %s", path);
	result = io_write_all(fd, text, size);
	if (!result && (fchmod(fd, mode) || fsync(fd)))
		result = -errno;
	if (close(fd) && !result)
		result = -errno;
	if (!result && rename(name, path))
		result = -errno;
	if (!result)
		return 0;
	unlink(name);
	return err_set(err, -result, "write %s", path);
}

int outfile_write(const char *path, const char *text, size_t size, struct err *err)
{
	struct stat status;
	char *real;
	int result;

	if (stat(path, &status))
		return errno == ENOENT ? write_beside(path, new_mode(), text, size, err)
				       : err_set(err, errno, "%s", path);
	if (S_ISDIR(status.st_mode))
		return err_set(err, EISDIR, "%s", path);
	if (!S_ISREG(status.st_mode))
		return write_in_place(path, text, size, err);
	real = realpath(path, NULL);
	if (!real)
		return err_set(err, errno, "%s", path);
	result = write_beside(real, status.st_mode & 07777, text, size, err);
	free(real);
	return result;
}
