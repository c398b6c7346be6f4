// SPDX-License-Identifier: GPL-2.0-or-later
#include "proofs_cover.h"

#include <errno.h>
#include <string.h>

#include "lab_variants.h"

static int known_checks(const struct suite_test *test, const struct proof_list *list,
			struct err *err)
{
	for (size_t i = 0; i < list->n; i++)
		if (proof_reason_class(list->name[i]) == KLOG_NONE &&
		    !suite_find(test, "checks", list->name[i]))
			return err_set(err, 0, "%s has no check %s", test->name, list->name[i]);
	return 0;
}

static int known_row(const struct proof_row *row, const struct suite *suite, struct err *err)
{
	const struct suite_test *test =
		suite_test_named(suite, row->hypothesis, strlen(row->hypothesis));
	int result;

	if (!test)
		return err_set(err, 0, "no hypothesis %s", row->hypothesis);
	if (test->problem[0])
		return err_set(err, 0, "%s: %s", row->hypothesis, test->problem);
	result = known_checks(test, &row->by, err);
	if (!result)
		result = known_checks(test, &row->also, err);
	if (!result && row->shows && !suite_find(test, "checks", row->shows))
		result = err_set(err, 0, "%s has no check %s", row->hypothesis, row->shows);
	return result;
}

/* A bound or an option is of a hypothesis that runs on the machine; the rest is left to the run. */
static int known_settings(const struct proof_machine *machine, const char *what,
			  const struct proof_list *settings, struct err *err)
{
	for (size_t i = 0; i < settings->n; i++)
		if (!proof_setting_row(machine, settings->name[i]))
			return err_set(err, 0, "%s %s: no row of machine %s", what,
				       settings->name[i], machine->name);
	return 0;
}

static int known_machine(const struct proof_machine *machine, const struct suite *suite,
			 const char *const *variants, unsigned int *line, struct err *err)
{
	const char *table = variants[machine->lab.model->arch - lab_archs];
	int result;

	*line = machine->line;
	result = known_settings(machine, "bound", &machine->bounds, err);
	if (!result)
		result = known_settings(machine, "option", &machine->own, err);
	if (!result && *machine->lab.variant && table)
		result = lab_variants_check(machine->lab.variant, table, err);
	for (size_t r = 0; !result && r < machine->n_rows; r++) {
		*line = machine->rows[r].line;
		result = known_row(&machine->rows[r], suite, err);
	}
	return result;
}

/* The row that must refute this check, or NULL. */
static const struct proof_row *refuting_row(const struct proofs *proofs, const char *hypothesis,
					    const char *check)
{
	for (size_t m = 0; m < proofs->n_machines; m++) {
		for (size_t r = 0; r < proofs->machines[m].n_rows; r++) {
			const struct proof_row *row = &proofs->machines[m].rows[r];

			if (!strcmp(row->hypothesis, hypothesis) && proof_list_has(&row->by, check))
				return row;
		}
	}
	return NULL;
}

static int known_unproven(const struct proofs *proofs, const struct proof_unproven *unproven,
			  const struct suite *suite, struct err *err)
{
	const struct proof_row row = { .hypothesis = unproven->hypothesis,
				       .shows = unproven->check };
	const struct proof_row *refutes =
		refuting_row(proofs, unproven->hypothesis, unproven->check);

	if (refutes)
		return err_set(err, 0, "unproven %s %s: a row refutes it, in line %u",
			       unproven->hypothesis, unproven->check, refutes->line);
	return known_row(&row, suite, err);
}

int proofs_known(const struct proofs *proofs, const struct suite *suite,
		 const char *const *variants, struct err *err)
{
	unsigned int line = 0;
	int result = 0;

	for (size_t m = 0; !result && m < proofs->n_machines; m++)
		result = known_machine(&proofs->machines[m], suite, variants, &line, err);
	for (size_t i = 0; !result && i < proofs->n_unproven; i++) {
		line = proofs->unproven[i].line;
		result = known_unproven(proofs, &proofs->unproven[i], suite, err);
	}
	if (result)
		err_prefix(err, "%s:%u", proofs->path, line);
	return result;
}

/* Has it a row that refutes, or one that passes? */
static bool has_row(const struct proofs *proofs, const char *hypothesis, bool passes)
{
	for (size_t m = 0; m < proofs->n_machines; m++) {
		for (size_t r = 0; r < proofs->machines[m].n_rows; r++) {
			const struct proof_row *row = &proofs->machines[m].rows[r];
			bool refutes = row->verdict == VERDICT_FAIL || row->verdict == VERDICT_HUNG;

			if (!strcmp(row->hypothesis, hypothesis) &&
			    (passes ? row->verdict == VERDICT_PASS : refutes))
				return true;
		}
	}
	return false;
}

