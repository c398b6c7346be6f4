// SPDX-License-Identifier: GPL-2.0-or-later
#include "initramfs.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"
#include "cpio.h"

/* The loader prints a line for each library: far less than this, and in milliseconds. */
#define LIST_MAX 65536
#define LIST_MS 20000

/* One archive while it is put together. */
struct packing {
	struct cpio cpio;
	json_t *known; /* object: names that are in it already */
};

/* Is this the first time that a name comes? Then its folders are made too. */
static bool is_new(struct packing *packing, const char *name)
{
	char folder[PATH_MAX];

	if (json_object_get(packing->known, name))
		return false;
	json_object_set_new(packing->known, name, json_true());
	snprintf(folder, sizeof(folder), "%s", name);
	if (strrchr(folder, '/')) {
		*strrchr(folder, '/') = '\0';
		if (is_new(packing, folder))
			cpio_dir(&packing->cpio, folder);
	}
	return true;
}

static void add_dir(struct packing *packing, const char *name)
{
	if (is_new(packing, name))
		cpio_dir(&packing->cpio, name);
}

/* `path` may be a link: the file it leads to is taken. */
static int add_file(struct packing *packing, const char *name, const char *path, struct err *err)
{
	if (*name == '/')
		name++;
	if (!is_new(packing, name))
		return 0;
	return cpio_file(&packing->cpio, name, 0755, path, err);
}

/* Position of the program header of the dynamic loader, or 0. */
static uint64_t find_loader(int fd, const Elf64_Ehdr *header, size_t *size)
{
	for (unsigned int i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr part;
		off_t at = (off_t)(header->e_phoff + (uint64_t)i * header->e_phentsize);

		if (pread(fd, &part, sizeof(part), at) != (ssize_t)sizeof(part))
			return 0;
		if (part.p_type == PT_INTERP) {
			*size = part.p_filesz;
			return part.p_offset;
		}
	}
	return 0;
}

/* The dynamic loader that a program asks for; "" for a static program or a script. */
static int read_loader(const char *path, char *loader, size_t size, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr header;
	size_t length = 0;
	uint64_t at = 0;

	*loader = '\0';
	if (fd < 0)
		return err_set(err, errno, "open %s", path);
	if (read(fd, &header, sizeof(header)) == (ssize_t)sizeof(header) &&
	    !memcmp(header.e_ident, ELFMAG, SELFMAG) && header.e_ident[EI_CLASS] == ELFCLASS64)
		at = find_loader(fd, &header, &length);
	if (at && length < size && pread(fd, loader, length, (off_t)at) == (ssize_t)length)
		loader[length] = '\0';
	close(fd);
	return 0;
}

char *initramfs_library(char *line, bool *missing)
{
	char *arrow = strstr(line, " => ");
	char *path = arrow ? arrow + 4 : line + strspn(line, " \t");

	*missing = arrow && !strncmp(path, "not found", 9);
	if (*path != '/')
		return NULL;
	path[strcspn(path, " ")] = '\0';
	return path;
}

static int add_libraries(struct packing *packing, const char *program, char *list, struct err *err)
{
	char *rest = list;
	char *line;
	int result = 0;

	while (!result && (line = strsep(&rest, "\n"))) {
		bool missing;
		const char *path = initramfs_library(line, &missing);

		if (missing)
			result = err_set(err, ENOENT, "%s needs%s", program, line);
		else if (path)
			result = add_file(packing, path, path, err);
	}
	return result;
}

/* A program, and the libraries it is linked with. */
static int add_program(struct packing *packing, const char *name, const char *path, struct err *err)
{
	char loader[PATH_MAX];
	char *argv[] = { loader, (char[]){ "--list" }, (char *)path, NULL };
	char *list;
	size_t size;
	int result = add_file(packing, name, path, err);

	if (!result)
		result = read_loader(path, loader, sizeof(loader), err);
	if (result || !*loader)
		return result;
	result = add_file(packing, loader, loader, err);
	if (!result)
		result = capture(argv, LIST_MS, LIST_MAX, &list, &size, err);
	if (result) {
		err_prefix(err, "libraries of %s", path);
		return result;
	}
	result = add_libraries(packing, path, list, err);
	free(list);
	return result;
}

