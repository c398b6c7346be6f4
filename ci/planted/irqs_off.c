// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stops the machine with interrupts off, in the lab: lets the kernel start another one
 * (kexec_load(2)) that is two instructions long.
 */
#include <linux/kexec.h>
#include <linux/reboot.h>
#include <sys/syscall.h>

#include "planted.h"

/* Any address in the machine's memory that is free; a page. */
#define PLACE 0x10000000UL
#define PAGE 4096

/* cli; 1: jmp 1b */
static const unsigned char image[] = { 0xfa, 0xeb, 0xfe };

static int run_it(struct run *run)
{
	struct kexec_segment segment = {
		.buf = image,
		.bufsz = sizeof(image),
		.mem = (void *)PLACE,
		.memsz = PAGE,
	};

	if (!planted_in_lab())
		return run_skip(run, "not in the lab");
	planted_pass(run);
	if (syscall(SYS_kexec_load, PLACE, 1, &segment, KEXEC_ARCH_DEFAULT))
		return run_broken(run, "kexec_load failed");
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_KEXEC, NULL);
	return run_broken(run, "survived interrupts off");
}

PLANTED("irqs_off", run_it, 60, .danger = DANGER_MAY_HANG);
