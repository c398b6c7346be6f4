// SPDX-License-Identifier: GPL-2.0-or-later
#include "resume.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "active.h"
#include "clock.h"
#include "command.h"
#include "evidence.h"
#include "io.h"
#include "record.h"
#include "recover.h"
#include "unit.h"

/* What is behind a hole in the journal, by the byte where that begins. */
#define REST_NAME "journal-rest-%" PRIu64

#define PSTORE "/sys/fs/pstore"
#define PSTORE_MAGIC 0x6165676cL /* PSTOREFS_MAGIC of linux/magic.h */
#define RELEASE "/proc/sys/kernel/osrelease"

/*
 * Has the line at `at` a NUL in it? No record has: it is a block of the file that was not on the
 * disk yet when the power failed, with later ones that were. What has to be there is flushed before
 * anything else is written (a start, an end), so nothing behind such a hole is a result.
 */
static bool is_hole(FILE *file, uint64_t at)
{
	int c = '\n';

	if (fseeko(file, (off_t)at, SEEK_SET))
		return false;
	do
		c = getc_unlocked(file);
	while (c != EOF && c != '\n' && c != '\0');
	return c == '\0';
}

/* Records of the test in flight behind a hole: they are kept beside the journal. */
static int save_rest(FILE *file, uint64_t at, const char *dir, struct err *err)
{
	char path[PATH_MAX], piece[4096];
	size_t got;
	FILE *rest;
	bool failed;

	if ((size_t)snprintf(path, sizeof(path), "%s/" REST_NAME, dir, at) >= sizeof(path))
		return err_set(err, ENAMETOOLONG, "%s", dir);
	rest = fopen(path, "we");
	if (!rest)
		return err_set(err, errno, "create %s", path);
	failed = fseeko(file, (off_t)at, SEEK_SET) != 0;
	while (!failed && (got = fread(piece, 1, sizeof(piece), file)))
		failed = fwrite(piece, 1, got, rest) != got;
	failed |= ferror(file) || fflush(rest) || fsync(fileno(rest));
	if (fclose(rest) || failed)
		return err_set(err, errno, "write %s", path);
	return 0;
}

static int read_journal(struct resume *resume, const char *dir, struct err *err)
{
	struct journal_reader reader;
	struct stat status;
	int result = journal_open(&reader, dir, err);

	if (result)
		return result;
	result = journal_state_read(&resume->state, &reader, err);
	if (result == -EBADMSG && is_hole(reader.file, reader.whole))
		result = save_rest(reader.file, reader.whole, dir, err);
	resume->seq = reader.seq;
	resume->whole = reader.whole;
	if (!result && !fstat(fileno(reader.file), &status))
		resume->cut = (json_int_t)status.st_size - (json_int_t)reader.whole;
	journal_finish(&reader);
	return result;
}

static int take_args(struct resume *resume, const char *dir, struct err *err)
{
	const json_t *args = json_object_get(resume->state.run, "args");
	size_t n = json_array_size(args);

	resume->argv = calloc(n + 1, sizeof(*resume->argv));
	if (!resume->argv)
		return err_set(err, ENOMEM, "arguments of the run");
	for (size_t i = 0; i < n; i++) {
		const char *text = json_string_value(json_array_get(args, i));

		/* getopt(3) reorders the array and leaves the texts alone. */
		resume->argv[i] = (char *)(uintptr_t)text;
		if (!text)
			return err_plain(err, EINVAL, "%s: an argument of the run is no text", dir);
	}
	resume->argc = (int)n;
	return n ? 0 : err_plain(err, EINVAL, "%s: the run has no arguments", dir);
}

int resume_open(struct resume *resume, struct journal *journal, const char *dir,
		unsigned int resets_max, struct err *err)
{
	int result;

	journal_state_init(&resume->state);
	resume->resets_max = resets_max;
	resume->dir = dir;
	result = journal_reopen(journal, dir, err);
	if (!result)
		result = read_journal(resume, dir, err);
	if (result)
		return result;
	if (!resume->state.run)
		return err_plain(err, EINVAL,
				 "%s: the run was cut off before its first record; "
				 "start it anew",
				 dir);
	if (resume->state.lab)
		return err_plain(err, EINVAL, "%s: a run in the lab cannot be resumed", dir);
	result = take_args(resume, dir, err);
	if (!result)
		result = journal_state_now(&resume->state, journal->boot, err);
	if (!result)
		journal_state_loops(&resume->state, resets_max, resume->loop, sizeof(resume->loop));
	return result;
}

