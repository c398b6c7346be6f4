// SPDX-License-Identifier: GPL-2.0-or-later
/* What CPUID and IA32_PERF_CAPABILITIES say about the PMU, and CPUID about the hypervisor. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "machine_parts.h"

/*
 * Leaves and fields: Intel SDM volume 2A, CPUID (leaves 1, 7, 0xA); AMD APM volume 3, appendix E
 * (0x80000001, 0x8000001B, 0x80000022). The hypervisor range from 0x40000000 is a convention all
 * hypervisors keep.
 */
#define LEAF_PERFMON 0xau
#define LEAF_HYPERVISOR 0x40000000u
#define LEAF_EXTENDED 0x80000000u
#define LEAF_IBS 0x8000001bu
#define LEAF_AMD_PERFMON 0x80000022u
#define LEAF1_ECX_PDCM (1u << 15)
#define LEAF1_ECX_HYPERVISOR (1u << 31)
#define LEAF7_EDX_HYBRID (1u << 15)
#define EXT1_ECX_IBS (1u << 10)
#define EXT1_ECX_PERFCTR_CORE (1u << 23)
#define EXT1_ECX_PERFCTR_NB (1u << 24)
#define MSR_PERF_CAPABILITIES 0x345

/* Hypervisor signatures, as EBX, ECX, EDX of its leaf give them. */
static const struct {
	const char *signature;
	const char *type;
} hypervisors[] = {
	{ "KVMKVMKVM", "kvm" },		  { "Linux KVM Hv", "kvm" },
	{ "TCGTCGTCGTCG", "tcg" },	  { "XenVMMXenVMM", "xen" },
	{ "VMwareVMware", "vmware" },	  { "Microsoft Hv", "hyperv" },
	{ "VBoxVBoxVBox", "virtualbox" }, { "bhyve bhyve ", "bhyve" },
	{ "ACRNACRNACRN", "acrn" },	  { "Jailhouse", "jailhouse" },
};

static uint32_t bits(uint32_t value, unsigned int from, unsigned int count)
{
	return value >> from & ((1u << count) - 1);
}

static void put_number(struct machine *m, json_t *object, const char *key, uint32_t value)
{
	machine_put(m, object, key, json_integer(value));
}

static json_t *perfmon(struct machine *m, const struct machine_cpuid *leaf)
{
	json_t *object = json_object();
	uint32_t version = bits(leaf->eax, 0, 8);

	put_number(m, object, "version", version);
	if (!version)
		return object;
	put_number(m, object, "gp_counters", bits(leaf->eax, 8, 8));
	put_number(m, object, "gp_width", bits(leaf->eax, 16, 8));
	/* A set bit says that the event is not there, for as many events as `events` says. */
	put_number(m, object, "events", bits(leaf->eax, 24, 8));
	machine_put_hex(m, object, "events_missing", leaf->ebx);
	if (version > 1) {
		put_number(m, object, "fixed_counters", bits(leaf->edx, 0, 5));
		put_number(m, object, "fixed_width", bits(leaf->edx, 5, 8));
	}
	if (version >= 5)
		machine_put_hex(m, object, "fixed_mask", leaf->ecx);
	return object;
}

static json_t *amd_perfmon(struct machine *m, const struct machine_cpuid *leaf)
{
	json_t *object = json_object();

	machine_put_hex(m, object, "features", leaf->eax);
	machine_put(m, object, "perfmon_v2", json_boolean(leaf->eax & 1));
	machine_put(m, object, "lbr", json_boolean(leaf->eax & 2));
	machine_put(m, object, "lbr_freeze", json_boolean(leaf->eax & 4));
	put_number(m, object, "core_counters", bits(leaf->ebx, 0, 4));
	put_number(m, object, "lbr_depth", bits(leaf->ebx, 4, 6));
	put_number(m, object, "df_counters", bits(leaf->ebx, 10, 6));
	put_number(m, object, "umc_counters", bits(leaf->ebx, 16, 6));
	return object;
}

static bool is_amd(const struct machine_cpuid *leaf0)
{
	char vendor[13] = "";

	memcpy(vendor, &leaf0->ebx, 4);
	memcpy(vendor + 4, &leaf0->edx, 4);
	memcpy(vendor + 8, &leaf0->ecx, 4);
	return !strcmp(vendor, "AuthenticAMD") || !strcmp(vendor, "HygonGenuine");
}

static void put_amd(struct machine *m, json_t *object, machine_cpuid_read read, const void *context)
{
	uint32_t max = read(LEAF_EXTENDED, 0, context).eax;
	struct machine_cpuid leaf = { 0 };

	if (max > LEAF_EXTENDED)
		leaf = read(LEAF_EXTENDED + 1, 0, context);
	machine_put(m, object, "perfctr_core", json_boolean(leaf.ecx & EXT1_ECX_PERFCTR_CORE));
	machine_put(m, object, "perfctr_nb", json_boolean(leaf.ecx & EXT1_ECX_PERFCTR_NB));
	if (leaf.ecx & EXT1_ECX_IBS && max >= LEAF_IBS)
		machine_put_hex(m, object, "ibs", read(LEAF_IBS, 0, context).eax);
	if (max >= LEAF_AMD_PERFMON) {
		leaf = read(LEAF_AMD_PERFMON, 0, context);
		machine_put(m, object, "amd_perfmon", amd_perfmon(m, &leaf));
	}
}

