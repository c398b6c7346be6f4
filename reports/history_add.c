// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports into the history, and out of it again. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "cost.h"
#include "history_sql.h"
#include "io.h"
#include "journal.h"
#include "record.h"

/* Compressed, a journal has to fit into one value of SQLite, 1 GB unless it was built otherwise. */
#define JOURNAL_MAX ((off_t)1 << 30)

/* A journal as it is on disk. */
struct content {
	unsigned char *bytes;
	size_t size;
	char run[2 * SHA256_DIGEST_SIZE + 1]; /* digest of its first record: which run it is of */
};

static void name_run(struct content *content)
{
	const unsigned char *end = memchr(content->bytes, '\n', content->size);
	size_t length = end ? (size_t)(end - content->bytes) : content->size;
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx context;

	sha256_init(&context);
	sha256_update(&context, length, content->bytes);
	sha256_digest(&context, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		sprintf(content->run + 2 * i, "%02x", digest[i]);
}

static int read_content(struct content *content, int fd, const char *path, struct err *err)
{
	struct stat st;
	ssize_t got;

	if (fstat(fd, &st))
		return err_set(err, errno, "%s", path);
	if (st.st_size > JOURNAL_MAX)
		return err_set(err, EFBIG, "%s", path);
	content->size = (size_t)st.st_size;
	content->bytes = malloc(content->size + 1);
	if (!content->bytes)
		return err_set(err, ENOMEM, "%s", path);
	got = io_read_all(fd, content->bytes, content->size);
	if (got < 0 || (size_t)got != content->size)
		return err_set(err, got < 0 ? (int)-got : EIO, "read %s", path);
	name_run(content);
	return 0;
}

/* The journal, locked as long as it is open so that nothing is added to it. */
static int open_journal(const char *path, struct err *err)
{
	struct stat st;
	char *file;
	int fd = -1;

	if (stat(path, &st))
		return err_set(err, errno, "open %s", path);
	if (asprintf(&file, S_ISDIR(st.st_mode) ? "%s/" JOURNAL_NAME : "%s", path) < 0)
		return err_set(err, ENOMEM, "%s", path);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fd = err_set(err, errno, "open %s", file);
	free(file);
	if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK) {
		close(fd);
		return err_plain(err, EBUSY, "%s: its run is still going on", path);
	}
	return fd;
}

/* --- what a report is filed under --- */

/* What of the inventory tells machines and kernels apart, or may explain a difference. */
static json_t *pick_machine(const json_t *machine)
{
	static const char *const keys[][2] = {
		{ "cpu", "vendor" },
		{ "cpu", "family" },
		{ "cpu", "model" },
		{ "cpu", "stepping" },
		{ "cpu", "name" },
		{ "cpu", "microcode" },
		{ "cpu", "online" },
		{ "kernel", "release" },
		{ "kernel", "version" },
		{ "kernel", "config" },
		{ "kernel", "cmdline" },
		{ "cpufreq", "kinds" },
		{ "idle", "driver" },
		{ "idle", "governor" },
		{ "watchdog", "nmi_watchdog" },
		{ "lab", "cpu_model" },
		{ "lab", "mode" },
		{ "lab", "variant" },
		{ "lab", "faults" },
		{ "lab", "params" },
		{ "firmware", "product" },
		{ "firmware", "system_vendor" },
		{ "firmware", "bios_version" },
		{ "identity", "hostname" },
	};
	json_t *picked = json_object();
	json_t *emulated = json_object_get(machine, "emulated");

	if (emulated)
		json_object_set(picked, "emulated", emulated);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		json_t *value = json_object_get(json_object_get(machine, keys[i][0]), keys[i][1]);
		json_t *group = json_object_get(picked, keys[i][0]);

		if (value && !group) {
			group = json_object();
			json_object_set_new(picked, keys[i][0], group);
		}
		if (value)
			json_object_set(group, keys[i][1], value);
	}
	return picked;
}

