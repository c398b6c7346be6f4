/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_WATCHDOG_FIND_H
#define PMIPROOF_WATCHDOG_FIND_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "err.h"

/* More watchdogs than any machine has. */
#define WATCHDOG_MAX 16

/* The device of a driver that does not use the kernel's watchdog core, if one is there. */
#define WATCHDOG_LEGACY "/dev/watchdog"

/* What counts the time down. The order is that in which they are tried. */
enum watchdog_kind {
	WATCHDOG_HARDWARE, /* a timer that needs nothing of this kernel */
	WATCHDOG_UNKNOWN,  /* a driver that is in no table of ours */
	WATCHDOG_ALARM,	   /* tells somebody, and resets nothing */
	WATCHDOG_SOFTWARE, /* a timer of this kernel, which stops when the kernel does */
};

/*
 * A watchdog as sysfs describes it, unopened: opening one starts it. Numbers are -1 where they are
 * not known.
 */
struct watchdog {
	char path[32];	   /* of the device, "/dev/watchdog0" */
	char identity[64]; /* empty: not known before it is opened */
	char driver[64];   /* empty: not known */
	char governor[32]; /* what a pretimeout makes the kernel do: "panic", "noop"; or empty */
	enum watchdog_kind kind;
	unsigned int rank; /* among those of its kind */
	int nowayout;	   /* 1: once started it cannot be stopped */
	bool active;	   /* it is running */
	long timeout_s, min_timeout_s, max_timeout_s;
	long boot_status; /* WDIOF_* of linux/watchdog.h: what the last reset was due to */
};

/*
 * The watchdogs of a machine, at most `max`, in the order in which they are to be tried: hardware,
 * unknown, the rest. `root` is prepended to every path ("" for this machine; a fixture tree).
 * Returns how many.
 */
size_t watchdog_find(const char *root, struct watchdog *found, size_t max);

/*
 * Sort one by its driver and identity, of which one may not be known: sets kind and rank, and the
 * driver where the identity tells it.
 */
void watchdog_classify(struct watchdog *watchdog);

const char *watchdog_kind_name(enum watchdog_kind kind); /* "hardware" */

/*
 * May it be tried without having been named by a person? Otherwise `why` (may be NULL) says what
 * speaks against it.
 */
bool watchdog_eligible(const struct watchdog *watchdog, struct err *why);

/*
 * WDIOF_* flags of a boot status as an array of words ("card-reset"), a new reference; what has no
 * word of its own as one number ("0x8000").
 */
json_t *watchdog_flags(long flags);

/* Who has the device `path` open: its pid, and its name in `name`. 0 when nobody can be seen. */
pid_t watchdog_holder(const char *root, const char *path, char *name, size_t size);

#endif
