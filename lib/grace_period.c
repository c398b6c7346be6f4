// SPDX-License-Identifier: GPL-2.0-or-later
#include "grace_period.h"

#include <errno.h>
#include <sys/ioctl.h>

#define NO_OUTPUT (-1L)

/* This ioctl takes a descriptor, as wide as a pointer (perf_event_open(2)). */
static int set_output(const struct event *event, long fd, struct err *err)
{
	if (!ioctl(event->fd, PERF_EVENT_IOC_SET_OUTPUT, fd))
		return 0;
	return err_set(err, errno, "PERF_EVENT_IOC_SET_OUTPUT");
}

int grace_period_open(struct grace_period *grace, struct err *err)
{
	const struct perf_event_attr attr = event_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	int result;

	*grace = (struct grace_period){ .ring = EVENT_CLOSED, .moved = EVENT_CLOSED };
	result = event_open_self(&grace->ring, &attr, err);
	if (!result)
		result = event_map(&grace->ring, 1, false, err);
	if (!result)
		result = event_open_self(&grace->moved, &attr, err);
	if (!result)
		result = set_output(&grace->moved, grace->ring.fd, err);
	if (result)
		grace_period_close(grace);
	return result;
}

int grace_period_wait(struct grace_period *grace, struct err *err)
{
	int result = set_output(&grace->moved, NO_OUTPUT, err);

	return result ? result : set_output(&grace->moved, grace->ring.fd, err);
}

void grace_period_close(struct grace_period *grace)
{
	event_close(&grace->moved);
	event_close(&grace->ring);
}
