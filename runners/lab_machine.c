// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab_machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab_variants.h"

/* Architectures that have a fault. */
#define X86 LAB_ARCH_BIT(LAB_X86)
#define X86_ALPHA (X86 | LAB_ARCH_BIT(LAB_ALPHA))

#define NEHALEM_LBR "LBR 16, 64-bit addresses"
#define IVYBRIDGE_LBR "LBR 16, with mispredict flag"
#define HASWELL_LBR "LBR 16, with mispredict and TSX flags"
#define SKYLAKE_LBR "LBR 32, with cycle counts"
#define VERSION_3 "version 3, 4+3 counters"
#define VERSION_4 "version 4, 4+3 counters"
#define EV67 "2 counters of 20 bits", "no branch records", "nothing precise", "ev67"

/*
 * As fixtures/machines/x86/qemu/pmu-cpuid.c has them; PMU version and formats as on silicon. The
 * kernel uses no PEBS on a SandyBridge before stepping 7. An EV67 counts the same at each clock
 * frequency: what differs is how long a cycle takes.
 */
const struct lab_model lab_models[] = {
	{ &lab_archs[LAB_X86], "Skylake-Client", VERSION_4, SKYLAKE_LBR, "PEBS format 3" },
	{ &lab_archs[LAB_X86], "Skylake-Server", VERSION_4, SKYLAKE_LBR, "PEBS format 3" },
	{ &lab_archs[LAB_X86], "Broadwell", VERSION_3, HASWELL_LBR, "PEBS format 2" },
	{ &lab_archs[LAB_X86], "Haswell", VERSION_3, HASWELL_LBR, "PEBS format 2" },
	{ &lab_archs[LAB_X86], "IvyBridge", VERSION_3, IVYBRIDGE_LBR, "PEBS format 1" },
	{ &lab_archs[LAB_X86], "SandyBridge", VERSION_3, IVYBRIDGE_LBR, "PEBS format 1",
	  .extra = ",stepping=7" },
	{ &lab_archs[LAB_X86], "Westmere", VERSION_3, IVYBRIDGE_LBR, "PEBS format 1" },
	{ &lab_archs[LAB_X86], "Nehalem", VERSION_3, NEHALEM_LBR, "PEBS format 1" },
	{ &lab_archs[LAB_ALPHA], "ev67-250", EV67, ",frequency=250" },
	{ &lab_archs[LAB_ALPHA], "ev67-500", EV67, ",frequency=500" },
	{ &lab_archs[LAB_ALPHA], "ev67-667", EV67, ",frequency=667" },
	{ 0 },
};

/* As fixtures/machines/x86/qemu/pmu-fault.c and fixtures/machines/alpha do them. */
const struct lab_fault lab_faults[] = {
	{ X86, "sticky-mask", "BITS", "1",
	  "bits of the global status that come back when they are acknowledged" },
	{ X86, "sticky-after", "N", "20", "sticky-mask begins with this PMI" },
	{ X86, "sticky-acks", "N", "150", "sticky-mask ends after so many acknowledgements" },
	{ X86, "sticky-any", NULL, "on", "sticky-mask works when any bit is acknowledged" },
	{ X86, "sticky-pmi", NULL, "on", "sticky-mask raises a PMI each time" },
	{ X86, "early-freeze", "N", "3",
	  "every Nth time that the PMI handler enables the counters, the branch record freezes at "
	  "once" },
	{ X86, "handler-overflow", "N", "3",
	  "every Nth time that the PMI handler enables the counters, one overflows at once" },
	{ X86_ALPHA, "lost-pmi", "N", "7", "every Nth PMI does not arrive" },
	{ X86_ALPHA, "spurious-pmi", "N", "7", "every Nth PMI is followed by one without a cause" },
	{ X86, "slow-msr", "NS", "20000", "each access to a register of the PMU takes that long" },
	{ X86, "shadow", NULL, "on",
	  "sampling shadow after taken branches, but for precisely distributed events" },
	{ X86, "stale-record", "N", "7", "every Nth PEBS record repeats the one before" },
	{ 0 },
};

