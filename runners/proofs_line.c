// SPDX-License-Identifier: GPL-2.0-or-later
#include "proofs_line.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define NAME_MAX_LENGTH 48
#define REPEAT_MAX 1000

/* Words of `less`: with and without a figure of its own on the right. */
#define LESS_WORDS 9
#define LESS_WORDS_MORE 13

/* A name is a directory's, too, and an option's value. */
static bool is_name(const char *text)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_.-";
	size_t length = strlen(text);

	return length && length <= NAME_MAX_LENGTH && strspn(text, good) == length &&
	       *text != '.' && *text != '-';
}

static int add_name(struct proof_list *list, const char *name, struct err *err)
{
	if (proof_list_has(list, name))
		return err_set(err, 0, "%s is given twice", name);
	if (list->n == PROOF_LIST_MAX)
		return err_set(err, 0, "%s: more than %d", name, PROOF_LIST_MAX);
	list->name[list->n++] = name;
	return 0;
}

static int take_cpu_model(struct proof_machine *machine, const char *value, struct err *err)
{
	return lab_machine_model(&machine->lab, value, err);
}

static int take_mode(struct proof_machine *machine, const char *value, struct err *err)
{
	return lab_machine_mode(&machine->lab, value, err);
}

static int take_fault(struct proof_machine *machine, const char *value, struct err *err)
{
	return lab_machine_fault(&machine->lab, value, err);
}

static int take_variant(struct proof_machine *machine, const char *value, struct err *err)
{
	return lab_machine_variant(&machine->lab, value, err);
}

static int take_param(struct proof_machine *machine, const char *value, struct err *err)
{
	return lab_machine_param(&machine->lab, value, err);
}

static int take_kernel(struct proof_machine *machine, const char *value, struct err *err)
{
	if (strcmp(value, "stock") != 0)
		return err_set(err, 0, "kernel %s: not stock", value);
	machine->stock = true;
	return 0;
}

static int take_bound(struct proof_machine *machine, const char *value, struct err *err)
{
	return add_name(&machine->bounds, value, err);
}

static int take_option(struct proof_machine *machine, const char *value, struct err *err)
{
	return add_name(&machine->own, value, err);
}

static int take_repeat(struct proof_machine *machine, const char *value, struct err *err)
{
	int result = unit_parse_count(value, 1, REPEAT_MAX, &machine->repeat, err);

	if (result)
		err_prefix(err, "repeat");
	return result;
}

/* What is a scale and what is not, the run says. */
static int take_scale(struct proof_machine *machine, const char *value, struct err *err)
{
	(void)err;
	machine->scale = value;
	return 0;
}

static const struct {
	const char *name;
	int (*take)(struct proof_machine *machine, const char *value, struct err *err);
} settings[] = {
	{ "cpu-model", take_cpu_model }, { "mode", take_mode },	    { "fault", take_fault },
	{ "variant", take_variant },	 { "param", take_param },   { "kernel", take_kernel },
	{ "bound", take_bound },	 { "option", take_option }, { "repeat", take_repeat },
	{ "timeout-scale", take_scale },
};

int proofs_line_setting(struct proof_machine *machine, const char *name, const char *value,
			struct err *err)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (strcmp(settings[i].name, name) != 0)
			continue;
		if (!value || !*value)
			return err_set(err, 0, "%s has no value", name);
		return settings[i].take(machine, value, err);
	}
	return err_set(err, 0, "a machine has no %s", name);
}

int proofs_line_name(struct proof_machine *machine, const char *what, const char *name,
		     struct err *err)
{
	if (!name)
		return err_set(err, 0, "a %s has a name", what);
	if (!is_name(name))
		return err_set(err, 0,
			       "%s %s: a name has up to %d letters, digits, and '-', '_' "
			       "and '.' in it",
			       what, name, NAME_MAX_LENGTH);
	machine->name = name;
	return 0;
}

void proofs_line_defaults(struct proof_machine *machine)
{
	machine->lab.model = lab_models;
	machine->lab.mode = LAB_EXACT;
	machine->lab.mode_given = true;
	machine->repeat = 1;
}

int proofs_line_machine(struct proof_machine *machine, char *const *words, size_t n,
			struct err *err)
{
	int result = proofs_line_name(machine, words[0], n > 1 ? words[1] : NULL, err);

