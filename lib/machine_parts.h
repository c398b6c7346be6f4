/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MACHINE_PARTS_H
#define PMIPROOF_MACHINE_PARTS_H

/* What the files lib/machine_*.c share among themselves. Nobody else includes this. */

#include <dirent.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Longest value taken from one file. Longer ones are cut: the longest real one is a kernel command
 * line (COMMAND_LINE_SIZE is 4096 on arm, 2048 on x86, 8192 on a few).
 */
#define MACHINE_TEXT_MAX 8192

/* An inventory being made. */
struct machine {
	const char *root;
	bool identify;
	bool no_memory; /* something could not be allocated: the whole inventory is given up */
};

/*
 * Open root/path for reading. Only a regular file is taken, so that a FIFO or device in a tree that
 * was copied from elsewhere cannot block or be acted on. A descriptor or -errno.
 */
int machine_open(const char *root, const char *path);

/* The same as a stream; NULL with errno. */
FILE *machine_fopen(const char *root, const char *path);

/*
 * Read the start of root/path into text, NUL-terminated, without blanks, newlines and NULs at its
 * end (device-tree files end in a NUL). Returns the length, which may include NULs in between, or
 * -errno; -ENODATA when nothing is left.
 */
ssize_t machine_read(const char *root, const char *path, char *text, size_t size);

