/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_JOURNAL_H
#define PMIPROOF_JOURNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"

/* Name of the journal inside a report directory. */
#define JOURNAL_NAME "journal.jsonl"

/* Takes a whole line with its newline; on return it cannot be lost any more. Returns 0 or -errno.
 */
typedef int (*journal_send)(const char *line, size_t len, struct err *err);

/*
 * The journal: one JSON object per line, appended only. Every line carries "v" (RECORD_VERSION),
 * "seq" (1, 2, 3, ... without gaps), "boot" (kernel boot id), "time" (RFC 3339, UTC, ms), "type",
 * and for lines that belong to one execution of a hypothesis "test" (its name) and "iter" (1..).
 */
struct journal {
	int fd;		   /* of the file, -1: none */
	journal_send send; /* where lines go that go to no file */
	uint64_t seq;	   /* of the last line written */
	char boot[40];
};

/*
 * Create DIR (one level) and its journal, which must not exist yet. It is locked (flock) until the
 * last copy of its descriptor is closed, also in children of fork(2).
 */
int journal_create(struct journal *journal, const char *dir, struct err *err);

/*
 * Go on with the journal in DIR. It is locked as above (-EBUSY: somebody else writes to it), so
 * that it can be read now, and then is to be cut behind the `seq` whole lines that were read, which
 * are `whole` bytes: what follows them is a line that a crash left half-written.
 */
int journal_reopen(struct journal *journal, const char *dir, struct err *err);
int journal_cut(struct journal *journal, uint64_t seq, uint64_t whole, struct err *err);

/* A journal in no file: every line is given to `send`. -errno when there is no boot id. */
int journal_begin(struct journal *journal, journal_send send, struct err *err);

/*
 * Stamp a record and append it as one write. Takes over the reference, also on error. With `sync`,
 * return only when it is on disk (fdatasync).
 */
int journal_append(struct journal *journal, json_t *record, bool sync, struct err *err);

void journal_close(struct journal *journal);

/*
 * Reader. Lines are checked for JSON, version, a gap-free sequence and length (RECORD_LINE_MAX).
 * A last line that is not terminated by a newline was cut by a crash: it is dropped and `cut`
 * set. Anything else that is wrong is an error naming file and line.
 */
struct journal_reader {
	FILE *file;
	const char *name; /* for errors; owned by the caller */
	unsigned long line;
	uint64_t seq;
	uint64_t whole; /* bytes of the lines read so far */
	bool cut;
	char *buffer;
	size_t size;
};

/* Open a journal for reading: a journal file, or a directory that holds one. */
int journal_open(struct journal_reader *reader, const char *path, struct err *err);

/* Read from an already open stream, which journal_finish() closes. */
void journal_attach(struct journal_reader *reader, FILE *file, const char *name);

/*
 * The next record, a new reference in *record. Returns 1, 0 at the end (then look at `cut`), or
 * -errno: -EBADMSG for a bad line, -EPROTONOSUPPORT for one of another format version.
 */
int journal_next(struct journal_reader *reader, json_t **record, struct err *err);

void journal_finish(struct journal_reader *reader);

#endif
