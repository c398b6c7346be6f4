// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Claim: the events of a group count together: what samples, reads and ioctls say and do of one
 * holds for all.
 *
 * Mechanism: a group is put on the PMU as a whole or not at all. A sample of the leader reads the
 * other members in the overflow's handler, where their counters run on; reads, ioctls with
 * PERF_IOC_FLAG_GROUP and events that a child inherits go through the list of members one by one.
 *
 * On a broken kernel a member's value in a sample is an old one or another member's, one of them is
 * left out, or a group runs in part.
 *
 * A loop with a steady mixture of instructions counts in the same ratio between any two samples.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "background.h"
#include "counters.h"
#include "drain.h"
#include "group_watch.h"
#include "hypothesis.h"
#include "rate_limit.h"
#include "stats.h"
#include "workload.h"

#define PERIOD 50021 /* instructions, a prime */
#define SAMPLES 200
#define FLOOR 149
#define PARTS 20
#define RING_PAGES 32
#define MEMBERS 3
#define ROUNDS 20000	     /* of what is counted at a time */
#define ROUNDS_TURNS 4000000 /* in which groups take turns several times */
#define WRONG_MAX 2.0	     /* % of samples */
#define TOGETHER 0.05	     /* members that count the same differ by less */
#define CHILDREN 8
#define TURNS 2 /* groups that take turns */

#define READ_GROUP                                                             \
	(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | \
	 PERF_FORMAT_TOTAL_TIME_RUNNING)

/* A group; the leader is the first, and reads of it have all. */
struct group {
	size_t n;
	struct event event[GROUP_MAX];
};

struct experiment {
	struct run *run;
	const struct workload *work;
	uint64_t config[MEMBERS]; /* of what counts here, the first two the same */
	size_t n;
};

static void group_close(struct group *group)
{
	while (group->n)
		event_close(&group->event[--group->n]);
}

/* Open the leader for this thread, then the others. Closed on an error. */
static int group_open(struct group *group, const struct perf_event_attr *attrs, size_t n,
		      struct err *err)
{
	int result = 0;

	*group = (struct group){ .n = 0 };
	for (size_t i = 0; !result && i < n; i++) {
		struct event *event = &group->event[i];

		result = i ? event_open_member(event, &attrs[i], &group->event[0], err)
			   : event_open_self(event, &attrs[i], err);
		group->n += !result;
	}
	if (result)
		group_close(group);
	return result;
}

/* read(2) of the leader. */
static int group_read(const struct group *group, struct group_read *read_, struct err *err)
{
	uint64_t data[3 + 2 * GROUP_MAX];
	ssize_t got = read(group->event[0].fd, data, sizeof(data));

	if (got < (ssize_t)(3 * sizeof(*data)))
		return err_set(err, got < 0 ? errno : EBADMSG, "read of a group");
	*read_ = (struct group_read){ .nr = data[0], .enabled = data[1], .running = data[2] };
	for (uint64_t i = 0; i < read_->nr && i < GROUP_MAX; i++)
		read_->member[i] =
			(struct ring_read){ .value = data[3 + 2 * i], .id = data[4 + 2 * i] };
	return 0;
}

static int group_ioctl(const struct group *group, unsigned long request, const char *name,
		       unsigned int flag, struct err *err)
{
	if (!ioctl(group->event[0].fd, request, flag))
		return 0;
	return err_set(err, errno, "%s of a group", name);
}

