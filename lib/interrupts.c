// SPDX-License-Identifier: GPL-2.0-or-later
#include "interrupts.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define INTERRUPTS_FILE "/proc/interrupts"

/* Machine names of uname(2), and the row: arch_show_interrupts() or the driver's request_irq(). */
static const struct {
	const char *machine, *row;
} overflow_rows[] = {
	{ "x86_64", "NMI" },	 { "i686", "NMI" },	     { "ppc64le", "PMI" },
	{ "ppc64", "PMI" },	 { "alpha", "PMI" },	     { "aarch64", "arm-pmu" },
	{ "armv7l", "arm-pmu" }, { "riscv64", "riscv-pmu" },
};

const char *interrupts_overflow_row(void)
{
	struct utsname name;

	if (uname(&name))
		return NULL;
	for (size_t i = 0; i < sizeof(overflow_rows) / sizeof(overflow_rows[0]); i++)
		if (!strcmp(overflow_rows[i].machine, name.machine))
			return overflow_rows[i].row;
	return NULL;
}

/* Which column counts for the CPU: offline CPUs have none, so its number does not tell. */
static int find_column(char *header, int cpu, struct err *err)
{
	char *state = NULL;
	int column = 0;

	for (char *word = strtok_r(header, " \n", &state); word;
	     word = strtok_r(NULL, " \n", &state), column++) {
		char *end;
		long number;

		if (strncmp(word, "CPU", 3) != 0 || !isdigit((unsigned char)word[3]))
			return err_set(err, EBADMSG, "header: '%s' is no CPU", word);
		number = strtol(word + 3, &end, 10);
		if (*end)
			return err_set(err, EBADMSG, "header: '%s' is no CPU", word);
		if (number == cpu)
			return column;
	}
	if (!column)
		return err_set(err, EBADMSG, "header: no CPU");
	return err_set(err, ENODEV, "no column for CPU %d", cpu);
}

/*
 * The text after the colon of a row of that name, or NULL when the line is another row. *labelled:
 * it is the one with that label, not one of a device of that name.
 */
static const char *row_counts(char *line, const char *row, bool *labelled)
{
	char *colon = strchr(line, ':');
	char *label = line + strspn(line, " ");
	char *end = line + strlen(line);
	const char *last;

	if (!colon)
		return NULL;
	*colon = '\0';
	*labelled = !strcmp(label, row);
	if (*labelled)
		return colon + 1;
	if (!*label || strspn(label, "0123456789") != strlen(label))
		return NULL;
	while (end > colon + 1 && isspace((unsigned char)end[-1]))
		*--end = '\0';
	last = strrchr(colon + 1, ' ');
	return last && !strcmp(last + 1, row) ? colon + 1 : NULL;
}

/* The number in a column, or -ENODEV when the row ends before it. */
static int take_count(const char *text, int column, uint32_t *count)
{
	unsigned long long number = 0;

	for (int i = 0; i <= column; i++) {
		char *end;

		text += strspn(text, " ");
		if (!isdigit((unsigned char)*text))
			return -ENODEV;
		number = strtoull(text, &end, 10);
		if (*end && !isspace((unsigned char)*end))
			return -ENODEV;
		text = end;
	}
	*count = (uint32_t)number;
	return 0;
}

int interrupts_parse(FILE *file, const char *row, int cpu, uint32_t *count, struct err *err)
{
	char *line = NULL;
	size_t size = 0;
	bool found = false, labelled = false;
	uint32_t sum = 0;
	int column = -1;
	int result = 0;

	if (getline(&line, &size, file) < 0)
		result = err_set(err, EBADMSG, "empty");
	else
		column = find_column(line, cpu, err);
	if (column < 0 && !result)
		result = column;
	while (!result && !labelled && getline(&line, &size, file) >= 0) {
		const char *counts = row_counts(line, row, &labelled);
		uint32_t one;

		if (!counts)
			continue;
		if (take_count(counts, column, &one))
			result = err_set(err, ENODEV, "row %s: no count for CPU %d", row, cpu);
		else
			sum = labelled ? one : sum + one;
		found = true;
	}
	free(line);
	if (!result && ferror(file))
		result = err_set(err, EIO, "read");
	else if (!result && !found)
		result = err_set(err, ENOENT, "no row %s", row);
	if (!result)
		*count = sum;
	return result;
}

int interrupts_read(const char *row, int cpu, uint32_t *count, struct err *err)
{
	const struct cpus one = { .n = 1, .cpu = { cpu } };

	return interrupts_total(row, &one, count, err);
}

static int total(char *text, size_t length, const char *row, const struct cpus *cpus,
		 uint32_t *count, struct err *err)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < cpus->n; i++) {
		FILE *file = fmemopen(text, length, "r");
		uint32_t one;
		int result;

		if (!file)
			return err_set(err, errno, "read");
		result = interrupts_parse(file, row, cpus->cpu[i], &one, err);
		fclose(file);
		if (result)
			return result;
		sum += one;
	}
	*count = sum;
	return 0;
}

int interrupts_total(const char *row, const struct cpus *cpus, uint32_t *count, struct err *err)
{
	FILE *file = fopen(INTERRUPTS_FILE, "re");
	char *text = NULL;
	size_t size = 0;
	ssize_t length;
	int result;

	if (!file)
		return err_set(err, errno, "open %s", INTERRUPTS_FILE);
	/* There is no NUL in it: this is all of it. */
	length = getdelim(&text, &size, '\0', file);
	result = length > 0 ? total(text, (size_t)length, row, cpus, count, err)
			    : err_set(err, ferror(file) ? EIO : EBADMSG, "read");
	if (result)
		err_prefix(err, "%s", INTERRUPTS_FILE);
	free(text);
	fclose(file);
	return result;
}