/* "NAME=VALUE" of a machine of this architecture is the fault. */
static bool has_fault(const struct proofs *proofs, const char *name, const struct lab_arch *arch)
{
	size_t length = strlen(name);

	for (size_t m = 0; m < proofs->n_machines; m++) {
		const struct lab_machine *lab = &proofs->machines[m].lab;

		for (size_t i = 0; lab->model->arch == arch && i < lab->n_faults; i++)
			if (!strncmp(lab->faults[i], name, length) && lab->faults[i][length] == '=')
				return true;
	}
	return false;
}

/* Has a machine of this architecture, or of "any", the variant? */
static bool has_variant(const struct proofs *proofs, const char *name, const char *arch)
{
	for (size_t m = 0; m < proofs->n_machines; m++) {
		const struct lab_machine *lab = &proofs->machines[m].lab;

		if ((!strcmp(arch, LAB_ANY) || !strcmp(arch, lab->model->arch->name)) &&
		    lab_variants_has(lab->variant, name))
			return true;
	}
	return false;
}

static void add_gap(FILE *out, size_t *n, const char *what, const char *name, const char *lacks)
{
	fprintf(out, "%s%s %s %s", *n ? "; " : "", what, name, lacks);
	++*n;
}

static void add_arch_gap(FILE *out, size_t *n, const char *what, const char *name, const char *arch)
{
	char lacks[64];

	snprintf(lacks, sizeof(lacks), "is in no machine of %s", arch);
	add_gap(out, n, what, name, lacks);
}

static void add_fault_gaps(const struct proofs *proofs, const struct lab_fault *fault, FILE *out,
			   size_t *n)
{
	for (const struct lab_arch *arch = lab_archs; arch < lab_archs + LAB_ARCHS; arch++)
		if (lab_arch_in(fault->archs, arch) && !has_fault(proofs, fault->name, arch))
			add_arch_gap(out, n, "fault", fault->name, arch->name);
}

/* `shared`: also those in code of all architectures, which each of the tables has. */
static void add_variant_gaps(const struct proofs *proofs, const struct mutants *mutants,
			     FILE *table, bool shared, FILE *out, size_t *n)
{
	struct lab_variant variant;

	while (lab_variants_next(table, &variant))
		if ((shared || strcmp(variant.arch, LAB_ANY) != 0) &&
		    !(mutants && mutants_find(mutants, variant.name)) &&
		    !has_variant(proofs, variant.name, variant.arch))
			add_arch_gap(out, n, "variant", variant.name, variant.arch);
}

size_t proofs_gaps(const struct proofs *proofs, const char *const *hypotheses,
		   FILE *const *variants, const struct mutants *mutants, FILE *out)
{
	bool shared = true;
	size_t n = 0;

	for (; *hypotheses; hypotheses++) {
		if (!has_row(proofs, *hypotheses, false))
			add_gap(out, &n, "hypothesis", *hypotheses, "has no row that refutes it");
		if (!has_row(proofs, *hypotheses, true))
			add_gap(out, &n, "hypothesis", *hypotheses, "has no row that passes");
	}
	for (const struct lab_fault *fault = lab_faults; fault->name; fault++)
		add_fault_gaps(proofs, fault, out, &n);
	for (size_t i = 0; i < LAB_ARCHS; i++) {
		if (!variants[i])
			continue;
		add_variant_gaps(proofs, mutants, variants[i], shared, out, &n);
		shared = false;
	}
	return n;
}

static bool is_unproven(const struct proofs *proofs, const char *hypothesis, const char *check)
{
	for (size_t i = 0; i < proofs->n_unproven; i++)
		if (!strcmp(proofs->unproven[i].hypothesis, hypothesis) &&
		    !strcmp(proofs->unproven[i].check, check))
			return true;
	return false;
}

size_t proofs_unrefuted(const struct proofs *proofs, const struct suite *suite, FILE *out)
{
	size_t n = 0;

	for (size_t t = 0; t < suite->n; t++) {
		const char *hypothesis = suite->tests[t].name;
		json_t *check;
		size_t i;

		json_array_foreach(json_object_get(suite->tests[t].declaration, "checks"), i, check)
		{
			const char *name = json_string_value(json_object_get(check, "name"));
			char both[256];

			if (!name || refuting_row(proofs, hypothesis, name) ||
			    is_unproven(proofs, hypothesis, name))
				continue;
			snprintf(both, sizeof(both), "%s of %s", name, hypothesis);
			add_gap(out, &n, "check", both, "is refuted by no row");
		}
	}
	return n;
}
