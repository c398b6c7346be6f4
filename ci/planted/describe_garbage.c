// SPDX-License-Identifier: GPL-2.0-or-later
/* Does not describe itself but prints something else. */
#include <stdio.h>

int main(void)
{
	puts("usage: what?");
	return 0;
}