#define GROUP_IOCTL(group, request, flag, err) \
	group_ioctl(group, PERF_EVENT_IOC_##request, #request, flag, err)

/* Attributes of a group of what counts here. */
static void group_attrs(const struct experiment *all, struct perf_event_attr *attrs)
{
	for (size_t i = 0; i < all->n; i++)
		attrs[i] = counters_user_attr(all->config[i]);
	attrs[0].read_format = READ_GROUP;
}

/* Instructions twice, and branches where they count. */
static int find_events(struct experiment *all, struct err *err)
{
	static const uint64_t wanted[MEMBERS] = { PERF_COUNT_HW_INSTRUCTIONS,
						  PERF_COUNT_HW_INSTRUCTIONS,
						  PERF_COUNT_HW_BRANCH_INSTRUCTIONS };
	struct workload_job job = { all->work, ROUNDS };

	for (size_t i = 0; i < MEMBERS; i++) {
		struct perf_event_attr attr = counters_user_attr(wanted[i]);
		struct event_count count = { 0 };
		int result = counters_count(&attr, 1, workload_do, &job, &count, err);

		if (!result && count.value)
			all->config[all->n++] = wanted[i];
		else if (i < 2)
			return result ? result
				      : err_plain(err, ENODEV, "instructions do not count");
	}
	return 0;
}

/* --- Samples --- */

struct sampled {
	struct group group;
	struct group_watch watch;
	struct drained drained;
	bool malformed; /* a sample is longer or shorter than its members say */
};

static void take(const struct ring_sample *sample, uint16_t misc, void *context)
{
	struct sampled *sampled = context;
	struct group_read read = { .nr = sample->read_nr,
				   .enabled = sample->read_enabled,
				   .running = sample->read_running };

	(void)misc;
	for (uint64_t i = 0; i < read.nr && i < GROUP_MAX; i++)
		ring_sample_read(sample, &sampled->group.event[0].attr, i, &read.member[i]);
	group_watch_take(&sampled->watch, &read);
}

/* The ratio of the members, as they count it in the loop by themselves. */
static int find_ratio(const struct experiment *all, struct group_watch *watch, struct err *err)
{
	struct workload_job job = { all->work, ROUNDS };
	struct event_count counts[MEMBERS];
	struct perf_event_attr attrs[MEMBERS];
	int result;

	for (size_t i = 0; i < all->n; i++)
		attrs[i] = counters_user_attr(all->config[i]);
	result = counters_count(attrs, all->n, workload_do, &job, counts, err);
	for (size_t i = 0; !result && i < all->n; i++)
		watch->ratio[i] = counters_scaled(&counts[i]) / counters_scaled(&counts[0]);
	return result;
}

/* A sample that cannot be taken apart is one with a wrong number of members. */
static int drain(struct sampled *sampled, struct err *err)
{
	int result = event_drain(&sampled->group.event[0], &sampled->drained, take, sampled, err);

	sampled->malformed |= result == -EBADMSG;
	return result == -EBADMSG ? 0 : result;
}

static int sample_group(const struct experiment *all, struct sampled *sampled, struct err *err)
{
	uint64_t rounds = SAMPLES / PARTS * PERIOD / all->work->instructions_per_round;
	struct perf_event_attr attrs[MEMBERS];
	struct event *leader = &sampled->group.event[0];
	int result;

	group_attrs(all, attrs);
	attrs[0].sample_period = PERIOD;
	attrs[0].sample_type = PERF_SAMPLE_READ;
	result = group_open(&sampled->group, attrs, all->n, err);
	if (!result)
		result = event_map(leader, RING_PAGES, false, err);
	for (size_t i = 0; !result && i < all->n; i++)
		sampled->watch.id[i] = sampled->group.event[i].id;
	/* The ring is read while nothing counts: the loop alone is of a steady mixture. */
	for (int part = 0; !result && part < PARTS; part++) {
		result = event_enable(leader, err);
		if (!result) {
			all->work->run(rounds);
			result = event_disable(leader, err);
		}
		if (!result)
			result = drain(sampled, err);
	}
	return result;
}

static void judge_samples(struct run *run, const struct sampled *sampled)
{
	const struct group_watch *watch = &sampled->watch;
	uint64_t n = watch->samples;

	run_figure(run, "samples", "of a group", "samples", (double)n, "1");
	run_figure(run, "samples", "of a group", "off the period", (double)watch->off_period, "1");
	run_figure(run, "samples", "of a group", "off the ratio", (double)watch->off_ratio, "1");
	run_check_eq(run, "members", "a sample's size", sampled->malformed, 0, "1");
	if (sampled->malformed || !run_control(run, "samples", (double)n, FLOOR, "1"))
		return;
	run_check_eq(run, "members", "samples", (double)watch->misnumbered, 0, "1");
	run_check_eq(run, "ids", "samples", (double)watch->misnamed, 0, "1");
	run_check_eq(run, "monotonic", "samples", (double)watch->backwards, 0, "1");
	run_check_eq(run, "times", "samples", (double)watch->off_time, 0, "1");
	run_check_le(run, "ratio", "samples", stats_percent(watch->off_ratio, n), WRONG_MAX, "%");
	if (sampled->drained.lost || sampled->drained.throttled)
		run_note(run, "samples are missing, so that the leader's value was not judged");
	else
		run_check_le(run, "leader_at_period", "samples",
			     stats_percent(watch->off_period, n), WRONG_MAX, "%");
}

/* Stopped, a read of all has what reads of each have, and the members stand still. */
static int check_at_rest(struct run *run, const struct group *group, struct err *err)
{
	struct group_read all = { .nr = 0 };
	double differ = 0;
	int result = group_read(group, &all, err);

	if (result)
		return result;
	run_check_eq(run, "members", "read", (double)all.nr, (double)group->n, "1");
	run_check_le(run, "times", "read", (double)all.running, (double)all.enabled, "ns");
	for (size_t i = 0; i < group->n; i++) {
		struct event_count one = { .value = all.member[i].value };

		/* A read of the leader is always one of all. */
		if (i)
			result = event_read(&group->event[i], &one, err);
		if (result)
			return result;
		run_check_eq(run, "ids", "read", (double)all.member[i].id,
			     (double)group->event[i].id, "1");
		differ = fmax(differ, fabs((double)one.value - (double)all.member[i].value));
	}
	run_check_eq(run, "read_agrees", NULL, differ, 0, "1");
	return 0;
}

static int run_samples(struct experiment *all, struct err *err)
{
	struct sampled sampled = { .watch = { .n = all->n, .period = PERIOD } };
	int result = find_ratio(all, &sampled.watch, err);

	if (!result)
		result = sample_group(all, &sampled, err);
	if (!result) {
		judge_samples(all->run, &sampled);
		result = check_at_rest(all->run, &sampled.group, err);
	}
	group_close(&sampled.group);
	return result;
}

/* --- ioctls --- */

/* How many members have counted since `before` in a run of the loop, and what they have now. */
static int count_moving(const struct experiment *all, const struct group *group,
			struct group_read *now, size_t *moving, struct err *err)
{
	struct group_read before;
	int result = group_read(group, &before, err);

	all->work->run(ROUNDS);
	if (!result)
		result = group_read(group, now, err);
	*moving = 0;
	for (size_t i = 0; !result && i < group->n; i++)
		*moving += now->member[i].value > before.member[i].value;
	return result;
}

static int ioctls(struct experiment *all, struct group *group, struct err *err)
{
	struct group_read now;
	size_t moving, zero = 0;
	int result = GROUP_IOCTL(group, ENABLE, PERF_IOC_FLAG_GROUP, err);

	if (!result)
		result = count_moving(all, group, &now, &moving, err);
	if (result)
		return result;
	run_check_eq(all->run, "enable_all", NULL, (double)moving, (double)group->n, "1");
	/* Each by itself, should that have left out some. */
	for (size_t i = 0; !result && i < group->n; i++)
		result = event_enable(&group->event[i], err);
	if (result)
		return result;
	result = GROUP_IOCTL(group, DISABLE, PERF_IOC_FLAG_GROUP, err);
	if (!result)
		result = count_moving(all, group, &now, &moving, err);
	if (result)
		return result;
	run_check_eq(all->run, "disable_all", "all", (double)moving, 0, "1");
	/* The leader alone again: the others count if they were not disabled one by one. */
	result = GROUP_IOCTL(group, ENABLE, 0, err);
	if (!result)
		result = count_moving(all, group, &now, &moving, err);
	if (result)
		return result;
	run_check_eq(all->run, "disable_all", "then the leader enabled", (double)moving, 1, "1");
	result = GROUP_IOCTL(group, DISABLE, PERF_IOC_FLAG_GROUP, err);
	if (!result)
		result = GROUP_IOCTL(group, RESET, PERF_IOC_FLAG_GROUP, err);
	if (!result)
		result = group_read(group, &now, err);
	for (size_t i = 0; !result && i < group->n; i++)
		zero += !now.member[i].value;
	if (!result)
		run_check_eq(all->run, "reset_all", NULL, (double)zero, (double)group->n, "1");
	return result;
}

static int run_ioctls(struct experiment *all, struct err *err)
{
	struct perf_event_attr attrs[MEMBERS];
	struct group group;
	int result;

	group_attrs(all, attrs);
	/* Each is disabled by itself, or those of the members would be none. */
	result = group_open(&group, attrs, all->n, err);
	for (size_t i = 1; !result && i < all->n; i++)
		result = event_disable(&group.event[i], err);
	if (!result)
		result = ioctls(all, &group, err);
	group_close(&group);
	return result;
}

/* --- Turns --- */

/*
 * The least that a member was on the PMU of the time that the leader was, and, where all count the
 * same, the least that one has counted of what another one has.
 */
static int least_of_most(const struct group *group, bool same, double *part, struct err *err)
{
	double least = INFINITY, most = 0;
	struct group_read now;
	int result = group_read(group, &now, err);

	*part = 1;
	for (size_t i = 0; !result && i < group->n; i++) {
		struct event_count one = { .running = now.running };

		least = fmin(least, (double)now.member[i].value);
		most = fmax(most, (double)now.member[i].value);
		if (i)
			result = event_read(&group->event[i], &one, err);
		*part = fmin(*part, (double)one.running / (double)now.running);
	}
	if (same)
		*part = fmin(*part, least / most);
	return result;
}

/* One of two groups that do not fit side by side, though all but one of the second's members do. */
static void judge_turns(struct run *run, const struct sampled *sampled, const char *row,
			const struct group_read *now, double part)
{
	const struct group_watch *watch = &sampled->watch;

	run_figure(run, "turns", row, "time on the PMU", stats_percent(now->running, now->enabled),
		   "%");
	run_figure(run, "turns", row, "least of most", part, "1");
	if (!run_control(run, "a group had its turn", (double)now->running, 0, "ns"))
		return;
	if (now->running == now->enabled)
		run_note(run, "%s had not to wait for its turn", row);
	run_check_ge(run, "whole", row, part, 1 - TOGETHER, "1");
	run_check_eq(run, "times", row, (double)watch->off_time, 0, "1");
	run_check_le(run, "times", row, (double)now->running, (double)now->enabled, "ns");
}

static int take_turns(struct experiment *all, struct sampled *groups, struct err *err)
{
	int result = 0;

	for (size_t i = 0; !result && i < TURNS; i++)
		result = event_enable(&groups[i].group.event[0], err);
	if (!result)
		all->work->run(ROUNDS_TURNS);
	for (size_t i = 0; !result && i < TURNS; i++)
		result = event_disable(&groups[i].group.event[0], err);
	for (size_t i = 0; !result && i < TURNS; i++) {
		struct group_read now;
		char row[32];
		double part;

		snprintf(row, sizeof(row), "group %zu", i + 1);
		result = drain(&groups[i], err);
		if (!result)
			result = group_read(&groups[i].group, &now, err);
		if (!result)
			result = least_of_most(&groups[i].group, !i, &part, err);
		if (!result)
			judge_turns(all->run, &groups[i], row, &now, part);
	}
	return result;
}

/*
 * Instructions in the first; in the second, where they count, what is on other counters: as many as
 * the PMU has in all are asked for, and one more.
 */
static void turns_attrs(const struct experiment *all, struct perf_event_attr attrs[][GROUP_MAX])
{
	struct perf_event_attr other = counters_user_attr(PERF_COUNT_HW_REF_CPU_CYCLES);

	for (size_t i = 0; i < GROUP_MAX; i++) {
		attrs[0][i] = counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS);
		attrs[1][i] = counters_user_attr(all->config[all->n - 1]);
	}
	if (!event_probe(&other, NULL))
		attrs[1][0] = other;
}