/* Labels, and the options that decide about verdicts, as one text. */
static char *make_setup(const json_t *run)
{
	static const char *const options[] = { "--bound", "--option", "--workload", "--cpu",
					       "--timeout-scale" };
	const json_t *args = json_object_get(run, "args");
	json_t *setup = json_array();
	json_t *arg;
	char *text;
	size_t i;

	json_array_append(setup, json_object_get(run, "labels"));
	json_array_foreach((json_t *)args, i, arg)
	{
		const char *word = json_string_value(arg);

		for (size_t o = 0; word && o < sizeof(options) / sizeof(options[0]); o++) {
			size_t length = strlen(options[o]);

			if (strncmp(word, options[o], length) != 0 ||
			    (word[length] && word[length] != '='))
				continue;
			json_array_append(setup, arg);
			if (!word[length] && json_array_get(args, i + 1))
				json_array_append(setup, json_array_get(args, i + 1));
		}
	}
	text = json_dumps(setup, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(setup);
	return text;
}

/* Id of a row, which is made when it is new. */
static int find_id(struct history *history, int64_t *id, struct err *err, const char *insert,
		   const char *select, const char *text)
{
	sqlite3_stmt *statement;
	int result = history_do(history, err, insert, "t", text);

	if (result)
		return result;
	result = history_prepare(history, &statement, err, select, "t", text);
	if (!result)
		result = history_step(history, statement, err);
	if (result > 0)
		*id = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return result < 0 ? result : 0;
}

static int find_hypothesis(struct history *history, const char *name, int64_t *id, struct err *err)
{
	return find_id(history, id, err, "INSERT OR IGNORE INTO hypothesis(name) VALUES(?)",
		       "SELECT id FROM hypothesis WHERE name=?", name);
}

/* --- verdicts, medians, cells --- */

static int add_verdict(struct history *history, int64_t report, int64_t hypothesis,
		       unsigned int iter, enum verdict verdict, struct err *err)
{
	return history_do(history, err, "INSERT INTO execution VALUES(?,?,?,?)", "iiit", report,
			  hypothesis, (int64_t)iter, verdict_name(verdict));
}

static int add_verdicts(struct history *history, int64_t report, int64_t hypothesis,
			const struct report_test *test, struct err *err)
{
	int result = add_verdict(history, report, hypothesis, 0, report_test_verdict(test), err);

	for (size_t e = 0; !result && e < test->n_executions; e++)
		result = add_verdict(history, report, hypothesis, test->executions[e].iter,
				     report_execution_verdict(&test->executions[e]), err);
	return result;
}

/* One value in a cell: a cell that is there takes it in. */
static int add_cell(struct history *history, int64_t report, int64_t hypothesis,
		    const struct cost_table *table, const struct cost_row *row,
		    const struct cost_column *column, struct err *err)
{
	double value;
	bool coarse;
	int result;

	if (!cost_value(row, column, &value, &coarse) || !isfinite(value))
		return 0;
	result = history_do(history, err,
			    "INSERT OR IGNORE INTO cell(hypothesis,tab,row,name,unit)"
			    " VALUES(?,?,?,?,?)",
			    "itttt", hypothesis, table->table, row->label, column->name,
			    column->unit);
	if (result)
		return result;
	return history_do(history, err,
			  "INSERT INTO figure SELECT id,?1,?2,?2 FROM cell WHERE hypothesis=?3"
			  " AND tab=?4 AND row=?5 AND name=?6 AND unit=?7"
			  " ON CONFLICT DO UPDATE SET least=min(least,excluded.least),"
			  " greatest=max(greatest,excluded.greatest)",
			  "iditttt", report, value, hypothesis, table->table, row->label,
			  column->name, column->unit);
}

static int add_cells(struct history *history, int64_t report, int64_t hypothesis,
		     const struct report_test *test, struct err *err)
{
	struct cost_table *tables;
	size_t n;
	int result = cost_tables(test, &tables, &n);

	if (result)
		return err_set(err, -result, "tables of %s", test->name);
	for (size_t t = 0; t < n; t++)
		for (size_t r = 0; r < tables[t].n_rows; r++)
			for (size_t c = 0; !result && c < tables[t].n_columns; c++)
				result = add_cell(history, report, hypothesis, &tables[t],
						  &tables[t].rows[r], &tables[t].columns[c], err);
	cost_tables_free(tables, n);
	return result;
}

static int add_tests(struct history *history, int64_t id, const struct report *report,
		     struct err *err)
{
	int result = 0;

	for (size_t t = 0; !result && t < report->n_tests; t++) {
		const struct report_test *test = &report->tests[t];
		int64_t hypothesis;

		result = find_hypothesis(history, test->name, &hypothesis, err);
		if (!result)
			result = add_verdicts(history, id, hypothesis, test, err);
		if (!result)
			result = add_cells(history, id, hypothesis, test, err);
	}
	return result;
}

static int add_median(struct history *history, int64_t id, const struct compare_series *series,
		      struct err *err)
{
	const struct compare_side *side = &series->side[0];
	int64_t hypothesis;
	int result = find_hypothesis(history, series->hypothesis, &hypothesis, err);

	if (!result && side->n)
		result = history_do(history, err,
				    "INSERT OR IGNORE INTO series(hypothesis,tab,row,name,unit)"
				    " VALUES(?,?,?,?,?)",
				    "itttt", hypothesis, series->table, series->row, series->name,
				    series->unit);
	if (!result && side->n)
		result = history_do(history, err,
				    "INSERT INTO median SELECT ?,id,?,? FROM series WHERE"
				    " hypothesis=? AND tab=? AND row=? AND name=? AND unit=?",
				    "idditttt", id, side->median, side->resolution, hypothesis,
				    series->table, series->row, series->name, series->unit);
	return result;
}

static int add_medians(struct history *history, int64_t id, const struct report *report,
		       const char *path, struct err *err)
{
	char *const names[] = { (char *)"" };
	struct comparison one;
	int result = comparison_make(&one, report, names, 1);

	if (result)
		return err_set(err, -result, "%s: series", path);
	for (size_t s = 0; !result && s < one.n_series; s++)
		result = add_median(history, id, &one.series[s], err);
	comparison_free(&one);
	return result;
}

/* --- the report itself --- */

static int insert_report(struct history *history, const struct content *content, const char *path,
			 const struct report *report, int64_t machine, int64_t *id, struct err *err)
{
	char *cpu = compare_key(COMPARE_CPU_MODEL, NULL, report->machine, NULL);
	char *kernel = compare_key(COMPARE_KERNEL, NULL, report->machine, NULL);
	char *labels = json_dumps(json_object_get(report->run, "labels"), JSON_COMPACT);
	char *setup = make_setup(report->run);
	uLongf size = compressBound(content->size);
	unsigned char *packed = malloc(size);
	sqlite3_stmt *statement = NULL;
	int result = -ENOMEM;

	if (!cpu || !kernel || !labels || !setup || !packed ||
	    compress(packed, &size, content->bytes, content->size) != Z_OK)
		err_set(err, ENOMEM, "%s", path);
	else
		result = history_prepare(
			history, &statement, err,
			"INSERT INTO report(run,time,name,machine,cpu,kernel,labels,setup,size,"
			"journal) VALUES(?,?,?,?,?,?,?,?,?,?)",
			"tttitttt", content->run, record_text(report->run, "time"), path, machine,
			cpu, kernel, labels, setup);
	if (!result &&
	    (sqlite3_bind_int64(statement, 9, (int64_t)content->size) != SQLITE_OK ||
	     sqlite3_bind_blob64(statement, 10, packed, size, SQLITE_STATIC) != SQLITE_OK))
		result = history_error(history, err);
	if (!result)
		result = history_step(history, statement, err);
	*id = sqlite3_last_insert_rowid(history->db);
	sqlite3_finalize(statement);
	free(cpu);
	free(kernel);
	free(labels);
	free(setup);
	free(packed);
	return result;
}

/* How much of this run is there: 0 for nothing; *id of the report. */
static int look_up(struct history *history, const char *run, int64_t *size, int64_t *id,
		   struct err *err)
{
	sqlite3_stmt *statement;
	int result = history_prepare(history, &statement, err,
				     "SELECT size, id FROM report WHERE run=?", "t", run);

	if (!result)
		result = history_step(history, statement, err);
	*size = result > 0 ? sqlite3_column_int64(statement, 0) : 0;
	*id = result > 0 ? sqlite3_column_int64(statement, 1) : 0;
	sqlite3_finalize(statement);
	return result < 0 ? result : 0;
}

static int add_all(struct history *history, const struct content *content, const char *path,
		   const struct report *report, int64_t *id, struct err *err)
{
	json_t *picked = pick_machine(report->machine);
	char *text = json_dumps(picked, JSON_COMPACT | JSON_SORT_KEYS);
	int64_t machine = 0;
	int result = text ? find_id(history, &machine, err,
				    "INSERT OR IGNORE INTO machine(text) VALUES(?)",
				    "SELECT id FROM machine WHERE text=?", text)
			  : err_set(err, ENOMEM, "%s", path);

	json_decref(picked);
	free(text);
	if (!result)
		result = insert_report(history, content, path, report, machine, id, err);
	if (!result)
		result = add_tests(history, *id, report, err);
	if (!result)
		result = add_medians(history, *id, report, path, err);
	return result;
}

/* Within a transaction. */
static int add(struct history *history, const struct content *content, const char *path,
	       const struct report *report, enum history_added *added, int64_t *id, struct err *err)
{
	int64_t there;
	int result = look_up(history, content->run, &there, id, err);

	if (result)
		return result;
	*added = there ? HISTORY_REPLACED : HISTORY_ADDED;
	if (there >= (int64_t)content->size) {
		*added = HISTORY_THERE;
		return 0;
	}
	if (there)
		result = history_do(history, err, "DELETE FROM report WHERE id=?", "i", *id);
	return result ? result : add_all(history, content, path, report, id, err);
}

int history_add(struct history *history, const char *path, const struct known_issues *known,
		enum history_added *added, int64_t *id, struct err *err)
{
	struct content content = { 0 };
	struct report report;
	int fd = open_journal(path, err);
	int result = fd < 0 ? fd : known_report(&report, path, known, err);

	if (!result) {
		result = read_content(&content, fd, path, err);
		if (!result)
			result = history_exec(history, "BEGIN IMMEDIATE", err);
		if (!result) {
			result = add(history, &content, path, &report, added, id, err);
			if (!result)
				result = history_exec(history, "COMMIT", err);
			if (result)
				(void)history_exec(history, "ROLLBACK", NULL);
		}
		report_free(&report);
	}
	free(content.bytes);
	if (fd >= 0)
		close(fd);
	return result;
}

/* --- out again --- */

static int unpack(sqlite3_stmt *statement, unsigned char **bytes, uLongf *size)
{
	*size = (uLongf)sqlite3_column_int64(statement, 0);
	*bytes = malloc(*size + 1);
	if (!*bytes)
		return -ENOMEM;
	return uncompress(*bytes, size, sqlite3_column_blob(statement, 1),
			  (uLong)sqlite3_column_bytes(statement, 1)) == Z_OK
		       ? 0
		       : -EBADMSG;
}

static int write_journal(const char *dir, const unsigned char *bytes, size_t size, struct err *err)
{
	int at, fd, result;

	if (mkdir(dir, 0777))
		return err_set(err, errno, "make %s", dir);
	at = open(dir, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	fd = at < 0 ? -1 : openat(at, JOURNAL_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	result = fd < 0 ? -errno : io_write_all(fd, bytes, size);
	if (!result && fsync(fd))
		result = -errno;
	if (fd >= 0 && close(fd) && !result)
		result = -errno;
	if (result && fd >= 0)
		unlinkat(at, JOURNAL_NAME, 0);
	if (at >= 0)
		close(at);
	if (!result)
		return 0;
	rmdir(dir); /* nothing half-written is left */
	return err_set(err, -result, "write %s/" JOURNAL_NAME, dir);
}

int history_export(struct history *history, int64_t id, const char *dir, struct err *err)
{
	sqlite3_stmt *statement;
	unsigned char *bytes = NULL;
	uLongf size;
	int result = history_prepare(history, &statement, err,
				     "SELECT size, journal FROM report WHERE id=?", "i", id);

	if (!result)
		result = history_step(history, statement, err);
	if (!result) {
		result = err_plain(err, ENOENT, "%s: there is no report %lld", history->path,
				   (long long)id);
	} else if (result > 0) {
		result = unpack(statement, &bytes, &size);
		if (result)
			err_set(err, -result, "%s: journal of report %lld", history->path,
				(long long)id);
		else
			result = write_journal(dir, bytes, size, err);
	}
	free(bytes);
	sqlite3_finalize(statement);
	return result;
}
