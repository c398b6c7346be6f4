// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "machine_parts.h"

Suite *suite(void);

/* Trees of odd machines; their README says what each is. Tests run from the top directory. */
#define TREE "fixtures/sysfs/"

/* sha256sum(1) of the uncompressed configuration that two of the trees carry. */
#define CONFIG_DIGEST "sha256:9982b550eb454836c7979cb132bf7b8f17aade7f01912d377e8618272ba5bf59"

static json_t *inventory(const char *root, bool identify)
{
	struct err err;
	json_t *all = machine_inventory(root, identify, &err);

	ck_assert_msg(all != NULL, "%s", err.text);
	return all;
}

/* The value at "cpu.kinds.1.cpus", or NULL. */
static json_t *at(json_t *value, const char *path)
{
	char copy[256], *state = NULL;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *part = strtok_r(copy, ".", &state); part; part = strtok_r(NULL, ".", &state))
		value = json_is_array(value) ? json_array_get(value, strtoul(part, NULL, 10))
					     : json_object_get(value, part);
	return value;
}

/* What a tree must say at a path: JSON text, or NULL for "left out". */
static const struct expected {
	const char *tree;
	const char *path;
	const char *json;
} expected[] = {
	{ "intel-hybrid", "type", "\"machine\"" },
	{ "intel-hybrid", "cpu.vendor", "\"GenuineIntel\"" },
	{ "intel-hybrid", "cpu.family", "6" },
	{ "intel-hybrid", "cpu.model", "151" },
	{ "intel-hybrid", "cpu.stepping", "2" },
	{ "intel-hybrid", "cpu.name", "\"12th Gen Intel(R) Core(TM) i9-12900K\"" },
	{ "intel-hybrid", "cpu.microcode", "\"0x2e\"" },
	{ "intel-hybrid", "cpu.kinds", NULL },
	{ "intel-hybrid", "cpu.online", "4" },
	{ "intel-hybrid", "cpu.offline_list", NULL },
	{ "intel-hybrid", "cpu.smt", "true" },
	{ "intel-hybrid", "cpu.cores", "3" },
	{ "intel-hybrid", "cpu.sockets", "1" },
	{ "intel-hybrid", "pmu.cpuid", NULL },
	{ "intel-hybrid", "pmu.devices.cpu_core.type", "4" },
	{ "intel-hybrid", "pmu.devices.cpu_core.cpus", "\"0-1\"" },
	{ "intel-hybrid", "pmu.devices.cpu_core.rdpmc", "1" },
	{ "intel-hybrid", "pmu.devices.cpu_core.freeze_on_smi", "false" },
	{ "intel-hybrid", "pmu.devices.cpu_core.caps",
	  "{\"branches\":32,\"max_precise\":3,\"pmu_name\":\"alderlake_hybrid\"}" },
	{ "intel-hybrid", "pmu.devices.cpu_atom.cpus", "\"2-3\"" },
	{ "intel-hybrid", "pmu.devices.cpu_atom.format",
	  "[\"edge\",\"event\",\"offcore_rsp\",\"umask\"]" },
	{ "intel-hybrid", "pmu.devices.uncore_imc_0.cpumask", "\"0\"" },
	{ "intel-hybrid", "hypervisor", "{\"present\":false}" },
	{ "intel-hybrid", "kernel.release", "\"6.8.0-45-generic\"" },
	{ "intel-hybrid", "kernel.machine", "\"x86_64\"" },
	{ "intel-hybrid", "kernel.config", "\"" CONFIG_DIGEST "\"" },
	{ "intel-hybrid", "kernel.config_from", "\"/proc/config.gz\"" },
	{ "intel-hybrid", "kernel.hz", "1000" },
	{ "intel-hybrid", "kernel.preempt", "\"dynamic\"" },
	{ "intel-hybrid", "kernel.preempt_mode", "\"voluntary\"" },
	/* 4609 = 4096 + 512 + 1: O, W, P. */
	{ "intel-hybrid", "taint", "{\"value\":4609,\"flags\":\"PWO\"}" },
	{ "intel-hybrid", "lockdep", "{\"alive\":false}" },
	{ "intel-hybrid", "clocksource",
	  "{\"current\":\"tsc\",\"available\":[\"tsc\",\"hpet\",\"acpi_pm\"]}" },
	{ "intel-hybrid", "idle.driver", "\"intel_idle\"" },
	{ "intel-hybrid", "idle.governor", "\"menu\"" },
	{ "intel-hybrid", "idle.cpus.0.cpus", "\"0-1\"" },
	{ "intel-hybrid", "idle.cpus.0.states.2",
	  "{\"name\":\"C6\",\"latency_us\":220,\"residency_us\":600,\"disabled\":true}" },
	{ "intel-hybrid", "idle.cpus.1.cpus", "\"2-3\"" },
	{ "intel-hybrid", "idle.cpus.1.states.2.latency_us", "170" },
	{ "intel-hybrid", "idle.cpus.2", NULL },
	/* no_turbo is 1 and boost is 1: of two sources the first, the driver in charge, counts. */
	{ "intel-hybrid", "cpufreq.turbo", "false" },
	{ "intel-hybrid", "cpufreq.cpus.0",
	  "{\"cpus\":\"0-1\",\"driver\":\"intel_pstate\",\"governor\":\"powersave\","
	  "\"min_khz\":800000,\"max_khz\":5200000}" },
	{ "intel-hybrid", "cpufreq.cpus.1.cpus", "\"2-3\"" },
	{ "intel-hybrid", "watchdog",
	  "{\"nmi_watchdog\":1,\"soft_watchdog\":1,\"watchdog_thresh_s\":10}" },
	{ "intel-hybrid", "perf",
	  "{\"event_paranoid\":-1,\"event_max_sample_rate\":63000,\"cpu_time_max_percent\":25,"
	  "\"event_mlock_kb\":516,\"event_max_stack\":127}" },
	{ "intel-hybrid", "rcu.cpu_stall_timeout_s", "60" },
	{ "intel-hybrid", "isolation", "{\"isolated\":\"2-3\",\"nohz_full\":\"2-3\"}" },
	{ "intel-hybrid", "numa", "[{\"node\":0,\"cpus\":\"0-3\",\"memory_kb\":65608052}]" },
	{ "intel-hybrid", "memory.total_kb", "65608052" },
	{ "intel-hybrid", "firmware.bios_version", "\"2103\"" },
	{ "intel-hybrid", "firmware.board", "\"PRIME Z690-P\"" },
	{ "intel-hybrid", "mitigations.meltdown", "\"Not affected\"" },
	{ "intel-hybrid", "identity", NULL },

	{ "amd-ibs", "cpu.name", "\"AMD EPYC 9354 32-Core Processor\"" },
	{ "amd-ibs", "cpu.microcode", "\"0xa101148\"" },
	{ "amd-ibs", "cpu.kinds.0.cpus", "\"0-1,3\"" },
	{ "amd-ibs", "cpu.kinds.1.cpus", "\"2\"" },
	{ "amd-ibs", "cpu.kinds.1.microcode", "\"0xa10113e\"" },
	{ "amd-ibs", "cpu.kinds.1.family", "25" },
	{ "amd-ibs", "cpu.kinds.2", NULL },
	{ "amd-ibs", "cpu.possible", "128" },
	{ "amd-ibs", "cpu.cores", "4" },
	{ "amd-ibs", "cpu.sockets", "2" },
	{ "amd-ibs", "cpu.smt", "false" },
	{ "amd-ibs", "cpufreq", "{\"turbo\":true}" },
	{ "amd-ibs", "pmu.devices.ibs_op.type", "10" },
	{ "amd-ibs", "pmu.devices.ibs_op.caps.zen4_ibs_extensions", "1" },
	{ "amd-ibs", "pmu.devices.ibs_fetch.format", "[\"rand_en\"]" },
	{ "amd-ibs", "pmu.devices.amd_df.cpumask", "\"0,2\"" },
	{ "amd-ibs", "kernel.config", "\"" CONFIG_DIGEST "\"" },
	{ "amd-ibs", "kernel.config_from", "\"/boot/config-6.1.0-13-amd64\"" },
	/* "localhost" names no machine. */
	{ "amd-ibs", "kernel.cmdline",
	  "\"BOOT_IMAGE=/vmlinuz-6.1.0-13-amd64 root=/dev/sda1 via=localhost\"" },
	{ "amd-ibs", "lockdep", "{\"alive\":true}" },
	{ "amd-ibs", "taint", "{\"value\":0,\"flags\":\"\"}" },
	{ "amd-ibs", "numa.1", "{\"node\":1,\"cpus\":\"2-3\",\"memory_kb\":132120576}" },
	{ "amd-ibs", "firmware", NULL },

	{ "arm64", "cpu.vendor", "\"0x41\"" },
	{ "arm64", "cpu.family", "8" },
	{ "arm64", "cpu.model", "\"0xd05\"" },
	{ "arm64", "cpu.variant", "\"0x1\"" },
	{ "arm64", "cpu.stepping", "0" },
	{ "arm64", "cpu.name", NULL },
	{ "arm64", "cpu.microcode", NULL },
	{ "arm64", "cpu.kinds.0.cpus", "\"0-3\"" },
	{ "arm64", "cpu.kinds.1.cpus", "\"4-5\"" },
	{ "arm64", "cpu.kinds.1.model", "\"0xd0b\"" },
	{ "arm64", "cpu.smt", NULL },
	{ "arm64", "cpu.cores", NULL },
	{ "arm64", "hypervisor", NULL },
	{ "arm64", "kernel.machine", "\"aarch64\"" },
	{ "arm64", "pmu.devices.armv8_cortex_a76.caps.slots", "\"0x00000008\"" },
	{ "arm64", "firmware", "{\"product\":\"Example Board v2\"}" },
	{ "arm64", "clocksource", "{\"current\":\"arch_sys_counter\"}" },

	{ "alpha", "cpu.name", "\"EV67\"" },
	{ "alpha", "cpu.model", "7" },
	{ "alpha", "cpu.stepping", "0" },
	{ "alpha", "cpu.frequency_hz", "666666666" },
	{ "alpha", "cpu.kinds", NULL },
	{ "alpha", "cpu.online", "2" },
	{ "alpha", "firmware",
	  "{\"system\":\"Tsunami\",\"system_variation\":\"Clipper\","
	  "\"product\":\"AlphaServer ES40\"}" },
	{ "alpha", "kernel.cmdline", "\"ro  root=/dev/sda2 console=srm\"" },
	{ "alpha", "kernel.config", NULL },

	{ "vm-no-pmu", "hypervisor", "{\"type\":\"qemu\",\"present\":true}" },
	{ "vm-no-pmu", "pmu.devices", "{\"software\":{\"type\":1},\"tracepoint\":{\"type\":2}}" },
	{ "vm-no-pmu", "watchdog", "{\"nmi_watchdog\":0}" },
	{ "vm-no-pmu", "cpu.online", NULL },

	{ "sparse-cpus", "cpu.online", "4" },
	{ "sparse-cpus", "cpu.online_list", "\"0,2-3,8\"" },
	{ "sparse-cpus", "cpu.offline_list", "\"1,4-7,9-4095\"" },
	{ "sparse-cpus", "cpu.present", "9" },
	{ "sparse-cpus", "cpu.possible", "4096" },
	{ "sparse-cpus", "cpu.cores", "3" },
	{ "sparse-cpus", "cpu.sockets", "1" },
	{ "sparse-cpus", "cpu.model", "85" },
	{ "sparse-cpus", "cpu.kinds", NULL },

	{ "garbage", "cpu.model", NULL },
	{ "garbage", "cpu.online", NULL },
	{ "garbage", "cpu.online_list", "\"0-\"" },
	{ "garbage", "cpu.present", NULL },
	{ "garbage", "cpu.possible", NULL },
	{ "garbage", "cpu.smt", NULL },
	/* ff fe 00: three bytes that are no text. */
	{ "garbage", "cpu.name", "\"bad \\ufffd\\ufffd\"" },
	{ "garbage", "pmu.devices", "{\"cpu\":{\"caps\":{\"max_precise\":\"\\ufffd\"}}}" },
	{ "garbage", "kernel.release", "\"../../../etc\"" },
	{ "garbage", "kernel.config", NULL },
	{ "garbage", "kernel.build", "\"Linux (***\"" },
	{ "garbage", "kernel.cmdline", "\"quiet \\ufffd\\ufffd( password=*** \\ufffd\"" },
	{ "garbage", "taint", NULL },
	{ "garbage", "lockdep", NULL },
	{ "garbage", "watchdog", NULL },
	{ "garbage", "perf", NULL },
	{ "garbage", "clocksource.current", "\"t\\ufffds\\ufffdc\\ufffd\"" },
	{ "garbage", "isolation", NULL },
	{ "garbage", "numa", "[{\"node\":0}]" },
	{ "garbage", "memory", NULL },

	{ "no-such-tree", "cpu", NULL },
	{ "no-such-tree", "type", "\"machine\"" },
};

