// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge.h"

#include <stdarg.h>
#include <stdio.h>

#include "record.h"

void judge_add(struct judge *judge, enum verdict verdict, const char *fmt, ...)
{
	json_t *holder = json_object();
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (!judge->reasons[verdict])
		judge->reasons[verdict] = json_array();
	if (text[0]) {
		record_set_text(holder, "text", text, (size_t)-1);
		json_array_append(judge->reasons[verdict], json_object_get(holder, "text"));
	}
	json_decref(holder);
}

enum verdict judge_verdict(const struct judge *judge)
{
	enum verdict verdict = VERDICT_HUNG;

	while (verdict < VERDICT_NONE && !judge->reasons[verdict])
		verdict++;
	return verdict;
}

json_t *judge_reasons(const struct judge *judge)
{
	json_t *all = json_array();

	for (enum verdict v = VERDICT_HUNG; v <= VERDICT_NONE; v++)
		if (judge->reasons[v])
			json_array_extend(all, judge->reasons[v]);
	return all;
}

void judge_free(struct judge *judge)
{
	for (enum verdict v = VERDICT_HUNG; v <= VERDICT_NONE; v++)
		json_decref(judge->reasons[v]);
	*judge = (struct judge){ 0 };
}

void judge_demote(struct judge *judge, enum verdict from, enum verdict to)
{
	if (!judge->reasons[from])
		return;
	if (!judge->reasons[to])
		judge->reasons[to] = json_array();
	json_array_extend(judge->reasons[to], judge->reasons[from]);
	json_decref(judge->reasons[from]);
	judge->reasons[from] = NULL;
}
