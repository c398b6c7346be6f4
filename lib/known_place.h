/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_KNOWN_PLACE_H
#define PMIPROOF_KNOWN_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring.h"

/*
 * A place in code where all is known that a sample can tell: who called it, what is in the user's
 * registers, and what is on the stack. Samples taken there, or in a system call made from there,
 * are compared with it.
 */
struct known_place {
	uint64_t begin, end;	 /* the place; the return from its system call lies in it, too */
	const uint64_t *returns; /* return addresses of its callers, innermost first */
	size_t depth;
	const uint64_t *regs; /* values of attr.sample_regs_user, in its order */
	uint64_t regs_mask;   /* that attr.sample_regs_user */
	/*
	 * Those of them that the kernel may not have when a PMI interrupts it in a system call,
	 * as it does not save them on entry: all bits set (arch/x86/kernel/perf_regs.c).
	 */
	uint64_t regs_unsaved;
	unsigned int ip_reg;   /* number of the register that is the address itself */
	const uint64_t *stack; /* from the stack pointer upwards */
	size_t stack_words;
};

/* A user address, as opposed to the kernel's in the upper half. */
bool known_is_user(uint64_t address);

/* Does the header's misc say the same of user and kernel as the address? */
bool known_mode_right(uint64_t ip, uint16_t misc);

/*
 * Is the call chain right? For a sample in the place: PERF_CONTEXT_USER, its address, its callers.
 * For one in the kernel: PERF_CONTEXT_KERNEL, its address, more of the kernel's or not, then
 * PERF_CONTEXT_USER, an address in the place, its callers. What called those is not judged.
 */
bool known_chain_right(const struct known_place *place, const struct ring_sample *sample);

/*
 * The same with attr.sample_max_stack: of user code, so many addresses, the innermost ones; no
 * marker counts.
 */
bool known_chain_limited(const struct known_place *place, const struct ring_sample *sample,
			 uint64_t most);

/* Are there only addresses of that mode in the chain, and at least one? */
bool known_chain_only(const struct ring_sample *sample, bool user);

/* User registers: all of them for a sample in the place, those that are saved for the kernel. */
bool known_regs_right(const struct known_place *place, const struct ring_sample *sample);

/* Registers of the interrupt, for a sample in the place. */
bool known_intr_regs_right(const struct known_place *place, const struct ring_sample *sample);

/* The dump of the user stack. */
bool known_stack_right(const struct known_place *place, const struct ring_sample *sample);

#endif