START_TEST(a_tree_says_what_is_in_it)
{
	const struct expected *want = &expected[_i];
	char root[PATH_MAX], *shown;
	json_t *all, *value, *wanted = NULL;

	snprintf(root, sizeof(root), TREE "%s", want->tree);
	all = inventory(root, false);
	value = at(all, want->path);
	if (want->json) {
		wanted = json_loads(want->json, JSON_DECODE_ANY, NULL);
		ck_assert_msg(wanted != NULL, "not JSON: %s", want->json);
	}
	shown = value ? json_dumps(value, JSON_ENCODE_ANY) : strdup("left out");
	ck_assert_msg(wanted ? json_equal(value, wanted) : !value, "%s %s: %s, not %s", want->tree,
		      want->path, shown, want->json ? want->json : "left out");
	free(shown);
	json_decref(wanted);
	json_decref(all);
}
END_TEST

/* What the trees hold that names a machine. */
static const char *const planted[] = {
	"node17",  "example.org", "buildd", "lcy02", "hunter2", "10.20.30", "2f1d7c3e-11aa-4b6e",
	"SN-",	   "ASSET",	  "5555",   "52:54", "ab:cd",	"deadbeef", "NI01234567",
	"AY98765", "99999",
};

static const char *const trees[] = { "intel-hybrid", "amd-ibs",	    "arm64",   "alpha",
				     "vm-no-pmu",    "sparse-cpus", "garbage", "no-such-tree" };

