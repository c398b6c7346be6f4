// SPDX-License-Identifier: GPL-2.0-or-later
#include "prove_files.h"

/* Does a selected machine need the architecture's table? */
static bool is_needed(const struct proofs *proofs, const struct lab_arch *arch, bool partial)
{
	for (size_t m = 0; m < proofs->n_machines; m++) {
		const struct proof_machine *machine = &proofs->machines[m];

		if (machine->lab.model->arch == arch && proof_machine_selected(machine) &&
		    (!partial || *machine->lab.variant))
			return true;
	}
	return false;
}

int prove_files_find(struct prove_files *files, const struct proofs *proofs, bool partial,
		     struct err *err)
{
	for (size_t i = 0; i < LAB_ARCHS; i++) {
		const struct lab_arch *arch = &lab_archs[i];
		int result =
			lab_machine_variants(arch, files->paths[i], sizeof(files->paths[i]), err);

		if (result && is_needed(proofs, arch, partial))
			return result;
		files->variants[i] = result ? NULL : files->paths[i];
	}
	return 0;
}

int prove_files_check(const struct proofs *proofs, const char *kernel, struct err *err)
{
	int result = 0;

	for (size_t m = 0; !result && m < proofs->n_machines; m++) {
		const struct proof_machine *machine = &proofs->machines[m];
		struct lab_machine lab = machine->lab;

		if (!proof_machine_selected(machine))
			continue;
		result = lab_machine_find(&lab, machine->tested ? kernel : NULL, err);
		if (result)
			err_prefix(err, "machine %s", machine->name);
	}
	return result;
}
