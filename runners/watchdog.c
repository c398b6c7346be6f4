// SPDX-License-Identifier: GPL-2.0-or-later
#include "watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/watchdog.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "clock.h"
#include "record.h"

/* The governor of a pretimeout that makes the kernel panic (drivers/watchdog/pretimeout_panic.c).
 */
#define PANIC "panic"

/* A process that dies closes what it held within that time, unless something in it is stuck. */
#define TAKE_OVER_MS 5000

/* Where somebody outside resets the machine, he may say so. */
#define WITHOUT "or say --watchdog none if somebody else resets this machine"

static int system_open(const char *path)
{
	return open(path, O_WRONLY | O_CLOEXEC);
}

static int system_ioctl(int fd, unsigned long request, void *argument)
{
	return ioctl(fd, request, argument);
}

const struct watchdog_ops watchdog_system = {
	.open = system_open,
	.ioctl = system_ioctl,
	.write = write,
	.close = close,
};

/* A number of the device; 0 when it cannot say. */
static int ask(const struct watchdog_held *held, unsigned long request)
{
	int value = 0;

	if (held->ops->ioctl(held->fd, request, &value) || value < 0)
		return 0;
	return value;
}

static int set(const struct watchdog_held *held, unsigned long request, int value)
{
	return held->ops->ioctl(held->fd, request, &value) ? -errno : 0;
}

/* What it says of itself, which sysfs may not have said. */
static void look_at(struct watchdog_held *held)
{
	struct watchdog *device = &held->device;
	struct watchdog_info info = { 0 };
	int status = 0;

	if (!held->ops->ioctl(held->fd, WDIOC_GETSUPPORT, &info))
		snprintf(device->identity, sizeof(device->identity), "%.*s",
			 (int)sizeof(info.identity), (const char *)info.identity);
	/* That was a guess, by a module that is loaded: of ipmi_watchdog also where there is no
	 * BMC. */
	if (!strcmp(device->path, WATCHDOG_LEGACY))
		device->driver[0] = '\0';
	watchdog_classify(device);
	if (info.options & WDIOF_ALARMONLY)
		device->kind = WATCHDOG_ALARM;
	if (device->boot_status < 0 && !held->ops->ioctl(held->fd, WDIOC_GETBOOTSTATUS, &status))
		device->boot_status = status;
}

/*
 * A device may refuse what is too long for it, round it, or have one fixed timeout. Ask for less
 * until it takes it, and then go by what it says: not by its flags, as ipmi_watchdog has no
 * WDIOF_SETTIMEOUT and takes one.
 */
static void set_timeout(struct watchdog_held *held)
{
	long least = held->device.min_timeout_s, most = held->device.max_timeout_s;
	int wanted = WATCHDOG_TIMEOUT_S;

	held->timeout_before_s = ask(held, WDIOC_GETTIMEOUT);
	if (most > 0 && most < wanted)
		wanted = (int)most;
	if (least > wanted)
		wanted = (int)least;
	while (wanted >= WATCHDOG_TIMEOUT_MIN_S && set(held, WDIOC_SETTIMEOUT, wanted))
		wanted = wanted * 3 / 4;
	held->timeout_s = ask(held, WDIOC_GETTIMEOUT);
}

/*
 * A pretimeout makes the kernel panic, with a dump, before the reset. It must leave more than half
 * of the time to feeding (feeder.h). The core gives one, from a timer of the kernel, also to
 * devices whose flags have none (CONFIG_WATCHDOG_HRTIMER_PRETIMEOUT); a device without one refuses.
 */
static void set_pretimeout(struct watchdog_held *held)
{
	int wanted = held->timeout_s / 4 < 10 ? held->timeout_s / 4 : 10;

	held->pretimeout_before_s = ask(held, WDIOC_GETPRETIMEOUT);
	if (!set(held, WDIOC_SETPRETIMEOUT, wanted))
		held->pretimeout_s = ask(held, WDIOC_GETPRETIMEOUT);
	else
		held->pretimeout_s = held->pretimeout_before_s;
	if (held->pretimeout_s <= held->timeout_s / 4)
		return;
	set(held, WDIOC_SETPRETIMEOUT, 0);
	held->pretimeout_s = ask(held, WDIOC_GETPRETIMEOUT);
}

