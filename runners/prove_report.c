// SPDX-License-Identifier: GPL-2.0-or-later
#include "prove_report.h"

#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "command.h"
#include "machine.h"
#include "proof_judge.h"

int prove_report_read(struct report *report, const struct proof_machine *machine, const char *dir,
		      struct err *err)
{
	int result = report_read(report, dir, err);

	if (result)
		return result;
	result = proof_judge_machine(machine, report, err);
	if (result)
		report_free(report);
	return result;
}

/* `lab run` did not do its job. */
static int gave_up(const struct prove_guest *guest, struct err *err)
{
	char last[256];

	prove_guest_last_line(guest, last, sizeof(last));
	if (WIFEXITED(guest->status))
		return err_set(err, 0, "lab run ended with code %d: %s", WEXITSTATUS(guest->status),
			       last);
	return err_set(err, 0, "lab run was ended by signal %d: %s", WTERMSIG(guest->status), last);
}

int prove_report_take(struct report *report, const struct prove_guest *guest, struct err *err)
{
	int code = WIFEXITED(guest->status) ? WEXITSTATUS(guest->status) : COMMAND_ERROR;

	if (code != COMMAND_OK && code != COMMAND_REFUTED && code != COMMAND_BROKEN)
		return gave_up(guest, err);
	return prove_report_read(report, guest->machine, guest->dir, err);
}

void prove_origin_note(struct prove_origin *origin, const struct report *report)
{
	const json_t *kernel = json_object_get(report->machine, "kernel");
	const char *release = json_string_value(json_object_get(kernel, "release"));

	if (release)
		json_object_set_new(origin->kernels, release, json_true());
}

void prove_origin_put(const struct prove_origin *origin, const char *command, FILE *out)
{
	struct err err;
	json_t *machine = machine_inventory("", false, &err);
	const json_t *cpu = json_object_get(machine, "cpu");
	const char *name = json_string_value(json_object_get(cpu, "name"));
	struct utsname system;
	const char *release;
	json_t *unused;

	fprintf(out, "Made by `%s`; kernels in the machines:", command);
	json_object_foreach(origin->kernels, release, unused)
	{
		fprintf(out, " Linux %s", release);
	}
	fprintf(out, "; %zu machines", origin->machines);
	if (origin->seconds >= 0)
		fprintf(out, " in %lld s", (long long)origin->seconds);
	if (name && !uname(&system))
		/* What follows a '-' names a build, not a kernel. */
		fprintf(out, " on %zu CPUs (%s, Linux %.*s)", origin->cpus, name,
			(int)strcspn(system.release, "-"), system.release);
	fputs(".\n\n", out);
	json_decref(machine);
}