#define TREES (sizeof(trees) / sizeof(trees[0]))
#define EXPECTED (sizeof(expected) / sizeof(expected[0]))

START_TEST(nothing_names_the_machine_unasked)
{
	char root[PATH_MAX], *text;
	json_t *all, *again;

	snprintf(root, sizeof(root), TREE "%s", trees[_i]);
	all = inventory(root, false);
	text = json_dumps(all, 0);
	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < sizeof(planted) / sizeof(planted[0]); i++)
		ck_assert_msg(!strstr(text, planted[i]), "%s in %s", planted[i], text);
	/* Whatever a tree holds, the record can be written and read back. */
	again = json_loads(text, 0, NULL);
	ck_assert(json_equal(all, again));
	json_decref(again);
	free(text);
	json_decref(all);
}
END_TEST

START_TEST(identity_when_asked)
{
	json_t *all = inventory(TREE "intel-hybrid", true), *identity = at(all, "identity");
	const char *cmdline = json_string_value(at(all, "kernel.cmdline"));

	ck_assert_str_eq(json_string_value(at(identity, "hostname")), "node17.lab.example.org");
	ck_assert_str_eq(json_string_value(at(identity, "product_serial")), "SN-PRODUCT-4711");
	ck_assert_str_eq(json_string_value(at(identity, "chassis_asset_tag")), "ASSET-99");
	ck_assert_str_eq(json_string_value(at(identity, "addresses.eth0")), "52:54:00:ab:cd:ef");
	ck_assert_ptr_null(at(identity, "addresses.lo"));
	ck_assert_ptr_nonnull(strstr(cmdline, "ip=10.20.30.40::10.20.30.1"));
	ck_assert_ptr_nonnull(strstr(cmdline, "node17--vg-root"));
	ck_assert_ptr_null(strstr(cmdline, "hunter2"));
	ck_assert_ptr_nonnull(strstr(json_string_value(at(all, "kernel.build")), "buildd@lcy02"));
	json_decref(all);
	all = inventory(TREE "arm64", true);
	ck_assert_str_eq(json_string_value(at(all, "identity.serial")), "10000000deadbeef");
	json_decref(all);
}
END_TEST

