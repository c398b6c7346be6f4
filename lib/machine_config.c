// SPDX-License-Identifier: GPL-2.0-or-later
/* The configuration the running kernel was built with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "machine.h"
#include "machine_parts.h"

/* Places where distributions keep it; %s is the release. In order of how sure we are of them. */
static const char *const places[] = {
	"/proc/config.gz",
	"/boot/config-%s",
	"/lib/modules/%s/config",
};

/* All of a stream that zlib decompresses, or passes through when it is not compressed. */
static int inflate_all(gzFile file, char **config)
{
	size_t size = 64 * 1024, used = 0;
	char *text = malloc(size), *grown;
	int n, status;

	while (text && (n = gzread(file, text + used, (unsigned int)(size - used - 1))) > 0) {
		used += (size_t)n;
		if (used < size - 1)
			continue;
		if (size >= MACHINE_CONFIG_MAX) {
			free(text);
			return -EFBIG;
		}
		grown = realloc(text, size * 2);
		if (!grown)
			free(text);
		text = grown;
		size *= 2;
	}
	if (!text)
		return -ENOMEM;
	text[used] = '\0';
	/* A stream that is cut short reads as its beginning, and says so only here. */
	gzerror(file, &status);
	if (status != Z_OK || strlen(text) != used || !strstr(text, "CONFIG_")) {
		free(text);
		return -EBADMSG;
	}
	*config = text;
	return 0;
}

static int load_from(const char *root, const char *path, char **config)
{
	int fd = machine_open(root, path), result;
	gzFile file;

	if (fd < 0)
		return fd;
	file = gzdopen(fd, "r");
	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	result = inflate_all(file, config);
	gzclose(file);
	return result;
}

int machine_config_load(const char *root, char **config, char *path, size_t path_size)
{
	char release[128], candidate[256];
	bool named =
		machine_read(root, "/proc/sys/kernel/osrelease", release, sizeof(release)) > 0 &&
		!strchr(release, '/');
	int result = -ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const char *mark = strstr(places[i], "%s");
		int status;

		if (mark && !named)
			continue;
		snprintf(candidate, sizeof(candidate), "%.*s%s%s",
			 (int)(mark ? mark - places[i] : (long)strlen(places[i])), places[i],
			 mark ? release : "", mark ? mark + 2 : "");
		status = load_from(root, candidate, config);
		if (!status && path)
			snprintf(path, path_size, "%s", candidate);
		if (!status)
			return 0;
		if (status != -ENOENT)
			result = status;
	}
	return result;
}

int machine_config_value(const char *config, const char *name, char *value, size_t size)
{
	size_t len = strlen(name);

	for (const char *line = config; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, "CONFIG_", 7) || strncmp(line + 7, name, len) ||
		    line[7 + len] != '=')
			continue;
		line += 7 + len + 1;
		snprintf(value, size, "%.*s", (int)strcspn(line, "\r\n"), line);
		return 0;
	}
	return -ENOENT;
}

int machine_kconfig(const char *root, const char *name)
{
	char value[4], *config;
	int result = machine_config_load(root, &config, NULL, 0);

	if (result)
		return -ENOENT;
	result = !machine_config_value(config, name, value, sizeof(value)) &&
		 (!strcmp(value, "y") || !strcmp(value, "m"));
	free(config);
	return result;
}