void resume_free(struct resume *resume)
{
	free(resume->argv);
	resume->argv = NULL;
	journal_state_free(&resume->state);
}

int resume_path(const struct resume *resume, const char *name, char *path, size_t size,
		struct err *err)
{
	const char *cwd = json_string_value(json_object_get(resume->state.run, "cwd"));
	bool relative = *name != '/' && cwd;

	if ((size_t)snprintf(path, size, "%s%s%s", relative ? cwd : "", relative ? "/" : "",
			     name) >= size)
		return err_set(err, ENAMETOOLONG, "%s", name);
	return 0;
}

int resume_surroundings(const struct resume *resume, struct err *err)
{
	const char *cwd = json_string_value(json_object_get(resume->state.run, "cwd"));
	const char *before = resume->state.release;
	char release[128] = "";

	if (cwd && chdir(cwd))
		return err_set(err, errno, "go to %s, where the run was started", cwd);
	if (before && io_read_text(RELEASE, release, sizeof(release)) > 0 &&
	    strcmp(before, release) != 0)
		return err_plain(err, EINVAL,
				 "this is kernel %s, and the run began with %s: boot that, or "
				 "start a new run",
				 release, before);
	return 0;
}

static int check_planned(const struct resume *resume, const struct suite *suite, struct err *err)
{
	const json_t *before = json_object_get(resume->state.run, "planned");
	json_t *now = plan_planned(suite);
	int result = 0;
	json_t *entry;
	size_t i;

	json_array_foreach(before, i, entry)
	{
		const char *name = record_text(entry, "test");

		if (!result && !json_equal(entry, json_array_get(now, i)))
			result = err_plain(err, EINVAL,
					   "the suites are not those of the run: %s has changed, "
					   "or is not there",
					   name);
	}
	if (!result && json_array_size(now) != json_array_size(before))
		result = err_plain(
			err, EINVAL, "the suites are not those of the run: %s is new",
			record_text(json_array_get(now, json_array_size(before)), "test"));
	json_decref(now);
	return result;
}

/* The result of an entry, VERDICT_NONE where it is to be run. */
static enum verdict result_of(const struct resume *resume, const struct planned *planned)
{
	enum verdict verdict =
		journal_state_verdict(&resume->state, planned->test->name, planned->iter);

	return verdict == VERDICT_NOTRUN && !*resume->loop ? VERDICT_NONE : verdict;
}

/* One more iteration of each test of which the last one hung. */
static int add_retries(struct plan *plan, size_t *retries, struct err *err)
{
	size_t n = plan->n;
	int result = 0;

	for (size_t t = 0; !result && t < plan->n_tests; t++) {
		const struct suite_test *test = plan->entries[t].test;
		size_t last = t;

		for (size_t i = t; i < n; i++)
			if (plan->entries[i].test == test)
				last = i;
		if (plan->entries[last].verdict != VERDICT_HUNG)
			continue;
		result = plan_add(plan, test->name, plan->entries[last].iter + 1, err);
		(*retries)++;
	}
	return result;
}

int resume_plan(const struct resume *resume, const struct suite *suite, struct plan *plan,
		bool retry_hung, size_t *retries, struct err *err)
{
	int result = check_planned(resume, suite, err);
	const json_t *start;
	size_t i;

	*retries = 0;
	json_array_foreach(resume->state.extra, i, start)
	{
		if (!result)
			result = plan_add(
				plan, record_text(start, "test"),
				(unsigned int)json_integer_value(json_object_get(start, "iter")),
				err);
	}
	for (i = 0; !result && i < plan->n; i++)
		plan->entries[i].verdict = result_of(resume, &plan->entries[i]);
	if (!result && retry_hung && !*resume->loop)
		result = add_retries(plan, retries, err);
	return result;
}

