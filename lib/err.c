// SPDX-License-Identifier: GPL-2.0-or-later
#include "err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int errnum, const char *fmt, ...)
{
	int result = errnum > 0 ? -errnum : -EINVAL;
	const char *name;
	va_list args;
	size_t used;

	if (!err)
		return result;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	if (errnum <= 0)
		return result;
	used = strlen(err->text);
	name = strerrorname_np(errnum);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s: %s", name ? name : "E?",
		 strerrordesc_np(errnum) ? strerrordesc_np(errnum) : "unknown error");
	return result;
}

int err_plain(struct err *err, int errnum, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return -errnum;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return -errnum;
}

void err_prefix(struct err *err, const char *fmt, ...)
{
	char old[sizeof(err->text)];
	va_list args;
	size_t used;

	if (!err)
		return;
	memcpy(old, err->text, sizeof(old));
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", old);
}
