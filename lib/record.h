/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_RECORD_H
#define PMIPROOF_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "err.h"

/* Version of the record format, the "v" of every journal line. See docs/records.md. */
#define RECORD_VERSION 1

/* Environment variable with the number of the descriptor a supervised test writes its records to.
 */
#define RECORD_FD_ENV "PMIPROOF_RECORD_FD"

/*
 * Longest line that a reader accepts and a writer makes: 64 MiB, room for about 4 million distinct
 * histogram entries, and a bound against a damaged or hostile file.
 */
#define RECORD_LINE_MAX ((size_t)64 << 20)

/*
 * Environment variable with the number of a descriptor from which a supervised test reads a byte
 * for each record that it has written, which says that the record is where nothing that happens to
 * this machine can reach it. Set in the lab only.
 */
#define RECORD_ACK_ENV "PMIPROOF_ACK_FD"

/*
 * The descriptor that records go to, or -1 when there is no supervisor. The variable is checked
 * once, the descriptor set close-on-exec so that children of a test cannot write into the record
 * stream, and the variable removed. A value that is no open descriptor is an error.
 */
int record_open(struct err *err);

/* The same for the descriptor of acknowledgements. */
int record_open_ack(struct err *err);

/* Wait for the acknowledgement of a record; not for ever, as a supervisor may have died. */
void record_wait_ack(int fd);

/*
 * Write one record, whole, as one JSON line. Takes over the reference to `record` also on error.
 * Returns 0 or -errno; -EMSGSIZE when the line is longer than RECORD_LINE_MAX. Numbers that JSON
 * cannot express (NaN, infinities) must have been left out by the caller (record_set_number).
 */
int record_write(int fd, json_t *record, struct err *err);

/*
 * A record as such a line, its newline at the end: newly allocated, `size` bytes. Takes over the
 * reference. Errors as above.
 */
int record_format(json_t *record, char **line, size_t *size, struct err *err);

/* Text of record[key], "" when there is none. Belongs to the record. */
const char *record_text(const json_t *record, const char *key);

/* value as a JSON integer where it is a whole number below 2^53, else as a real; value is finite.
 */
json_t *record_number(double value);

/* Set object[key] to value, or leave the key out when value is not finite. */
void record_set_number(json_t *object, const char *key, double value);

/*
 * Set object[key] to text, in which bytes that are not valid UTF-8 are replaced by U+FFFD: what a
 * machine prints is not always text, and a record must never be lost for it. len may be
 * (size_t)-1 for NUL-terminated text.
 */
void record_set_text(json_t *object, const char *key, const char *text, size_t len);

/* Types of JSON value as docs/records.md names them. */
enum record_kind {
	RECORD_STRING,
	RECORD_INTEGER,
	RECORD_NUMBER,
	RECORD_BOOLEAN,
	RECORD_ARRAY,
	RECORD_OBJECT,
};

/* What a reader insists on. */
struct record_key {
	const char *type; /* of the record */
	const char *key;
	enum record_kind kind;
	bool optional; /* may be missing, but not be of another kind */
};

/* Table of all keys of all types; ends with a row of NULLs. */
extern const struct record_key record_keys[];

/* Is a value, which may be NULL, of that type? */
bool record_is_kind(const json_t *value, enum record_kind kind);

#endif