json_t *machine_cpuid_pmu(struct machine *m, machine_cpuid_read read, const void *context)
{
	struct machine_cpuid leaf = read(0, 0, context);
	json_t *object = json_object();
	uint32_t max = leaf.eax;

	if (is_amd(&leaf)) {
		put_amd(m, object, read, context);
		return object;
	}
	if (max >= LEAF_PERFMON) {
		leaf = read(LEAF_PERFMON, 0, context);
		machine_put(m, object, "perfmon", perfmon(m, &leaf));
	}
	if (max >= 7)
		machine_put(m, object, "hybrid",
			    json_boolean(read(7, 0, context).edx & LEAF7_EDX_HYBRID));
	return object;
}

json_t *machine_cpuid_hypervisor(struct machine *m, machine_cpuid_read read, const void *context)
{
	json_t *object = json_object();
	struct machine_cpuid leaf;
	char signature[13] = "";

	machine_put(m, object, "present",
		    json_boolean(read(1, 0, context).ecx & LEAF1_ECX_HYPERVISOR));
	if (!json_is_true(json_object_get(object, "present")))
		return object;
	leaf = read(LEAF_HYPERVISOR, 0, context);
	memcpy(signature, &leaf.ebx, 4);
	memcpy(signature + 4, &leaf.ecx, 4);
	memcpy(signature + 8, &leaf.edx, 4);
	if (signature[0])
		machine_put_text(m, object, "signature", signature, (size_t)-1);
	for (size_t i = 0; i < sizeof(hypervisors) / sizeof(hypervisors[0]); i++)
		if (!strcmp(signature, hypervisors[i].signature))
			machine_put(m, object, "type", json_string(hypervisors[i].type));
	return object;
}

/* Fields: Intel SDM volume 4, IA32_PERF_CAPABILITIES (345H). */
json_t *machine_perf_capabilities(struct machine *m, uint64_t value)
{
	json_t *object = json_object();

	machine_put_hex(m, object, "raw", value);
	put_number(m, object, "lbr_format", bits((uint32_t)value, 0, 6));
	machine_put(m, object, "pebs_trap", json_boolean(value & 1u << 6));
	put_number(m, object, "pebs_format", bits((uint32_t)value, 8, 4));
	machine_put(m, object, "smm_freeze", json_boolean(value & 1u << 12));
	machine_put(m, object, "full_width_write", json_boolean(value & 1u << 13));
	machine_put(m, object, "pebs_baseline", json_boolean(value & 1u << 14));
	return object;
}

#if defined(__x86_64__) || defined(__i386__)

static struct machine_cpuid read_here(uint32_t leaf, uint32_t subleaf, const void *context)
{
	struct machine_cpuid regs;

	(void)context;
	__cpuid_count(leaf, subleaf, regs.eax, regs.ebx, regs.ecx, regs.edx);
	return regs;
}

/* The most CPUs Linux can be built for on x86 (CONFIG_NR_CPUS, with MAXSMP). */
#define MAX_CPUS 8192

struct visit {
	struct machine *m;
	struct machine_kinds *kinds;
};

/*
 * Ask each CPU this process may use: they differ on hybrid machines, and CPUID answers only for the
 * CPU it runs on. In a thread of its own, so that no one's affinity has to be put back.
 */
static void *visit_cpus(void *argument)
{
	struct visit *visit = argument;
	cpu_set_t allowed[MAX_CPUS / CPU_SETSIZE], one[MAX_CPUS / CPU_SETSIZE];

	/* Not to be asked (more CPUs than this, say): then it is not known. */
	if (sched_getaffinity(0, sizeof(allowed), allowed))
		return NULL;
	for (size_t cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!CPU_ISSET_S(cpu, sizeof(allowed), allowed))
			continue;
		CPU_ZERO_S(sizeof(one), one);
		CPU_SET_S(cpu, sizeof(one), one);
		if (!sched_setaffinity(0, sizeof(one), one))
			machine_kinds_add(visit->m, visit->kinds,
					  machine_cpuid_pmu(visit->m, read_here, NULL), (long)cpu);
	}
	return NULL;
}

json_t *machine_cpuid_pmu_kinds(struct machine *m)
{
	struct machine_kinds *kinds = calloc(1, sizeof(*kinds));
	struct visit visit = { m, kinds };
	json_t *array = NULL;
	pthread_t thread;

	/* Without a thread (a process limit, say) it is not known, which is not an error. */
	if (kinds && !pthread_create(&thread, NULL, visit_cpus, &visit)) {
		pthread_join(thread, NULL);
		array = machine_kinds_array(m, kinds);
		machine_kinds_free(kinds);
	}
	free(kinds);
	return array ? array : json_array();
}

void machine_cpuid_put_hypervisor(struct machine *m, json_t *group)
{
	json_t *found = machine_cpuid_hypervisor(m, read_here, NULL);

	if (json_object_update(group, found))
		m->no_memory = true;
	json_decref(found);
}

/* The msr driver may be missing and needs root; then it is not known. */
void machine_cpuid_put_perf_capabilities(struct machine *m, json_t *group)
{
	uint64_t value;
	int fd;

	if (!(read_here(1, 0, NULL).ecx & LEAF1_ECX_PDCM))
		return;
	fd = open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (pread(fd, &value, sizeof(value), MSR_PERF_CAPABILITIES) == sizeof(value))
		machine_put(m, group, "perf_capabilities", machine_perf_capabilities(m, value));
	close(fd);
}

#else

json_t *machine_cpuid_pmu_kinds(struct machine *m)
{
	(void)m;
	return json_array();
}

void machine_cpuid_put_hypervisor(struct machine *m, json_t *group)
{
	(void)m;
	(void)group;
}

void machine_cpuid_put_perf_capabilities(struct machine *m, json_t *group)
{
	(void)m;
	(void)group;
}

#endif
