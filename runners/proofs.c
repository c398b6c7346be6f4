// SPDX-License-Identifier: GPL-2.0-or-later
#include "proofs.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "entries.h"
#include "lab_variants.h"
#include "proofs_line.h"

#define KLOG_PREFIX "klog:"

bool proof_list_has(const struct proof_list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->name[i], name))
			return true;
	return false;
}

enum klog_class proof_reason_class(const char *reason)
{
	size_t length = strlen(KLOG_PREFIX);

	return strncmp(reason, KLOG_PREFIX, length) ? KLOG_NONE : klog_class_parse(reason + length);
}

static int add_machine(struct proofs *proofs, const struct proof_machine *machine, struct err *err)
{
	struct proof_machine *machines;

	for (size_t i = 0; i < proofs->n_machines; i++) {
		const struct proof_machine *other = &proofs->machines[i];

		if (!strcmp(other->name, machine->name))
			return err_set(err, 0, "machine %s is there already, in line %u",
				       machine->name, other->line);
		if (proofs_same_machine(other, machine))
			return err_set(err, 0, "machine %s is the same as %s, in line %u",
				       machine->name, other->name, other->line);
	}
	machines = reallocarray(proofs->machines, proofs->n_machines + 1, sizeof(*machines));
	if (!machines)
		return err_set(err, ENOMEM, "machine %s", machine->name);
	proofs->machines = machines;
	machines[proofs->n_machines++] = *machine;
	return 0;
}

static int add_row(struct proofs *proofs, const struct proof_row *row, struct err *err)
{
	struct proof_machine *machine;
	struct proof_row *rows;

	if (!proofs->n_machines)
		return err_set(err, 0, "%s: no machine before it", row->hypothesis);
	machine = &proofs->machines[proofs->n_machines - 1];
	for (size_t i = 0; i < machine->n_rows; i++)
		if (!strcmp(machine->rows[i].hypothesis, row->hypothesis))
			return err_set(err, 0, "%s is there already, in line %u", row->hypothesis,
				       machine->rows[i].line);
	rows = reallocarray(machine->rows, machine->n_rows + 1, sizeof(*rows));
	if (!rows)
		return err_set(err, ENOMEM, "row %s", row->hypothesis);
	machine->rows = rows;
	rows += machine->n_rows++;
	*rows = *row;
	rows->index = proofs->n_rows++;
	return 0;
}

static int add_relation(struct proofs *proofs, const struct proof_relation *relation,
			struct err *err)
{
	struct proof_relation *relations =
		reallocarray(proofs->relations, proofs->n_relations + 1, sizeof(*relations));

	if (!relations)
		return err_set(err, ENOMEM, "relation");
	proofs->relations = relations;
	relations[proofs->n_relations++] = *relation;
	return 0;
}

static int add_unproven(struct proofs *proofs, const struct proof_unproven *unproven,
			struct err *err)
{
	struct proof_unproven *all =
		reallocarray(proofs->unproven, proofs->n_unproven + 1, sizeof(*all));

	if (!all)
		return err_set(err, ENOMEM, "unproven");
	proofs->unproven = all;
	all[proofs->n_unproven++] = *unproven;
	return 0;
}

static int take_words(void *context, unsigned int line, char **words, size_t n, struct err *err)
{
	struct proofs *proofs = context;
	struct proof_unproven unproven = { .line = line };
	struct proof_machine machine = { .line = line };
	struct proof_relation relation = { .line = line };
	struct proof_row row = { .line = line };
	int result;

	if (!strcmp(words[0], "machine")) {
		result = proofs_line_machine(&machine, words, n, err);
		return result ? result : add_machine(proofs, &machine, err);
	}
	if (!strcmp(words[0], "less")) {
		result = proofs_line_less(&relation, words, n, err);
		return result ? result : add_relation(proofs, &relation, err);
	}
	if (!strcmp(words[0], "unproven")) {
		result = proofs_line_unproven(&unproven, words, n, err);
		return result ? result : add_unproven(proofs, &unproven, err);
	}
	result = proofs_line_row(&row, words, n, err);
	return result ? result : add_row(proofs, &row, err);
}

static int resolve_side(const struct proofs *proofs, struct proof_side *side, struct err *err)
{
	for (size_t m = 0; m < proofs->n_machines; m++) {
		const struct proof_machine *machine = &proofs->machines[m];

		if (strcmp(machine->name, side->machine_name) != 0)
			continue;
		for (size_t r = 0; r < machine->n_rows; r++) {
			if (strcmp(machine->rows[r].hypothesis, side->hypothesis) != 0)
				continue;
			side->machine = machine;
			side->row = &machine->rows[r];
			return 0;
		}
		return err_set(err, 0, "machine %s has no row of %s", side->machine_name,
			       side->hypothesis);
	}
	return err_set(err, 0, "no machine %s", side->machine_name);
}

