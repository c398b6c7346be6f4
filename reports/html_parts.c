// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "text.h"
#include "xml.h"

void html_text(struct html *html, const char *text)
{
	xml_put(html->out, text);
}

void html_begin(struct html *html, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
	      html->out);
	html_text(html, title);
	fprintf(html->out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", html_style);
}

void html_end(struct html *html)
{
	fputs("</body>\n</html>\n", html->out);
}

void html_element(struct html *html, const char *tag, const char *text)
{
	if (!*text)
		return;
	fprintf(html->out, "<%s>", tag);
	html_text(html, text);
	fprintf(html->out, "</%s>\n", tag);
}

void html_words(struct html *html, const char *tag, char *text)
{
	if (text)
		html_element(html, tag, text);
	else
		html->result = -ENOMEM;
	free(text);
}

void html_verdict(struct html *html, enum verdict verdict)
{
	fprintf(html->out, "<span class=\"verdict %s\">%s</span>", verdict_name(verdict),
		verdict_name(verdict));
}

static const char *class_of(const char *heading)
{
	return *heading == '>' ? " class=\"number\"" : *heading == '~' ? " class=\"long\"" : "";
}

void html_table(struct html *html, const char *caption, const char *const *headings)
{
	fputs("<div class=\"scroll\"><table>\n", html->out);
	if (*caption) {
		fputs("<caption>", html->out);
		html_text(html, caption);
		fputs(html->report->emulated ? " (emulated)</caption>\n" : "</caption>\n",
		      html->out);
	}
	fputs("<thead><tr>", html->out);
	for (; *headings; headings++) {
		fprintf(html->out, "<th scope=\"col\"%s>", class_of(*headings));
		html_text(html, *headings + strspn(*headings, ">~"));
		fputs("</th>", html->out);
	}
	fputs("</tr></thead>\n<tbody>", html->out);
}

void html_row(struct html *html)
{
	fputs("\n<tr>", html->out);
}

void html_cell(struct html *html, const char *class, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = text_format(fmt, args);
	va_end(args);
	if (!text) {
		html->result = -ENOMEM;
		return;
	}
	if (class)
		fprintf(html->out, "<td class=\"%s\">", class);
	else
		fputs("<td>", html->out);
	html_text(html, text);
	fputs("</td>", html->out);
	free(text);
}

void html_table_end(struct html *html)
{
	fputs("\n</tbody></table></div>\n", html->out);
}

void html_list(struct html *html)
{
	fputs("<dl>\n", html->out);
}

void html_pair(struct html *html, const char *key, const char *text)
{
	if (!*text)
		return;
	html_element(html, "dt", key);
	html_element(html, "dd", text);
}

void html_pair_words(struct html *html, const char *key, char *text)
{
	if (text)
		html_pair(html, key, text);
	else
		html->result = -ENOMEM;
	free(text);
}

void html_list_end(struct html *html)
{
	fputs("</dl>\n", html->out);
}
