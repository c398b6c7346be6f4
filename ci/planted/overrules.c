// SPDX-License-Identifier: GPL-2.0-or-later
/* Says pass although its check failed. */
#include "planted.h"

static int body(int fd)
{
	dprintf(fd, "{\"type\":\"check\",\"name\":\"held\",\"op\":\"<=\",\"value\":3,\"bound\":2,"
		    "\"unit\":\"1\",\"origin\":\"o\",\"ok\":false}\n" PLANTED_VERDICT);
	return 0;
}

PLANTED_RAW("overrules", body)