/* What can be said when all is there. */
static int finish(struct proofs *proofs, unsigned int *line, struct err *err)
{
	int result = 0;

	for (size_t i = 0; !result && i < proofs->n_relations; i++) {
		*line = proofs->relations[i].line;
		result = resolve_side(proofs, &proofs->relations[i].left, err);
		if (!result)
			result = resolve_side(proofs, &proofs->relations[i].right, err);
	}
	for (size_t i = 0; !result && i < proofs->n_machines; i++) {
		*line = proofs->machines[i].line;
		if (!proofs->machines[i].n_rows)
			result = err_set(err, 0, "machine %s has no row", proofs->machines[i].name);
	}
	if (!result && !proofs->n_rows)
		result = err_set(err, 0, "there is no row");
	return result;
}

int proofs_parse(struct proofs *proofs, const char *path, FILE *file, struct err *err)
{
	unsigned int line;
	int result;

	*proofs = (struct proofs){ .path = path };
	result = entries_read(file, &proofs->text, take_words, proofs, &line, err);
	if (!result)
		result = finish(proofs, &line, err);
	if (result) {
		err_prefix(err, "%s:%u", path, line);
		proofs_free(proofs);
	}
	return result;
}

int proofs_read(struct proofs *proofs, const char *path, struct err *err)
{
	FILE *file = fopen(path, "re");
	int result;

	if (!file)
		return err_set(err, errno, "open %s", path);
	result = proofs_parse(proofs, path, file, err);
	fclose(file);
	return result;
}

void proofs_free(struct proofs *proofs)
{
	for (size_t i = 0; i < proofs->n_machines; i++)
		free(proofs->machines[i].rows);
	free(proofs->machines);
	free(proofs->relations);
	free(proofs->unproven);
	free(proofs->text);
	*proofs = (struct proofs){ 0 };
}

static bool fits(const char *pattern, const struct proof_machine *machine,
		 const struct proof_row *row)
{
	char both[512];

	snprintf(both, sizeof(both), "%s/%s", machine->name, row->hypothesis);
	return !fnmatch(pattern, machine->name, 0) || !fnmatch(pattern, row->hypothesis, 0) ||
	       !fnmatch(pattern, both, 0);
}

/* Select the rows that fit; returns how many do. */
static size_t select_pattern(struct proofs *proofs, const char *pattern)
{
	size_t n = 0;

	for (size_t m = 0; m < proofs->n_machines; m++) {
		struct proof_machine *machine = &proofs->machines[m];

		for (size_t r = 0; r < machine->n_rows; r++) {
			if (!fits(pattern, machine, &machine->rows[r]))
				continue;
			machine->rows[r].selected = true;
			n++;
		}
	}
	return n;
}

int proofs_select(struct proofs *proofs, char *const *patterns, size_t n, struct err *err)
{
	if (!n)
		select_pattern(proofs, "*");
	for (size_t i = 0; i < n; i++)
		if (!select_pattern(proofs, patterns[i]))
			return err_plain(err, ENOENT,
					 "no row of %s is of a machine or hypothesis "
					 "'%s'",
					 proofs->path, patterns[i]);
	return 0;
}

bool proofs_relation_selected(const struct proof_relation *relation)
{
	return relation->left.row->selected && relation->right.row->selected;
}

const struct proof_row *proof_setting_row(const struct proof_machine *machine, const char *setting)
{
	size_t length = strcspn(setting, ".");

	for (size_t r = 0; r < machine->n_rows; r++)
		if (strlen(machine->rows[r].hypothesis) == length &&
		    !strncmp(machine->rows[r].hypothesis, setting, length))
			return &machine->rows[r];
	return NULL;
}

/* Does the machine boot whatever kernel there is of this architecture? */
static bool boots_any(const struct proof_machine *machine, const struct lab_arch *arch)
{
	const char *variant = machine->lab.variant;

	return machine->lab.model->arch == arch && !machine->stock &&
	       (!*variant || !strcmp(variant, LAB_PLAIN));
}

void proofs_test_kernel(struct proofs *proofs, const struct lab_arch *arch, bool only)
{
	for (size_t m = 0; m < proofs->n_machines; m++) {
		struct proof_machine *machine = &proofs->machines[m];

		machine->tested = boots_any(machine, arch);
		if (machine->tested)
			machine->lab.variant[0] = '\0';
		for (size_t r = 0; r < machine->n_rows; r++)
			machine->rows[r].selected &= machine->tested || !only;
	}
}

bool proof_machine_selected(const struct proof_machine *machine)
{
	for (size_t r = 0; r < machine->n_rows; r++)
		if (machine->rows[r].selected)
			return true;
	return false;
}
