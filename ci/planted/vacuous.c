// SPDX-License-Identifier: GPL-2.0-or-later
/* Says pass without ever having shown that it could see what it claims to look for. */
#include "planted.h"

static int body(int fd)
{
	dprintf(fd, PLANTED_CHECK PLANTED_VERDICT);
	return 0;
}

PLANTED_RAW("vacuous", body)
