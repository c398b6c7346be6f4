/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_LAB_GUEST_H
#define PMIPROOF_LAB_GUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "console.h"
#include "emulator.h"
#include "err.h"
#include "journal.h"
#include "lab_stream.h"
#include "lab_watch.h"
#include "lines.h"
#include "progress.h"
#include "tap.h"

struct known_live;

/*
 * Guests, one after the other, seen from the host: what they send is journaled as it comes, and the
 * test that is in flight when one dies gets its verdict. Where the streams come from is not known
 * here, so that a test can play the guest.
 */
struct lab_guest {
	struct lab_stream stream;
	struct lab_watch watch;
	struct console console;
	struct journal *journal;
	struct progress *progress;
	struct tap tap;
	const struct known_live *known; /* what failed is shown as, or NULL */
	const json_t *machine;		/* what is added to a guest's machine record */
	struct lines lines[EMULATOR_STREAMS];
	char errors[512];     /* the last line that the emulator said */
	int64_t test_started; /* clock_ms() */
	int journal_result;   /* first error in writing the journal */
	struct err journal_err;
};

/* Another guest begins, whose streams these are (taken over). */
void lab_guest_boot(struct lab_guest *guest, const int *streams, double scale, int64_t now);

/*
 * Read what there is and deal with it; `now` as of lab_watch. Returns true when something came;
 * false and nothing open any more is the end.
 */
bool lab_guest_read(struct lab_guest *guest, int64_t now);

/* Close the streams. */
void lab_guest_close(struct lab_guest *guest);

/* Journal a remark about the whole run. */
void lab_guest_note(struct lab_guest *guest, const char *text);

/*
 * The test in flight, or else the next one, ends with this verdict, because of `reason`. With
 * `evidence` what the console has of it is journaled too, and said in the reason.
 */
void lab_guest_settle(struct lab_guest *guest, enum verdict verdict, const char *reason,
		      bool evidence);

#endif