/* Is what came out something to work with? */
static int check_timeouts(const struct watchdog_held *held, struct err *err)
{
	const struct watchdog *device = &held->device;

	if (held->timeout_s < WATCHDOG_TIMEOUT_MIN_S)
		return err_set(err, 0, "%s (%s) has a timeout of %d s, less than the %d s it takes",
			       device->path, device->identity, held->timeout_s,
			       WATCHDOG_TIMEOUT_MIN_S);
	if (held->pretimeout_s > held->timeout_s / 4)
		return err_set(err, 0,
			       "%s (%s) insists on a pretimeout of %d s in a timeout of %d s",
			       device->path, device->identity, held->pretimeout_s, held->timeout_s);
	return 0;
}

int watchdog_open(struct watchdog_held *held, const struct watchdog *device,
		  const struct watchdog_ops *ops, bool named, struct err *err)
{
	int result;

	*held = (struct watchdog_held){ .ops = ops, .device = *device };
	held->fd = ops->open(device->path);
	if (held->fd < 0) {
		held->fd = -1;
		return err_set(err, errno, "open %s", device->path);
	}
	look_at(held);
	if (!named && !watchdog_eligible(&held->device, err)) {
		watchdog_stop(held, NULL);
		return -ENOTSUP;
	}
	set_timeout(held);
	set_pretimeout(held);
	result = check_timeouts(held, err);
	/* ipmi_watchdog is not started by opening it, but by what is first written to it. */
	if (!result)
		result = watchdog_feed(held, err);
	if (result)
		watchdog_stop(held, NULL);
	return result;
}

/* Have the kernel do that at a pretimeout. */
static int set_governor(const struct watchdog_held *held, const char *governor)
{
	const char *slash = strrchr(held->device.path, '/');
	size_t size = strlen(governor);
	char path[128];
	int fd, result = 0;

	snprintf(path, sizeof(path), "/sys/class/watchdog%s/pretimeout_governor", slash);
	fd = held->ops->open(path);
	if (fd < 0 || held->ops->write(fd, governor, size) != (ssize_t)size)
		result = -errno;
	if (fd >= 0)
		held->ops->close(fd);
	return result;
}

static void put_back_governor(const struct watchdog_held *held)
{
	if (*held->governor_before)
		set_governor(held, held->governor_before);
}

bool watchdog_panic_at_pretimeout(struct watchdog_held *held)
{
	struct watchdog *device = &held->device;
	int result;

	if (!held->pretimeout_s || !strcmp(device->governor, PANIC))
		return true;
	/*
	 * None (Debian's are modules) cannot be put back, and says nothing any more once the
	 * pretimeout is 0 again.
	 */
	if (!*device->governor && held->pretimeout_before_s)
		return true;
	result = set_governor(held, PANIC);
	if (result)
		return result == -ENOENT;
	snprintf(held->governor_before, sizeof(held->governor_before), "%s", device->governor);
	snprintf(device->governor, sizeof(device->governor), PANIC);
	return true;
}

int watchdog_feed(struct watchdog_held *held, struct err *err)
{
	/* Any byte but 'V', which would let the next close stop it. */
	if (held->ops->write(held->fd, "f", 1) != 1)
		return err_set(err, errno, "feed %s", held->device.path);
	return 0;
}

int watchdog_stop(struct watchdog_held *held, struct err *err)
{
	int result = 0;

	if (held->fd < 0)
		return 0;
	put_back_governor(held);
	if (held->pretimeout_before_s != held->pretimeout_s)
		set(held, WDIOC_SETPRETIMEOUT, held->pretimeout_before_s);
	if (held->timeout_before_s && held->timeout_before_s != held->timeout_s)
		set(held, WDIOC_SETTIMEOUT, held->timeout_before_s);
	/* The last thing written: a later write would take it back. */
	if (held->ops->write(held->fd, "V", 1) != 1)
		result = err_set(err, errno, "tell %s to stop", held->device.path);
	else if (held->device.nowayout == 1)
		result = err_set(err, EPERM, "stop %s (nowayout)", held->device.path);
	held->ops->close(held->fd);
	held->fd = -1;
	return result;
}

void watchdog_let_go(struct watchdog_held *held)
{
	if (held->fd >= 0)
		held->ops->close(held->fd);
	held->fd = -1;
}