START_TEST(host_name_is_taken_out_of_the_command_line)
{
	json_t *all = inventory(TREE "intel-hybrid", false);

	ck_assert_str_eq(
		json_string_value(at(all, "kernel.cmdline")),
		"BOOT_IMAGE=/vmlinuz-6.8.0-45-generic root=/dev/mapper/***--vg-root ro quiet "
		"isolcpus=2-3 nohz_full=2-3 rd.luks.uuid=*** ip=*** rd.break=pre-mount "
		"systemd.hostname=*** bmc_password=***");
	ck_assert_str_eq(json_string_value(at(all, "kernel.build")),
			 "Linux version 6.8.0-45-generic (***) (x86_64-linux-gnu-gcc-13 (Ubuntu "
			 "13.2.0-23ubuntu4) 13.2.0, GNU ld (GNU Binutils for Ubuntu) 2.42) "
			 "#45-Ubuntu SMP PREEMPT_DYNAMIC Fri Aug 30 12:02:04 UTC 2024");
	json_decref(all);
}
END_TEST

/* PMUs are numbered past nine; a reader expects 2 before 10. */
START_TEST(devices_are_in_natural_order)
{
	static const char *const order[] = { "cpu_atom", "cpu_core", "uncore_imc_0", "uncore_imc_2",
					     "uncore_imc_10" };
	json_t *all = inventory(TREE "intel-hybrid", false);
	json_t *devices = at(all, "pmu.devices");
	void *device = json_object_iter(devices);
	size_t i = 0;

	for (; device; device = json_object_iter_next(devices, device))
		ck_assert_str_eq(json_object_iter_key(device), order[i++]);
	ck_assert_uint_eq(i, sizeof(order) / sizeof(order[0]));
	json_decref(all);
}
END_TEST

