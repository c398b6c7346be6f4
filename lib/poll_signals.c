// SPDX-License-Identifier: GPL-2.0-or-later
#include "poll_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* A signal handler has no argument for it. */
static struct poll_signals *volatile watched;

void poll_signals_take(struct poll_signals *signals, int code)
{
	signals->after_hup += signals->hup > 0;
	if (code == POLL_IN)
		signals->in++;
	else if (code == POLL_HUP)
		signals->hup++;
	else
		signals->other++;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if (watched)
		poll_signals_take(watched, info->si_code);
}

int poll_signals_watch(struct poll_signals *signals, const struct event *event, struct err *err)
{
	const struct sigaction action = { .sa_sigaction = on_signal,
					  .sa_flags = SA_SIGINFO | SA_RESTART };
	const struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = gettid() };

	watched = signals;
	if (sigaction(SIGRTMIN, &action, NULL) || fcntl(event->fd, F_SETOWN_EX, &owner) ||
	    fcntl(event->fd, F_SETSIG, SIGRTMIN) || fcntl(event->fd, F_SETFL, O_RDWR | O_ASYNC)) {
		watched = NULL;
		return err_set(err, errno, "signals of an event");
	}
	return 0;
}

void poll_signals_end(void)
{
	watched = NULL;
}
