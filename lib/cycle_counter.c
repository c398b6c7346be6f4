// SPDX-License-Identifier: GPL-2.0-or-later
#include "cycle_counter.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"

#define CPUINFO_MAX 65536

#ifdef __alpha__
/* The low 32 bits count cycles; what the others hold is the software's (Alpha AXP architecture). */
static uint64_t read_rpcc(void)
{
	return __builtin_alpha_rpcc() & UINT32_MAX;
}
#endif

static const struct cycle_counter counters[] = {
#ifdef __alpha__
	{ "alpha", "RPCC", UINT64_C(1) << 32, "cycle frequency [Hz]", read_rpcc },
#endif
	{ 0 },
};

const struct cycle_counter *cycle_counter_here(void)
{
	return counters[0].name ? &counters[0] : NULL;
}

/* Where the value of `key` begins, after blanks and a colon; NULL: no line has that key. */
static const char *find_value(const char *text, const char *key)
{
	const size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, len)) {
			const char *colon = line + len + strspn(line + len, " \t");

			if (*colon == ':')
				return colon + 1;
		}
	}
	return NULL;
}

int cycle_counter_parse(const struct cycle_counter *counter, const char *cpuinfo, double *hz,
			struct err *err)
{
	const char *value = find_value(cpuinfo, counter->key);
	char *end;
	double number;

	if (!value)
		return err_set(err, ENODATA, "/proc/cpuinfo: no \"%s\"", counter->key);
	number = strtod(value, &end);
	if (end == value || !strchr(" \t\n", *end) || !(number > 0))
		return err_set(err, EINVAL, "/proc/cpuinfo: \"%s\" is no frequency", counter->key);
	*hz = number;
	return 0;
}

int cycle_counter_frequency(const struct cycle_counter *counter, double *hz, struct err *err)
{
	char *text = malloc(CPUINFO_MAX);
	int fd = text ? open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC) : -1;
	ssize_t used = -errno;
	int result;

	if (!text)
		return err_set(err, ENOMEM, "/proc/cpuinfo");
	if (fd >= 0) {
		used = io_read_all(fd, text, CPUINFO_MAX - 1);
		close(fd);
	}
	if (used < 0) {
		result = err_set(err, (int)-used, "/proc/cpuinfo");
	} else {
		text[used] = '\0';
		result = cycle_counter_parse(counter, text, hz, err);
	}
	free(text);
	return result;
}

double cycle_counter_left_ns(const struct cycle_counter *counter, double hz, uint64_t count)
{
	return (double)(counter->counts - count) / hz * 1e9;
}
