// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab_arch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Features of the models that TCG does not have: QEMU turns them off anyway, with a warning for
 * each.
 */
#define X86_ABSENT                                                                         \
	",pcid=off,x2apic=off,tsc-deadline=off,hle=off,rtm=off,invpcid=off,rdseed=off,"    \
	"3dnowprefetch=off,xsavec=off,avx512f=off,avx512dq=off,avx512cd=off,avx512bw=off," \
	"avx512vl=off"

/*
 * Quiet: what is printed costs boot time. panic=-1: a panic resets the machine at once, and a reset
 * ends the emulator (-no-reboot).
 */
#define ARGUMENTS "console=ttyS0 quiet panic=-1"

const struct lab_arch lab_archs[LAB_ARCHS] = {
	[LAB_X86] = {
		.name = "x86",
		.subdir = "",
		.program = "qemu-system-x86_64",
		.machine = "pc",
		.memory = "1024",
		.features = X86_ABSENT ",pmu=on",
		.modes = {
			[LAB_SMP] = { .cpus = LAB_CPUS_MAX },
			[LAB_EXACT] = { .cpus = 1, .shift = 0 },
		},
		.standard = LAB_SMP,
		.kernel = "kernel",
		.stock = true,
		.machine_id = EM_X86_64,
		/*
		 * The mitigations are of no use on a CPU that speculates nothing. The TSC is the
		 * emulator's clock: reliable. Random numbers of the CPU are trusted, as by Debian's
		 * kernel: waiting for better ones takes a second in which nothing else happens.
		 */
		.arguments = ARGUMENTS " nokaslr mitigations=off tsc=reliable random.trust_cpu=on",
		/* What it need not measure: QEMU's local APIC counts nanoseconds. */
		.variant_arguments = " pmi_apic_hz=1000000000",
		.arguments_max = 2047, /* COMMAND_LINE_SIZE of arch/x86/include/asm/setup.h */
		.make = "lab",
		.make_variants = "lab-kernels",
	},
	[LAB_ALPHA] = {
		.name = "alpha",
		.subdir = "alpha",
		.program = "qemu-system-alpha",
		.machine = "clipper",
		.memory = "512",
		.features = ",pmu=on",
		/*
		 * 16 ns an instruction, so that a PMI takes as long as on the machine that the
		 * emulation is modelled on (docs/lab.md).
		 */
		.modes = { [LAB_EXACT] = { .cpus = 1, .shift = 4 } },
		.standard = LAB_EXACT,
		.kernel = "variants",
		.machine_id = EM_ALPHA,
		.elf_only = true,
		/* Otherwise it takes year 26 for 2006 (arch/alpha/kernel/rtc.c). */
		.arguments = ARGUMENTS " epoch=2000",
		.variant_arguments = "",
		.arguments_max = 255, /* the same of Alpha, and what QEMU's dp264.c hands over */
		.programs = "guest",
		.timed_handlers = true,
		.make = "lab-alpha",
		.make_variants = "lab-alpha",
	},
};

static const char *const mode_names[LAB_MODES] = { [LAB_SMP] = "smp", [LAB_EXACT] = "exact" };

const char *lab_mode_name(enum lab_mode mode)
{
	return mode_names[mode];
}

int lab_mode_parse(const char *name, enum lab_mode *mode)
{
	for (size_t i = 0; i < LAB_MODES; i++) {
		if (!strcmp(name, mode_names[i])) {
			*mode = (enum lab_mode)i;
			return 0;
		}
	}
	return -EINVAL;
}

/* e_machine of an ELF file, EM_NONE for another file; -errno. */
static int read_machine_id(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf64_Ehdr header = { .e_machine = EM_NONE };
	struct stat status;
	ssize_t got;

	if (fd < 0)
		return err_set(err, errno, "kernel %s", path);
	if (fstat(fd, &status) || !S_ISREG(status.st_mode)) {
		close(fd);
		return err_set(err, 0, "kernel %s: not a file", path);
	}
	got = read(fd, &header, sizeof(header));
	close(fd);
	if (got < 0)
		return err_set(err, errno, "kernel %s", path);
	return got == (ssize_t)sizeof(header) && !memcmp(header.e_ident, ELFMAG, SELFMAG)
		       ? header.e_machine
		       : EM_NONE;
}

int lab_arch_of_kernel(const char *path, const struct lab_arch **arch, struct err *err)
{
	int id = read_machine_id(path, err);

	if (id < 0)
		return id;
	for (size_t i = 0; i < LAB_ARCHS; i++) {
		if (id == EM_NONE ? !lab_archs[i].elf_only
				  : lab_archs[i].machine_id == (unsigned int)id) {
			*arch = &lab_archs[i];
			return 0;
		}
	}
	return err_set(err, 0, "kernel %s: an ELF file for machine %d, which the lab does not have",
		       path, id);
}

bool lab_arch_in(unsigned int set, const struct lab_arch *arch)
{
	return set & LAB_ARCH_BIT(arch - lab_archs);
}
