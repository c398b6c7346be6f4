/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_WATCHDOG_H
#define PMIPROOF_WATCHDOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "err.h"
#include "watchdog_find.h"

/* How a device is reached: system calls, or a test's device. Results as of the system calls. */
struct watchdog_ops {
	int (*open)(const char *path);
	int (*ioctl)(int fd, unsigned long request, void *argument);
	ssize_t (*write)(int fd, const void *data, size_t size);
	int (*close)(int fd);
};

extern const struct watchdog_ops watchdog_system;

/* A watchdog that runs because we opened it: the machine is reset unless we feed or stop it. */
struct watchdog_held {
	const struct watchdog_ops *ops;
	struct watchdog device; /* with what only the open device told */
	int fd;			/* -1: none is held */
	int timeout_s;		/* as the device says, after we asked for WATCHDOG_TIMEOUT_S */
	int pretimeout_s;	/* 0: it has none */
	int timeout_before_s;	/* what we found, put back when it is stopped; 0: not known */
	int pretimeout_before_s;
	char governor_before[32]; /* of the pretimeout, put back as well; empty: as it is now */
};

/*
 * Seconds without feeding until a reset. The kernel's own detectors should speak first, as they
 * leave a trace: 10 s for hard, 20 s for soft lockups (kernel.watchdog_thresh 10), 21 s for an RCU
 * stall (CONFIG_RCU_CPU_STALL_TIMEOUT of Debian); then a panic takes 10 s more to reboot
 * (escalation.h).
 */
#define WATCHDOG_TIMEOUT_S 60

/* Name of a process that does nothing but watchdog_keep(): the next run may take its place. */
#define WATCHDOG_KEEPER "pmiproof-keep"

/* With less than that, a machine that is only busy would be reset. */
#define WATCHDOG_TIMEOUT_MIN_S 10

/*
 * Open a device and feed it once, which starts it; set its timeout and pretimeout and read both
 * back. Unless it was `named` by a person, one that turns out not to be eligible is stopped again.
 * -EBUSY: somebody else holds it; another -errno: nothing is held either.
 */
int watchdog_open(struct watchdog_held *held, const struct watchdog *device,
		  const struct watchdog_ops *ops, bool named, struct err *err);

/*
 * Have the kernel panic at the pretimeout of what is held, where there is one; watchdog_stop() puts
 * that back. False: it does something else, and cannot be told to (no module pretimeout_panic).
 */
bool watchdog_panic_at_pretimeout(struct watchdog_held *held);

/*
 * Is told what is going to be opened, right before it is: `held` is what to stop, should nobody
 * live to do it. Its descriptor is -1.
 */
struct watchdog_witness {
	void (*about_to_open)(void *context, const struct watchdog_held *held);
	void *context;
};

/*
 * Hold the one that `wish` names, or with NULL the first eligible one of `found` that can be
 * opened. Otherwise err says in one line why none is held and what to do. `root` as of
 * watchdog_find(), for who holds what is busy. `witness` may be NULL.
 */
int watchdog_acquire(struct watchdog_held *held, const struct watchdog *found, size_t n,
		     const char *wish, const char *root, const struct watchdog_ops *ops,
		     const struct watchdog_witness *witness, struct err *err);

/* Start its time again. */
int watchdog_feed(struct watchdog_held *held, struct err *err);

/*
 * Put back its timeouts, stop it and let go of it. -errno when it was not told to stop: then it
 * goes on, and the machine is reset unless somebody opens it.
 */
int watchdog_stop(struct watchdog_held *held, struct err *err);

/* Let go of it without stopping it, for somebody else to take over. */
void watchdog_let_go(struct watchdog_held *held);

/* Hold what another process held, as it was; that one may still be about to let go of it. */
int watchdog_take_over(struct watchdog_held *held, struct err *err);

/*
 * Stop what a run that nobody tidied up after held, by its "watchdog" record: where the device runs
 * and nobody has it open, so that it is about to reset the machine. 1: stopped; 0: there is nothing
 * to be stopped; -errno: it runs on. `root` as of watchdog_find().
 */
int watchdog_stop_abandoned(const json_t *record, const char *root, const struct watchdog_ops *ops,
			    struct err *err);

/* Feed what cannot be stopped, and nothing else, for ever. */
__attribute__((noreturn)) void watchdog_keep(struct watchdog_held *held);

/*
 * A "watchdog" record: of a device found (`held` NULL) or of one held. `state`: what happened, one
 * word. A new reference.
 */
json_t *watchdog_record(const struct watchdog *device, const struct watchdog_held *held,
			const char *state);

#endif
