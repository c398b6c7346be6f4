// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes records that are the supervisor's, broken ones, and one of 80 MiB; and passes. */
#include "planted.h"

#define HUGE_LINE (80 << 20)
#define PIECE 65536

#define FIGURES(name, value)                                                       \
	"{\"type\":\"check\",\"name\":\"" name "\",\"op\":\"<=\",\"value\":" value \
	",\"bound\":2,\"unit\":\"1\",\"origin\":\"o\",\"ok\":true}\n"

static const char *const bad[] = {
	"{\"type\":\"end\",\"verdict\":\"pass\",\"reasons\":[]}\n",
	"{\"type\":\"log\",\"class\":\"rcu-stall\"}\n",
	"{\"type\":\"note\",\"text\":\"x\",\"test\":\"another\"}\n",
	FIGURES("undeclared", "1"),
	FIGURES("held", "3"),
	"{\"type\":\"control\"}\n",
	"not JSON\n",
	"\n",
	"[1,2]\n",
	"{\"type\":\"note\",\"text\":\"\xff\"}\n",
	"{\"type\":\"verdict\",\"verdict\":\"hung\",\"reason\":\"\"}\n",
};

static int body(int fd)
{
	char piece[PIECE];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		dprintf(fd, "%s", bad[i]);
	memset(piece, 'x', sizeof(piece));
	for (size_t sent = 0; sent < HUGE_LINE; sent += sizeof(piece))
		if (write(fd, piece, sizeof(piece)) < 0)
			return 4;
	dprintf(fd, "\n" PLANTED_CHECK PLANTED_VERDICT);
	return 0;
}

PLANTED_RAW("forges", body)
