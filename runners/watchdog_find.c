// SPDX-License-Identifier: GPL-2.0-or-later
/* Which watchdogs a machine has, and which of them is to be trusted with it. */
#include "watchdog_find.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/watchdog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"
#include "machine_parts.h"

#define CLASS "/sys/class/watchdog"

/*
 * Drivers (names of modules, as in /sys/module or of the device's driver) and what they call
 * themselves (drivers/watchdog and drivers/char/ipmi of Linux 6.1). Hardware in the order in which
 * it is tried: timers of the chipset, which a driver reaches with a register access, before those
 * of a management controller, which need a conversation with it. What a virtual machine has counts
 * as hardware: its timer is the host's.
 */
static const struct known {
	enum watchdog_kind kind;
	const char *driver;
	const char *identity;
	bool legacy; /* has /dev/watchdog only and nothing in /sys/class/watchdog */
} known[] = {
	{ WATCHDOG_HARDWARE, "iTCO_wdt", "iTCO_wdt", false },
	{ WATCHDOG_HARDWARE, "sp5100_tco", "SP5100 TCO timer", false },
	{ WATCHDOG_HARDWARE, "wdat_wdt", "wdat_wdt", false },
	{ WATCHDOG_HARDWARE, "sbsa_gwdt", "SBSA Generic Watchdog", false },
	{ WATCHDOG_HARDWARE, "dw_wdt", "Synopsys DesignWare Watchdog", false },
	{ WATCHDOG_HARDWARE, "orion_wdt", "Orion Watchdog", false },
	{ WATCHDOG_HARDWARE, "sp805_wdt", "sp805-wdt", false },
	{ WATCHDOG_HARDWARE, "bcm2835_wdt", "Broadcom BCM2835 Watchdog timer", false },
	{ WATCHDOG_HARDWARE, "imx2_wdt", "imx2+ watchdog", false },
	{ WATCHDOG_HARDWARE, "omap_wdt", "OMAP Watchdog", false },
	{ WATCHDOG_HARDWARE, "meson_gxbb_wdt", "Meson GXBB Watchdog", false },
	{ WATCHDOG_HARDWARE, "s3c2410_wdt", "S3C2410 Watchdog", false },
	{ WATCHDOG_HARDWARE, "nv_tco", "NV_TCO", true },
	{ WATCHDOG_HARDWARE, "i6300esb", "i6300ESB timer", false },
	{ WATCHDOG_HARDWARE, "ib700wdt", "IB700 WDT", true },
	{ WATCHDOG_HARDWARE, "diag288_wdt", "z Watchdog", false },
	{ WATCHDOG_HARDWARE, "pseries_wdt", "pseries-wdt", false },
	{ WATCHDOG_HARDWARE, "xen_wdt", "xen_wdt", false },
	{ WATCHDOG_HARDWARE, "it87_wdt", "IT87 WDT", false },
	{ WATCHDOG_HARDWARE, "w83627hf_wdt", "W83627HF Watchdog", false },
	{ WATCHDOG_HARDWARE, "hpwdt", "HPE iLO2+ HW Watchdog Timer", false },
	{ WATCHDOG_HARDWARE, "ipmi_watchdog", "IPMI", true },
	{ WATCHDOG_ALARM, "mei_wdt", "iamt_wdt", false },
	{ WATCHDOG_SOFTWARE, "softdog", "Software Watchdog", false },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* WDIOF_* of linux/watchdog.h, those that a boot status or a device can have. */
static const struct {
	unsigned int flag;
	const char *word;
} flags[] = {
	{ WDIOF_OVERHEAT, "overheat" },	     { WDIOF_FANFAULT, "fan-fault" },
	{ WDIOF_EXTERN1, "extern1" },	     { WDIOF_EXTERN2, "extern2" },
	{ WDIOF_POWERUNDER, "power-under" }, { WDIOF_CARDRESET, "card-reset" },
	{ WDIOF_POWEROVER, "power-over" },
};

static const char *const kinds[] = {
	[WATCHDOG_HARDWARE] = "hardware",
	[WATCHDOG_UNKNOWN] = "unknown",
	[WATCHDOG_ALARM] = "alarm",
	[WATCHDOG_SOFTWARE] = "software",
};

const char *watchdog_kind_name(enum watchdog_kind kind)
{
	return kinds[kind];
}

void watchdog_classify(struct watchdog *watchdog)
{
	for (size_t i = 0; i < COUNT(known); i++) {
		if (strcmp(known[i].driver, watchdog->driver) != 0 &&
		    strcmp(known[i].identity, watchdog->identity) != 0)
			continue;
		if (!*watchdog->driver)
			snprintf(watchdog->driver, sizeof(watchdog->driver), "%s", known[i].driver);
		watchdog->rank = (unsigned int)i;
		watchdog->kind = known[i].kind;
		return;
	}
	watchdog->rank = COUNT(known);
	watchdog->kind = WATCHDOG_UNKNOWN;
}

json_t *watchdog_flags(long status)
{
	unsigned long rest = status > 0 ? (unsigned long)status : 0;
	json_t *words = json_array();

	for (size_t i = 0; i < COUNT(flags); i++) {
		if (rest & flags[i].flag)
			json_array_append_new(words, json_string(flags[i].word));
		rest &= ~(unsigned long)flags[i].flag;
	}
	if (rest)
		json_array_append_new(words, json_sprintf("0x%lx", rest));
	return words;
}

bool watchdog_eligible(const struct watchdog *watchdog, struct err *why)
{
	static const char *const against[] = {
		[WATCHDOG_ALARM] = "raises an alarm and resets nothing",
		[WATCHDOG_SOFTWARE] = "is a timer of the kernel that is to be watched",
	};
	const char *name = *watchdog->identity ? watchdog->identity : "?";

	if (watchdog->kind == WATCHDOG_ALARM || watchdog->kind == WATCHDOG_SOFTWARE)
		err_set(why, 0, "%s (%s) %s", watchdog->path, name, against[watchdog->kind]);
	else if (watchdog->nowayout == 1)
		err_set(why, 0, "%s (%s) cannot be stopped once it runs (nowayout)", watchdog->path,
			name);
	else
		return true;
	return false;
}

static long read_number(const char *root, const char *dir, const char *name)
{
	char text[32];
	json_int_t value;

	if (machine_readf(root, text, sizeof(text), "%s/%s", dir, name) <= 0 ||
	    machine_parse_integer(text, &value))
		return -1;
	return (long)value;
}

static void read_text(const char *root, const char *dir, const char *name, char *text, size_t size)
{
	if (machine_readf(root, text, size, "%s/%s", dir, name) <= 0)
		*text = '\0';
}

/* The last part of what a link points to; empty when there is no such link. */
static void read_link(const char *root, const char *path, char *text, size_t size)
{
	char full[PATH_MAX], target[PATH_MAX];
	const char *slash;
	ssize_t len = -1;

	*text = '\0';
	if ((size_t)snprintf(full, sizeof(full), "%s%s", root, path) < sizeof(full))
		len = readlink(full, target, sizeof(target) - 1);
	if (len <= 0)
		return;
	target[len] = '\0';
	slash = strrchr(target, '/');
	snprintf(text, size, "%s", slash ? slash + 1 : target);
}

/*
 * Can it be stopped? Where sysfs does not say, a parameter of the driver may, and else how the
 * kernel was configured, which is what drivers go by.
 */
static int read_nowayout(const char *root, const char *dir, const char *driver)
{
	char text[8];
	long value = dir ? read_number(root, dir, "nowayout") : -1;
	int configured;

	if (value >= 0)
		return value != 0;
	if (*driver && machine_readf(root, text, sizeof(text), "/sys/module/%s/parameters/nowayout",
				     driver) > 0)
		return *text == 'Y' || *text == '1';
	configured = machine_kconfig(root, "WATCHDOG_NOWAYOUT");
	return configured < 0 ? -1 : configured;
}

/* One of the class. False when its name is none. */
static bool read_device(const char *root, const char *name, struct watchdog *watchdog)
{
	long number = machine_numbered(name, "watchdog");
	char dir[sizeof(CLASS) + NAME_MAX + 1], link[sizeof(dir) + 32], text[16];

	if (number < 0)
		return false;
	*watchdog = (struct watchdog){ 0 };
	snprintf(watchdog->path, sizeof(watchdog->path), "/dev/watchdog%ld", number);
	snprintf(dir, sizeof(dir), CLASS "/%s", name);
	snprintf(link, sizeof(link), "%s/device/driver", dir);
	read_link(root, link, watchdog->driver, sizeof(watchdog->driver));
	read_text(root, dir, "identity", watchdog->identity, sizeof(watchdog->identity));
	read_text(root, dir, "pretimeout_governor", watchdog->governor, sizeof(watchdog->governor));
	read_text(root, dir, "state", text, sizeof(text));
	watchdog->active = !strcmp(text, "active");
	watchdog_classify(watchdog);
	watchdog->nowayout = read_nowayout(root, dir, watchdog->driver);
	watchdog->timeout_s = read_number(root, dir, "timeout");
	watchdog->min_timeout_s = read_number(root, dir, "min_timeout");
	watchdog->max_timeout_s = read_number(root, dir, "max_timeout");
	watchdog->boot_status = read_number(root, dir, "bootstatus");
	return true;
}

/* Is there a file, of whatever type? */
static bool exists(const char *root, const char *fmt, const char *name)
{
	char path[PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s", root);

	if (len < 0 || (size_t)len >= sizeof(path))
		return false;
	snprintf(path + len, sizeof(path) - (size_t)len, fmt, name);
	return !access(path, F_OK);
}

/*
 * A driver without the core: it is known by its module. With none of the class there, a
 * /dev/watchdog belongs to such a driver too, whichever it is.
 */
static bool read_legacy(const char *root, bool alone, struct watchdog *watchdog)
{
	const struct known *driver = known;

	if (!exists(root, "%s", WATCHDOG_LEGACY))
		return false;
	while (driver < known + COUNT(known) &&
	       !(driver->legacy && exists(root, "/sys/module/%s", driver->driver)))
		driver++;
	if (driver == known + COUNT(known) && !alone)
		return false; /* it is another name of /dev/watchdog0 */
	*watchdog = (struct watchdog){ .path = WATCHDOG_LEGACY,
				       .kind = WATCHDOG_UNKNOWN,
				       .rank = (unsigned int)(driver - known),
				       .timeout_s = -1,
				       .min_timeout_s = -1,
				       .max_timeout_s = -1,
				       .boot_status = -1 };
	if (driver < known + COUNT(known)) {
		watchdog->kind = driver->kind;
		snprintf(watchdog->driver, sizeof(watchdog->driver), "%s", driver->driver);
		snprintf(watchdog->identity, sizeof(watchdog->identity), "%s", driver->identity);
	}
	watchdog->nowayout = read_nowayout(root, NULL, watchdog->driver);
	return true;
}

static int by_preference(const void *a, const void *b)
{
	const struct watchdog *left = a, *right = b;

	if (left->kind != right->kind)
		return left->kind < right->kind ? -1 : 1;
	if ((left->nowayout == 1) != (right->nowayout == 1))
		return left->nowayout == 1 ? 1 : -1;
	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	return strverscmp(left->path, right->path);
}

size_t watchdog_find(const char *root, struct watchdog *found, size_t max)
{
	struct machine machine = { .root = root };
	struct dirent **names;
	int n_names = machine_list(&machine, CLASS, &names);
	size_t n = 0;

	for (int i = 0; i < n_names && n < max; i++)
		if (read_device(root, names[i]->d_name, &found[n]))
			n++;
	machine_list_free(names, n_names);
	if (n < max && read_legacy(root, n == 0, &found[n]))
		n++;
	qsort(found, n, sizeof(*found), by_preference);
	return n;
}

/* Does descriptor `fd` of a process lead to the device? */
static bool leads_to(const char *root, const char *pid, const char *fd, const char *path)
{
	char full[PATH_MAX], target[64];
	ssize_t len;

	if ((size_t)snprintf(full, sizeof(full), "%s/proc/%s/fd/%s", root, pid, fd) >= sizeof(full))
		return false;
	len = readlink(full, target, sizeof(target) - 1);
	if (len <= 0)
		return false;
	target[len] = '\0';
	/* /dev/watchdog is another name of /dev/watchdog0, but for a driver without the core. */
	return !strcmp(target, path) ||
	       (!strcmp(path, "/dev/watchdog0") && !strcmp(target, WATCHDOG_LEGACY));
}

static bool holds(const char *root, const char *pid, const char *path)
{
	char dir[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *fds;

	if ((size_t)snprintf(dir, sizeof(dir), "%s/proc/%s/fd", root, pid) >= sizeof(dir))
		return false;
	fds = opendir(dir);
	while (fds && !found && (entry = readdir(fds)))
		found = leads_to(root, pid, entry->d_name, path);
	if (fds)
		closedir(fds);
	return found;
}

pid_t watchdog_holder(const char *root, const char *path, char *name, size_t size)
{
	struct machine machine = { .root = root };
	struct dirent **names;
	int n = machine_list(&machine, "/proc", &names);
	pid_t holder = 0;

	for (int i = 0; i < n && !holder; i++) {
		long pid = machine_numbered(names[i]->d_name, "");

		if (pid <= 0 || !holds(root, names[i]->d_name, path))
			continue;
		if (machine_readf(root, name, size, "/proc/%ld/comm", pid) <= 0)
			snprintf(name, size, "?");
		holder = (pid_t)pid;
	}
	machine_list_free(names, n);
	return holder;
}
