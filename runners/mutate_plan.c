// SPDX-License-Identifier: GPL-2.0-or-later
#include "mutate_plan.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab_variants.h"
#include "proofs_line.h"

static bool fits_any(char *const *patterns, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (!fnmatch(patterns[i], text, 0))
			return true;
	return false;
}

static bool is_mutant_chosen(const struct mutate_choice *choice, const struct mutant *mutant)
{
	return !choice->n_patterns ||
	       fits_any(choice->patterns, choice->n_patterns, mutant->machine.name);
}

static const char *full_name(const struct suite_test *test, char *text, size_t size)
{
	snprintf(text, size, "%s/%s", test->theme, test->name);
	return text;
}

static bool is_test_chosen(const struct mutate_choice *choice, const struct suite_test *test)
{
	char full[512];

	return !choice->n_hypotheses ||
	       fits_any(choice->hypotheses, choice->n_hypotheses, test->name) ||
	       fits_any(choice->hypotheses, choice->n_hypotheses,
			full_name(test, full, sizeof(full)));
}

static bool names_any_of(const struct mutant *mutant, const char *hypothesis)
{
	size_t length = strlen(hypothesis);

	for (size_t i = 0; i < mutant->n_names; i++)
		if (!strncmp(mutant->names[i], hypothesis, length) &&
		    mutant->names[i][length] == '.')
			return true;
	return false;
}

/* Is this hypothesis to be run on this mutant? */
static bool is_run(const struct mutate_choice *choice, const struct mutant *mutant,
		   const struct suite_test *test)
{
	return is_test_chosen(choice, test) && !proof_list_has(&mutant->without, test->name) &&
	       (!choice->named || names_any_of(mutant, test->name));
}

/* A row for each hypothesis of the suite, so that settings find theirs; none is selected. */
static int make_rows(struct proof_machine *machine, const struct suite *suite, struct err *err)
{
	machine->rows = calloc(suite->n, sizeof(*machine->rows));
	if (!machine->rows)
		return err_set(err, ENOMEM, "machine %s", machine->name);
	machine->n_rows = suite->n;
	for (size_t i = 0; i < suite->n; i++)
		machine->rows[i].hypothesis = suite->tests[i].name;
	return 0;
}

size_t mutate_plan_rows(const struct proof_machine *machine)
{
	size_t n = 0;

	for (size_t i = 0; i < machine->n_rows; i++)
		n += machine->rows[i].selected;
	return n;
}

/* Is the name taken? */
static bool has_machine(const struct mutate_plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->n_unmutated; i++)
		if (!strcmp(plan->unmutated[i].name, name))
			return true;
	return false;
}

/* A name for a machine without mutants that says what it is, newly allocated; NULL: no memory. */
static char *name_machine(const struct mutate_plan *plan, const struct mutant *mutant)
{
	const struct lab_machine *lab = &mutant->machine.lab;
	char *name = NULL;

	for (unsigned int number = 1; !name || has_machine(plan, name); number++) {
		char suffix[16] = "";

		free(name);
		if (number > 1)
			snprintf(suffix, sizeof(suffix), "-%u", number);
		if (asprintf(&name, "%s-%s%s%s", mutant->base, lab->model->name,
			     lab->mode == LAB_SMP ? "-smp" : "", suffix) < 0)
			return NULL;
		/* It is a directory's name, too. */
		for (char *c = name; *c; c++)
			*c = *c == ',' ? '+' : *c;
	}
	return name;
}

/* Is none of these variants, divided by commas, a mutant of the table? */
static bool is_sound(const struct mutants *mutants, const char *variants)
{
	for (size_t i = 0; i < mutants->n; i++)
		if (lab_variants_has(variants, mutants->mutants[i].machine.name))
			return false;
	return true;
}

static int add_unmutated(struct mutate_plan *plan, const struct mutants *mutants,
			 const struct mutant *mutant, const struct proof_machine *wanted,
			 const struct suite *suite, struct err *err)
{
	struct proof_machine *machine, *all;
	char *name = name_machine(plan, mutant);
	bool *sound = reallocarray(plan->sound, plan->n_unmutated + 1, sizeof(*sound));

	if (sound)
		plan->sound = sound;
	all = reallocarray(plan->unmutated, plan->n_unmutated + 1, sizeof(*all));
	if (all)
		plan->unmutated = all;
	if (!all || !sound || !name) {
		free(name);
		return err_set(err, ENOMEM, "machines");
	}
	sound[plan->n_unmutated] = is_sound(mutants, mutant->base);
	machine = &all[plan->n_unmutated++];
	*machine = *wanted;
	machine->name = name;
	return make_rows(machine, suite, err);
}