static int run_turns(struct experiment *all, struct err *err)
{
	struct workload_job job = { all->work, ROUNDS };
	struct perf_event_attr attrs[TURNS][GROUP_MAX];
	struct sampled groups[TURNS] = { 0 };
	size_t n[TURNS];
	size_t fit = 0;
	int result;

	turns_attrs(all, attrs);
	result = counters_fit(attrs[0], GROUP_MAX, workload_do, &job, &fit, err);
	if (result || fit < 3 || fit == GROUP_MAX) {
		run_note(all->run, "groups that take turns were not judged: %zu events fit", fit);
		return result;
	}
	n[0] = fit / 2 + 1;
	n[1] = fit / 2 + 2;
	for (size_t i = 0; !result && i < TURNS; i++) {
		groups[i].watch.n = n[i];
		attrs[i][0].read_format = READ_GROUP;
		attrs[i][0].sample_type = PERF_SAMPLE_READ;
		attrs[i][0].sample_period = PERIOD;
		result = group_open(&groups[i].group, attrs[i], n[i], err);
		if (!result)
			result = event_map(&groups[i].group.event[0], RING_PAGES, false, err);
	}
	if (!result)
		result = take_turns(all, groups, err);
	for (size_t i = 0; i < TURNS; i++)
		group_close(&groups[i].group);
	return result;
}