/* The boot parameter of fixtures/kernels/src/kernel/pmi_variant.c. */
#define VARIANT_PARAM "pmi_variant="

/* Directory of the kernel that has variants, and of their table in it. */
#define VARIANTS "variants"

int lab_machine_model(struct lab_machine *machine, const char *name, struct err *err)
{
	for (const struct lab_model *model = lab_models; model->name; model++) {
		if (!strcmp(model->name, name)) {
			machine->model = model;
			return 0;
		}
	}
	return err_set(err, 0, "--cpu-model %s: none that the lab has; see 'pmiproof lab models'",
		       name);
}

int lab_machine_mode(struct lab_machine *machine, const char *name, struct err *err)
{
	machine->mode_given = true;
	return lab_mode_parse(name, &machine->mode)
		       ? err_set(err, 0, "--mode %s: not smp or exact", name)
		       : 0;
}

static const struct lab_fault *find_fault(const char *name, size_t length)
{
	const struct lab_fault *fault = lab_faults;

	while (fault->name &&
	       (strlen(fault->name) != length || strncmp(fault->name, name, length) != 0))
		fault++;
	return fault->name ? fault : NULL;
}

static bool is_number(const char *text)
{
	char *end;

	errno = 0;
	(void)strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

int lab_machine_fault(struct lab_machine *machine, const char *text, struct err *err)
{
	size_t length = strcspn(text, "=");
	const char *value = text[length] ? text + length + 1 : NULL;
	const struct lab_fault *fault = find_fault(text, length);

	if (!fault)
		return err_set(err, 0,
			       "--fault %s: none that the lab has; see 'pmiproof lab faults'",
			       text);
	if (value && !fault->argument)
		return err_set(err, 0, "--fault %s: %s takes no value", text, fault->name);
	if (value && !is_number(value))
		return err_set(err, 0, "--fault %s: not a number", text);
	for (size_t i = 0; i < machine->n_faults; i++)
		if (!strncmp(machine->faults[i], text, length) && machine->faults[i][length] == '=')
			return err_set(err, 0, "--fault %s: given twice", text);
	if (machine->n_faults == LAB_FAULTS_MAX)
		return err_set(err, 0, "--fault %s: more than %d", text, LAB_FAULTS_MAX);
	snprintf(machine->faults[machine->n_faults++], sizeof(machine->faults[0]), "%s=%s",
		 fault->name, value ? value : fault->standard);
	return 0;
}

int lab_machine_variant(struct lab_machine *machine, const char *text, struct err *err)
{
	return lab_variants_add(machine->variant, sizeof(machine->variant), text, err);
}

int lab_machine_param(struct lab_machine *machine, const char *text, struct err *err)
{
	if (!*text || *text == '-')
		return err_set(err, 0, "--param '%s': not a kernel parameter", text);
	for (const char *c = text; *c; c++)
		if (*c <= ' ' || *c > '~')
			return err_set(err, 0, "--param: one parameter without spaces each: '%s'",
				       text);
	if (!strncmp(text, VARIANT_PARAM, strlen(VARIANT_PARAM)))
		return err_set(err, 0, "--param %s: that is what --variant is for", text);
	if (strlen(text) >= sizeof(machine->params[0]))
		return err_set(err, 0, "--param %s: longer than %zu characters", text,
			       sizeof(machine->params[0]) - 1);
	if (machine->n_params == LAB_PARAMS_MAX)
		return err_set(err, 0, "--param %s: more than %d", text, LAB_PARAMS_MAX);
	strcpy(machine->params[machine->n_params++], text);
	return 0;
}

/* Has the architecture each of the faults? */
static int check_faults(const struct lab_machine *machine, struct err *err)
{
	const struct lab_arch *arch = machine->model->arch;

	for (size_t i = 0; i < machine->n_faults; i++) {
		int length = (int)strcspn(machine->faults[i], "=");

		if (!lab_arch_in(find_fault(machine->faults[i], (size_t)length)->archs, arch))
			return err_set(err, 0,
				       "--fault %.*s: not on %s, which is %s; see 'pmiproof lab "
				       "faults'",
				       length, machine->faults[i], machine->model->name,
				       arch->name);
	}
	return 0;
}

int lab_machine_complete(struct lab_machine *machine, struct err *err)
{
	const struct lab_arch *arch = machine->model->arch;

	if (!machine->mode_given)
		machine->mode = arch->standard;
	if (!lab_machine_cpus(machine))
		return err_set(err, 0, "--mode %s: not on %s, which is %s and knows %s only",
			       lab_mode_name(machine->mode), machine->model->name, arch->name,
			       lab_mode_name(arch->standard));
	return check_faults(machine, err);
}

unsigned int lab_machine_cpus(const struct lab_machine *machine)
{
	return machine->model->arch->modes[machine->mode].cpus;
}

int lab_dir(char *dir, size_t size, struct err *err)
{
	const char *given = getenv("LAB_DIR");
	ssize_t len;

	if (given && *given) {
		snprintf(dir, size, "%s", given);
		return 0;
	}
	len = readlink("/proc/self/exe", dir, size - sizeof("lab"));
	if (len < 0)
		return err_set(err, errno, "/proc/self/exe");
	dir[len] = '\0';
	strcpy(strrchr(dir, '/') + 1, "lab");
	return 0;
}

/* A configuration lies beside its kernel as "config", or in /boot as config-RELEASE. */
static void find_kconfig(struct lab_machine *machine)
{
	char dir[PATH_MAX];
	const char *name;

	snprintf(dir, sizeof(dir), "%s", machine->kernel);
	name = strrchr(machine->kernel, '/') ? strrchr(machine->kernel, '/') + 1 : machine->kernel;
	dir[name - machine->kernel] = '\0';
	if (!strncmp(name, "vmlinuz-", 8))
		snprintf(machine->kconfig, sizeof(machine->kconfig), "%sconfig-%s", dir, name + 8);
	else
		snprintf(machine->kconfig, sizeof(machine->kconfig), "%sconfig", dir);
	if (access(machine->kconfig, R_OK))
		machine->kconfig[0] = '\0';
}

/* The variants asked for must be in the table beside the kernel, where there is one. */
static int check_variants(const struct lab_machine *machine, struct err *err)
{
	char path[PATH_MAX];
	struct stat status;
	int length = (int)(strrchr(machine->kernel, '/') + 1 - machine->kernel);

	snprintf(path, sizeof(path), "%.*svariants", length, machine->kernel);
	if (!*machine->variant || stat(path, &status) || !S_ISREG(status.st_mode))
		return 0;
	return lab_variants_check(machine->variant, path, err);
}

static int find_kernel(struct lab_machine *machine, const char *given, const char *dir,
		       struct err *err)
{
	const struct lab_arch *arch = machine->model->arch, *own;
	const char *ours = *machine->variant ? VARIANTS : arch->kernel;
	int result;

	if (!given)
		given = getenv("LAB_KERNEL");
	if (given && *given)
		snprintf(machine->kernel, sizeof(machine->kernel), "%s%s",
			 strchr(given, '/') ? "" : "./", given);
	else
		snprintf(machine->kernel, sizeof(machine->kernel), "%s/%s/vmlinuz", dir, ours);
	result = lab_arch_of_kernel(machine->kernel, &own, err);
	if (result) {
		if (!strcmp(ours, VARIANTS) && !(given && *given))
			err_prefix(err, "no kernel with variants: run 'make %s'",
				   arch->make_variants);
		return result;
	}
	if (own != arch)
		return err_set(err, 0, "kernel %s: for %s, not %s as %s is", machine->kernel,
			       own->name, arch->name, machine->model->name);
	find_kconfig(machine);
	return check_variants(machine, err);
}

/* The programs of an architecture that is not this one's. */
static int find_programs(struct lab_machine *machine, const char *dir, struct err *err)
{
	const struct lab_arch *arch = machine->model->arch;
	char program[PATH_MAX];

	machine->programs[0] = '\0';
	if (!arch->programs)
		return 0;
	snprintf(machine->programs, sizeof(machine->programs), "%s/%s", dir, arch->programs);
	snprintf(program, sizeof(program), "%s/%s/pmiproof", dir, arch->programs);
	if (access(program, X_OK))
		return err_set(err, errno, "no programs for %s: run 'make %s'; %s", arch->name,
			       arch->make, program);
	return 0;
}

/* Where the files of an architecture are: "DIR", or "DIR/SUBDIR". */
static int arch_dir(const struct lab_arch *arch, char *dir, size_t size, struct err *err)
{
	int result = lab_dir(dir, size, err);
	size_t used;

	if (result)
		return result;
	used = strlen(dir);
	return (size_t)snprintf(dir + used, size - used, "%s%s", *arch->subdir ? "/" : "",
				arch->subdir) < size - used
		       ? 0
		       : err_set(err, ENAMETOOLONG, "LAB_DIR");
}

int lab_machine_variants(const struct lab_arch *arch, char *path, size_t size, struct err *err)
{
	char dir[PATH_MAX / 2];
	int result = arch_dir(arch, dir, sizeof(dir), err);

	if (result)
		return result;
	snprintf(path, size, "%s/" VARIANTS "/variants", dir);
	return access(path, R_OK)
		       ? err_set(err, errno, "no kernel with variants: run 'make %s'; %s",
				 arch->make_variants, path)
		       : 0;
}

int lab_machine_find(struct lab_machine *machine, const char *kernel, struct err *err)
{
	const struct lab_arch *arch = machine->model->arch;
	char dir[PATH_MAX / 2], program[PATH_MAX];
	int result = arch_dir(arch, dir, sizeof(dir), err);

	if (result)
		return result;
	snprintf(machine->qemu, sizeof(machine->qemu), "%s/qemu", dir);
	snprintf(program, sizeof(program), "%s/qemu/bin/%s", dir, arch->program);
	if (access(program, X_OK))
		return err_set(err, errno, "no emulator: run 'make %s', or set LAB_DIR; %s",
			       arch->make, program);
	result = find_kernel(machine, kernel, dir, err);
	return result ? result : find_programs(machine, dir, err);
}

bool lab_machine_is_slow(const struct lab_machine *machine)
{
	for (size_t i = 0; i < machine->n_faults; i++)
		if (!strncmp(machine->faults[i], "slow-", 5))
			return true;
	return false;
}

int lab_machine_params(const struct lab_machine *machine, char *text, size_t size, struct err *err)
{
	size_t used = 0;

	*text = '\0';
	if (*machine->variant && strcmp(machine->variant, LAB_PLAIN) != 0)
		used = (size_t)snprintf(text, size, " " VARIANT_PARAM "%s", machine->variant);
	for (size_t i = 0; i < machine->n_params && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, " %s", machine->params[i]);
	return used < size ? 0 : err_set(err, E2BIG, "command line of the kernel");
}

int lab_machine_cpu(const struct lab_machine *machine, char *text, size_t size, struct err *err)
{
	const struct lab_model *model = machine->model;
	size_t used = (size_t)snprintf(text, size, "%s%s%s", model->cpu ? model->cpu : model->name,
				       model->extra ? model->extra : "", model->arch->features);

	for (size_t i = 0; i < machine->n_faults && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, ",fault-%s", machine->faults[i]);
	return used < size ? 0 : err_set(err, E2BIG, "description of the CPU");
}

bool lab_machine_sets(const struct lab_machine *machine, const char *sysctl)
{
	static const char prefix[] = "sysctl.";

	for (size_t i = 0; i < machine->n_params; i++) {
		const char *param = machine->params[i];
		size_t length = strcspn(param, "=");

		if (!strncmp(param, prefix, sizeof(prefix) - 1) &&
		    length == sizeof(prefix) - 1 + strlen(sysctl) &&
		    !strncmp(param + sizeof(prefix) - 1, sysctl, strlen(sysctl)))
			return true;
	}
	return false;
}
