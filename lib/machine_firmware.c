// SPDX-License-Identifier: GPL-2.0-or-later
/* Firmware and board, hypervisor, and, only when asked for, what names the machine. */
#include <string.h>

#include "machine_parts.h"

#define DMI "/sys/class/dmi/id/"

json_t *machine_firmware(struct machine *m)
{
	static const struct machine_file files[] = {
		{ "bios_vendor", DMI "bios_vendor", FORM_TEXT },
		{ "bios_version", DMI "bios_version", FORM_TEXT },
		{ "bios_date", DMI "bios_date", FORM_TEXT },
		{ "bios_release", DMI "bios_release", FORM_TEXT },
		{ "system_vendor", DMI "sys_vendor", FORM_TEXT },
		{ "product", DMI "product_name", FORM_TEXT },
		{ "product", "/proc/device-tree/model", FORM_TEXT },
		{ "board_vendor", DMI "board_vendor", FORM_TEXT },
		{ "board", DMI "board_name", FORM_TEXT },
		{ "board_version", DMI "board_version", FORM_TEXT },
		{ NULL },
	};
	/* Alpha has neither DMI nor a device tree; there /proc/cpuinfo names the system. */
	static const char *const lines[][2] = {
		{ "system", "system type" },
		{ "system_variation", "system variation" },
		{ "product", "platform string" },
	};
	json_t *firmware = json_object();
	char text[256];

	machine_put_files(m, firmware, "", files);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!json_object_get(firmware, lines[i][0]) &&
		    machine_line_value(m->root, "/proc/cpuinfo", lines[i][1], text, sizeof(text)) >
			    0)
			machine_put_text(m, firmware, lines[i][0], text, (size_t)-1);
	return firmware;
}

/*
 * Hypervisors by what they put into DMI, where CPUID cannot be asked. Clouds are not here: the bare
 * metal they rent out carries the same names.
 */
static const struct {
	const char *file;
	const char *start;
	const char *type;
} dmi_names[] = {
	{ DMI "sys_vendor", "QEMU", "qemu" },
	{ DMI "bios_vendor", "SeaBIOS", "qemu" },
	{ DMI "product_name", "KVM", "kvm" },
	{ DMI "sys_vendor", "VMware", "vmware" },
	{ DMI "product_name", "VirtualBox", "virtualbox" },
	{ DMI "product_name", "Virtual Machine", "hyperv" },
	{ DMI "sys_vendor", "Xen", "xen" },
	{ DMI "bios_vendor", "BHYVE", "bhyve" },
};

static void put_dmi_type(struct machine *m, json_t *group)
{
	char text[256];

	for (size_t i = 0; i < sizeof(dmi_names) / sizeof(dmi_names[0]); i++)
		if (!json_object_get(group, "type") &&
		    machine_read(m->root, dmi_names[i].file, text, sizeof(text)) > 0 &&
		    !strncmp(text, dmi_names[i].start, strlen(dmi_names[i].start)))
			machine_put(m, group, "type", json_string(dmi_names[i].type));
}

/* The "hypervisor" flag of x86, from /proc/cpuinfo; unknown where there are no such flags. */
static void put_flag(struct machine *m, json_t *group)
{
	static const char wanted[] = "hypervisor";
	char flags[MACHINE_TEXT_MAX], *state = NULL;
	bool found = false;

	if (json_object_get(group, "present") ||
	    machine_line_value(m->root, "/proc/cpuinfo", "flags", flags, sizeof(flags)) <= 0)
		return;
	for (char *flag = strtok_r(flags, " ", &state); flag; flag = strtok_r(NULL, " ", &state))
		found |= !strcmp(flag, wanted);
	machine_put(m, group, "present", json_boolean(found));
}

json_t *machine_hypervisor(struct machine *m)
{
	static const struct machine_file files[] = {
		{ "type", "type", FORM_TEXT },
		{ "guest_type", "guest_type", FORM_TEXT },
		{ "version_major", "version/major", FORM_INTEGER },
		{ "version_minor", "version/minor", FORM_INTEGER },
		{ "version_extra", "version/extra", FORM_TEXT },
		{ "pmu_mode", "pmu/pmu_mode", FORM_TEXT },
		{ NULL },
	};
	json_t *group = json_object();

	if (!m->root[0])
		machine_cpuid_put_hypervisor(m, group);
	machine_put_files(m, group, "/sys/hypervisor/", files);
	put_dmi_type(m, group);
	put_flag(m, group);
	return group;
}

static json_t *addresses(struct machine *m)
{
	json_t *object = json_object();
	struct dirent **names;
	char text[128];
	int n = machine_list(m, "/sys/class/net", &names);

	for (int i = 0; i < n; i++)
		if (strcmp(names[i]->d_name, "lo") &&
		    machine_readf(m->root, text, sizeof(text), "/sys/class/net/%s/address",
				  names[i]->d_name) > 0)
			machine_put_text(m, object, names[i]->d_name, text, (size_t)-1);
	machine_list_free(names, n);
	return object;
}

json_t *machine_identity(struct machine *m)
{
	static const struct machine_file files[] = {
		{ "hostname", "/proc/sys/kernel/hostname", FORM_TEXT },
		{ "product_serial", DMI "product_serial", FORM_TEXT },
		{ "product_uuid", DMI "product_uuid", FORM_TEXT },
		{ "board_serial", DMI "board_serial", FORM_TEXT },
		{ "chassis_serial", DMI "chassis_serial", FORM_TEXT },
		{ "chassis_asset_tag", DMI "chassis_asset_tag", FORM_TEXT },
		{ "serial", "/proc/device-tree/serial-number", FORM_TEXT },
		{ "hypervisor_uuid", "/sys/hypervisor/uuid", FORM_TEXT },
		{ NULL },
	};
	json_t *identity = json_object();

	machine_put_files(m, identity, "", files);
	machine_put_group(m, identity, "addresses", addresses(m));
	return identity;
}
