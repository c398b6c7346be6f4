// SPDX-License-Identifier: GPL-2.0-or-later
#include "ktap.h"

#include <stdarg.h>
#include <stdio.h>

#include "kselftest.h"

/* Longest text of one line; what is longer is cut. */
#define LINE_MAX_BYTES 1024

static void flatten(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = ' ';
}

void ktap_begin(unsigned int plan)
{
	ksft_print_header();
	ksft_set_plan(plan);
	fflush(stdout);
}

void ktap_diag(const char *fmt, ...)
{
	char text[LINE_MAX_BYTES];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	flatten(text);
	ksft_print_msg("%s\n", text);
	fflush(stdout);
}

void ktap_result(enum verdict verdict, const char *name, const char *reason)
{
	char text[LINE_MAX_BYTES];

	snprintf(text, sizeof(text), "%s%s%s", name, reason && *reason ? ": " : "",
		 reason ? reason : "");
	flatten(text);
	switch (verdict) {
	case VERDICT_PASS:
		ksft_test_result_pass("%s\n", text);
		break;
	case VERDICT_SKIP:
	case VERDICT_NOTRUN:
		ksft_test_result_skip("%s\n", text);
		break;
	case VERDICT_KNOWN:
		ksft_test_result_xfail("%s\n", text);
		break;
	case VERDICT_BROKEN:
	case VERDICT_NONE:
		ksft_test_result_error("%s\n", text);
		break;
	case VERDICT_FAIL:
	case VERDICT_HUNG:
		ksft_test_result_fail("%s\n", text);
		break;
	}
	fflush(stdout);
}

void ktap_end(void)
{
	ksft_print_cnts();
	fflush(stdout);
}