/* machine_read() of a path that is formatted first. */
ssize_t machine_readf(const char *root, char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* A decimal number that is the whole text. 0, or -EINVAL. */
int machine_parse_integer(const char *text, json_int_t *value);

/* Set object[key], taking over value; NULL means that memory ran out. */
void machine_put(struct machine *m, json_t *object, const char *key, json_t *value);

/* Set object[key] to text, cleaned by record_set_text(). */
void machine_put_text(struct machine *m, json_t *object, const char *key, const char *text,
		      size_t len);

/* Set object[key] to an integer when text is one in decimal, else to the text. */
void machine_put_scalar(struct machine *m, json_t *object, const char *key, const char *text);

/* Set object[key] to "0x..." : registers and bit masks, which JSON has no form for. */
void machine_put_hex(struct machine *m, json_t *object, const char *key, uint64_t value);

/* Set object[key] to a group, taking it over; an empty one is dropped. */
void machine_put_group(struct machine *m, json_t *object, const char *key, json_t *group);

/* How the text of a file becomes a value. */
enum machine_form {
	FORM_TEXT,
	FORM_INTEGER,  /* decimal, else left out */
	FORM_SCALAR,   /* decimal, else the text */
	FORM_FLAG,     /* 0/1/N/Y to false/true, else left out */
	FORM_NOT_FLAG, /* the opposite: a file that says "no_..." */
	FORM_WORDS,    /* array of blank-separated words */
	FORM_SELECTED, /* the word in parentheses or brackets: "none (full)" */
	FORM_COUNT,    /* number of CPUs in a list "0-3,8" */
};

/* A file and where it goes. Ends with a NULL key. */
struct machine_file {
	const char *key;
	const char *path; /* below `dir` of machine_put_files() */
	enum machine_form form;
};

/* Set a key for each file of the table that can be read; keys already set are kept. */
void machine_put_files(struct machine *m, json_t *object, const char *dir,
		       const struct machine_file *files);

/*
 * Names in a directory in natural order ("state2" before "state10"), those only made of letters,
 * digits and "._:+-@" (all that Linux uses there). Returns how many (0: none, or no such
 * directory); free with machine_list_free().
 */
int machine_list(struct machine *m, const char *dir, struct dirent ***names);
void machine_list_free(struct dirent **names, int n);

/* N of "<prefix>N", or -1 for any other name. */
long machine_numbered(const char *name, const char *prefix);

/* Growing list of CPUs in the kernel's form; CPUs are to be added in ascending order. */
struct machine_cpu_list {
	char *text;
	size_t open;	  /* where in text the range that may still grow begins */
	long first, last; /* of that range; valid when count > 0 */
	size_t count;
};

/* False when memory ran out. */
bool machine_cpu_list_add(struct machine_cpu_list *list, long cpu);
void machine_cpu_list_free(struct machine_cpu_list *list);

/* CPUs in "0-3,8"; -EINVAL when it is no such list. */
long machine_cpu_list_count(const char *text);

/*
 * CPUs sorted by what is equal about them. Real machines have a handful of kinds; the bound keeps a
 * damaged file from making this slow. CPUs of further kinds are only counted.
 */
#define MACHINE_KINDS_MAX 64

struct machine_kinds {
	size_t n;
	size_t left_out;
	struct {
		json_t *value;
		struct machine_cpu_list cpus;
	} kind[MACHINE_KINDS_MAX];
};

/* Count cpu as one of the kind described by value, which is taken over. */
void machine_kinds_add(struct machine *m, struct machine_kinds *kinds, json_t *value, long cpu);

/* The kinds as array of objects, each with its "cpus"; a new reference. */
json_t *machine_kinds_array(struct machine *m, const struct machine_kinds *kinds);

void machine_kinds_free(struct machine_kinds *kinds);

/* Groups of the inventory, each a new reference, empty when nothing is known. */
json_t *machine_cpu(struct machine *m);
json_t *machine_pmu(struct machine *m);
json_t *machine_hypervisor(struct machine *m);
json_t *machine_kernel(struct machine *m);
json_t *machine_idle(struct machine *m);
json_t *machine_cpufreq(struct machine *m);
json_t *machine_numa(struct machine *m);
json_t *machine_firmware(struct machine *m);
json_t *machine_identity(struct machine *m);

/*
 * Value of the first line "key : value" in root/path, -errno, or -ENODATA when there is no such
 * line.
 */
ssize_t machine_line_value(const char *root, const char *path, const char *key, char *text,
			   size_t size);

/* One CPUID leaf. */
struct machine_cpuid {
	uint32_t eax, ebx, ecx, edx;
};

/* Where CPUID leaves come from: the CPU, or a test's table. */
typedef struct machine_cpuid (*machine_cpuid_read)(uint32_t leaf, uint32_t subleaf,
						   const void *context);

/* The performance-monitoring leaves, decoded; a new reference. */
json_t *machine_cpuid_pmu(struct machine *m, machine_cpuid_read read, const void *context);

/* The hypervisor leaf; a new reference, empty without a hypervisor. */
json_t *machine_cpuid_hypervisor(struct machine *m, machine_cpuid_read read, const void *context);

/* IA32_PERF_CAPABILITIES, decoded; a new reference. */
json_t *machine_perf_capabilities(struct machine *m, uint64_t value);

/* The same of this machine's CPUs: kinds as an array, empty where there is no CPUID. */
json_t *machine_cpuid_pmu_kinds(struct machine *m);
void machine_cpuid_put_hypervisor(struct machine *m, json_t *group);
void machine_cpuid_put_perf_capabilities(struct machine *m, json_t *group);

/* Largest kernel configuration that is read, uncompressed; real ones are below 512 KiB. */
#define MACHINE_CONFIG_MAX ((size_t)8 << 20)

/*
 * The running kernel's configuration as text, newly allocated; *path (may be NULL) gets where it
 * was found. -ENOENT when there is none, else -errno of the last one tried.
 */
int machine_config_load(const char *root, char **config, char *path, size_t path_size);

/* Value of CONFIG_<name> in it; -ENOENT when not set. */
int machine_config_value(const char *config, const char *name, char *value, size_t size);

/* Text with what names the builder ("(user@host)" of /proc/version) replaced; NULL: no memory. */
char *machine_mask_builder(const char *version);

/* Text with every whole word `word` replaced by "***"; NULL: no memory. */
char *machine_mask_word(const char *text, const char *word);

#endif
