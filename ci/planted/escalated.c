// SPDX-License-Identifier: GPL-2.0-or-later
/* May hang, and so has the kernel panic at trouble; says what is set, and waits. */
#include "planted.h"
#include "sysctl.h"

static int run_it(struct run *run)
{
	static const char *const names[] = { "kernel.panic", "kernel.softlockup_panic",
					     "kernel.unknown_nmi_panic" };

	planted_pass(run);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char value[SYSCTL_VALUE_MAX];

		if (!sysctl_read(names[i], value, sizeof(value), NULL))
			run_note(run, "%s is %s", names[i], value);
	}
	for (;;)
		pause();
	return 0;
}

PLANTED("escalated", run_it, 60, .danger = DANGER_MAY_HANG);
