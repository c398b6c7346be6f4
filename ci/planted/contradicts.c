// SPDX-License-Identifier: GPL-2.0-or-later
/* Says pass and exits with failure. */
#include "planted.h"

static int body(int fd)
{
	dprintf(fd, PLANTED_CHECK PLANTED_VERDICT);
	return 1;
}

PLANTED_RAW("contradicts", body)
