// SPDX-License-Identifier: GPL-2.0-or-later
#include "ack_scheme.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Of Linux, arch/x86/events: intel/core.c intel_pmu_handle_irq(), amd/core.c. */
const struct ack_scheme ack_schemes[] = {
	{ "classic", "LDSbAcSbE", "LVTPC first, then the status until it reads 0" },
	{ "mid ack", "DSbAcSLbE", "the status until it reads 0, LVTPC before counters go on" },
	{ "late ack", "DSbAcSbEL", "the status until it reads 0, LVTPC after counters go on" },
	{ "status until 0", "DSbAcSbE",
	  "classic, mid or late ack: the APIC's registers are in memory" },
	{ "PEBS toggle", "lDQSbAcSlPbEl", "PEBS off and on in each PMI, as older kernels do" },
	{ "status last", "DSbclAbE",
	  "status acknowledged once, after the APIC, before counters go on" },
	{ "freezing", "SbclA",
	  "counters freeze by themselves; the acknowledgement sets them free" },
	{ .name = NULL },
};

/* The step that an access is; '\0' for none. */
static char step(const struct msr_access *access)
{
	if (access->op == MSR_RDPMC)
		return 'C';
	switch (msr_kind(access->msr)) {
	case MSR_GLOBAL_CTRL:
		if (access->op == MSR_READ)
			return '\0';
		return access->value ? 'E' : 'D';
	case MSR_PEBS_ENABLE:
		if (access->op == MSR_READ)
			return '\0';
		return access->value ? 'P' : 'Q';
	case MSR_GLOBAL_STATUS:
		return 'S';
	case MSR_GLOBAL_ACK:
		return 'A';
	case MSR_LVTPC:
		return 'L';
	case MSR_COUNTER:
	case MSR_SELECT:
		return 'C';
	case MSR_DEBUGCTL:
	case MSR_LBR_FROM:
	case MSR_LBR_TO:
	case MSR_LBR_INFO:
	case MSR_LBR_TOS:
	case MSR_LBR_SELECT:
	case MSR_LBR_DEPTH:
		return 'B';
	case MSR_DS_AREA:
	case MSR_OTHER:
		break;
	}
	return '\0';
}

const char *ack_sequence(const struct msr_pmi *pmi, char text[ACK_SEQUENCE_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < pmi->n; i++) {
		char next = step(&pmi->access[i]);

		if (!next || ((next == 'C' || next == 'B') && n && text[n - 1] == next))
			continue;
		if (n == ACK_SEQUENCE_MAX - 1) {
			text[n - 1] = '+';
			break;
		}
		text[n++] = next;
	}
	text[n] = '\0';
	return text;
}

static bool follows(const char *sequence, const char *steps)
{
	for (; *steps; steps++) {
		if (*sequence == toupper((unsigned char)*steps))
			sequence++;
		else if (isupper((unsigned char)*steps))
			return false;
	}
	return !*sequence;
}

const struct ack_scheme *ack_scheme(const char *sequence)
{
	for (const struct ack_scheme *scheme = ack_schemes; scheme->name; scheme++)
		if (follows(sequence, scheme->steps))
			return scheme;
	return NULL;
}

bool ack_as_read(const struct msr_pmi *pmi)
{
	uint64_t read = 0, pending = 0;
	bool disabled = false;

	for (size_t i = 0; i < pmi->n; i++) {
		const struct msr_access *access = &pmi->access[i];

		switch (step(access)) {
		case 'D':
			disabled = true;
			break;
		case 'E':
			disabled = false;
			break;
		case 'S':
			read |= access->value;
			pending |= access->value;
			break;
		case 'A':
			if (!disabled && (access->value & ~read))
				return false;
			pending &= ~access->value;
			break;
		default:
			break;
		}
	}
	return read && !pending;
}

/* The value that a PMI leaves in a register of that kind, if it writes one. */
static bool last_written(const struct msr_pmi *pmi, enum msr_kind kind, uint64_t *value)
{
	for (size_t i = pmi->n; i > 0; i--) {
		const struct msr_access *access = &pmi->access[i - 1];

		if (access->op == MSR_WRITE && msr_kind(access->msr) == kind) {
			*value = access->value;
			return true;
		}
	}
	return false;
}

bool ack_restores(const struct msr_pmi *pmi)
{
	uint64_t left;

	if (last_written(pmi, MSR_GLOBAL_CTRL, &left) &&
	    (pmi->ctrl_known ? left != pmi->ctrl : !left))
		return false;
	if (last_written(pmi, MSR_PEBS_ENABLE, &left) &&
	    (pmi->pebs_known ? left != pmi->pebs : !left))
		return false;
	return true;
}

static void add_accesses(struct ack_summary *summary, const struct msr_pmi *pmi)
{
	for (size_t i = 0; i < pmi->n; i++) {
		const struct msr_access *access = &pmi->access[i];

		if (access->op == MSR_RDPMC)
			summary->rdpmcs++;
		else if (MSR_BIT(msr_kind(access->msr)) & MSR_BRANCHES)
			summary->branches++;
		else if (access->op == MSR_WRITE)
			summary->writes++;
		else
			summary->reads++;
	}
}

static void add_sequence(struct ack_summary *summary, const struct msr_pmi *pmi)
{
	char sequence[ACK_SEQUENCE_MAX];
	size_t i = 0;

	ack_sequence(pmi, sequence);
	while (i < summary->groups && strcmp(summary->group[i].sequence, sequence) != 0)
		i++;
	if (i == ACK_GROUPS)
		return;
	if (i == summary->groups) {
		memcpy(summary->group[i].sequence, sequence, sizeof(sequence));
		summary->groups++;
	}
	summary->group[i].n++;
}

static int by_frequency(const void *left, const void *right)
{
	const struct ack_group *a = left, *b = right;

	if (a->n != b->n)
		return a->n < b->n ? 1 : -1;
	return strcmp(a->sequence, b->sequence);
}

/*
 * An NMI with nothing to acknowledge: not a PMI at all, one whose overflow was handled with the one
 * before, or one without a cause. What the handler returned does not tell: without a BTS buffer
 * intel_bts_interrupt() of Linux 6.1 takes every NMI as its own.
 */
static bool is_idle(const struct msr_pmi *pmi)
{
	bool read = false;

	for (size_t i = 0; i < pmi->n; i++) {
		if (step(&pmi->access[i]) != 'S')
			continue;
		if (pmi->access[i].value)
			return false;
		read = true;
	}
	return read || !pmi->handled;
}

void ack_summarize(const struct msr_log *log, struct ack_summary *summary)
{
	struct msr_pmi_cursor cursor = { 0 };
	struct msr_pmi pmi;

	memset(summary, 0, sizeof(*summary));
	while (msr_pmi_next(log, &cursor, &pmi)) {
		if (is_idle(&pmi)) {
			summary->idle++;
			continue;
		}
		summary->pmis++;
		summary->as_read += ack_as_read(&pmi);
		summary->restored += ack_restores(&pmi);
		add_accesses(summary, &pmi);
		add_sequence(summary, &pmi);
	}
	qsort(summary->group, summary->groups, sizeof(summary->group[0]), by_frequency);
}
