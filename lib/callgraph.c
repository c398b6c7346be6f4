// SPDX-License-Identifier: GPL-2.0-or-later
#include "callgraph.h"

/* perf's default dump size, --call-graph dwarf,8192. */
#define DWARF_STACK_BYTES 8192

/*
 * The user registers perf dumps: all general ones of arch/<arch>/include/uapi/asm/perf_regs.h, on
 * x86-64 without the segment registers DS, ES, FS and GS (12 to 15), which the kernel refuses
 * there.
 */
#if defined(__x86_64__)
#define USER_REGS 0xff0fffULL
#elif defined(__aarch64__)
#define USER_REGS ((1ULL << 33) - 1)
#elif defined(__riscv)
#define USER_REGS ((1ULL << 32) - 1)
#elif defined(__powerpc64__)
#define USER_REGS ((1ULL << 43) - 1)
#else
#define USER_REGS 0ULL
#endif

void callgraph_apply(struct perf_event_attr *attr, enum callgraph callgraph)
{
	if (callgraph == CALLGRAPH_NONE)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (callgraph == CALLGRAPH_DWARF) {
		attr->sample_type |= PERF_SAMPLE_STACK_USER;
		attr->sample_stack_user = DWARF_STACK_BYTES;
		attr->exclude_callchain_user = 1;
		if (USER_REGS) {
			attr->sample_type |= PERF_SAMPLE_REGS_USER;
			attr->sample_regs_user = USER_REGS;
		}
	} else if (callgraph == CALLGRAPH_LBR) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
					   PERF_SAMPLE_BRANCH_NO_CYCLES |
					   PERF_SAMPLE_BRANCH_NO_FLAGS;
		attr->exclude_callchain_user = 1;
	}
}
