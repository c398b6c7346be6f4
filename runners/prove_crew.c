// SPDX-License-Identifier: GPL-2.0-or-later
#include "prove_crew.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "clock.h"

/* How often the line that shows what runs is looked after. */
#define TICK_MS 500

static size_t cpus_of(const struct prove_guest *guest)
{
	return lab_machine_cpus(&guest->machine->lab);
}

static int more(double a, double b)
{
	return (a < b) - (a > b);
}

/* Larger machines before smaller ones, as they wait for more CPUs; then as said in the header. */
static int compare(const void *a, const void *b)
{
	const struct prove_guest *x = a, *y = b;
	int order = more((double)cpus_of(x), (double)cpus_of(y));

	if (!order)
		order = more(x->hangs_s, y->hangs_s);
	if (!order)
		order = more(x->budget_s, y->budget_s);
	if (!order)
		order = (x->round > y->round) - (x->round < y->round);
	return order ? order : (x->machine > y->machine) - (x->machine < y->machine);
}

void prove_crew_sort(struct prove_guest *guests, size_t n)
{
	qsort(guests, n, sizeof(*guests), compare);
}

static bool runs(const struct prove_guest *guest)
{
	return guest->pid > 0;
}

static size_t cpus_taken(const struct prove_crew *crew)
{
	size_t taken = 0;

	for (size_t i = 0; i < crew->n; i++)
		taken += runs(&crew->guests[i]) ? cpus_of(&crew->guests[i]) : 0;
	return taken;
}

/* Start those that there is room for; one always runs. */
static int start_some(struct prove_crew *crew, struct err *err)
{
	size_t taken = cpus_taken(crew);
	int result = 0;

	for (size_t i = 0; !result && i < crew->n; i++) {
		struct prove_guest *guest = &crew->guests[i];

		if (guest->pid || (taken && taken + cpus_of(guest) > crew->cpus))
			continue;
		result = prove_guest_start(guest, &crew->files, err);
		taken += cpus_of(guest);
	}
	return result;
}

static void signal_all(const struct prove_crew *crew, int number)
{
	for (size_t i = 0; i < crew->n; i++)
		if (runs(&crew->guests[i]))
			kill(crew->guests[i].pid, number);
}

static void take_interrupts(struct prove_crew *crew)
{
	struct signalfd_siginfo info;

	while (read(crew->signals, &info, sizeof(info)) == sizeof(info)) {
		signal_all(crew, crew->interrupts ? SIGKILL : SIGTERM);
		progress_say(crew->progress, crew->interrupts++
						     ? "interrupted again: killing the machines"
						     : "interrupted: ending the machines");
	}
}

static void show(const struct prove_crew *crew)
{
	char text[512];
	size_t used = (size_t)snprintf(text, sizeof(text), "[%zu/%zu]", crew->done, crew->n);

	for (size_t i = 0; i < crew->n && used < sizeof(text); i++)
		if (runs(&crew->guests[i]))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "  %s %lld s",
						 crew->guests[i].machine->name,
						 (long long)(clock_ms() - crew->guests[i].started) /
							 1000);
	progress_status(crew->progress, text);
}

/* Wait until something happens, and deal with it. */
static void wait_some(struct prove_crew *crew, struct pollfd *fds, size_t *who)
{
	nfds_t n = 1;

	fds[0] = (struct pollfd){ .fd = crew->signals, .events = POLLIN };
	for (size_t i = 0; i < crew->n; i++) {
		if (!runs(&crew->guests[i]))
			continue;
		who[n] = i;
		fds[n++] = (struct pollfd){ .fd = crew->guests[i].pidfd, .events = POLLIN };
	}
	if (poll(fds, n, TICK_MS) < 0)
		return;
	take_interrupts(crew);
	for (nfds_t i = 1; i < n; i++) {
		if (!fds[i].revents)
			continue;
		prove_guest_reap(&crew->guests[who[i]]);
		crew->done++;
		crew->ended(crew->context, &crew->guests[who[i]]);
	}
}

int prove_crew_run(struct prove_crew *crew, struct err *err)
{
	struct pollfd *fds = calloc(crew->n + 1, sizeof(*fds));
	size_t *who = calloc(crew->n + 1, sizeof(*who));
	int result = 0;

	if (!fds || !who) {
		free(fds);
		free(who);
		return err_set(err, ENOMEM, "machines");
	}
	prove_crew_sort(crew->guests, crew->n);
	while (!result) {
		if (!crew->interrupts)
			result = start_some(crew, err);
		if (result)
			signal_all(crew, SIGTERM);
		if (!cpus_taken(crew))
			break;
		show(crew);
		wait_some(crew, fds, who);
	}
	while (cpus_taken(crew))
		wait_some(crew, fds, who);
	free(fds);
	free(who);
	return result;
}
