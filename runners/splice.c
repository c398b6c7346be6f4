// SPDX-License-Identifier: GPL-2.0-or-later
#include "splice.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"

/* A document is small; more than this is not one. */
#define DOCUMENT_MAX ((size_t)16 << 20)

/* Room for one of the two lines; names are short words of ours. */
#define MARKER_MAX 128

/* The whole file, NUL-terminated; NULL with err. */
static char *load(const char *path, struct err *err)
{
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(DOCUMENT_MAX + 1) : NULL;
	size_t size = text ? fread(text, 1, DOCUMENT_MAX + 1, file) : 0;
	int result = 0;

	if (!text || ferror(file))
		result = err_set(err, errno, "read %s", path);
	else if (size > DOCUMENT_MAX || memchr(text, '\0', size))
		result = err_set(err, 0, "%s: no document", path);
	else
		text[size] = '\0';
	if (file)
		fclose(file);
	if (!result)
		return text;
	free(text);
	return NULL;
}

/* Where the only line that is `marker` begins, or NULL. */
static char *find_line(char *text, const char *marker)
{
	size_t length = strlen(marker);
	char *found = NULL;

	for (char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, marker, length) || (line[length] && line[length] != '\n'))
			continue;
		if (found)
			return NULL;
		found = line;
	}
	return found;
}

/* Write head, text and tail into a new file and let it take the place of the old one. */
static int replace(const char *path, const char *const *parts, struct err *err)
{
	char name[PATH_MAX];
	struct stat status;
	int result = 0;
	int fd;

	if ((size_t)snprintf(name, sizeof(name), "%s.XXXXXX", path) >= sizeof(name))
		return err_set(err, ENAMETOOLONG, "%s", path);
	fd = mkstemp(name);
	if (fd < 0)
		return err_set(err, errno, "make %s", name);
	for (; !result && *parts; parts++)
		result = io_write_all(fd, *parts, strlen(*parts));
	if (!result && (stat(path, &status) || fchmod(fd, status.st_mode & 07777) || fsync(fd)))
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

int splice_file(const char *path, const char *name, const char *text, struct err *err)
{
	char first[MARKER_MAX], last[MARKER_MAX];
	char *real = realpath(path, NULL); /* a link stays one */
	char *document, *begin, *end;
	int result = 0;

	if (!real)
		return err_set(err, errno, "open %s", path);
	snprintf(first, sizeof(first), SPLICE_BEGIN, name);
	snprintf(last, sizeof(last), SPLICE_END, name);
	document = load(real, err);
	if (!document) {
		free(real);
		return -EINVAL;
	}
	begin = find_line(document, first);
	end = find_line(document, last);
	if (!begin || !end || end < begin) {
		result = err_set(err, 0, "%s: no line %s and one %s after it, each once", path,
				 first, last);
	} else if (text) {
		const char *parts[] = { document, first, "\n", text, end, NULL };

		/* The head ends there. */
		*begin = '\0';
		result = replace(real, parts, err);
	}
	free(document);
	free(real);
	return result;
}
