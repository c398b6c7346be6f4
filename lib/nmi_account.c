// SPDX-License-Identifier: GPL-2.0-or-later
#include "nmi_account.h"

#include <jansson.h>
#include <string.h>

#include "machine.h"

#define ALLOWED 5
#define ALLOWED_OF 100

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t beyond(uint64_t value, uint64_t least, uint64_t most)
{
	return value < least ? least - value : value > most ? value - most : 0;
}

struct nmi_signs nmi_account_signs(const struct nmi_account *account)
{
	return (struct nmi_signs){
		.handled = lesser(apart(account->handled, account->samples),
				  apart(account->handled, account->samples + account->calls)),
		.pmis = beyond(account->pmis, account->most, account->samples),
		.nmis = beyond(account->nmis, account->most, account->samples),
		.calls = apart(account->calls, account->nmis),
		.idle = account->idle,
		.allowed = ALLOWED + account->samples / ALLOWED_OF,
	};
}

bool nmi_account_applies(void)
{
	struct err err;
	json_t *machine = machine_inventory("", false, &err);
	const char *vendor = "";
	bool intel = machine && !json_unpack(machine, "{s:{s:s}}", "cpu", "vendor", &vendor) &&
		     !strcmp(vendor, "GenuineIntel");

	json_decref(machine);
	return intel;
}