/* --- Inheritance --- */

static void child_body(const void *argument)
{
	const struct experiment *all = argument;

	all->work->run(ROUNDS);
}

/* The kernel may exchange the events of parent and child: both work. */
static int run_child(const struct experiment *all, struct err *err)
{
	pid_t pid = background_start(child_body, all, err);

	if (pid < 0)
		return (int)pid;
	all->work->run(ROUNDS);
	while (waitpid(pid, NULL, 0) < 0)
		if (errno != EINTR)
			return err_set(err, errno, "wait for a child");
	return 0;
}

/*
 * What each member has, when a child may hold events of its own. The kernel does not add up groups
 * that are not alike: where a child's lacks a member, a read of all is ECHILD.
 */
static int judge_inherited(struct run *run, const struct group *group,
			   const struct group_read *before, double least, struct err *err)
{
	struct group_read after = { 0 };
	int result = group_read(group, &after, err);
	bool apart = result == -ECHILD;

	if (result && !apart)
		return result;
	run_check_eq(run, "inherited", "a read of the group: errno", -result, 0, "1");
	/* A read of the leader is always one of all. */
	for (size_t i = apart ? 1 : 0; i < group->n; i++) {
		struct event_count one = { .value = after.member[i].value };

		result = apart ? event_read(&group->event[i], &one, err) : 0;
		if (result)
			return result;
		run_check_ge(run, "inherited", i ? "member" : "leader",
			     (double)(one.value - before->member[i].value), least, "1");
	}
	return 0;
}