int watchdog_take_over(struct watchdog_held *held, struct err *err)
{
	int64_t until = clock_ms() + TAKE_OVER_MS;

	while ((held->fd = held->ops->open(held->device.path)) < 0 && errno == EBUSY &&
	       clock_ms() < until)
		clock_sleep_ms(10);
	if (held->fd >= 0)
		return 0;
	held->fd = -1;
	return err_set(err, errno, "open %s", held->device.path);
}

void watchdog_keep(struct watchdog_held *held)
{
	prctl(PR_SET_NAME, WATCHDOG_KEEPER);
	put_back_governor(held);
	for (;;) {
		watchdog_feed(held, NULL);
		clock_sleep_ms((long)held->timeout_s * 1000 / 4);
	}
}

/* One that a person named: what sysfs says of it, if it is there. */
static struct watchdog find_named(const struct watchdog *found, size_t n, const char *path)
{
	struct watchdog named = { .kind = WATCHDOG_UNKNOWN,
				  .nowayout = -1,
				  .timeout_s = -1,
				  .min_timeout_s = -1,
				  .max_timeout_s = -1,
				  .boot_status = -1 };

	snprintf(named.path, sizeof(named.path), "%s", path);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(found[i].path, path))
			return found[i];
	/* Without a driver that has it to itself, this is another name of the first. */
	for (size_t i = 0; i < n; i++)
		if (!strcmp(path, "/dev/watchdog") && !strcmp(found[i].path, "/dev/watchdog0"))
			return found[i];
	return named;
}

/* One of ours that only keeps a device from resetting the machine makes room. */
static bool replace_keeper(const struct watchdog *device, const char *root)
{
	char name[64];
	pid_t pid = watchdog_holder(root, device->path, name, sizeof(name));

	return pid > 0 && !*root && !strcmp(name, WATCHDOG_KEEPER) && !kill(pid, SIGKILL);
}

/* Who holds it, and how it can be had. */
static void explain_busy(const struct watchdog *device, const char *root, struct err *err)
{
	char holder[64];
	pid_t pid = watchdog_holder(root, device->path, holder, sizeof(holder));

	if (!pid)
		err_plain(err, EBUSY,
			  "%s (%s) is held by somebody who cannot be seen: end that, %s",
			  device->path, device->identity, WITHOUT);
	else if (pid == 1)
		err_plain(err, EBUSY,
			  "%s (%s) is held by %s (pid 1): set RuntimeWatchdogSec=off in "
			  "/etc/systemd/system.conf and run 'systemctl daemon-reexec', %s",
			  device->path, device->identity, holder, WITHOUT);
	else
		err_plain(err, EBUSY, "%s (%s) is held by %s (pid %d): end it, %s", device->path,
			  device->identity, holder, (int)pid, WITHOUT);
}

/* What sysfs says of it stands for what only the open device would tell. */
static void tell(const struct watchdog_witness *witness, const struct watchdog *device,
		 const struct watchdog_ops *ops)
{
	struct watchdog_held held = {
		.ops = ops,
		.device = *device,
		.fd = -1,
		.timeout_before_s = device->timeout_s > 0 ? (int)device->timeout_s : 0,
	};

	snprintf(held.governor_before, sizeof(held.governor_before), "%s", device->governor);
	if (witness)
		witness->about_to_open(witness->context, &held);
}

static int acquire_named(struct watchdog_held *held, const struct watchdog *device,
			 const char *root, const struct watchdog_ops *ops, struct err *err)
{
	int result = watchdog_open(held, device, ops, true, err);

	if (result == -EBUSY && replace_keeper(device, root)) {
		*held = (struct watchdog_held){ .ops = ops, .device = *device };
		result = watchdog_take_over(held, err);
		if (!result) {
			watchdog_let_go(held);
			result = watchdog_open(held, device, ops, true, err);
		}
	}
	if (result == -EBUSY)
		explain_busy(device, root, err);
	return result;
}

