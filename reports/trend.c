// SPDX-License-Identifier: GPL-2.0-or-later
#include "trend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int add_point(const struct history_point *point, void *context)
{
	struct trend *trend = context;
	struct trend_point *points, *added;
	struct tm utc = { 0 };

	if (!strptime(point->time, "%Y-%m-%dT%H:%M:%S", &utc))
		return 0;
	if (trend->n && strcmp(trend->unit, point->unit) != 0)
		return -ENOTUNIQ;
	snprintf(trend->unit, sizeof(trend->unit), "%s", point->unit);
	points = reallocarray(trend->points, trend->n + 1, sizeof(*points));
	if (!points)
		return -ENOMEM;
	trend->points = points;
	added = &points[trend->n++];
	*added = (struct trend_point){
		.id = point->id,
		.at = timegm(&utc),
		.time = strdup(point->time),
		.cpu = strdup(point->cpu),
		.kernel = strdup(point->kernel),
		.least = point->least,
		.greatest = point->greatest,
	};
	return added->time && added->cpu && added->kernel ? 0 : -ENOMEM;
}

int trend_read(struct trend *trend, struct history *history, char *const words[4], struct err *err)
{
	int result;

	*trend = (struct trend){ .words = words };
	result = history_trend(history, words[0], words[1], words[2], words[3], add_point, trend,
			       err);
	if (result == -ENOTUNIQ)
		return err_plain(err, ENOTUNIQ, "the figures are of several units");
	if (result == -ENOMEM)
		return err_set(err, ENOMEM, "trend");
	if (!result && !trend->n)
		return err_plain(err, ENODATA, "no report has a figure of these names");
	return result;
}

void trend_free(struct trend *trend)
{
	for (size_t i = 0; i < trend->n; i++) {
		free(trend->points[i].time);
		free(trend->points[i].cpu);
		free(trend->points[i].kernel);
	}
	free(trend->points);
	*trend = (struct trend){ 0 };
}