/* What children counted, of each member, is in the parent's when they have ended. */
static int run_inherited(struct experiment *all, struct err *err)
{
	struct perf_event_attr attrs[2] = { counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS),
					    counters_user_attr(PERF_COUNT_HW_INSTRUCTIONS) };
	double least = 2.0 * CHILDREN * (double)workload_instructions(all->work, ROUNDS);
	struct group group;
	struct group_read before = { 0 };
	int result;

	attrs[0].read_format = READ_GROUP;
	attrs[0].inherit = attrs[1].inherit = 1;
	result = group_open(&group, attrs, 2, err);
	if (!result)
		result = event_enable(&group.event[0], err);
	if (!result)
		result = group_read(&group, &before, err);
	for (int i = 0; !result && i < CHILDREN; i++)
		result = run_child(all, err);
	if (!result)
		result = judge_inherited(all->run, &group, &before, least, err);
	group_close(&group);
	return result;
}

static int run_groups(struct run *run)
{
	static int (*const rows[])(struct experiment * all,
				   struct err * err) = { run_samples, run_ioctls, run_turns,
							 run_inherited };
	const struct perf_event_attr attr = counters_sampling_attr(PERF_COUNT_HW_INSTRUCTIONS);
	struct experiment all = { .run = run, .work = workload_find("branches") };
	int cpu = run_cpus(run)->cpu[0];
	struct err err;

	if (!all.work->exact)
		return run_skip(run, "no loop of known length for this architecture");
	if (cpus_pin(cpu, &err))
		return run_broken(run, "%s", err.text);
	if (event_probe(&attr, &err))
		return run_skip(run, "CPU %d: %s", cpu, err.text);
	if (find_events(&all, &err))
		return run_skip(run, "CPU %d: %s", cpu, err.text);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i](&all, &err))
			return run_broken(run, "%s", err.text);
	return 0;
}