START_TEST(this_machine)
{
	json_t *all = inventory("", false);
	struct utsname uts;

	ck_assert(!uname(&uts));
	ck_assert_str_eq(json_string_value(at(all, "kernel.release")), uts.release);
	ck_assert_str_eq(json_string_value(at(all, "kernel.machine")), uts.machine);
	ck_assert_int_eq(json_integer_value(at(all, "cpu.online")), sysconf(_SC_NPROCESSORS_ONLN));
	ck_assert_int_ge(json_array_size(at(all, "numa")), 1);
	ck_assert_int_gt(json_integer_value(at(all, "memory.total_kb")), 0);
	json_decref(all);
}
END_TEST

/*
 * Without memory there is no inventory, rather than part of one that looks whole. An allocation
 * that fails once may be done again in another way; then nothing may be missing.
 */
static size_t allocations_left;
static bool keep_failing, failed;

static void *failing_malloc(size_t size)
{
	if (!allocations_left && (keep_failing || !failed)) {
		failed = true;
		return NULL;
	}
	if (allocations_left)
		allocations_left--;
	return malloc(size);
}

START_TEST(out_of_memory_is_an_error)
{
	json_t *whole = inventory(TREE "intel-hybrid", true);
	size_t n = 0, errors = 0;

	keep_failing = _i;
	json_set_alloc_funcs(failing_malloc, free);
	do {
		struct err err = { "" };
		json_t *all;

		allocations_left = n++;
		failed = false;
		all = machine_inventory(TREE "intel-hybrid", true, &err);
		errors += !all;
		ck_assert(all ? json_equal(all, whole) : strstr(err.text, "ENOMEM") != NULL);
		ck_assert(!all || !failed || !keep_failing);
		json_decref(all);
	} while (failed);
	json_set_alloc_funcs(malloc, free);
	/* A machine with this many values needs at least as many allocations. */
	ck_assert_uint_gt(errors, 100);
	json_decref(whole);
}
END_TEST

