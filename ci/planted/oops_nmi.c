// SPDX-License-Identifier: GPL-2.0-or-later
/* Dereferences a null pointer in an NMI, in the lab (fixtures/kernels: pmi_oops). */
#include "planted.h"

#define PMI_OOPS "/sys/kernel/debug/pmi_oops"

static int run_it(struct run *run)
{
	if (!planted_in_lab() || access(PMI_OOPS, W_OK))
		return run_skip(run, "not in the lab, or its kernel cannot oops in an NMI");
	planted_pass(run);
	planted_write(PMI_OOPS, "1");
	return run_broken(run, "survived an oops in an NMI");
}

PLANTED("oops_nmi", run_it, 600, .danger = DANGER_MAY_HANG);
