// SPDX-License-Identifier: GPL-2.0-or-later
#include "lbr_model.h"

#include <jansson.h>
#include <stddef.h>
#include <string.h>

#include "machine.h"

#define INTEL "GenuineIntel"

/*
 * Intel SDM volume 3B, "LBR Stack Size and TOS Pointer Range" and the sections on each
 * microarchitecture; models as in arch/x86/include/asm/intel-family.h (6.1).
 */
static const struct lbr_model models[] = {
	{ INTEL, 6, 0x1a, 0x1a, 16, false }, /* Nehalem */
	{ INTEL, 6, 0x1e, 0x1f, 16, false },
	{ INTEL, 6, 0x2e, 0x2e, 16, false },
	{ INTEL, 6, 0x25, 0x25, 16, false }, /* Westmere */
	{ INTEL, 6, 0x2c, 0x2c, 16, false },
	{ INTEL, 6, 0x2f, 0x2f, 16, false },
	{ INTEL, 6, 0x2a, 0x2a, 16, false }, /* Sandy Bridge */
	{ INTEL, 6, 0x2d, 0x2d, 16, false },
	{ INTEL, 6, 0x3a, 0x3a, 16, false }, /* Ivy Bridge */
	{ INTEL, 6, 0x3e, 0x3e, 16, false },
	{ INTEL, 6, 0x3c, 0x3c, 16, false }, /* Haswell */
	{ INTEL, 6, 0x3f, 0x3f, 16, false },
	{ INTEL, 6, 0x45, 0x46, 16, false },
	{ INTEL, 6, 0x3d, 0x3d, 16, false }, /* Broadwell */
	{ INTEL, 6, 0x47, 0x47, 16, false },
	{ INTEL, 6, 0x4f, 0x4f, 16, false },
	{ INTEL, 6, 0x56, 0x56, 16, false },
	{ INTEL, 6, 0x4e, 0x4e, 32, true }, /* Skylake, Cascade Lake, Kaby Lake, Comet Lake */
	{ INTEL, 6, 0x55, 0x55, 32, true },
	{ INTEL, 6, 0x5e, 0x5e, 32, true },
	{ INTEL, 6, 0x8e, 0x8e, 32, true },
	{ INTEL, 6, 0x9e, 0x9e, 32, true },
	{ INTEL, 6, 0xa5, 0xa6, 32, true },
	{ INTEL, 6, 0x6a, 0x6a, 32, true }, /* Ice Lake, Tiger Lake, Rocket Lake */
	{ INTEL, 6, 0x6c, 0x6c, 32, true },
	{ INTEL, 6, 0x7d, 0x7e, 32, true },
	{ INTEL, 6, 0x8c, 0x8d, 32, true },
	{ INTEL, 6, 0xa7, 0xa7, 32, true },
};

const struct lbr_model *lbr_model_find(const char *vendor, int family, int model)
{
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		const struct lbr_model *row = &models[i];

		if (row->family == family && row->model_first <= model &&
		    model <= row->model_last && !strcmp(row->vendor, vendor))
			return row;
	}
	return NULL;
}

const struct lbr_model *lbr_model_here(void)
{
	const struct lbr_model *found = NULL;
	const char *vendor = NULL;
	int family = 0, model = 0;
	json_t *machine = machine_inventory("", false, NULL);

	if (!json_unpack(machine, "{s:{s:s, s:i, s:i}}", "cpu", "vendor", &vendor, "family",
			 &family, "model", &model))
		found = lbr_model_find(vendor, family, model);
	json_decref(machine);
	return found;
}
