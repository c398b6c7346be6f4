/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_SUITE_H
#define PMIPROOF_SUITE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "hypothesis.h"
#include "klog.h"

/* One test binary, DIR/<theme>/<name>, and what it declares. */
struct suite_test {
	char *path;
	char *theme;
	char *name;
	char problem[sizeof(((struct err *)0)->text)]; /* why it cannot be run; empty: none */
	json_t *declaration; /* docs/records.md; an empty object when there is a problem */
	/* The same, checked; all zero or empty when there is a problem. */
	enum danger danger;
	unsigned int budget_s;
	struct klog_allow *klog; /* ends with KLOG_NONE */
	const char **sysctls;	 /* ends with NULL */
	unsigned int escalate;	 /* enum escalate */
};

/* In the order of theme and name. */
struct suite {
	struct suite_test *tests;
	size_t n;
};

/*
 * Where something that belongs to this program is: the first of these places that is there, seen
 * from the directory that the program is in. -ENOENT with the first and the last of them.
 */
int suite_beside_program(const char *const *places, size_t n, char *path, size_t size,
			 struct err *err);

/* Where the hypotheses of this program are: beside it (build tree) or in ../lib/pmiproof. */
int suite_default_dir(char *dir, size_t size, struct err *err);

/*
 * Find the executables in the folders of `dir` that match one of the patterns (fnmatch() on NAME or
 * THEME/NAME; no pattern: all) and ask each to describe itself. One that cannot is kept with its
 * problem. -ENOENT for a pattern that matches nothing, or a folder without any.
 */
int suite_load(struct suite *suite, const char *dir, char *const *patterns, size_t n_patterns,
	       struct err *err);

/* All of a folder, or with NULL those of this program, as suite_load(). */
int suite_load_own(struct suite *suite, const char *dir, struct err *err);

void suite_free(struct suite *suite);

/* The test of that name, the first `length` characters of `name`; or NULL. */
const struct suite_test *suite_test_named(const struct suite *suite, const char *name,
					  size_t length);

/* Keep the first `n` tests only. */
void suite_cut(struct suite *suite, size_t n);

/*
 * Take over what a test printed for --describe. -EBADMSG with err when it is no declaration. (For
 * suite_load(); public for its test.)
 */
int suite_declare(struct suite_test *test, const char *text, size_t len, struct err *err);

/* The entry of `list` ("checks", "options") with that "name" in a declaration, or NULL. */
const json_t *suite_find(const struct suite_test *test, const char *list, const char *name);

/* A text of the declaration, "" when it has none. */
const char *suite_text(const struct suite_test *test, const char *key);

/* Ask whether it would run here. -errno when it could not say; else *ready, and why not. */
int suite_probe(const struct suite_test *test, bool *ready, char *reason, size_t size,
		struct err *err);

#endif
