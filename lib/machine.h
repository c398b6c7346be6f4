/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MACHINE_H
#define PMIPROOF_MACHINE_H

#include <jansson.h>
#include <stdbool.h>

#include "err.h"

/*
 * Inventory of a machine as the "machine" record: CPU, microcode, CPUID PMU leaves, PMU
 * capabilities, hypervisor, kernel, taint, clocksource, idle driver, NMI watchdog, perf sysctls,
 * NUMA, SMT, firmware, memory. `root` is prepended to every path ("" for this machine; a fixture
 * tree in tests, which then must not consult CPUID). What cannot be read is left out, never
 * invented. Secrets on the kernel command line are masked. Without `identify` nothing is in it
 * that names the machine (host name, serial numbers, MAC addresses, UUIDs). docs/machine.md lists
 * its keys. A new reference, or NULL with err when memory ran out.
 */
json_t *machine_inventory(const char *root, bool identify, struct err *err);

/*
 * The kernel command line with the values of secret-looking parameters (password, token, key,
 * secret, iSCSI credentials, ...) replaced by "***" and, without identify, those that name the
 * machine (MAC, IP, root=UUID=, hostname). Newly allocated.
 */
char *machine_mask_cmdline(const char *cmdline, bool identify);

/* Kernel taint flags as a number; -errno. */
long machine_taint(const char *root, struct err *err);

/*
 * 1 when lockdep is on and alive, 0 when it turned itself off (a finding), -ENOENT without lockdep;
 * another -errno when that cannot be told (-EACCES: its file is for root only).
 */
int machine_lockdep(const char *root);

/*
 * Is CONFIG_<name> set ("y" or "m") in the running kernel's configuration (/proc/config.gz,
 * /boot/config-<release> or /lib/modules/<release>/config)? 1 yes, 0 no, -ENOENT when no whole
 * configuration can be found.
 */
int machine_kconfig(const char *root, const char *name);

#endif
