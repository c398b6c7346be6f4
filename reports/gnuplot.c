// SPDX-License-Identifier: GPL-2.0-or-later
#include "gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define LABEL_MAX 72 /* characters: a name that was cut before, and n */

/* A plot takes some 20 ms and 50 kB. */
#define CPU_SECONDS 20
#define OUTPUT_BYTES (16 << 20)

#define EXIT_NO_EXEC 127

void gnuplot_label(FILE *script, const char *text)
{
	size_t length = 0;

	putc('"', script);
	for (; *text && length < LABEL_MAX; text++) {
		/* Of a character in UTF-8, only its first byte is replaced. */
		if (((unsigned char)*text & 0xc0) == 0x80)
			continue;
		length++;
		if ((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
		    (*text >= '0' && *text <= '9') || strchr(" .,:;+-*/=()[]|", *text))
			putc(*text, script);
		else
			putc('_', script);
	}
	if (*text)
		fputs("...", script);
	putc('"', script);
}

/* What becomes of gnuplot's SVG. In a text label there can be neither quotes nor tags. */
static const struct edit {
	const char *from;
	const char *to; /* NULL: what is up to `until` is left out */
	const char *until;
	bool named; /* the name follows */
} edits[] = {
	{ "<title>", NULL, "</title>" }, /* would be shown as hints over each line */
	{ "<desc>", NULL, "</desc>" },	     { " xmlns=\"", NULL, "\"" },
	{ " xmlns:xlink=\"", NULL, "\"" },   { "\n xmlns=\"", NULL, "\"" },
	{ "\n xmlns:xlink=\"", NULL, "\"" }, { " id=\"", " id=\"", .named = true },
	{ " id='", " id='", .named = true }, { "xlink:href='#", "href='#", .named = true },
	{ "url(#", "url(#", .named = true }, { "\"black\"", "\"currentColor\"" },
	{ "'black'", "'currentColor'" },
};

static const struct edit *find_edit(const char *at)
{
	for (size_t i = 0; i < COUNT(edits); i++)
		if (!strncmp(at, edits[i].from, strlen(edits[i].from)))
			return &edits[i];
	return NULL;
}

static void put_edited(FILE *out, const char *svg, const char *end, const char *name)
{
	while (svg < end) {
		const struct edit *edit = find_edit(svg);

		if (!edit) {
			putc(*svg++, out);
			continue;
		}
		svg += strlen(edit->from);
		if (edit->to) {
			fprintf(out, "%s%s%s", edit->to, edit->named ? name : "",
				edit->named ? "-" : "");
		} else {
			const char *until = strstr(svg, edit->until);

			svg = until ? until + strlen(edit->until) : end;
		}
	}
}

char *gnuplot_inline(const char *svg, const char *name)
{
	static const char last[] = "</svg>";
	const char *start = strstr(svg, "<svg");
	const char *end = start ? strstr(start, last) : NULL;
	char *text = NULL;
	size_t size;
	FILE *out;
	bool failed;

	if (!start || !end)
		return NULL;
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	put_edited(out, start, end + strlen(last), name);
	failed = ferror(out);
	if (!fclose(out) && !failed)
		return text;
	free(text);
	return NULL;
}

/* In the child. */
static void run(int in, int out, int err)
{
	const struct rlimit cpu = { CPU_SECONDS, CPU_SECONDS };
	const struct rlimit size = { OUTPUT_BYTES, OUTPUT_BYTES };
	int result;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_FSIZE, &size);
	setenv("LC_ALL", "C.UTF-8", 1);
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(EXIT_NO_EXEC);
	execlp("gnuplot", "gnuplot", "-d", (char *)NULL);
	result = errno;
	io_write_all(2, strerror(result), strlen(strerror(result)));
	_exit(EXIT_NO_EXEC);
}

static char *read_back(int fd)
{
	struct stat status;
	char *text;

	if (fstat(fd, &status) || lseek(fd, 0, SEEK_SET))
		return NULL;
	text = malloc((size_t)status.st_size + 1);
	if (!text)
		return NULL;
	text[0] = '\0';
	if (io_read_all(fd, text, (size_t)status.st_size) == status.st_size)
		text[status.st_size] = '\0';
	return text;
}

/* The first line of it that says something. */
static int failure(const char *said, struct err *err)
{
	said += strspn(said, " \n^");
	return err_plain(err, EIO, "gnuplot failed: %.*s", (int)strcspn(said, "\n"),
			 *said ? said : "it says nothing");
}

static int wait_for(pid_t pid, int *status)
{
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* Files in memory, so that neither side ever waits for the other. */
struct files {
	int in, out, err;
};

static int open_files(struct files *files, const char *script, unsigned int width,
		      unsigned int height)
{
	int result = 0;

	files->in = memfd_create("script", MFD_CLOEXEC);
	files->out = memfd_create("plot", MFD_CLOEXEC);
	files->err = memfd_create("errors", MFD_CLOEXEC);
	if (files->in < 0 || files->out < 0 || files->err < 0)
		return -errno;
	if (dprintf(files->in,
		    "set terminal svg size %u,%u dynamic noenhanced font \"sans-serif,13\"\n",
		    width, height) < 0)
		return -errno;
	result = io_write_all(files->in, script, strlen(script));
	if (!result && lseek(files->in, 0, SEEK_SET))
		result = -errno;
	return result;
}

static void close_files(const struct files *files)
{
	const int fds[] = { files->in, files->out, files->err };

	for (size_t i = 0; i < COUNT(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* Returns 0 with what was written in *drawn. */
static int draw(const struct files *files, char **drawn, struct err *err)
{
	char *said;
	int status;
	pid_t pid = fork();
	int result;

	if (pid < 0)
		return err_set(err, errno, "start gnuplot");
	if (!pid)
		run(files->in, files->out, files->err);
	result = wait_for(pid, &status);
	if (result)
		return err_set(err, -result, "wait for gnuplot");
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_EXEC)
		return err_plain(err, ENOENT, "there is no gnuplot");
	if (WIFEXITED(status) && !WEXITSTATUS(status)) {
		*drawn = read_back(files->out);
		return *drawn ? 0 : err_set(err, ENOMEM, "plot");
	}
	said = read_back(files->err);
	result = failure(said ? said : "", err);
	free(said);
	return result;
}

int gnuplot_svg(const char *script, const char *name, unsigned int width, unsigned int height,
		char **svg, struct err *err)
{
	struct files files;
	char *drawn = NULL;
	int result = open_files(&files, script, width, height);

	*svg = NULL;
	result = result ? err_set(err, -result, "file for gnuplot") : draw(&files, &drawn, err);
	if (!result) {
		*svg = drawn ? gnuplot_inline(drawn, name) : NULL;
		result = *svg ? 0 : err_plain(err, EIO, "gnuplot drew nothing");
	}
	free(drawn);
	close_files(&files);
	return result;
}