	proofs_line_defaults(machine);
	for (size_t i = 2; !result && i < n; i += 2)
		result = proofs_line_setting(machine, words[i], i + 1 < n ? words[i + 1] : NULL,
					     err);
	if (!result)
		result = lab_machine_complete(&machine->lab, err);
	if (!result && machine->stock && !machine->lab.model->arch->stock)
		result = err_set(err, 0, "there is no stock kernel for %s",
				 machine->lab.model->arch->name);
	if (!result && machine->stock && *machine->lab.variant)
		result = err_set(err, 0, "the stock kernel has no variants");
	return result;
}

static bool same_list(const struct proof_list *a, const struct proof_list *b)
{
	bool same = a->n == b->n;

	for (size_t i = 0; i < a->n; i++)
		same &= proof_list_has(b, a->name[i]);
	return same;
}

static bool same_faults(const struct lab_machine *a, const struct lab_machine *b)
{
	size_t common = 0;

	for (size_t i = 0; i < a->n_faults; i++)
		for (size_t j = 0; j < b->n_faults; j++)
			common += !strcmp(a->faults[i], b->faults[j]);
	return common == a->n_faults && common == b->n_faults;
}

static bool same_params(const struct lab_machine *a, const struct lab_machine *b)
{
	bool same = a->n_params == b->n_params;

	for (size_t i = 0; same && i < a->n_params; i++)
		same = !strcmp(a->params[i], b->params[i]);
	return same;
}

bool proofs_same_machine(const struct proof_machine *a, const struct proof_machine *b)
{
	return a->lab.model == b->lab.model && a->lab.mode == b->lab.mode &&
	       !strcmp(a->lab.variant, b->lab.variant) && same_params(&a->lab, &b->lab) &&
	       a->stock == b->stock && a->repeat == b->repeat &&
	       same_list(&a->bounds, &b->bounds) && same_list(&a->own, &b->own) &&
	       same_faults(&a->lab, &b->lab);
}

/* A reason: the name of a check, or klog:CLASS of a class that decides. */
static int add_reason(struct proof_list *list, const char *reason, struct err *err)
{
	enum klog_class class = proof_reason_class(reason);

	if (!strncmp(reason, "klog:", 5) && class == KLOG_NONE)
		return err_set(err, 0, "%s: no such class of kernel-log messages", reason);
	if (class != KLOG_NONE && klog_class_effect(class) == VERDICT_PASS)
		return err_set(err, 0, "%s: messages of this class decide nothing", reason);
	return add_name(list, reason, err);
}

static int take_by(struct proof_row *row, char *const *words, size_t n, struct err *err)
{
	int result = 0;

	for (size_t i = 0; !result && i < n; i++)
		result = proof_list_has(&row->also, words[i])
				 ? err_set(err, 0, "%s is given twice", words[i])
				 : add_reason(&row->by, words[i], err);
	return result;
}

static int take_also(struct proof_row *row, char *const *words, size_t n, struct err *err)
{
	int result = 0;

	for (size_t i = 0; !result && i < n; i++)
		result = proof_list_has(&row->by, words[i])
				 ? err_set(err, 0, "%s is given twice", words[i])
				 : add_reason(&row->also, words[i], err);
	return result;
}

static int take_shows(struct proof_row *row, char *const *words, size_t n, struct err *err)
{
	if (n != 1 || row->shows)
		return err_set(err, 0, "shows is for one check");
	row->shows = words[0];
	return 0;
}

static int take_says(struct proof_row *row, char *const *words, size_t n, struct err *err)
{
	if (n != 1 || row->says || !*words[0])
		return err_set(err, 0, "says is for one text; one of several words is quoted");
	row->says = words[0];
	return 0;
}

/* Of n words the one behind `name`, if that is at *at, which is then moved behind both; or NULL. */
static const char *take_word(char *const *words, size_t n, size_t *at, const char *name)
{
	if (*at + 2 > n || strcmp(words[*at], name) != 0)
		return NULL;
	*at += 2;
	return words[*at - 1];
}

static bool take_number(double *number, const char *text)
{
	char *end;

	*number = text ? strtod(text, &end) : NAN;
	return text && end != text && !*end && isfinite(*number);
}

/* [from LOW to HIGH] [beside TEXT], behind TABLE ROW COLUMN. */
static int take_figure(struct proof_row *row, char *const *words, size_t n, struct err *err)
{
	struct proof_figure figure = { .least = -INFINITY, .most = INFINITY };
	size_t at = 3;
	const char *from = take_word(words, n, &at, "from");
	const char *to = from ? take_word(words, n, &at, "to") : NULL;

	figure.beside = take_word(words, n, &at, "beside");
	if (n != at || (from && !to))
		return err_set(err, 0,
			       "a figure is TABLE ROW COLUMN [from LOW to HIGH] [beside TEXT]; "
			       "names of several words are quoted");
	if (from && !(take_number(&figure.least, from) && take_number(&figure.most, to) &&
		      figure.least <= figure.most))
		return err_set(err, 0, "from %s to %s: not from one number to a larger one", from,
			       to);
	if (row->n_figures == PROOF_LIST_MAX)
		return err_set(err, 0, "more than %d figures", PROOF_LIST_MAX);
	figure.table = words[0];
	figure.row = words[1];
	figure.column = words[2];
	row->figures[row->n_figures++] = figure;
	return 0;
}

