// SPDX-License-Identifier: GPL-2.0-or-later
#include "mutants.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "entries.h"
#include "lab_variants.h"
#include "proofs_line.h"

const struct mutant *mutants_find(const struct mutants *mutants, const char *name)
{
	for (size_t i = 0; i < mutants->n; i++)
		if (!strcmp(mutants->mutants[i].machine.name, name))
			return &mutants->mutants[i];
	return NULL;
}

bool mutant_names(const struct mutant *mutant, const char *hypothesis, const char *check)
{
	size_t length = strlen(hypothesis);

	for (size_t i = 0; i < mutant->n_names; i++)
		if (!strncmp(mutant->names[i], hypothesis, length) &&
		    mutant->names[i][length] == '.' &&
		    !strcmp(mutant->names[i] + length + 1, check))
			return true;
	return false;
}

static int set_arch(struct mutant *mutant, const char *name, struct err *err)
{
	const struct lab_model *model = lab_models;

	while (model->name && strcmp(model->arch->name, name) != 0)
		model++;
	if (!model->name)
		return err_set(err, 0, "arch %s: none that the lab has", name);
	mutant->machine.lab.model = model;
	return 0;
}

/* What a machine here has not, as it would be in two places. */
static bool is_elsewhere(const char *name)
{
	return !strcmp(name, "variant") || !strcmp(name, "kernel") || !strcmp(name, "repeat");
}

static int add_without(struct mutant *mutant, const char *name, struct err *err)
{
	if (proof_list_has(&mutant->without, name))
		return err_set(err, 0, "without %s: given twice", name);
	if (mutant->without.n == PROOF_LIST_MAX)
		return err_set(err, 0, "without %s: more than %d", name, PROOF_LIST_MAX);
	mutant->without.name[mutant->without.n++] = name;
	return 0;
}

/* It tells something here after all. */
static int remove_without(struct mutant *mutant, const char *name, struct err *err)
{
	struct proof_list *list = &mutant->without;

	for (size_t i = 0; i < list->n; i++) {
		if (strcmp(list->name[i], name) != 0)
			continue;
		list->name[i] = list->name[--list->n];
		return 0;
	}
	return err_set(err, 0, "with %s: it is there", name);
}

static int take_setting(struct mutant *mutant, const char *name, const char *value, struct err *err)
{
	if (is_elsewhere(name))
		return err_set(err, 0, "a mutant has no %s", name);
	if (value && !strcmp(name, "arch"))
		return set_arch(mutant, value, err);
	if (value && !strcmp(name, "without"))
		return add_without(mutant, value, err);
	if (value && !strcmp(name, "with"))
		return remove_without(mutant, value, err);
	if (value && *value && !strcmp(name, "base")) {
		mutant->base = value;
		return 0;
	}
	return proofs_line_setting(&mutant->machine, name, value, err);
}

/* The kernel: what the machine is based on, and the mutant. */
static int set_variant(struct mutant *mutant, struct err *err)
{
	struct lab_machine *lab = &mutant->machine.lab;
	int result = 0;

	if (!strcmp(mutant->machine.name, LAB_PLAIN))
		return err_set(err, 0, "mutant %s: that is the kernel without any", LAB_PLAIN);
	if (strcmp(mutant->base, LAB_PLAIN) != 0)
		result = lab_machine_variant(lab, mutant->base, err);
	return result ? result : lab_machine_variant(lab, mutant->machine.name, err);
}

static int add_mutant(struct mutants *mutants, const struct mutant *mutant, struct err *err)
{
	const struct mutant *other = mutants_find(mutants, mutant->machine.name);
	struct mutant *all;

	if (other)
		return err_set(err, 0, "mutant %s is there already, in line %u",
			       mutant->machine.name, other->line);
	all = reallocarray(mutants->mutants, mutants->n + 1, sizeof(*all));
	if (!all)
		return err_set(err, ENOMEM, "mutant %s", mutant->machine.name);
	mutants->mutants = all;
	all[mutants->n++] = *mutant;
	return 0;
}

/* mutant NAME [SETTING VALUE]... */
static int begin_mutant(struct mutants *mutants, unsigned int line, char *const *words, size_t n,
			struct err *err)
{
	struct mutant mutant = mutants->every;
	int result = proofs_line_name(&mutant.machine, words[0], n > 1 ? words[1] : NULL, err);

	mutant.line = mutant.machine.line = line;
	for (size_t i = 2; !result && i < n; i += 2)
		result = take_setting(&mutant, words[i], i + 1 < n ? words[i + 1] : NULL, err);
	if (!result)
		result = set_variant(&mutant, err);
	if (!result)
		result = lab_machine_complete(&mutant.machine.lab, err);
	return result ? result : add_mutant(mutants, &mutant, err);
}

