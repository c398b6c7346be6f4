// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#define LOCK_FILE "/proc/sys/kernel/perf_event_max_sample_rate"

int machine_lock(int *fd, struct err *err)
{
	*fd = open(LOCK_FILE, O_RDONLY | O_CLOEXEC);
	if (*fd < 0)
		return errno == ENOENT ? 0 : err_set(err, errno, "open %s", LOCK_FILE);
	if (flock(*fd, LOCK_EX | LOCK_NB)) {
		int result = errno == EWOULDBLOCK ? err_plain(err, EBUSY,
							      "another run is going on on this "
							      "machine: it has locked %s",
							      LOCK_FILE)
						  : err_set(err, errno, "lock %s", LOCK_FILE);

		close(*fd);
		*fd = -1;
		return result;
	}
	return 0;
}
