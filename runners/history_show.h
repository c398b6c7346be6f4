/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_HISTORY_SHOW_H
#define PMIPROOF_HISTORY_SHOW_H

#include "../reports/history.h"

/*
 * What a history holds, as tables on standard output. Return 0 or -errno with err set; where there
 * is nothing to show that is -ENODATA.
 */
int history_show_list(struct history *history, struct err *err);

/* words: HYPOTHESIS TABLE ROW COLUMN of a cell of a cost table. */
int history_show_trend(struct history *history, char *const words[4], struct err *err);
int history_show_flaky(struct history *history, struct err *err);

#endif