int watchdog_acquire(struct watchdog_held *held, const struct watchdog *found, size_t n,
		     const char *wish, const char *root, const struct watchdog_ops *ops,
		     const struct watchdog_witness *witness, struct err *err)
{
	struct err first = { .text = "" };
	int result = -ENODEV;

	*held = (struct watchdog_held){ .ops = ops, .fd = -1 };
	if (wish) {
		struct watchdog named = find_named(found, n, wish);

		tell(witness, &named, ops);
		return acquire_named(held, &named, root, ops, err);
	}
	for (size_t i = 0; i < n; i++) {
		int tried = -ENOTSUP;
		struct err why;

		if (watchdog_eligible(&found[i], &why)) {
			tell(witness, &found[i], ops);
			tried = watchdog_open(held, &found[i], ops, false, &why);
		}
		if (!tried)
			return 0;
		if (tried == -EBUSY)
			explain_busy(&found[i], root, &why);
		/* The best of them is the one to say something about. */
		if (!*first.text) {
			first = why;
			result = tried;
		}
	}
	if (result == -EBUSY)
		return err_plain(err, EBUSY, "%s", first.text);
	return err_plain(err, -result,
			 "no hardware watchdog%s%s: load the driver of one (iTCO_wdt, sp5100_tco, "
			 "ipmi_watchdog, ...), name one with --watchdog DEVICE, %s",
			 n ? ": " : "", first.text, WITHOUT);
}

/* Where sysfs does not know a device, it may run. */
static bool may_run(const struct watchdog *device)
{
	return device->active || !strcmp(device->path, WATCHDOG_LEGACY);
}

int watchdog_stop_abandoned(const json_t *record, const char *root, const struct watchdog_ops *ops,
			    struct err *err)
{
	struct watchdog found[WATCHDOG_MAX];
	size_t n = watchdog_find(root, found, WATCHDOG_MAX);
	struct watchdog device = find_named(found, n, record_text(record, "device"));
	struct watchdog_held held = {
		.ops = ops,
		.device = device,
		.timeout_before_s =
			(int)json_integer_value(json_object_get(record, "timeout_before_s")),
	};
	char holder[64];
	int result;

	held.pretimeout_before_s =
		(int)json_integer_value(json_object_get(record, "pretimeout_before_s"));
	held.pretimeout_s = (int)json_integer_value(json_object_get(record, "pretimeout_s"));
	snprintf(held.governor_before, sizeof(held.governor_before), "%s",
		 record_text(record, "governor_before"));
	if (!may_run(&device) || watchdog_holder(root, device.path, holder, sizeof(holder)))
		return 0;
	if (device.nowayout == 1)
		return err_plain(err, EPERM,
				 "%s (%s) cannot be stopped (nowayout), and resets the machine "
				 "unless something feeds it",
				 device.path, device.identity);
	result = watchdog_take_over(&held, err);
	if (result)
		return result == -EBUSY || result == -ENOENT || result == -ENODEV ? 0 : result;
	result = watchdog_stop(&held, err);
	return result ? result : 1;
}

json_t *watchdog_record(const struct watchdog *device, const struct watchdog_held *held,
			const char *state)
{
	json_t *record =
		json_pack("{s:s, s:s, s:s, s:s}", "type", "watchdog", "state", state, "device",
			  device->path, "kind", watchdog_kind_name(device->kind));

	record_set_text(record, "identity", device->identity, (size_t)-1);
	record_set_text(record, "driver", device->driver, (size_t)-1);
	if (device->nowayout >= 0)
		json_object_set_new(record, "nowayout", json_boolean(device->nowayout));
	if (device->boot_status >= 0)
		json_object_set_new(record, "bootstatus", watchdog_flags(device->boot_status));
	if (held) {
		json_object_set_new(record, "timeout_s", json_integer(held->timeout_s));
		json_object_set_new(record, "pretimeout_s", json_integer(held->pretimeout_s));
		if (held->timeout_before_s)
			json_object_set_new(record, "timeout_before_s",
					    json_integer(held->timeout_before_s));
		if (held->pretimeout_before_s != held->pretimeout_s)
			json_object_set_new(record, "pretimeout_before_s",
					    json_integer(held->pretimeout_before_s));
		if (*held->governor_before)
			record_set_text(record, "governor_before", held->governor_before,
					(size_t)-1);
	} else if (device->timeout_s >= 0) {
		json_object_set_new(record, "timeout_s", json_integer(device->timeout_s));
	}
	if (*device->governor)
		record_set_text(record, "governor", device->governor, (size_t)-1);
	return record;
}
