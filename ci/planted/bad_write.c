// SPDX-License-Identifier: GPL-2.0-or-later
/* No test: writes beyond its memory, which a sanitizer must see. */
#include <stdlib.h>

int main(int argc, char **argv)
{
	size_t size = (size_t)argc;
	char *text = malloc(size);

	(void)argv;
	if (!text)
		return 1;
	((volatile char *)text)[size] = 0;
	free(text);
	return 0;
}
