/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_ACK_SCHEME_H
#define PMIPROOF_ACK_SCHEME_H

#include <stdbool.h>
#include <stddef.h>

#include "msr_trace.h"

/*
 * How a PMI is acknowledged, as a text with a letter for each step:
 *   D  all counters disabled (GLOBAL_CTRL written 0)
 *   E  counters enabled (GLOBAL_CTRL written, not 0)
 *   S  overflow status read
 *   A  overflow status acknowledged
 *   Q  PEBS disabled (PEBS_ENABLE written 0)
 *   P  PEBS enabled
 *   L  LVTPC written: the local APIC takes the next PMI (seen in x2APIC mode only)
 *   C  counters or event selects read or written, any number of them
 *   B  LBR registers or DEBUGCTL read or written, any number of them
 */
#define ACK_SEQUENCE_MAX 32

/* The steps of a PMI; what is too long ends with "+". Returns text. */
const char *ack_sequence(const struct msr_pmi *pmi, char text[ACK_SEQUENCE_MAX]);

/* A way to acknowledge. */
struct ack_scheme {
	const char *name;
	/* Steps in their order; those in lower case may be missing. */
	const char *steps;
	const char *what; /* one line, with where the kernel has it */
};

/* All that are known; ends with a NULL name. */
extern const struct ack_scheme ack_schemes[];

/* The first scheme that a sequence follows, or NULL. */
const struct ack_scheme *ack_scheme(const char *sequence);

/*
 * Was the status acknowledged as it was read? Each bit that was read as set is cleared afterwards;
 * a bit that was not read is cleared only while the handler has the counters disabled: otherwise
 * that might be another overflow, which would be lost. And something was read.
 */
bool ack_as_read(const struct msr_pmi *pmi);

/*
 * Are counters and PEBS, where the handler changed them, as before it? Where it is not known how
 * they were, they must be enabled.
 */
bool ack_restores(const struct msr_pmi *pmi);

/* The PMIs with one sequence. */
struct ack_group {
	char sequence[ACK_SEQUENCE_MAX];
	size_t n;
};

#define ACK_GROUPS 16

/* What the PMIs of a log have in common. */
struct ack_summary {
	size_t pmis;
	size_t idle;	 /* NMIs at which no counter had overflowed; not in what follows */
	size_t as_read;	 /* ack_as_read() */
	size_t restored; /* ack_restores() */
	/* Accesses of all of them, to registers other than of branch records, and to those. */
	size_t writes, reads, rdpmcs, branches;
	size_t groups; /* the most frequent first; what comes after ACK_GROUPS is in no group */
	struct ack_group group[ACK_GROUPS];
};

void ack_summarize(const struct msr_log *log, struct ack_summary *summary);

#endif
