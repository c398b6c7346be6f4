/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_XML_H
#define PMIPROOF_XML_H

#include <stdio.h>

/*
 * Write text as it can stand between tags and in a quoted attribute of XML 1.0. Control characters,
 * most of which XML cannot hold in any form, are shown as in text.h; what is not allowed beside
 * them becomes U+FFFD.
 */
void xml_put(FILE *out, const char *text);

/* Write ` name="value"`. */
void xml_attribute(FILE *out, const char *name, const char *value);

#endif
