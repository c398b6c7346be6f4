// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "initramfs.h"
#include "port.h"
#include "sysctl.h"

/*
 * The end of the machine. A reset is one, and takes no driver. The first process must never end:
 * the kernel would panic.
 */
static void power_off(void)
{
	sync();
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

static const struct {
	const char *type, *place;
} file_systems[] = {
	{ "proc", "/proc" },
	{ "sysfs", "/sys" },
	{ "devtmpfs", "/dev" },
	{ "tmpfs", "/tmp" },
	{ "tmpfs", "/run" },
	{ "debugfs", "/sys/kernel/debug" },
	{ "tracefs", "/sys/kernel/tracing" },
	{ "cgroup2", "/sys/fs/cgroup" },
};

/* What a kernel does not have is missing then, and tests say so. */
static void make_ready(void)
{
	struct utsname kernel;
	char name[sizeof("/boot/config-") + sizeof(kernel.release)];

	for (size_t i = 0; i < sizeof(file_systems) / sizeof(file_systems[0]); i++)
		if (mount(file_systems[i].type, file_systems[i].place, file_systems[i].type, 0, ""))
			dprintf(STDERR_FILENO, "mount %s: %s\n", file_systems[i].place,
				strerror(errno));
	uname(&kernel);
	snprintf(name, sizeof(name), "/boot/config-%s", kernel.release);
	if (!access(INITRAMFS_KCONFIG, R_OK) && symlink(INITRAMFS_KCONFIG, name))
		perror(name);
	setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/root", 1);
	setenv("TERM", "linux", 1);
}

/*
 * The kernel gives its first process what it does not know of its command line: one without
 * variants must not pass for one in which they are on.
 */
static int check_variants(struct err *err)
{
	const char *unknown = getenv("pmi_variant");

	return unknown ? err_set(err, 0, "this kernel knows no variants: pmi_variant=%s", unknown)
		       : 0;
}

static void set_sysctls(json_t *sysctls)
{
	const char *name;
	json_t *value;
	struct err err;

	json_object_foreach(sysctls, name, value)
	{
		if (sysctl_write(name, json_string_value(value), &err))
			dprintf(STDERR_FILENO, "%s\n", err.text);
	}
}

/* Standard descriptors from `first` to `last` become a file. */
static void use(const char *path, int flags, int first, int last)
{
	int fd = open(path, O_RDWR | flags);

	for (int i = first; fd >= 0 && i <= last; i++)
		dup2(fd, i);
	if (fd > STDERR_FILENO)
		close(fd);
}

/* A shell on the console, with job control. */
__attribute__((noreturn)) static void shell(void)
{
	char *const argv[] = { (char[]){ "-sh" }, NULL };

	setsid();
	use("/dev/ttyS0", 0, STDIN_FILENO, STDERR_FILENO);
	if (chdir("/pmiproof"))
		perror("/pmiproof");
	execv("/bin/sh", argv);
	_exit(127);
}

/* The arguments of a run, newly allocated. */
static char **make_argv(const json_t *args)
{
	size_t n = json_array_size(args);
	char **argv = calloc(n + 1, sizeof(*argv));

	for (size_t i = 0; argv && i < n; i++)
		argv[i] = (char *)json_string_value(json_array_get(args, i));
	return argv;
}

static pid_t start_job(const json_t *job)
{
	const json_t *args = json_object_get(job, "args");
	pid_t pid = fork();
	char **argv;

	if (pid)
		return pid;
	if (!args)
		shell();
	/* Errors only: what is printed on the console costs the guest time. */
	use("/dev/null", O_NOCTTY, STDIN_FILENO, STDOUT_FILENO);
	argv = make_argv(args);
	_exit(argv ? cmd_run_in_guest((int)json_array_size(args), argv,
				      (size_t)json_integer_value(json_object_get(job, "first")))
		   : COMMAND_ERROR);
}

static void pulse(void)
{
	char line[48];

	snprintf(line, sizeof(line), "up %" PRId64 "\n", clock_ms());
	port_write(PORT_PULSE, line, strlen(line));
}

/* Follow the job to its end, and be the parent of everything that has lost its own. */
static int follow(pid_t job, int pulse_ms)
{
	int status, code = -1;

	while (code < 0) {
		pid_t pid;

		pulse();
		clock_sleep_ms(pulse_ms);
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			if (pid == job)
				code = WIFEXITED(status) ? WEXITSTATUS(status) : COMMAND_ERROR;
	}
	return code;
}

/* Wakes the sleep between two signs of life, so that the end of the job is seen at once. */
static void on_child(int sig)
{
	(void)sig;
}

int guest_main(void)
{
	json_error_t error;
	json_t *job;
	struct err err;
	char line[48];
	pid_t pid;

	if (getpid() != 1)
		return command_error("lab", "guest is for the first process of the lab's machine");
	make_ready();
	use("/dev/console", O_NOCTTY, STDIN_FILENO, STDERR_FILENO);
	job = json_load_file(INITRAMFS_JOB, 0, &error);
	if (!job || port_open(&err) || check_variants(&err)) {
		dprintf(STDERR_FILENO, "%s\n", job ? err.text : error.text);
		power_off();
	}
	set_sysctls(json_object_get(job, "sysctls"));
	signal(SIGCHLD, on_child);
	pulse();
	pid = start_job(job);
	snprintf(line, sizeof(line), "exit %d\n",
		 follow(pid, (int)json_integer_value(json_object_get(job, "pulse_ms"))));
	port_write(PORT_PULSE, line, strlen(line));
	power_off();
	return COMMAND_ERROR;
}