/* every [SETTING VALUE]...: settings of all machines, before the first of them. */
static int take_every(struct mutants *mutants, char *const *words, size_t n, struct err *err)
{
	int result = 0;

	if (mutants->n)
		return err_set(err, 0, "every: before the first mutant");
	for (size_t i = 1; !result && i < n; i += 2)
		result = take_setting(&mutants->every, words[i], i + 1 < n ? words[i + 1] : NULL,
				      err);
	return result;
}

static int take_text(const char **text, char *const *words, size_t n, struct err *err)
{
	if (*text)
		return err_set(err, 0, "%s is there already", words[0]);
	if (n < 2 || !*words[1])
		return err_set(err, 0, "%s of what?", words[0]);
	*text = entries_join(words + 1, n - 1);
	return 0;
}

static int take_file(struct mutant *mutant, char *const *words, size_t n, struct err *err)
{
	if (n > 2)
		return err_set(err, 0, "file is for one file: the one that it breaks");
	return take_text(&mutant->file, words, n, err);
}

static int take_function(struct mutant *mutant, char *const *words, size_t n, struct err *err)
{
	if (n > 2)
		return err_set(err, 0, "function is for one function: the one that it breaks");
	return take_text(&mutant->function, words, n, err);
}

static int take_effect(struct mutant *mutant, char *const *words, size_t n, struct err *err)
{
	return take_text(&mutant->effect, words, n, err);
}

static int take_equivalent(struct mutant *mutant, char *const *words, size_t n, struct err *err)
{
	return take_text(&mutant->equivalent, words, n, err);
}

static bool is_relation(const char *text)
{
	static const char *const relations[] = { "==", "!=", "<", "<=", ">", ">=" };

	for (size_t i = 0; i < sizeof(relations) / sizeof(relations[0]); i++)
		if (!strcmp(relations[i], text))
			return true;
	return false;
}

/* witness LOOK [RELATION VALUE] */
static int take_witness(struct mutant *mutant, char *const *words, size_t n, struct err *err)
{
	char *end;

	if (mutant->witness.look)
		return err_set(err, 0, "witness is there already");
	if (n != 2 && n != 4)
		return err_set(err, 0, "not 'witness LOOK [RELATION VALUE]'");
	mutant->witness.look = words[1];
	if (n == 2)
		return 0;
	if (!is_relation(words[2]))
		return err_set(err, 0, "witness %s %s: not ==, !=, <, <=, > or >=", words[1],
			       words[2]);
	mutant->witness.relation = words[2];
	mutant->witness.value = strtod(words[3], &end);
	if (end == words[3] || *end || !isfinite(mutant->witness.value))
		return err_set(err, 0, "witness %s %s %s: not a number", words[1], words[2],
			       words[3]);
	return 0;
}

static int add_name(struct mutant *mutant, const char *name, struct err *err)
{
	size_t length = strcspn(name, ".");
	const char **names;

	if (!length || !name[length] || !name[length + 1] || strchr(name + length + 1, '.'))
		return err_set(err, 0, "names %s: not HYPOTHESIS.CHECK", name);
	for (size_t i = 0; i < mutant->n_names; i++)
		if (!strcmp(mutant->names[i], name))
			return err_set(err, 0, "names %s: given twice", name);
	names = reallocarray(mutant->names, mutant->n_names + 1, sizeof(*names));
	if (!names)
		return err_set(err, ENOMEM, "names %s", name);
	mutant->names = names;
	names[mutant->n_names++] = name;
	return 0;
}

/* names HYPOTHESIS.CHECK...; more than once for long lists. */
static int take_names(struct mutant *mutant, char *const *words, size_t n, struct err *err)
{
	int result = n < 2 ? err_set(err, 0, "names of what?") : 0;

	for (size_t i = 1; !result && i < n; i++)
		result = add_name(mutant, words[i], err);
	return result;
}

static const struct {
	const char *name;
	int (*take)(struct mutant *mutant, char *const *words, size_t n, struct err *err);
} details[] = {
	{ "file", take_file },	   { "function", take_function },
	{ "effect", take_effect }, { "witness", take_witness },
	{ "names", take_names },   { "equivalent", take_equivalent },
};

static int take_words(void *context, unsigned int line, char **words, size_t n, struct err *err)
{
	struct mutants *mutants = context;

	if (!strcmp(words[0], "mutant"))
		return begin_mutant(mutants, line, words, n, err);
	if (!strcmp(words[0], "every"))
		return take_every(mutants, words, n, err);
	for (size_t i = 0; i < sizeof(details) / sizeof(details[0]); i++) {
		if (strcmp(details[i].name, words[0]) != 0)
			continue;
		if (!mutants->n)
			return err_set(err, 0, "%s: no mutant before it", words[0]);
		return details[i].take(&mutants->mutants[mutants->n - 1], words, n, err);
	}
	return err_set(err, 0,
		       "%s: neither mutant, every, file, function, effect, witness, names nor "
		       "equivalent",
		       words[0]);
}

