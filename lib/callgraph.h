/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_CALLGRAPH_H
#define PMIPROOF_CALLGRAPH_H

#include <linux/perf_event.h>

/* The ways perf record collects call chains. */
enum callgraph {
	CALLGRAPH_NONE,
	CALLGRAPH_FP,	 /* -g */
	CALLGRAPH_DWARF, /* --call-graph dwarf: user registers and 8192 bytes of stack */
	CALLGRAPH_LBR,	 /* --call-graph lbr */
};

/*
 * Ask for what `perf record` asks for with that option: the same sample_type bits, registers, stack
 * size and branch filter as tools/perf/util/evsel.c (Linux 6.1) sets.
 */
void callgraph_apply(struct perf_event_attr *attr, enum callgraph callgraph);

#endif
