// SPDX-License-Identifier: GPL-2.0-or-later
#include "format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "html.h"
#include "json.h"
#include "junit.h"
#include "kcidb.h"
#include "known.h"
#include "ktap_report.h"
#include "mail.h"
#include "term.h"

const struct format formats[] = {
	{ "term", "tables for a terminal (the default)", .write_as = term_write },
	{ "html", "one page with tables and plots for a browser", .write = html_write },
	{ "mail", "plain text of 72 columns for a cover letter", .write_against = mail_write },
	{ "junit", "JUnit XML, with figures as properties, for CI", .write = junit_write },
	{ "ktap", "KTAP version 1, for what reads kselftest results", .write = ktap_report_write },
	{ "kcidb", "KCIDB 5.3, for the KernelCI project", .write = kcidb_write },
	{ "json", "everything, as one document for programs", .write = json_write },
	{ "csv", "one line for each verdict, check and statistic, for a spreadsheet",
	  .write = csv_write },
	{ NULL },
};

const struct format *format_find(const char *name)
{
	for (const struct format *f = formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

static int write_report(const struct format_request *request, const struct report *report,
			const struct report *baseline, FILE *out, struct err *err)
{
	if (request->format->write_as)
		return request->format->write_as(report, &request->shown, out, err);
	if (request->format->write_against)
		return request->format->write_against(report, baseline, out, err);
	return request->format->write(report, out, err);
}

int format_report(const struct format_request *request, const struct report *report,
		  const struct report *baseline, char **text, size_t *size, struct err *err)
{
	FILE *out = open_memstream(text, size);
	int result;
	bool lost;

	if (!out)
		return err_set(err, ENOMEM, "report of %s", request->path);
	result = write_report(request, report, baseline, out, err);
	lost = ferror(out);
	lost |= fclose(out) != 0;
	if (!result && lost)
		result = err_set(err, ENOMEM, "report of %s", request->path);
	if (!result)
		return 0;
	free(*text);
	*text = NULL;
	return result;
}

int format_text(const struct format_request *request, char **text, size_t *size, struct err *err)
{
	struct report report, baseline;
	int result = known_report(&report, request->path, request->shown.known, err);

	*text = NULL;
	if (result)
		return result;
	if (request->baseline)
		result = known_report(&baseline, request->baseline, request->shown.known, err);
	if (!result) {
		result = format_report(request, &report, request->baseline ? &baseline : NULL, text,
				       size, err);
		if (request->baseline)
			report_free(&baseline);
	}
	report_free(&report);
	return result;
}
