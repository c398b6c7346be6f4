// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a sub-buffer: every record that comes out lies within them. */
#include <stdint.h>
#include <stdlib.h>

#include "trace_page.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct trace_page page;
	const void *data;
	size_t size;

	if (!n || trace_page_open(&page, bytes + 1, n - 1, bytes[0] & 1 ? 4 : 8))
		return 0;
	while (trace_page_next(&page, &data, &size) > 0) {
		const uint8_t *at = data;

		if (at < bytes + 1 || at > bytes + n || size > (size_t)(bytes + n - at))
			abort();
	}
	return 0;
}
