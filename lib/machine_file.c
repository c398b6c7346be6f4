// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading small files of a machine, and putting what they say into JSON. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"
#include "machine_parts.h"
#include "record.h"

int machine_open(const char *root, const char *path)
{
	char full[PATH_MAX];
	struct stat st;
	int fd, len = snprintf(full, sizeof(full), "%s%s", root, path);

	if (len < 0 || (size_t)len >= sizeof(full))
		return -ENAMETOOLONG;
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

FILE *machine_fopen(const char *root, const char *path)
{
	int fd = machine_open(root, path);
	FILE *file;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	file = fdopen(fd, "r");
	if (!file)
		close(fd);
	return file;
}

ssize_t machine_read(const char *root, const char *path, char *text, size_t size)
{
	int fd = machine_open(root, path);
	ssize_t len;

	if (fd < 0)
		return fd;
	len = io_read_all(fd, text, size - 1);
	close(fd);
	if (len < 0)
		return len;
	while (len > 0 && (!text[len - 1] || isspace((unsigned char)text[len - 1])))
		len--;
	text[len] = '\0';
	return len ? len : -ENODATA;
}

ssize_t machine_readf(const char *root, char *text, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	return machine_read(root, path, text, size);
}

ssize_t machine_line_value(const char *root, const char *path, const char *key, char *text,
			   size_t size)
{
	FILE *file = machine_fopen(root, path);
	size_t key_len = strlen(key), room = 0;
	ssize_t result = -ENODATA;
	char *line = NULL;

	if (!file)
		return -errno;
	while (result == -ENODATA && getline(&line, &room, file) > 0) {
		char *at = line + strspn(line, " \t");

		if (strncmp(at, key, key_len))
			continue;
		at += key_len;
		at += strspn(at, " \t");
		if (*at++ != ':')
			continue;
		at += strspn(at, " \t");
		result = snprintf(text, size, "%.*s", (int)strcspn(at, "\n"), at);
	}
	free(line);
	fclose(file);
	return result;
}

int machine_parse_integer(const char *text, json_int_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text) && *text != '-')
		return -EINVAL;
	errno = 0;
	*value = strtoll(text, &end, 10);
	return errno || end == text || *end ? -EINVAL : 0;
}

void machine_put(struct machine *m, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value))
		m->no_memory = true;
}

void machine_put_text(struct machine *m, json_t *object, const char *key, const char *text,
		      size_t len)
{
	record_set_text(object, key, text, len);
	if (!json_object_get(object, key))
		m->no_memory = true;
}

void machine_put_scalar(struct machine *m, json_t *object, const char *key, const char *text)
{
	json_int_t value;

	if (machine_parse_integer(text, &value))
		machine_put_text(m, object, key, text, (size_t)-1);
	else
		machine_put(m, object, key, json_integer(value));
}

void machine_put_hex(struct machine *m, json_t *object, const char *key, uint64_t value)
{
	machine_put(m, object, key, json_sprintf("0x%llx", (unsigned long long)value));
}

void machine_put_group(struct machine *m, json_t *object, const char *key, json_t *group)
{
	if (group && !json_object_size(group) && !json_array_size(group))
		json_decref(group);
	else
		machine_put(m, object, key, group);
}

static json_t *words(char *text)
{
	json_t *array = json_array();
	char *state = NULL;

	for (char *word = strtok_r(text, " \t\n", &state); word;
	     word = strtok_r(NULL, " \t\n", &state)) {
		json_t *holder = json_object();

		record_set_text(holder, "word", word, (size_t)-1);
		if (json_array_append(array, json_object_get(holder, "word"))) {
			json_decref(array);
			array = NULL;
		}
		json_decref(holder);
	}
	return array;
}

static void put_flag(struct machine *m, json_t *object, const char *key, const char *text, bool set)
{
	bool yes = !strcmp(text, "1") || !strcmp(text, "Y");

	if (yes || !strcmp(text, "0") || !strcmp(text, "N"))
		machine_put(m, object, key, json_boolean(yes == set));
}

static void put_selected(struct machine *m, json_t *object, const char *key, const char *text)
{
	const char *open = strpbrk(text, "([");
	size_t len = open ? strcspn(open + 1, ")]") : 0;

	if (len)
		machine_put_text(m, object, key, open + 1, len);
}

static void put_file(struct machine *m, json_t *object, const struct machine_file *file, char *text,
		     size_t len)
{
	json_int_t number;

	switch (file->form) {
	case FORM_TEXT:
		machine_put_text(m, object, file->key, text, len);
		break;
	case FORM_INTEGER:
		if (!machine_parse_integer(text, &number))
			machine_put(m, object, file->key, json_integer(number));
		break;
	case FORM_SCALAR:
		machine_put_scalar(m, object, file->key, text);
		break;
	case FORM_FLAG:
	case FORM_NOT_FLAG:
		put_flag(m, object, file->key, text, file->form == FORM_FLAG);
		break;
	case FORM_WORDS:
		machine_put(m, object, file->key, words(text));
		break;
	case FORM_SELECTED:
		put_selected(m, object, file->key, text);
		break;
	case FORM_COUNT:
		number = machine_cpu_list_count(text);
		if (number >= 0)
			machine_put(m, object, file->key, json_integer(number));
		break;
	}
}

void machine_put_files(struct machine *m, json_t *object, const char *dir,
		       const struct machine_file *files)
{
	char text[MACHINE_TEXT_MAX];

	for (; files->key; files++) {
		ssize_t len;

		if (json_object_get(object, files->key))
			continue;
		len = machine_readf(m->root, text, sizeof(text), "%s%s", dir, files->path);
		if (len > 0)
			put_file(m, object, files, text, (size_t)len);
	}
}

static int plain_name(const struct dirent *entry)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._:+-@";

	return entry->d_name[0] != '.' && entry->d_name[strspn(entry->d_name, plain)] == '\0';
}

int machine_list(struct machine *m, const char *dir, struct dirent ***names)
{
	char full[PATH_MAX];
	int n, len = snprintf(full, sizeof(full), "%s%s", m->root, dir);

	*names = NULL;
	if (len < 0 || (size_t)len >= sizeof(full))
		return 0;
	n = scandir(full, names, plain_name, versionsort);
	if (n < 0 && errno == ENOMEM)
		m->no_memory = true;
	return n < 0 ? 0 : n;
}

void machine_list_free(struct dirent **names, int n)
{
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

long machine_numbered(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);
	char *end;
	long number;

	if (strncmp(name, prefix, len) || !isdigit((unsigned char)name[len]))
		return -1;
	errno = 0;
	number = strtol(name + len, &end, 10);
	return errno || *end || number > INT_MAX ? -1 : number;
}
