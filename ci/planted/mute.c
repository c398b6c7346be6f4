// SPDX-License-Identifier: GPL-2.0-or-later
/* Exits with success and has said nothing. */
#include "planted.h"

static int body(int fd)
{
	close(fd);
	fputs("nothing to say\n", stderr);
	return 0;
}

PLANTED_RAW("mute", body)