/* Full path of a program in PATH. */
static bool find_program(const char *name, char *path, size_t size)
{
	const char *places = getenv("PATH");
	char copy[PATH_MAX];
	char *rest = copy;
	const char *place;

	snprintf(copy, sizeof(copy), "%s", places ? places : "/usr/bin:/bin");
	while ((place = strsep(&rest, ":"))) {
		snprintf(path, size, "%s/%s", place, name);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

/* All commands that busybox knows, as links to it. */
static int add_busybox(struct packing *packing, struct err *err)
{
	char path[PATH_MAX];
	char *argv[] = { path, (char[]){ "--list" }, NULL };
	char *list, *rest;
	const char *command;
	size_t size;
	int result;

	if (!find_program("busybox", path, sizeof(path)))
		return err_set(err, ENOENT, "busybox (Debian package busybox-static)");
	result = add_program(packing, "bin/busybox", path, err);
	if (!result)
		result = capture(argv, LIST_MS, LIST_MAX, &list, &size, err);
	if (result)
		return result;
	for (rest = list; (command = strsep(&rest, "\n"));) {
		char name[PATH_MAX];

		snprintf(name, sizeof(name), "bin/%s", command);
		if (*command && is_new(packing, name))
			cpio_link(&packing->cpio, name, "busybox");
	}
	free(list);
	return 0;
}

/* A program or a folder of such that somebody asked for. */
static int add_with(struct packing *packing, char *path, struct err *err)
{
	char *const paths[] = { path, NULL };
	/* What is before its last part is left out. */
	size_t skipped = strrchr(path, '/') ? (size_t)(strrchr(path, '/') - path) : 0;
	FTS *walk = fts_open(paths, FTS_LOGICAL, NULL);
	FTSENT *entry;
	int result = 0;

	if (!walk)
		return err_set(err, errno, "%s", path);
	while (!result && (entry = fts_read(walk))) {
		char name[PATH_MAX];

		snprintf(name, sizeof(name), INITRAMFS_WITH "%s", entry->fts_path + skipped);
		if (entry->fts_info == FTS_F)
			result = add_program(packing, name + 1, entry->fts_path, err);
		else if (entry->fts_info == FTS_D)
			add_dir(packing, name + 1);
		else if (entry->fts_info != FTS_DP)
			result = err_set(err, entry->fts_errno, "%s", entry->fts_path);
	}
	fts_close(walk);
	return result;
}

static int add_if_there(struct packing *packing, const char *program, struct err *err)
{
	char path[PATH_MAX], name[PATH_MAX];

	if (!find_program(program, path, sizeof(path)))
		return 0;
	snprintf(name, sizeof(name), "usr/bin/%s", program);
	return add_program(packing, name, path, err);
}

static int add_tests(struct packing *packing, const struct suite *suite, struct err *err)
{
	int result = 0;

	for (size_t i = 0; !result && suite && i < suite->n; i++) {
		const struct suite_test *test = &suite->tests[i];
		char name[PATH_MAX];

		snprintf(name, sizeof(name), "pmiproof/suites/%s/%s", test->theme, test->name);
		result = add_program(packing, name, test->path, err);
	}
	return result;
}

/* This command, and with it what runs on the machine that it runs on. */
static int add_own(struct packing *packing, const struct initramfs *content, struct err *err)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int result;

	if (length < 0)
		return err_set(err, errno, "/proc/self/exe");
	self[length] = '\0';
	result = add_busybox(packing, err);
	if (!result)
		result = add_program(packing, INITRAMFS_COMMAND, self, err);
	if (!result)
		result = add_tests(packing, content->suite, err);
	if (!result)
		result = add_if_there(packing, "stress-ng", err);
	if (!result && content->shell)
		result = add_if_there(packing, "perf", err);
	for (char *const *with = content->with; !result && with && *with; with++)
		result = add_with(packing, *with, err);
	return result;
}

/* The same of another architecture: static programs, which cannot be run here. */
static int add_foreign(struct packing *packing, const struct initramfs *content, struct err *err)
{
	const struct suite *suite = content->suite;
	char path[PATH_MAX];
	int result;

	snprintf(path, sizeof(path), "%s/pmiproof", content->programs);
	result = add_file(packing, INITRAMFS_COMMAND, path, err);
	for (size_t i = 0; !result && suite && i < suite->n; i++) {
		const struct suite_test *test = &suite->tests[i];
		char name[PATH_MAX];

		snprintf(name, sizeof(name), "pmiproof/suites/%s/%s", test->theme, test->name);
		snprintf(path, sizeof(path), "%s/suites/%s/%s", content->programs, test->theme,
			 test->name);
		result = add_file(packing, name, path, err);
	}
	snprintf(path, sizeof(path), "%s/" INITRAMFS_BUSYBOX, content->programs);
	if (!result && !access(path, X_OK)) {
		result = add_file(packing, "bin/busybox", path, err);
		cpio_link(&packing->cpio, "bin/sh", "busybox");
	} else if (!result && content->shell) {
		result = err_set(err, errno, "no shell for this machine: %s", path);
	}
	return result;
}

static int add_all(struct packing *packing, const struct initramfs *content, struct err *err)
{
	static const char *const folders[] = { "dev", "proc", "sys", "tmp", "run", "boot", "root" };
	int result;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		add_dir(packing, folders[i]);
	result = content->programs ? add_foreign(packing, content, err)
				   : add_own(packing, content, err);
	if (!result && content->kconfig)
		result = add_file(packing, INITRAMFS_KCONFIG, content->kconfig, err);
	return result;
}

int initramfs_write(FILE *out, const struct initramfs *content, struct err *err)
{
	struct packing packing = { .known = json_object() };
	int result;

	if (!packing.known)
		return err_set(err, ENOMEM, "initramfs");
	cpio_begin(&packing.cpio, out);
	result = add_all(&packing, content, err);
	json_decref(packing.known);
	return result ? result : cpio_end(&packing.cpio, err);
}

int initramfs_write_job(FILE *out, json_t *job, struct err *err)
{
	char *text = json_dumps(job, 0);
	struct cpio cpio;

	json_decref(job);
	if (!text)
		return err_set(err, ENOMEM, "job of the guest");
	cpio_begin(&cpio, out);
	cpio_data(&cpio, &INITRAMFS_JOB[1], 0644, text, strlen(text));
	free(text);
	return cpio_end(&cpio, err);
}
