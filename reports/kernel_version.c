// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel_version.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* No version has numbers as long as this; SUSE's builds have six digits. */
#define DIGITS_MAX 9

static bool take_number(const char **text, unsigned long *number)
{
	size_t digits = 0;

	while (isdigit((unsigned char)(*text)[digits]))
		digits++;
	if (!digits || digits > DIGITS_MAX)
		return false;
	*number = strtoul(*text, NULL, 10);
	*text += digits;
	return true;
}

/* "1.2.3", as many as there is room for. */
static void take_numbers(const char **text, struct kernel_numbers *numbers)
{
	const char *next = *text;

	while (numbers->n < KERNEL_NUMBERS && take_number(&next, &numbers->of[numbers->n])) {
		numbers->n++;
		*text = next;
		if (*next++ != '.')
			break;
	}
}

/* "-rc3", Debian's "~rc3", Fedora's "-0.rc3". */
static void take_candidate(const char **text, struct kernel_version *version)
{
	static const char *const forms[] = { "-rc", "~rc", "-0.rc" };

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		size_t length = strlen(forms[i]);
		const char *number = *text + length;

		if (strncmp(*text, forms[i], length) != 0 || !take_number(&number, &version->rc))
			continue;
		version->candidate = true;
		*text = number;
		return;
	}
}

/* Returns what follows, or NULL when it is no version. */
static const char *parse(struct kernel_version *version, const char *text)
{
	*version = (struct kernel_version){ 0 };
	take_numbers(&text, &version->release);
	if (version->release.n < 2)
		return NULL;
	take_candidate(&text, version);
	if (*text == '-' && isdigit((unsigned char)text[1])) {
		text++;
		take_numbers(&text, &version->build);
	}
	return text;
}

int kernel_version_parse(struct kernel_version *version, const char *text)
{
	return parse(version, text) ? 0 : -EINVAL;
}

/* Compare the first n numbers; those that were not given are 0. */
static int compare_numbers(const struct kernel_numbers *a, const struct kernel_numbers *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a->of[i] != b->of[i])
			return a->of[i] < b->of[i] ? -1 : 1;
	return 0;
}

static int compare_candidates(const struct kernel_version *a, const struct kernel_version *b)
{
	if (a->candidate != b->candidate)
		return a->candidate ? -1 : 1;
	return a->rc < b->rc ? -1 : a->rc > b->rc;
}

static bool is_before(const struct kernel_version *version, const struct kernel_version *first)
{
	int order = compare_numbers(&version->release, &first->release, KERNEL_NUMBERS);

	if (!order)
		order = compare_candidates(version, first);
	if (!order)
		order = compare_numbers(&version->build, &first->build, first->build.n);
	return order < 0;
}

/* Only what the end gives is looked at: what goes on from there belongs to it. */
static bool is_after(const struct kernel_version *version, const struct kernel_version *last)
{
	bool exact = last->candidate || last->build.n;
	int order = compare_numbers(&version->release, &last->release,
				    exact ? KERNEL_NUMBERS : last->release.n);

	if (!order && exact)
		order = compare_candidates(version, last);
	if (!order)
		order = compare_numbers(&version->build, &last->build, last->build.n);
	return order > 0;
}

static int parse_end(struct kernel_version *end, const char *text, size_t length, struct err *err)
{
	char copy[64];
	const char *rest;

	if (length < sizeof(copy)) {
		memcpy(copy, text, length);
		copy[length] = '\0';
		rest = parse(end, copy);
		if (rest && !*rest)
			return 0;
	}
	return err_set(err, 0, "'%.*s' is no version of a kernel (6.4, 6.12-rc3, 6.1.0-41)",
		       (int)length, text);
}

int kernel_range_parse(struct kernel_range *range, const char *text, struct err *err)
{
	const char *dots = strstr(text, "..");
	size_t length = dots ? (size_t)(dots - text) : strlen(text);
	const char *last = dots ? dots + 2 : text;
	int result = 0;

	*range = (struct kernel_range){ .from = length > 0, .to = *last != '\0' };
	if (!strcmp(text, "*")) {
		*range = (struct kernel_range){ 0 };
		return 0;
	}
	if (!range->from && !range->to)
		return err_set(err, 0, "'%s' is no range of kernels; * stands for all", text);
	if (range->from)
		result = parse_end(&range->first, text, length, err);
	if (!result && range->to)
		result = parse_end(&range->last, last, strlen(last), err);
	if (!result && range->from && range->to && is_after(&range->first, &range->last))
		result = err_set(err, 0, "'%s': the first kernel comes after the last", text);
	return result;
}

bool kernel_range_has(const struct kernel_range *range, const char *name)
{
	struct kernel_version version;

	if (!range->from && !range->to)
		return true;
	return !kernel_version_parse(&version, name) &&
	       !(range->from && is_before(&version, &range->first)) &&
	       !(range->to && is_after(&version, &range->last));
}