static const struct clause {
	const char *name;
	int (*take)(struct proof_row *row, char *const *words, size_t n, struct err *err);
} clauses[] = {
	{ "by", take_by },     { "also", take_also },	  { "shows", take_shows },
	{ "says", take_says }, { "figure", take_figure },
};

static const struct clause *find_clause(const char *name)
{
	for (size_t i = 0; i < sizeof(clauses) / sizeof(clauses[0]); i++)
		if (!strcmp(clauses[i].name, name))
			return &clauses[i];
	return NULL;
}

/* Do the clauses go with the verdict? */
static int check_row(const struct proof_row *row, struct err *err)
{
	bool passes = row->verdict == VERDICT_PASS;
	const char *verdict = verdict_name(row->verdict);

	if (row->verdict == VERDICT_FAIL && !row->by.n)
		return err_set(err, 0, "%s: fail needs 'by' and what must refute it",
			       row->hypothesis);
	if (passes && (row->by.n || row->also.n || row->says))
		return err_set(err, 0, "%s: a pass takes no by, also or says", row->hypothesis);
	if (!passes && row->shows)
		return err_set(err, 0, "%s: shows goes with pass, not %s", row->hypothesis,
			       verdict);
	if (row->verdict == VERDICT_SKIP && (row->by.n || row->also.n))
		return err_set(err, 0, "%s: nothing decides a skip", row->hypothesis);
	return 0;
}

int proofs_line_row(struct proof_row *row, char *const *words, size_t n, struct err *err)
{
	int result = 0;

	row->hypothesis = words[0];
	if (!is_name(row->hypothesis))
		return err_set(err, 0, "%s: not the name of a hypothesis", row->hypothesis);
	row->verdict = n > 1 ? verdict_parse(words[1]) : VERDICT_NONE;
	if (row->verdict == VERDICT_NONE || row->verdict == VERDICT_NOTRUN)
		return err_set(err, 0, "%s: not a verdict to be expected: %s", row->hypothesis,
			       n > 1 ? words[1] : "");
	for (size_t i = 2, length; !result && i < n; i += length) {
		const struct clause *clause = find_clause(words[i]);

		if (!clause)
			return err_set(err, 0, "%s: neither by, also, shows, says nor figure",
				       words[i]);
		for (length = 1; i + length < n && !find_clause(words[i + length]); length++)
			;
		result = length == 1 ? err_set(err, 0, "%s of what?", clause->name)
				     : clause->take(row, words + i + 1, length - 1, err);
	}
	return result ? result : check_row(row, err);
}

int proofs_line_less(struct proof_relation *relation, char *const *words, size_t n, struct err *err)
{
	struct proof_side *left = &relation->left, *right = &relation->right;
	char *end;

	if ((n != LESS_WORDS && n != LESS_WORDS_MORE) || strcmp(words[6], "than") != 0)
		return err_set(err, 0,
			       "not 'less MACHINE HYPOTHESIS TABLE ROW COLUMN than FACTOR "
			       "MACHINE [HYPOTHESIS TABLE ROW COLUMN]'");
	*left = (struct proof_side){
		.machine_name = words[1],
		.hypothesis = words[2],
		.figure = { words[3], words[4], words[5] },
	};
	*right = *left;
	right->machine_name = words[8];
	if (n == LESS_WORDS_MORE) {
		right->hypothesis = words[9];
		right->figure = (struct proof_figure){ words[10], words[11], words[12] };
	}
	relation->factor = strtod(words[7], &end);
	if (end == words[7] || *end || !(relation->factor > 0) || !isfinite(relation->factor))
		return err_set(err, 0, "less than %s times: not a number above 0", words[7]);
	return 0;
}

int proofs_line_unproven(struct proof_unproven *unproven, char *const *words, size_t n,
			 struct err *err)
{
	if (n != 4)
		return err_set(err, 0, "not 'unproven HYPOTHESIS CHECK REASON'");
	unproven->hypothesis = words[1];
	unproven->check = words[2];
	unproven->reason = words[3];
	return 0;
}
