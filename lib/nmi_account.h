/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_NMI_ACCOUNT_H
#define PMIPROOF_NMI_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What was counted on one CPU (x86, Intel's handler) while a thread there sampled itself with one
 * or more events, whose periods are far longer than the handler.
 */
struct nmi_account {
	uint64_t samples; /* of all events together */
	uint64_t most;	  /* of the event that has most: so many PMIs there must have been */
	uint64_t nmis;	  /* of /proc/interrupts, "NMI" */
	uint64_t pmis;	  /* "PMI": passes of the handler, each with one overflow or more */
	uint64_t calls;	  /* of perf's NMI handler (nmi:nmi_handler), */
	uint64_t handled; /* what these returned, summed up: overflows handled */
	uint64_t idle;	  /* calls that handled nothing */
};

/* How far apart they are. Each is 0 or little above it on a sound machine. */
struct nmi_signs {
	/*
	 * Overflows handled against samples, or against samples and one for each call: a CPU
	 * without BTS, as a virtual one, has a buffer of no length that seems full at each
	 * interrupt, and the handler counts that (intel_bts_interrupt()).
	 */
	uint64_t handled;
	uint64_t pmis;	/* passes: beyond samples, or short of `most` */
	uint64_t nmis;	/* NMIs: the same */
	uint64_t calls; /* calls of the handler against NMIs */
	uint64_t idle;	/* calls that handled nothing */
	/*
	 * So much each may be: the NMI watchdog, and whoever else uses NMIs, come into it, and two
	 * overflows may meet in one NMI. 1 %, and 5. A defect in every tenth PMI is far above.
	 */
	uint64_t allowed;
};

struct nmi_signs nmi_account_signs(const struct nmi_account *account);

/* Is this an Intel CPU, whose handler the account is about? Reads the inventory: milliseconds. */
bool nmi_account_applies(void);

#endif
