// SPDX-License-Identifier: GPL-2.0-or-later
#include "bystander.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "workload.h"

static long membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0);
}

static void *worker_thread(void *argument)
{
	const struct workload *work = workload_find("multiply");
	struct bystander_worker *worker = argument;

	/* Not pinned, its progress says less, but it is still progress. */
	cpus_pin(worker->cpu, NULL);
	while (!*worker->stop) {
		work->run(1000);
		worker->rounds++;
	}
	return NULL;
}

static void *rcu_thread(void *argument)
{
	struct bystanders *all = argument;

	while (!all->stop) {
		double start = (double)clock_ns(CLOCK_MONOTONIC);

		if (membarrier(MEMBARRIER_CMD_GLOBAL))
			break;
		if (all->grace_n < BYSTANDER_GRACE_MAX)
			all->grace_ns[all->grace_n++] = (double)clock_ns(CLOCK_MONOTONIC) - start;
		all->grace_total++;
	}
	return NULL;
}

static int start_workers(struct bystanders *all, const struct cpus *cpus)
{
	for (size_t i = 0; i < cpus->n; i++) {
		struct bystander_worker *worker = &all->worker[i];
		int result;

		worker->cpu = cpus->cpu[i];
		worker->stop = &all->stop;
		result = pthread_create(&worker->thread, NULL, worker_thread, worker);
		if (result)
			return -result;
		worker->started = true;
	}
	return 0;
}

int bystanders_start(struct bystanders *all, const struct cpus *cpus, struct err *err)
{
	long offered = membarrier(MEMBARRIER_CMD_QUERY);
	int result;

	memset(all, 0, sizeof(*all));
	all->worker = calloc(cpus->n, sizeof(*all->worker));
	all->grace_ns = calloc(BYSTANDER_GRACE_MAX, sizeof(*all->grace_ns));
	if (!all->worker || !all->grace_ns) {
		bystanders_free(all);
		return err_set(err, ENOMEM, "bystanders");
	}
	all->n = cpus->n;
	all->rcu = offered > 0 && (offered & MEMBARRIER_CMD_GLOBAL);
	result = start_workers(all, cpus);
	if (!result && all->rcu) {
		result = -pthread_create(&all->rcu_thread, NULL, rcu_thread, all);
		all->rcu_started = !result;
	}
	if (result) {
		bystanders_stop(all);
		bystanders_free(all);
		return err_set(err, -result, "bystander thread");
	}
	return 0;
}

void bystanders_stop(struct bystanders *all)
{
	all->stop = true;
	for (size_t i = 0; i < all->n; i++) {
		if (all->worker[i].started)
			pthread_join(all->worker[i].thread, NULL);
		all->worker[i].started = false;
	}
	if (all->rcu_started)
		pthread_join(all->rcu_thread, NULL);
	all->rcu_started = false;
}

void bystanders_free(struct bystanders *all)
{
	free(all->worker);
	free(all->grace_ns);
	all->worker = NULL;
	all->grace_ns = NULL;
}