static const struct need needs[] = {
	{ .kind = NEED_PMU },
	{ .kind = NEED_END },
};

static const struct check checks[] = {
	{ .name = "members",
	  .claim = "samples and reads have all members of the group",
	  .origin = "perf_event_open(2), PERF_FORMAT_GROUP" },
	{ .name = "ids",
	  .claim = "with their ids, the leader first, in the order in which they were opened",
	  .origin = "perf_event_open(2), PERF_FORMAT_ID; the order is that of the kernel's list" },
	{ .name = "monotonic",
	  .claim = "no value or time is smaller than in the sample before",
	  .origin = "counts and times only grow" },
	{ .name = "leader_at_period",
	  .claim = "at sample number n the leader has counted n periods, and up to a quarter more",
	  .origin = "a sample is an overflow; a quarter, and 2 % of the samples, for skid and "
		    "interrupts",
	  .optional = true },
	{ .name = "ratio",
	  .claim = "between two samples each member has counted in its ratio to the leader",
	  .origin =
		  "the loop's mixture is steady; a tenth of a period, and 2 % of the samples, for "
		  "the time between reading one and the next" },
	{ .name = "times",
	  .claim = "time running is not above time enabled",
	  .origin = "perf_event_open(2), PERF_FORMAT_TOTAL_TIME_RUNNING" },
	{ .name = "read_agrees",
	  .claim = "a read of a stopped group has what reads of its members have",
	  .origin = "perf_event_open(2): nothing counts in between" },
	{ .name = "enable_all",
	  .claim = "PERF_EVENT_IOC_ENABLE with PERF_IOC_FLAG_GROUP enables all",
	  .origin = "perf_event_open(2), PERF_IOC_FLAG_GROUP" },
	{ .name = "disable_all",
	  .claim = "PERF_EVENT_IOC_DISABLE with it disables all, each for itself",
	  .origin = "perf_event_open(2): enabled again, the leader counts alone" },
	{ .name = "reset_all",
	  .claim = "PERF_EVENT_IOC_RESET with it sets all to 0",
	  .origin = "perf_event_open(2), PERF_EVENT_IOC_RESET" },
	{ .name = "whole",
	  .claim = "members of groups that take turns were on the PMU for the same time, and "
		   "counted the same",
	  .origin = "a group is on the PMU as a whole or not at all; 5 % for the time between "
		    "starting one and the next",
	  .optional = true },
	{ .name = "inherited",
	  .claim = "each member has what children counted",
	  .origin = "perf_event_open(2), inherit; the instructions of the loop, run by each child "
		    "and beside it" },
	{ 0 },
};

const struct hypothesis hypothesis = {
	.name = "groups",
	.claim = "The events of a group count together: what samples, reads and ioctls say and do "
		 "of one holds for all.",
	.source = "perf_event_open(2), PERF_FORMAT_GROUP and PERF_IOC_FLAG_GROUP",
	.danger = DANGER_MAY_THROTTLE,
	.budget_s = 20,
	.needs = needs,
	.checks = checks,
	.klog = rate_limit_klog,
	.sysctls = rate_limit_sysctls,
	.run = run_groups,
};
