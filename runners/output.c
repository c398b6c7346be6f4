// SPDX-License-Identifier: GPL-2.0-or-later
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void output_init(struct output *output, output_emit emit, void *context)
{
	*output = (struct output){ .emit = emit, .context = context };
}

static int keep(struct output *output, const char *text, size_t len)
{
	size_t slot = output->lines % OUTPUT_TAIL;

	if (len > output->tail[slot].size) {
		char *larger = realloc(output->tail[slot].text, len);

		if (!larger)
			return -ENOMEM;
		output->tail[slot].text = larger;
		output->tail[slot].size = len;
	}
	if (len)
		memcpy(output->tail[slot].text, text, len);
	output->tail[slot].len = len;
	return 0;
}

int output_add(struct output *output, const char *text, size_t len)
{
	int result;

	if (output->lines < OUTPUT_HEAD)
		result = output->emit(output->context, text, len, 0);
	else
		result = keep(output, text, len);
	output->lines++;
	return result;
}

int output_finish(struct output *output)
{
	unsigned long first = OUTPUT_HEAD;
	unsigned long omitted = 0;

	if (output->lines > OUTPUT_HEAD + OUTPUT_TAIL) {
		first = output->lines - OUTPUT_TAIL;
		omitted = first - OUTPUT_HEAD;
	}
	for (unsigned long line = first; line < output->lines; line++) {
		size_t slot = line % OUTPUT_TAIL;
		int result = output->emit(output->context, output->tail[slot].text,
					  output->tail[slot].len, omitted);

		if (result)
			return result;
		omitted = 0;
	}
	return 0;
}

void output_free(struct output *output)
{
	for (size_t slot = 0; slot < OUTPUT_TAIL; slot++)
		free(output->tail[slot].text);
}
