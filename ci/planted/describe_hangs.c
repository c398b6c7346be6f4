// SPDX-License-Identifier: GPL-2.0-or-later
/* Does not answer when asked to describe itself. */
#include <unistd.h>

int main(void)
{
	for (;;)
		pause();
	return 0;
}