static const char *how_it_ended(const struct resume *resume)
{
	const struct journal_state *state = &resume->state;

	if (state->done)
		return state->interrupted ? "interrupted" : "done";
	return state->rebooted ? "reset" : "died";
}

json_t *resume_record(const struct resume *resume, size_t left)
{
	const struct journal_state *state = &resume->state;
	json_t *record =
		json_pack("{s:s, s:s, s:s, s:I, s:O, s:I, s:I, s:I}", "type", "resume", "version",
			  PMIPROOF_VERSION, "after", how_it_ended(resume), "resets",
			  (json_int_t)state->resets, "boots", state->boots, "kept",
			  (json_int_t)state->kept, "left", (json_int_t)left, "cut", resume->cut);

	if (state->start)
		json_object_set_new(record, "in_flight",
				    json_pack("{s:O, s:O}", "test",
					      json_object_get(state->start, "test"), "iter",
					      json_object_get(state->start, "iter")));
	if (*resume->loop)
		json_object_set_new(record, "stopped", json_string(resume->loop));
	return record;
}

/* Milliseconds since the epoch of a record's time; 0 when that is none. */
static int64_t time_ms(const json_t *record)
{
	struct tm utc = { 0 };
	const char *rest = strptime(record_text(record, "time"), "%Y-%m-%dT%H:%M:%S", &utc);
	time_t seconds = rest ? timegm(&utc) : 0;

	return seconds > 0
		       ? (int64_t)seconds * 1000 + (*rest == '.' ? strtol(rest + 1, NULL, 10) : 0)
		       : 0;
}

/* pstore, which is mounted for as long as it is read where nobody has. */
static void read_pstore(struct evidence *evidence, time_t since)
{
	struct statfs status;
	bool mounted = !statfs(PSTORE, &status) && status.f_type == PSTORE_MAGIC;
	bool mount_it = !mounted && !mount("pstore", PSTORE, "pstore", 0, NULL);

	if (mounted || mount_it)
		evidence_pstore(evidence, PSTORE, since);
	else
		evidence_note(evidence, "this kernel has no pstore that could have kept its log");
	if (mount_it)
		umount2(PSTORE, MNT_DETACH);
}

/* Since boot, of what the clock says; 0 when it was turned back behind that. */
static uint64_t since_boot_us(int64_t ms)
{
	int64_t now_ms = (int64_t)(clock_ns(CLOCK_REALTIME) / 1000000);
	int64_t boot_ms = now_ms - clock_ms();

	return ms > boot_ms && ms <= now_ms ? (uint64_t)(ms - boot_ms) * 1000 : 0;
}

/*
 * What the machine left behind is that of the test, or of the boot in which none was running, if it
 * is from after its start: by the clock of the time, which may be ahead of that of a machine that
 * has lost it. Then its own age says nothing, and all counts.
 */
static time_t left_since(const struct journal_state *state)
{
	time_t since = (time_t)(time_ms(state->start ? state->start : state->machine) / 1000);

	return since <= time(NULL) ? since : 0;
}

static void note_last(struct evidence *evidence, const struct journal_state *state)
{
	char text[256];

	if (!state->last)
		return;
	snprintf(text, sizeof(text), "its last record is number %lld, of %s: %s %s%s",
		 (long long)json_integer_value(json_object_get(state->last, "seq")),
		 record_text(state->last, "time"), record_text(state->last, "type"),
		 record_text(state->last, "name"), record_text(state->last, "text"));
	evidence_note(evidence, text);
}

static void gather(struct evidence *evidence, const struct resume *resume)
{
	const struct journal_state *state = &resume->state;

	note_last(evidence, state);
	if (!state->rebooted) {
		evidence_kernel_log(evidence, state->kseq, since_boot_us(time_ms(state->start)));
		return;
	}
	evidence_watchdog(evidence, "");
	read_pstore(evidence, left_since(state));
}