START_TEST(taint_of_a_tree)
{
	struct err err;

	ck_assert_int_eq(machine_taint(TREE "intel-hybrid", &err), 4609);
	ck_assert_int_eq(machine_taint(TREE "garbage", &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "rather"));
	ck_assert_int_eq(machine_taint(TREE "alpha", &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "ENOENT"));
	ck_assert_int_ge(machine_taint("", &err), 0);
}
END_TEST

START_TEST(lockdep_of_a_tree)
{
	ck_assert_int_eq(machine_lockdep(TREE "amd-ibs"), 1);
	ck_assert_int_eq(machine_lockdep(TREE "intel-hybrid"), 0);
	ck_assert_int_eq(machine_lockdep(TREE "alpha"), -ENOENT);
	ck_assert_int_eq(machine_lockdep(TREE "garbage"), -EBADMSG);
}
END_TEST

START_TEST(kconfig_of_a_tree)
{
	static const char *const roots[] = { TREE "intel-hybrid", TREE "amd-ibs" };
	const char *root = roots[_i];

	ck_assert_int_eq(machine_kconfig(root, "PERF_EVENTS"), 1);
	ck_assert_int_eq(machine_kconfig(root, "X86_MSR"), 1);
	ck_assert_int_eq(machine_kconfig(root, "PROVE_LOCKING"), 0);
	ck_assert_int_eq(machine_kconfig(root, "NOT_AN_OPTION"), 0);
	/* A part of a name is not the name, and a number is not "set". */
	ck_assert_int_eq(machine_kconfig(root, "PERF"), 0);
	ck_assert_int_eq(machine_kconfig(root, "HZ"), 0);
	ck_assert_int_eq(machine_kconfig(root, ""), 0);
	ck_assert_int_eq(machine_kconfig(TREE "alpha", "PERF_EVENTS"), -ENOENT);
	/* Cut in the middle: part of a configuration is none. */
	ck_assert_int_eq(machine_kconfig(TREE "garbage", "64BIT"), -ENOENT);
}
END_TEST

static char tree_dir[64];

