// SPDX-License-Identifier: GPL-2.0-or-later
#include "bystander.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "workload.h"

/* Only the thread itself writes what it counts. */
static void count_one(uint64_t *count)
{
	__atomic_store_n(count, *count + 1, __ATOMIC_RELEASE);
}

static void compute(void)
{
	workload_find("multiply")->run(1000);
}

static void use_files(void)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
}

static const struct {
	const char *name;
	void (*round)(void);
} kinds_of_work[BYSTANDER_KINDS] = {
	[BYSTANDER_COMPUTES] = { "computes", compute },
	[BYSTANDER_FILES] = { "files", use_files },
};

const char *bystander_kind_name(enum bystander_kind kind)
{
	return kinds_of_work[kind].name;
}

static void *worker_thread(void *argument)
{
	struct bystander_worker *worker = argument;
	void (*round)(void) = kinds_of_work[worker->kind].round;

	/* Not pinned, its progress says less, but it is still progress. */
	cpus_pin(worker->cpu, NULL);
	__atomic_store_n(&worker->tid, gettid(), __ATOMIC_RELEASE);
	while (!*worker->stop) {
		round();
		count_one(&worker->rounds);
	}
	return NULL;
}

static void *rcu_thread(void *argument)
{
	struct bystanders *all = argument;

	while (!all->stop) {
		double start = (double)clock_ns(CLOCK_MONOTONIC);

		if (grace_period_wait(&all->grace, NULL))
			break;
		if (all->grace_total < BYSTANDER_GRACE_MAX)
			all->grace_ns[all->grace_total] = (double)clock_ns(CLOCK_MONOTONIC) - start;
		count_one(&all->grace_total);
	}
	return NULL;
}

static int start_workers(struct bystanders *all, const struct cpus *cpus)
{
	for (size_t i = 0; i < all->n; i++) {
		struct bystander_worker *worker = &all->worker[i];
		int result;

		worker->kind = (enum bystander_kind)(i % all->kinds);
		worker->cpu = cpus->cpu[i / all->kinds];
		worker->stop = &all->stop;
		result = pthread_create(&worker->thread, NULL, worker_thread, worker);
		if (result)
			return -result;
		worker->started = true;
		while (!__atomic_load_n(&worker->tid, __ATOMIC_ACQUIRE))
			clock_sleep_ms(1);
	}
	return 0;
}

int bystanders_start(struct bystanders *all, const struct cpus *cpus, size_t kinds, struct err *err)
{
	int result;

	memset(all, 0, sizeof(*all));
	all->worker = calloc(cpus->n * kinds, sizeof(*all->worker));
	all->grace_ns = calloc(BYSTANDER_GRACE_MAX, sizeof(*all->grace_ns));
	if (!all->worker || !all->grace_ns) {
		bystanders_free(all);
		return err_set(err, ENOMEM, "bystanders");
	}
	all->n = cpus->n * kinds;
	all->kinds = kinds;
	all->rcu = !grace_period_open(&all->grace, NULL);
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

const struct bystander_worker *bystanders_worker(const struct bystanders *all, size_t cpu,
						 enum bystander_kind kind)
{
	return &all->worker[cpu * all->kinds + kind];
}

/* So far, while it goes on. */
static uint64_t count_of(const uint64_t *count)
{
	return __atomic_load_n(count, __ATOMIC_ACQUIRE);
}

int bystander_lap_start(struct bystander_lap *lap, const struct bystanders *all, struct err *err)
{
	memset(lap, 0, sizeof(*lap));
	lap->rounds = calloc(all->n, sizeof(*lap->rounds));
	lap->rate = calloc(all->n, sizeof(*lap->rate));
	if (!lap->rounds || !lap->rate) {
		bystander_lap_free(lap);
		return err_set(err, ENOMEM, "a lap of %zu bystanders", all->n);
	}
	for (size_t i = 0; i < all->n; i++)
		lap->rounds[i] = count_of(&all->worker[i].rounds);
	lap->grace_from = count_of(&all->grace_total);
	lap->start_ns = clock_ns(CLOCK_MONOTONIC);
	return 0;
}

void bystander_lap_end(struct bystander_lap *lap, const struct bystanders *all)
{
	double seconds;

	lap->end_ns = clock_ns(CLOCK_MONOTONIC);
	seconds = (double)(lap->end_ns - lap->start_ns) / 1e9;
	for (size_t i = 0; i < all->n; i++)
		lap->rate[i] =
			(double)(count_of(&all->worker[i].rounds) - lap->rounds[i]) / seconds;
	lap->grace_to = count_of(&all->grace_total);
	lap->grace_rate = (double)(lap->grace_to - lap->grace_from) / seconds;
}

void bystander_lap_free(struct bystander_lap *lap)
{
	free(lap->rounds);
	free(lap->rate);
	lap->rounds = NULL;
	lap->rate = NULL;
}

double bystander_lap_left(const struct bystander_lap *lap, const struct bystander_lap *alone,
			  const struct bystanders *all, enum bystander_kind kind, size_t from,
			  size_t to)
{
	double least = INFINITY;

	for (size_t cpu = from; cpu < to; cpu++) {
		const size_t i = cpu * all->kinds + kind;

		least = fmin(least, 100 * lap->rate[i] / alone->rate[i]);
	}
	return least;
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
	if (all->rcu)
		grace_period_close(&all->grace);
}

void bystanders_free(struct bystanders *all)
{
	free(all->worker);
	free(all->grace_ns);
	all->worker = NULL;
	all->grace_ns = NULL;
}
