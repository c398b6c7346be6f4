// SPDX-License-Identifier: GPL-2.0-or-later
#include "vitals.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io.h"

/* Beside the journal: the same disk, and the same file system. */
#define FILE_NAME "watchdog-disk"

static bool is_online(int cpu)
{
	char text[4096];
	struct cpus online;

	if (io_read_text("/sys/devices/system/cpu/online", text, sizeof(text)) <= 0 ||
	    cpus_parse(&online, text, NULL, NULL))
		return true;
	for (size_t i = 0; i < online.n; i++)
		if (online.cpu[i] == cpu)
			return true;
	return false;
}

/*
 * Go to one CPU and run there: the migration thread of the one before and the scheduler of this
 * one work. 1; 0 when it is offline, whoever wanted that, and so hangs nowhere; -errno.
 */
static int hop(struct vitals *vitals, int cpu, struct err *err)
{
	int number;

	CPU_ZERO_S(vitals->set_size, vitals->one);
	CPU_SET_S((size_t)cpu, vitals->set_size, vitals->one);
	if (!sched_setaffinity(0, vitals->set_size, vitals->one))
		return sched_getcpu() == cpu ? 1 : err_set(err, EIO, "CPU %d does not run us", cpu);
	number = errno;
	if (number == EINVAL && !is_online(cpu))
		return 0;
	return err_set(err, number, "run on CPU %d", cpu);
}

static int take_scheduler(void *context, struct err *err)
{
	struct vitals *vitals = context;
	int result = 0, hops = 0;

	for (size_t i = 0; result >= 0 && i < vitals->cpus.n; i++) {
		result = hop(vitals, vitals->cpus.cpu[i], err);
		hops += result > 0;
	}
	if (result >= 0 && !hops)
		result = err_set(err, 0, "no CPU to run on is online");
	if (sched_setaffinity(0, vitals->set_size, vitals->here) && result >= 0)
		result = err_set(err, errno, "run where the supervisor runs");
	return result < 0 ? result : 0;
}

static int membarrier(int command)
{
	return (int)syscall(SYS_membarrier, command, 0, 0);
}

static int take_rcu_membarrier(void *context, struct err *err)
{
	(void)context;
	return membarrier(MEMBARRIER_CMD_GLOBAL) ? err_set(err, errno, "membarrier") : 0;
}

static int take_rcu_socket(void *context, struct err *err)
{
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	(void)context;
	if (fd < 0)
		return err_set(err, errno, "packet socket");
	close(fd);
	return 0;
}

static int take_disk(void *context, struct err *err)
{
	struct vitals *vitals = context;

	if (pwrite(vitals->disk, "\n", 1, 0) == 1 && !fdatasync(vitals->disk))
		return 0;
	/* A full disk answers; that the journal does not fit is for the journal to say. */
	if (errno == ENOSPC || errno == EDQUOT)
		return 0;
	return err_set(err, errno, "write %s", vitals->path);
}

static void add(struct vitals *vitals, const char *name, const char *how,
		int (*take)(void *, struct err *))
{
	vitals->signs[vitals->n++] =
		(struct feeder_sign){ .name = name, .how = how, .take = take, .context = vitals };
}

/*
 * membarrier() waits for a grace period of RCU (kernel/sched/membarrier.c), but not where only one
 * CPU is online, and it is refused where CPUs have their tick stopped (nohz_full). Closing a packet
 * socket waits for one everywhere (synchronize_net() of net/packet/af_packet.c).
 */
static void add_rcu(struct vitals *vitals)
{
	int commands = membarrier(MEMBARRIER_CMD_QUERY);
	struct err why;

	if (commands > 0 && commands & MEMBARRIER_CMD_GLOBAL && sysconf(_SC_NPROCESSORS_ONLN) > 1)
		add(vitals, "rcu", "membarrier(2) comes back from its grace period",
		    take_rcu_membarrier);
	else if (!take_rcu_socket(NULL, &why))
		add(vitals, "rcu", "closing a packet socket comes back from its grace period",
		    take_rcu_socket);
	else
		err_set(&vitals->missing, 0,
			"watchdog: fed without a vital sign of RCU: membarrier(2) gives none here, "
			"and %s",
			why.text);
}

static bool make_path(char *path, const char *dir)
{
	return (size_t)snprintf(path, PATH_MAX, "%s/%s", dir, FILE_NAME) < PATH_MAX;
}

static int open_disk(struct vitals *vitals, const char *dir, struct err *err)
{
	if (!make_path(vitals->path, dir))
		return err_set(err, ENAMETOOLONG, "%s/%s", dir, FILE_NAME);
	vitals->disk = open(vitals->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	return vitals->disk < 0 ? err_set(err, errno, "make %s", vitals->path) : 0;
}

int vitals_open(struct vitals *vitals, const struct cpus *cpus, const char *dir, struct err *err)
{
	int result;

	memset(vitals, 0, sizeof(*vitals));
	vitals->cpus = *cpus;
	vitals->set_size = CPU_ALLOC_SIZE(CPUS_MAX);
	vitals->here = CPU_ALLOC(CPUS_MAX);
	vitals->one = CPU_ALLOC(CPUS_MAX);
	vitals->disk = -1;
	if (!vitals->here || !vitals->one)
		result = err_set(err, ENOMEM, "CPU sets");
	else if (sched_getaffinity(0, vitals->set_size, vitals->here))
		result = err_set(err, errno, "CPUs of the supervisor");
	else
		result = open_disk(vitals, dir, err);
	if (result) {
		vitals_close(vitals);
		return result;
	}
	add(vitals, "scheduler", "a thread of the ordinary class runs on each CPU in turn",
	    take_scheduler);
	add_rcu(vitals);
	add(vitals, "disk", "a byte beside the journal is written and fdatasync(2) comes back",
	    take_disk);
	return 0;
}

void vitals_close(struct vitals *vitals)
{
	if (vitals->disk >= 0) {
		close(vitals->disk);
		unlink(vitals->path);
	}
	if (vitals->here)
		CPU_FREE(vitals->here);
	if (vitals->one)
		CPU_FREE(vitals->one);
	vitals->here = vitals->one = NULL;
	vitals->disk = -1;
}

void vitals_remove_leftover(const char *dir)
{
	char path[PATH_MAX];

	if (make_path(path, dir))
		unlink(path);
}
