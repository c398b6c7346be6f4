// SPDX-License-Identifier: GPL-2.0-or-later
#include "emulator.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "port.h"
#include "spawn.h"

#define ARGUMENTS_MAX 64

/*
 * Quiet: what is printed costs boot time. panic=-1: a panic resets the machine at once, and a reset
 * ends the emulator (-no-reboot). The mitigations are of no use on a CPU that speculates nothing.
 * The TSC is the emulator's clock: reliable. Random numbers of the CPU are trusted, as by Debian's
 * kernel: waiting for better ones takes a second in which nothing else happens.
 */
#define KERNEL_ARGUMENTS                                                     \
	"console=ttyS0 quiet panic=-1 nokaslr mitigations=off tsc=reliable " \
	"random.trust_cpu=on rdinit=/pmiproof/pmiproof%s%s%s -- lab guest"

/* What the lab's own kernel need not measure: QEMU's local APIC counts nanoseconds. */
#define VARIANT_KERNEL_ARGUMENTS " pmi_apic_hz=1000000000"

/* Addresses of processes, too, are the same in each run. */
#define EXACT_KERNEL_ARGUMENTS " norandmaps"

/* A command line under construction; what is formatted is kept in `texts`. */
struct arguments {
	char *argv[ARGUMENTS_MAX + 1];
	size_t n;
	char texts[16][PATH_MAX];
	size_t n_texts;
};

static void add(struct arguments *arguments, const char *text)
{
	if (arguments->n < ARGUMENTS_MAX)
		arguments->argv[arguments->n++] = (char *)text;
}

__attribute__((format(printf, 2, 3))) static void addf(struct arguments *arguments, const char *fmt,
						       ...)
{
	char *text = arguments->texts[arguments->n_texts++];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(arguments->texts[0]), fmt, args);
	va_end(args);
	add(arguments, text);
}

static void add_all(struct arguments *arguments, const char *const *texts)
{
	for (; *texts; texts++)
		add(arguments, *texts);
}

/* Everything but where console, records and signs of life go. */
static int add_machine(struct arguments *arguments, const struct lab_machine *machine,
		       int initramfs, struct err *err)
{
	static const char *const common[] = { "-nodefaults", "-no-user-config",
					      "-display",    "none",
					      "-no-reboot",  "-M",
					      "pc",	     "-m",
					      "1024",	     NULL };
	static const char *const smp[] = { "-accel", "tcg,thread=multi", "-smp", "2", NULL };
	static const char *const exact[] = { "-accel",	"tcg,thread=single",
					     "-smp",	"1",
					     "-icount", "shift=0,sleep=off",
					     "-rtc",	"clock=vm,base=2026-01-01T00:00:00",
					     "-seed",	"1",
					     NULL };
	bool is_exact = machine->mode == LAB_EXACT;
	char cpu[2048], params[2048];
	int result = lab_machine_cpu(machine, cpu, sizeof(cpu), err);

	if (!result)
		result = lab_machine_params(machine, params, sizeof(params), err);
	if (result)
		return result;
	addf(arguments, "%s/bin/qemu-system-x86_64", machine->qemu);
	add(arguments, "-L");
	addf(arguments, "%s/share/qemu", machine->qemu);
	add_all(arguments, common);
	add_all(arguments, is_exact ? exact : smp);
	add(arguments, "-cpu");
	addf(arguments, "%s", cpu);
	add(arguments, "-kernel");
	add(arguments, machine->kernel);
	add(arguments, "-initrd");
	addf(arguments, "/proc/self/fd/%d", initramfs);
	add(arguments, "-append");
	addf(arguments, KERNEL_ARGUMENTS, is_exact ? EXACT_KERNEL_ARGUMENTS : "",
	     *machine->variant ? VARIANT_KERNEL_ARGUMENTS : "", params);
	return 0;
}

static void add_port(struct arguments *arguments, const char *id, enum port port)
{
	add(arguments, "-device");
	addf(arguments, "isa-debugcon,iobase=0x%x,chardev=%s", port, id);
}

static void add_pipe(struct arguments *arguments, const char *id, int fd)
{
	add(arguments, "-chardev");
	addf(arguments, "file,id=%s,path=/proc/self/fd/%d", id, fd);
}