/* A check that failed refutes, whatever came after it. */
static void judge_check(const json_t *check, struct judge *judge)
{
	char value[48], bound[48];

	if (!check)
		return;
	unit_format(json_number_value(json_object_get(check, "value")), record_text(check, "unit"),
		    value, sizeof(value));
	unit_format(json_number_value(json_object_get(check, "bound")), record_text(check, "unit"),
		    bound, sizeof(bound));
	judge_add(judge, VERDICT_FAIL, "check %s failed: %s %s %s", record_text(check, "name"),
		  value, record_text(check, "op"), bound);
}

static void judge_cut_off(const struct resume *resume, const struct evidence *evidence,
			  const struct klog_allow *allow, struct judge *judge)
{
	struct err why = { .text = "" };
	enum verdict verdict;

	judge_check(resume->state.failed, judge);
	if (!resume->state.rebooted) {
		judge_add(judge, VERDICT_BROKEN,
			  "the supervisor died while it ran: it was killed, or could not write the "
			  "report");
		verdict = klog_judge(&evidence->tally, allow, &why);
		if (verdict != VERDICT_PASS)
			judge_add(judge, verdict, "%s", why.text);
		return;
	}
	judge_add(judge, VERDICT_HUNG, "the machine was reset while it ran%s%s",
		  *evidence->worst ? "; kernel log: " : "", evidence->worst);
	if (*evidence->reset)
		judge_add(judge, VERDICT_HUNG, "%s", evidence->reset);
}

/*
 * Put back what can be, and say so. What cannot is said, too: it ends nothing. Where the janitor
 * has tidied up, whatever differs now was changed by somebody else.
 */
static int recover(const struct resume *resume, struct supervisor *supervisor, json_t *restored,
		   struct err *err)
{
	char active[PATH_MAX];
	json_t *did = json_array();
	struct err why;
	int result = 0;
	json_t *text;
	size_t i;

	if (!strcmp(active_get(active, sizeof(active)), resume->dir) &&
	    recover_machine(&resume->state, did, restored, &why))
		result = supervisor_note(supervisor, why.text, err);
	json_array_foreach(did, i, text)
	{
		char line[600];

		snprintf(line, sizeof(line), "left by the run: %s", json_string_value(text));
		if (!result)
			result = supervisor_note(supervisor, line, err);
	}
	json_decref(did);
	return result;
}

static struct planned *find_running(const struct resume *resume, struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (journal_state_runs(&resume->state, plan->entries[i].test->name,
				       plan->entries[i].iter))
			return &plan->entries[i];
	return NULL;
}

static int settle(const struct resume *resume, struct supervisor *supervisor,
		  struct planned *planned, json_t *restored, struct err *err)
{
	struct evidence evidence = {
		.journal = supervisor->journal,
		.test = planned->test->name,
		.iter = planned->iter,
		.allow = planned->test->klog,
	};
	const json_t *last = resume->state.last ? resume->state.last : resume->state.start;
	struct judge judge = { 0 };
	int result;

	gather(&evidence, resume);
	if (evidence.result) {
		*err = evidence.err;
		return evidence.result;
	}
	judge_cut_off(resume, &evidence, planned->test->klog, &judge);
	result = supervisor_settle(supervisor, planned, &judge, restored,
				   (double)(time_ms(last) - time_ms(resume->state.start)) / 1000,
				   resume->state.rebooted && !evidence.taken, err);
	judge_free(&judge);
	return result;
}

/* The machine was reset between two tests: whose doing that was is not known. */
static int settle_idle(const struct resume *resume, struct supervisor *supervisor, struct err *err)
{
	struct evidence evidence = { .journal = supervisor->journal };

	read_pstore(&evidence, left_since(&resume->state));
	if (evidence.result)
		*err = evidence.err;
	return evidence.result;
}

int resume_settle(const struct resume *resume, struct supervisor *supervisor, struct plan *plan,
		  struct err *err)
{
	struct planned *planned = find_running(resume, plan);
	json_t *restored = json_array();
	int result = recover(resume, supervisor, restored, err);

	if (!result && planned)
		result = settle(resume, supervisor, planned, restored, err);
	else if (!result && resume->state.rebooted && !resume->state.done)
		result = settle_idle(resume, supervisor, err);
	json_decref(restored);
	return result;
}