/* Find or make the machine without the mutant; its index in *found. */
static int find_unmutated(struct mutate_plan *plan, const struct mutants *mutants,
			  const struct mutant *mutant, const struct suite *suite, size_t *found,
			  struct err *err)
{
	struct proof_machine wanted = mutant->machine;

	snprintf(wanted.lab.variant, sizeof(wanted.lab.variant), "%s", mutant->base);
	for (*found = 0; *found < plan->n_unmutated; ++*found)
		if (proofs_same_machine(&plan->unmutated[*found], &wanted))
			return 0;
	return add_unmutated(plan, mutants, mutant, &wanted, suite, err);
}

static int add_subject(struct mutate_plan *plan, const struct mutants *mutants,
		       const struct mutant *mutant, const struct suite *suite,
		       const struct mutate_choice *choice, struct err *err)
{
	struct mutate_subject *subject = &plan->subjects[plan->n_subjects];
	int result;

	*subject = (struct mutate_subject){ .mutant = mutant, .machine = mutant->machine };
	result = make_rows(&subject->machine, suite, err);
	if (result)
		return result;
	plan->n_subjects++;
	for (size_t i = 0; i < suite->n; i++)
		subject->machine.rows[i].selected = is_run(choice, mutant, &suite->tests[i]);
	if (!mutate_plan_rows(&subject->machine))
		return 0;
	result = find_unmutated(plan, mutants, mutant, suite, &subject->unmutated, err);
	for (size_t i = 0; !result && i < suite->n; i++)
		plan->unmutated[subject->unmutated].rows[i].selected |=
			subject->machine.rows[i].selected;
	return result;
}

/* Does each pattern fit something? */
static int check_patterns(const struct mutants *mutants, const struct suite *suite,
			  const struct mutate_choice *choice, struct err *err)
{
	for (size_t p = 0; p < choice->n_patterns; p++) {
		size_t n = 0;

		for (size_t i = 0; i < mutants->n; i++)
			n += fits_any(&choice->patterns[p], 1, mutants->mutants[i].machine.name);
		if (!n)
			return err_plain(err, ENOENT, "%s has no mutant '%s'", mutants->path,
					 choice->patterns[p]);
	}
	for (size_t p = 0; p < choice->n_hypotheses; p++) {
		const struct mutate_choice one = { .hypotheses = &choice->hypotheses[p],
						   .n_hypotheses = 1 };
		size_t n = 0;

		for (size_t i = 0; i < suite->n; i++)
			n += is_test_chosen(&one, &suite->tests[i]);
		if (!n)
			return err_plain(err, ENOENT, "no hypothesis '%s'", choice->hypotheses[p]);
	}
	return 0;
}

int mutate_plan_make(struct mutate_plan *plan, const struct mutants *mutants,
		     const struct suite *suite, const struct mutate_choice *choice, struct err *err)
{
	int result = check_patterns(mutants, suite, choice, err);

	*plan = (struct mutate_plan){ .subjects = calloc(mutants->n, sizeof(*plan->subjects)) };
	if (!plan->subjects)
		return err_set(err, ENOMEM, "mutants");
	for (size_t i = 0; !result && i < mutants->n; i++)
		if (is_mutant_chosen(choice, &mutants->mutants[i]))
			result = add_subject(plan, mutants, &mutants->mutants[i], suite, choice,
					     err);
	if (!result && !plan->n_unmutated)
		result = err_plain(err, ENOENT, "there is no hypothesis to run on these mutants");
	return result;
}

void mutate_plan_free(struct mutate_plan *plan)
{
	for (size_t i = 0; i < plan->n_subjects; i++)
		free(plan->subjects[i].machine.rows);
	free(plan->subjects);
	for (size_t i = 0; i < plan->n_unmutated; i++) {
		free(plan->unmutated[i].rows);
		free((char *)plan->unmutated[i].name);
	}
	free(plan->unmutated);
	free(plan->sound);
	*plan = (struct mutate_plan){ 0 };
}
