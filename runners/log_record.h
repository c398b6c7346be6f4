/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_LOG_RECORD_H
#define PMIPROOF_LOG_RECORD_H

#include <jansson.h>
#include <stdbool.h>

#include "klog.h"

/* A kernel-log record as the "log" record of a journal: a new reference, NULL without memory. */
json_t *log_record(const struct klog_record *log, bool expected);

#endif