/* Like pipe2(), but the child inherits the writing end. */
static int open_pipe(int *reading, struct err *err)
{
	int fds[2];

	if (pipe(fds))
		return err_set(err, errno, "pipe for the emulator");
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	*reading = fds[0];
	return fds[1];
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int start(struct emulator *emulator, const struct lab_machine *machine, int initramfs,
		 const int *writing, struct err *err)
{
	struct arguments arguments = { .n = 0 };
	struct spawn how = {
		.argv = arguments.argv,
		.out = writing[EMULATOR_CONSOLE],
		.err = writing[EMULATOR_ERRORS],
		.record = -1,
		.cgroup = -1,
	};
	int result = add_machine(&arguments, machine, initramfs, err);

	if (result)
		return result;
	add_pipe(&arguments, "console", STDOUT_FILENO);
	add_pipe(&arguments, "records", writing[EMULATOR_RECORDS]);
	add_pipe(&arguments, "pulse", writing[EMULATOR_PULSE]);
	add(&arguments, "-serial");
	add(&arguments, "chardev:console");
	add_port(&arguments, "records", PORT_RECORDS);
	add_port(&arguments, "pulse", PORT_PULSE);
	emulator->pid = spawn(&how, err);
	if (emulator->pid < 0)
		return (int)emulator->pid;
	emulator->pidfd = pidfd_open(emulator->pid, 0);
	if (emulator->pidfd < 0) {
		result = err_set(err, errno, "pidfd of the emulator");
		emulator_end(emulator);
	}
	return result;
}

int emulator_start(struct emulator *emulator, const struct lab_machine *machine, int initramfs,
		   struct err *err)
{
	int writing[EMULATOR_STREAMS];
	int result = 0;

	*emulator = (struct emulator){ .pid = -1, .pidfd = -1 };
	for (int i = 0; i < EMULATOR_STREAMS; i++)
		emulator->streams[i] = writing[i] = -1;
	for (int i = 0; !result && i < EMULATOR_STREAMS; i++) {
		writing[i] = open_pipe(&emulator->streams[i], err);
		result = writing[i] < 0 ? writing[i] : 0;
	}
	if (!result)
		result = start(emulator, machine, initramfs, writing, err);
	for (int i = 0; i < EMULATOR_STREAMS; i++) {
		close_fd(&writing[i]);
		if (result)
			close_fd(&emulator->streams[i]);
	}
	return result;
}

int emulator_end(struct emulator *emulator)
{
	int status = 0;

	if (emulator->pid > 0) {
		kill(emulator->pid, SIGKILL);
		while (waitpid(emulator->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	emulator->pid = -1;
	close_fd(&emulator->pidfd);
	for (int i = 0; i < EMULATOR_STREAMS; i++)
		close_fd(&emulator->streams[i]);
	return status;
}

/* Second number of a thread's schedstat: nanoseconds on a run queue (scheduler/sched-stats.rst). */
static int64_t thread_waited_ns(int tasks, const char *thread)
{
	char path[64], text[128];
	uint64_t ran = 0, waited = 0;
	ssize_t got = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/schedstat", thread);
	fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[got < 0 ? 0 : got] = '\0';
	if (sscanf(text, "%" SCNu64 " %" SCNu64, &ran, &waited) != 2)
		return 0;
	return (int64_t)waited;
}

int64_t emulator_waited_ms(const struct emulator *emulator)
{
	const struct dirent *thread;
	char path[64];
	int64_t longest = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)emulator->pid);
	tasks = opendir(path);
	while (tasks && (thread = readdir(tasks))) {
		int64_t waited = 0;

		if (thread->d_name[0] != '.')
			waited = thread_waited_ns(dirfd(tasks), thread->d_name);
		longest = waited > longest ? waited : longest;
	}
	if (tasks)
		closedir(tasks);
	return longest / 1000000;
}

int emulator_become(const struct lab_machine *machine, int initramfs, struct err *err)
{
	struct arguments *arguments = calloc(1, sizeof(*arguments));
	int result;

	if (!arguments)
		return err_set(err, ENOMEM, "command line of the emulator");
	result = add_machine(arguments, machine, initramfs, err);
	if (!result) {
		add(arguments, "-chardev");
		add(arguments, "stdio,id=console,mux=on,signal=off");
		add(arguments, "-serial");
		add(arguments, "chardev:console");
		add(arguments, "-mon");
		add(arguments, "chardev=console,mode=readline");
		execv(arguments->argv[0], arguments->argv);
		result = err_set(err, errno, "execute %s", arguments->argv[0]);
	}
	free(arguments);
	return result;
}