/* What can be said when all is there. */
static int finish(const struct mutants *mutants, unsigned int *line, struct err *err)
{
	if (!mutants->n)
		return err_set(err, 0, "there is no mutant");
	for (size_t i = 0; i < mutants->n; i++) {
		const struct mutant *mutant = &mutants->mutants[i];
		const char *lacks = !mutant->file	? "file"
				    : !mutant->function ? "function"
				    : !mutant->effect	? "effect"
							: NULL;

		*line = mutant->line;
		if (lacks)
			return err_set(err, 0, "mutant %s has no %s", mutant->machine.name, lacks);
		if (mutant->equivalent && mutant->n_names)
			return err_set(err, 0, "mutant %s: nothing names what cannot be seen",
				       mutant->machine.name);
	}
	return 0;
}

int mutants_parse(struct mutants *mutants, const char *path, FILE *file, struct err *err)
{
	unsigned int line;
	int result;

	*mutants = (struct mutants){ .path = path };
	mutants->every.base = LAB_PLAIN;
	proofs_line_defaults(&mutants->every.machine);
	result = entries_read(file, &mutants->text, take_words, mutants, &line, err);
	if (!result)
		result = finish(mutants, &line, err);
	if (result) {
		err_prefix(err, "%s:%u", path, line);
		mutants_free(mutants);
	}
	return result;
}

/* In a build tree and where it is installed. */
static const char *const places[] = { "../fixtures/kernels/mutants",
				      "../libexec/pmiproof/mutants" };

int mutants_default(char *path, size_t size, struct err *err)
{
	return suite_beside_program(places, sizeof(places) / sizeof(places[0]), path, size, err);
}

int mutants_read(struct mutants *mutants, const char *path, struct err *err)
{
	FILE *file = fopen(path, "re");
	int result;

	if (!file)
		return err_set(err, errno, "open %s", path);
	result = mutants_parse(mutants, path, file, err);
	fclose(file);
	return result;
}

void mutants_free(struct mutants *mutants)
{
	for (size_t i = 0; i < mutants->n; i++)
		free(mutants->mutants[i].names);
	free(mutants->mutants);
	free(mutants->text);
	*mutants = (struct mutants){ 0 };
}

/* Is it of kind mutant in this table of a kernel? */
static int known_variant(const struct mutant *mutant, FILE *table, struct err *err)
{
	struct lab_variant variant;

	rewind(table);
	while (lab_variants_next(table, &variant)) {
		if (strcmp(variant.name, mutant->machine.name) != 0)
			continue;
		if (strcmp(variant.kind, "mutant") != 0)
			return err_set(err, 0, "mutant %s: the variant is of kind %s", variant.name,
				       variant.kind);
		if (strcmp(variant.arch, LAB_ANY) != 0 &&
		    strcmp(variant.arch, mutant->machine.lab.model->arch->name) != 0)
			return err_set(err, 0, "mutant %s: the variant is of %s, the machine of %s",
				       variant.name, variant.arch,
				       mutant->machine.lab.model->arch->name);
		return 0;
	}
	return err_set(err, 0, "mutant %s: no variant of the kernel; see 'pmiproof lab variants'",
		       mutant->machine.name);
}

int mutant_known(const struct mutants *mutants, const struct mutant *mutant,
		 const char *const *variants, struct err *err)
{
	const char *path = variants[mutant->machine.lab.model->arch - lab_archs];
	FILE *table;
	int result;

	if (!path)
		return 0;
	table = fopen(path, "re");
	if (!table)
		return err_set(err, errno, "open %s", path);
	result = known_variant(mutant, table, err);
	fclose(table);
	if (!result)
		result = lab_variants_check(mutant->base, path, err);
	if (result)
		err_prefix(err, "%s:%u", mutants->path, mutant->line);
	return result;
}

int mutants_known(const struct mutants *mutants, const char *const *variants, struct err *err)
{
	int result = 0;

	for (size_t i = 0; !result && i < mutants->n; i++)
		result = mutant_known(mutants, &mutants->mutants[i], variants, err);
	return result;
}

static int check_known(const struct suite *suite, const char *name, struct err *err)
{
	size_t length = strcspn(name, ".");
	const struct suite_test *test = suite_test_named(suite, name, length);
	const char *check = name + length + 1;

	if (!test)
		return err_set(err, 0, "names %s: no hypothesis %.*s", name, (int)length, name);
	if (strcmp(check, MUTANT_HUNG) != 0 && !suite_find(test, "checks", check))
		return err_set(err, 0, "names %s: %s has no such check", name, test->name);
	return 0;
}

int mutants_checks_known(const struct mutants *mutants, const struct suite *suite, struct err *err)
{
	int result = 0;

	for (size_t i = 0; !result && i < mutants->n; i++) {
		const struct mutant *mutant = &mutants->mutants[i];

		for (size_t k = 0; !result && k < mutant->n_names; k++)
			result = check_known(suite, mutant->names[k], err);
		if (result)
			err_prefix(err, "%s:%u", mutants->path, mutant->line);
	}
	return result;
}
