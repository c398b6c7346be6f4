// SPDX-License-Identifier: GPL-2.0-or-later
#include "lbr_freeze.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MSR_GLOBAL_STATUS_RESET 0x390
#define MSR_GLOBAL_STATUS_SET 0x391
#define LBR_FRZ (1ULL << 58)

#ifdef __x86_64__

#include <cpuid.h>

#define LEAF_PMU 0xa
#define LEAF_HYPERVISOR 0x40000000
#define FEATURE_HYPERVISOR (1U << 31) /* of leaf 1, ECX */

/* The vendor's name of a leaf that has it in three registers, in the order given. */
static bool is_named(unsigned int first, unsigned int second, unsigned int third, const char *name)
{
	const unsigned int part[3] = { first, second, third };

	return !memcmp(part, name, sizeof(part));
}

static int freeze_bit(struct err *err)
{
	unsigned int a = 0, b = 0, c = 0, d = 0;

	if (!__get_cpuid(0, &a, &b, &c, &d) || !is_named(b, d, c, "GenuineIntel"))
		return err_plain(err, ENODEV, "not an Intel CPU");
	if (!__get_cpuid(LEAF_PMU, &a, &b, &c, &d) || (a & 0xff) < 4)
		return err_plain(err, ENODEV,
				 "performance monitoring version %u has no LBR_FRZ bit; 4 has",
				 a & 0xff);
	return 0;
}

bool lbr_freeze_harmless(void)
{
	unsigned int a = 0, b = 0, c = 0, d = 0;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & FEATURE_HYPERVISOR))
		return false;
	__cpuid(LEAF_HYPERVISOR, a, b, c, d);
	return is_named(b, c, d, "TCGTCGTCGTCG");
}

#else

static int freeze_bit(struct err *err)
{
	return err_plain(err, ENODEV, "not an Intel CPU");
}

bool lbr_freeze_harmless(void)
{
	return false;
}

#endif

int lbr_freeze_open(int cpu, struct err *err)
{
	char path[64];
	int result = freeze_bit(err);
	int fd;

	if (result)
		return result;
	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "open %s", path);
	return fd;
}

int lbr_freeze(int fd, bool freeze, struct err *err)
{
	const uint64_t bit = LBR_FRZ;
	int msr = freeze ? MSR_GLOBAL_STATUS_SET : MSR_GLOBAL_STATUS_RESET;

	if (pwrite(fd, &bit, sizeof(bit), msr) != (ssize_t)sizeof(bit))
		return err_set(err, errno, "write MSR 0x%x", msr);
	return 0;
}
