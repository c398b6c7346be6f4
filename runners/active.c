// SPDX-License-Identifier: GPL-2.0-or-later
#include "active.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Only one run at a time comes here: it holds the machine's lock. */
void active_set(const char *dir)
{
	char *real = realpath(dir, NULL);

	unlink(ACTIVE_LINK);
	if (real && symlink(real, ACTIVE_LINK))
		unlink(ACTIVE_LINK); /* nothing depends on it */
	free(real);
}

const char *active_get(char *dir, size_t size)
{
	ssize_t length = readlink(ACTIVE_LINK, dir, size - 1);

	dir[length > 0 ? length : 0] = '\0';
	return dir;
}

void active_clear(const char *dir)
{
	char active[PATH_MAX], *real = dir ? realpath(dir, NULL) : NULL;

	if (!dir || (real && !strcmp(real, active_get(active, sizeof(active)))))
		unlink(ACTIVE_LINK);
	free(real);
}
