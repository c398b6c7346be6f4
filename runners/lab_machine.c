// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab_machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab_variants.h"

#define NEHALEM_LBR "16, 64-bit addresses"
#define HASWELL_LBR "16, with mispredict and TSX flags"

/*
 * As fixtures/machines/x86/qemu/pmu-cpuid.c has them; PMU version and formats as on silicon. The
 * kernel uses no PEBS on a SandyBridge before stepping 7.
 */
const struct lab_model lab_models[] = {
	{ "Skylake-Client", "version 4, 4+3 counters", "32, with cycle counts", "PEBS format 3",
	  "" },
	{ "Skylake-Server", "version 4, 4+3 counters", "32, with cycle counts", "PEBS format 3",
	  "" },
	{ "Broadwell", "version 3, 4+3 counters", HASWELL_LBR, "PEBS format 2", "" },
	{ "Haswell", "version 3, 4+3 counters", HASWELL_LBR, "PEBS format 2", "" },
	{ "IvyBridge", "version 3, 4+3 counters", "16, with mispredict flag", "PEBS format 1", "" },
	{ "SandyBridge", "version 3, 4+3 counters", "16, with mispredict flag", "PEBS format 1",
	  ",stepping=7" },
	{ "Westmere", "version 3, 4+3 counters", "16, with mispredict flag", "PEBS format 1", "" },
	{ "Nehalem", "version 3, 4+3 counters", "16, with mispredict flag", "PEBS format 1", "" },
	{ 0 },
};

/* As fixtures/machines/x86/qemu/pmu-fault.c does them. */
const struct lab_fault lab_faults[] = {
	{ "sticky-mask", "BITS", "1",
	  "bits of the global status that come back when they are acknowledged" },
	{ "sticky-after", "N", "20", "sticky-mask begins with this PMI" },
	{ "sticky-acks", "N", "150", "sticky-mask ends after so many acknowledgements" },
	{ "sticky-any", NULL, "on", "sticky-mask works when any bit is acknowledged" },
	{ "sticky-pmi", NULL, "on", "sticky-mask raises a PMI each time" },
	{ "early-freeze", "N", "3",
	  "every Nth time that the PMI handler enables the counters, the branch record freezes at "
	  "once" },
	{ "handler-overflow", "N", "3",
	  "every Nth time that the PMI handler enables the counters, one overflows at once" },
	{ "lost-pmi", "N", "7", "every Nth PMI does not arrive" },
	{ "spurious-pmi", "N", "7", "every Nth PMI is followed by one without a cause" },
	{ "slow-msr", "NS", "20000", "each access to a register of the PMU takes that long" },
	{ "shadow", NULL, "on",
	  "sampling shadow after taken branches, but for precisely distributed events" },
	{ "stale-record", "N", "7", "every Nth PEBS record repeats the one before" },
	{ 0 },
};

/*
 * Features of the models that TCG does not have: QEMU turns them off anyway, with a warning for
 * each.
 */
static const char absent_features[] = ",pcid=off,x2apic=off,tsc-deadline=off,hle=off,rtm=off,"
				      "invpcid=off,rdseed=off,3dnowprefetch=off,xsavec=off,"
				      "avx512f=off,avx512dq=off,avx512cd=off,avx512bw=off,"
				      "avx512vl=off";

/* The boot parameter of fixtures/kernels/src/kernel/pmi_variant.c. */
#define VARIANT_PARAM "pmi_variant="

static const char *const mode_names[] = { [LAB_SMP] = "smp", [LAB_EXACT] = "exact" };

const char *lab_mode_name(enum lab_mode mode)
{
	return mode_names[mode];
}

int lab_mode_parse(const char *name, enum lab_mode *mode)
{
	for (size_t i = 0; i < sizeof(mode_names) / sizeof(mode_names[0]); i++) {
		if (!strcmp(name, mode_names[i])) {
			*mode = (enum lab_mode)i;
			return 0;
		}
	}
	return -EINVAL;
}

unsigned int lab_mode_cpus(enum lab_mode mode)
{
	return mode == LAB_SMP ? 2 : 1;
}

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
	const char *ours = *machine->variant ? "variants" : "kernel";
	struct stat status;

	if (!given)
		given = getenv("LAB_KERNEL");
	if (given && *given)
		snprintf(machine->kernel, sizeof(machine->kernel), "%s%s",
			 strchr(given, '/') ? "" : "./", given);
	else
		snprintf(machine->kernel, sizeof(machine->kernel), "%s/%s/vmlinuz", dir, ours);
	if (stat(machine->kernel, &status) || access(machine->kernel, R_OK)) {
		if (*machine->variant && !(given && *given))
			return err_set(err, errno,
				       "no kernel with variants: run 'make lab-kernels'; %s",
				       machine->kernel);
		return err_set(err, errno, "kernel %s", machine->kernel);
	}
	if (!S_ISREG(status.st_mode))
		return err_set(err, 0, "kernel %s: not a file", machine->kernel);
	find_kconfig(machine);
	return check_variants(machine, err);
}

int lab_machine_find(struct lab_machine *machine, const char *kernel, struct err *err)
{
	char dir[PATH_MAX / 2], program[PATH_MAX];
	int result = lab_dir(dir, sizeof(dir), err);

	if (result)
		return result;
	snprintf(machine->qemu, sizeof(machine->qemu), "%s/qemu", dir);
	snprintf(program, sizeof(program), "%s/qemu/bin/qemu-system-x86_64", dir);
	if (access(program, X_OK))
		return err_set(err, errno, "no emulator: run 'make lab', or set LAB_DIR; %s",
			       program);
	return find_kernel(machine, kernel, dir, err);
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
	size_t used = (size_t)snprintf(text, size, "%s%s%s,pmu=on", machine->model->name,
				       absent_features, machine->model->extra);

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