static void make_tree(void)
{
	char path[128];

	snprintf(tree_dir, sizeof(tree_dir), "/tmp/machine_check.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(tree_dir));
	snprintf(path, sizeof(path), "%s/proc", tree_dir);
	ck_assert(!mkdir(path, 0700));
}

static void remove_tree(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", tree_dir);
	ck_assert_int_eq(system(command), 0); // NOLINT(cert-env33-c): a path of our own making
}

static FILE *create(const char *path)
{
	char full[128];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", tree_dir, path);
	file = fopen(full, "we");
	ck_assert_ptr_nonnull(file);
	return file;
}

START_TEST(a_very_long_line_hides_nothing)
{
	FILE *file = create("/proc/cpuinfo");
	json_t *all;

	fputs("processor : 0\nvendor_id : First\nflags : ", file);
	for (int i = 0; i < 1 << 20; i++)
		fputc('x', file);
	fputs("\nmodel name : ", file);
	for (int i = 0; i < 1 << 20; i++)
		fputc('n', file);
	/* Of two lines of one name in a block the first counts. */
	fputs("\nmodel : 7\nmodel : 8", file);
	fclose(file);
	all = inventory(tree_dir, false);
	ck_assert_str_eq(json_string_value(at(all, "cpu.vendor")), "First");
	ck_assert_int_eq(json_integer_value(at(all, "cpu.model")), 7);
	/* Cut, not taken whole into every journal. */
	ck_assert_uint_lt(strlen(json_string_value(at(all, "cpu.name"))), 1000);
	json_decref(all);
}
END_TEST

/* 4096 CPUs, each of another kind: bounded, and what is left out is counted. */
START_TEST(too_many_kinds_are_counted)
{
	FILE *file = create("/proc/cpuinfo");
	json_t *all;

	for (int i = 0; i < 4096; i++)
		fprintf(file, "processor : %d\nmodel : %d\n\n", i, i);
	fclose(file);
	all = inventory(tree_dir, false);
	ck_assert_uint_eq(json_array_size(at(all, "cpu.kinds")), MACHINE_KINDS_MAX);
	ck_assert_int_eq(json_integer_value(at(all, "cpu.kinds_left_out")),
			 4096 - MACHINE_KINDS_MAX);
	json_decref(all);
}
END_TEST

/* Opening a FIFO for reading would wait for a writer for ever. */
START_TEST(only_regular_files_are_read)
{
	char path[128];
	json_t *all;

	snprintf(path, sizeof(path), "%s/proc/cpuinfo", tree_dir);
	ck_assert(!mkfifo(path, 0600));
	snprintf(path, sizeof(path), "%s/proc/cmdline", tree_dir);
	ck_assert(!mkdir(path, 0700));
	snprintf(path, sizeof(path), "%s/proc/version", tree_dir);
	ck_assert(!symlink("/dev/urandom", path));
	all = inventory(tree_dir, false);
	ck_assert_uint_eq(json_object_size(all), 1);
	json_decref(all);
}
END_TEST

START_TEST(an_endless_configuration_is_refused)
{
	FILE *file = create("/proc/config.gz");
	char *config;

	fputs("CONFIG_X=y\n", file);
	ck_assert(!fflush(file));
	ck_assert(!ftruncate(fileno(file), (off_t)MACHINE_CONFIG_MAX * 8));
	fclose(file);
	ck_assert_int_eq(machine_config_load(tree_dir, &config, NULL, 0), -EFBIG);
	ck_assert_int_eq(machine_kconfig(tree_dir, "X"), -ENOENT);
}
END_TEST

static TCase *case_trees(void)
{
	TCase *t = tcase_create("trees");

	tcase_add_loop_test(t, a_tree_says_what_is_in_it, 0, (int)EXPECTED);
	tcase_add_loop_test(t, nothing_names_the_machine_unasked, 0, (int)TREES);
	tcase_add_test(t, identity_when_asked);
	tcase_add_test(t, host_name_is_taken_out_of_the_command_line);
	tcase_add_test(t, devices_are_in_natural_order);
	tcase_add_test(t, this_machine);
	tcase_add_test(t, taint_of_a_tree);
	tcase_add_test(t, lockdep_of_a_tree);
	tcase_add_loop_test(t, kconfig_of_a_tree, 0, 2);
	return t;
}

static TCase *case_limits(void)
{
	TCase *t = tcase_create("limits");

	tcase_add_checked_fixture(t, make_tree, remove_tree);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, a_very_long_line_hides_nothing);
	tcase_add_test(t, too_many_kinds_are_counted);
	tcase_add_test(t, only_regular_files_are_read);
	tcase_add_test(t, an_endless_configuration_is_refused);
	tcase_add_loop_test(t, out_of_memory_is_an_error, 0, 2);
	return t;
}

Suite *suite(void)
{
	Suite *s = suite_create("machine");

	suite_add_tcase(s, case_trees());
	suite_add_tcase(s, case_limits());
	return s;
}
