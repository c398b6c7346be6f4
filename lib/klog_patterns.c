// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The forms of kernel messages that mean trouble, and the matcher that reads them.
 *
 * Why an own matcher and not regular expressions: a row can be read next to the kernel's own
 * format string, nothing has to be compiled, shared between threads or freed, and rejecting a row
 * costs one comparison of characters, which is what a flood of unrelated messages needs. A star is
 * only ever moved forward, so a match takes at most length(form) * length(text) steps.
 *
 * Rows are tried in order and the first match counts: special forms stand before general ones.
 */
#include "klog_patterns.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

const struct klog_pattern klog_patterns[] = {
	/* What frames a WARN() and a BUG(). */
	{ "cut-here", KLOG_NONE, KLOG_ROW_FRAME, "------------[ cut here ]------------" },
	{ "end-trace", KLOG_NONE, KLOG_ROW_END, "---[ end trace %x ]---" },

	/*
	 * arch/x86/events. The texts of WARN(), but for the microcode hint. The loop warns once in
	 * the life of a boot, the reset after it is reported every time: a second one is an event.
	 */
	{ "pmu-loop-2.6.31", KLOG_PMU_LOOP, KLOG_ROW_TEXT, "perfcounters: irq loop stuck!" },
	{ "pmu-loop", KLOG_PMU_LOOP, KLOG_ROW_TEXT, "perfevents: irq loop stuck!" },
	{ "pmu-loop-knc", KLOG_PMU_LOOP, KLOG_ROW_TEXT, "perf: irq loop stuck!" },
	{ "pmu-loop-reset", KLOG_PMU_LOOP, KLOG_ROW_CONT | KLOG_ROW_LAST,
	  "clearing PMU state on CPU#%u" },
	{ "amd-inactive-pmc", KLOG_PMU_ODD, KLOG_ROW_TEXT, "New overflows for inactive PMCs: %x" },
	{ "amd-reserved-status", KLOG_PMU_ODD, 0,
	  "Reserved PerfCntrGlobalStatus bits are set (%x), please consider updating microcode" },
	{ "pt-topa-error", KLOG_PMU_ODD, 0, "ToPA ERROR encountered, trying to recover" },
	/* arch/alpha/kernel/{perf_event,irq_alpha}.c, arch/powerpc/perf/core-book3s.c */
	{ "alpha-pmi-index", KLOG_PMU_ODD, 0, "PMI: silly index %u" },
	{ "alpha-pmi-no-event", KLOG_PMU_ODD, 0, "PMI: No event at index %u!" },
	{ "alpha-pmi-unclaimed", KLOG_PMU_ODD, 0, "Performance counter interrupt!" },
	{ "alpha-intr-unknown", KLOG_PMU_ODD, 0, "Hardware intr %u %x? Huh?" },
	{ "ppc-pmc-not-found", KLOG_PMU_ODD, 0, "Can't find PMC that caused IRQ" },

	/* kernel/events/core.c; arch/x86/kernel/nmi.c */
	{ "throttle-3.x", KLOG_THROTTLE, 0,
	  "perf samples too long (%u > %u), lowering kernel.perf_event_max_sample_rate to %u" },
	{ "throttle-4.x", KLOG_THROTTLE, 0,
	  "perf interrupt took too long (%u > %u), lowering kernel.perf_event_max_sample_rate to "
	  "%u" },
	{ "throttle", KLOG_THROTTLE, 0,
	  "perf: interrupt took too long (%u > %u), lowering kernel.perf_event_max_sample_rate to "
	  "%u" },
	{ "throttle-off", KLOG_THROTTLE, 0,
	  "perf: Dynamic interrupt throttling disabled, can hang your system!" },
	{ "throttle-suppressed", KLOG_THROTTLE, KLOG_ROW_COUNT,
	  "perf_duration_warn: %u callbacks suppressed" },
	{ "slow-nmi", KLOG_SLOW_NMI, 0, "INFO: NMI handler (*) took too long to run: %u.%u msecs" },
	{ "slow-nmi-suppressed", KLOG_SLOW_NMI, KLOG_ROW_COUNT,
	  "nmi_check_duration: %u callbacks suppressed" },
	{ "slow-nmi-suppressed-3.x", KLOG_SLOW_NMI, KLOG_ROW_COUNT,
	  "nmi_handle: %u callbacks suppressed" },
	{ "other-suppressed", KLOG_NONE, KLOG_ROW_COUNT, "%h: %u callbacks suppressed" },

	/* NMIs, and on other architectures interrupts, that nobody claims. */
	{ "nmi-unknown", KLOG_UNKNOWN_NMI, 0, "Uhhuh. NMI received" },
	{ "nmi-serr", KLOG_UNKNOWN_NMI, 0, "NMI: PCI system error (SERR)" },
	{ "nmi-iock", KLOG_UNKNOWN_NMI, 0, "NMI: IOCK error" },
	{ "nmi-power-saving", KLOG_UNKNOWN_NMI, KLOG_ROW_CONT,
	  "Do you have a strange power saving mode enabled?" },
	{ "nmi-pci-bus", KLOG_UNKNOWN_NMI, KLOG_ROW_CONT,
	  "You have some hardware problem, likely on the PCI bus." },
	{ "nmi-dazed", KLOG_UNKNOWN_NMI, KLOG_ROW_CONT,
	  "Dazed and confused, but trying to continue" },
	{ "irq-nobody-cared", KLOG_UNKNOWN_NMI, 0, "irq %u: nobody cared" },
	{ "irq-disabled", KLOG_UNKNOWN_NMI, KLOG_ROW_CONT, "Disabling IRQ #%u" },
	{ "irq-unexpected", KLOG_UNKNOWN_NMI, 0, "unexpected IRQ trap at vector %x" },
	/* arch/alpha/kernel/{irq,irq_alpha,smp}.c */
	{ "alpha-irq-unexpected", KLOG_UNKNOWN_NMI, 0, "Unexpected IRQ trap at vector %u" },
	{ "alpha-irq-invalid", KLOG_UNKNOWN_NMI, 0, "device_interrupt: invalid interrupt %u" },
	{ "alpha-ipi", KLOG_UNKNOWN_NMI, 0, "Interprocessor interrupt? You must be kidding!" },
	{ "alpha-ipi-unknown", KLOG_UNKNOWN_NMI, 0, "Unknown IPI on CPU %u: %u" },

	/* kernel/rcu: flavour names vary (rcu_sched, rcu_preempt_state, srcu, rcu_tasks_trace). */
	{ "rcu-self", KLOG_RCU_STALL, 0, "INFO: %h self-detected stall on CPU" },
	{ "rcu-others", KLOG_RCU_STALL, 0, "INFO: %h detected stalls on CPUs/tasks:" },
	{ "rcu-one-2.6", KLOG_RCU_STALL, 0, "INFO: %h detected stall on CPU %u" },
	{ "rcu-cpu-2.6", KLOG_RCU_STALL, 0, "INFO: RCU detected CPU %u stall" },
	{ "rcu-cpus-2.6", KLOG_RCU_STALL, 0, "INFO: RCU detected CPU stalls:" },
	{ "rcu-expedited", KLOG_RCU_STALL, 0,
	  "INFO: %h detected expedited stalls on CPUs/tasks: {" },
	{ "rcu-tasks", KLOG_RCU_STALL, 0, "INFO: rcu_tasks* detected stalls" },
	{ "rcu-kthread-starved", KLOG_RCU_STALL, KLOG_ROW_CONT,
	  "%h kthread starved for %u jiffies!" },
	{ "rcu-kthread-timer", KLOG_RCU_STALL, KLOG_ROW_CONT,
	  "%h kthread timer wakeup didn't happen for %u jiffies!" },

	/* kernel/watchdog*.c, powerpc's own, and the NMI watchdog before 2.6.38 */
	{ "hard-lockup", KLOG_HARD_LOCKUP, KLOG_ROW_TEXT,
	  "Watchdog detected hard LOCKUP on cpu %u" },
	{ "hard-lockup-2.6", KLOG_HARD_LOCKUP, 0, "BUG: NMI Watchdog detected LOCKUP on CPU%_%u" },
	{ "hard-lockup-nmi-2.6", KLOG_HARD_LOCKUP, 0, "NMI Watchdog detected LOCKUP on CPU%_%u" },
	{ "hard-lockup-ppc", KLOG_HARD_LOCKUP, 0, "CPU %u Hard LOCKUP" },
	{ "hard-lockup-ppc-self", KLOG_HARD_LOCKUP, 0, "CPU %u self-detected hard LOCKUP @" },
	{ "hard-lockup-ppc-others", KLOG_HARD_LOCKUP, 0,
	  "CPU %u detected hard LOCKUP on other CPUs %u" },
	{ "soft-lockup", KLOG_SOFT_LOCKUP, 0, "BUG: soft lockup - CPU#%u stuck for %us! [" },
	{ "soft-lockup-2.6", KLOG_SOFT_LOCKUP, 0, "BUG: soft lockup detected on CPU#%u!" },
	{ "workqueue-lockup", KLOG_SOFT_LOCKUP, 0, "BUG: workqueue lockup - pool" },
	{ "csd-lock", KLOG_SOFT_LOCKUP, 0, "csd: %w non-responsive CSD lock (#%u) on CPU#%u" },
	{ "hung-task", KLOG_HUNG_TASK, 0, "INFO: task *:%u blocked for more than %u seconds." },
	{ "hung-task-io", KLOG_HUNG_TASK, 0,
	  "INFO: task *:%u blocked in I/O wait for more than %u seconds." },
	{ "hung-task-owner", KLOG_HUNG_TASK, KLOG_ROW_CONT, "INFO: task *:%u *blocked on a" },

	/* arch/x86/mm/extable.c, arch/x86/kernel/cpu/mce */
	{ "msr-write", KLOG_MSR, 0, "unchecked MSR access error: WRMSR to %x" },
	{ "msr-read", KLOG_MSR, 0, "unchecked MSR access error: RDMSR from %x" },
	{ "msr-mce", KLOG_MSR, 0, "MSR access error: " },

	/* kernel/locking/lockdep.c; in brackets before 4.11 or so */
	{ "lockdep-limit", KLOG_LOCKDEP_LIMIT, 0, "BUG: MAX_%h too low!" },
	{ "lockdep-deadlock", KLOG_LOCKDEP, 0, "WARNING: possible * detected" },
	{ "lockdep-deadlock-old", KLOG_LOCKDEP, 0, "[ INFO: possible * detected ]" },
	{ "lockdep-state", KLOG_LOCKDEP, 0, "WARNING: inconsistent lock state" },
	{ "lockdep-state-old", KLOG_LOCKDEP, 0, "[ INFO: inconsistent lock state ]" },
	{ "lockdep-order", KLOG_LOCKDEP, 0, "WARNING: *-safe -> *-unsafe lock order detected" },
	{ "lockdep-order-old", KLOG_LOCKDEP, 0,
	  "[ INFO: *-safe -> *-unsafe lock order detected ]" },
	{ "lockdep-wait-context", KLOG_LOCKDEP, 0, "[ BUG: Invalid wait context ]" },
	{ "lockdep-rcu", KLOG_LOCKDEP, 0, "WARNING: suspicious RCU usage" },
	{ "lockdep-rcu-info", KLOG_LOCKDEP, 0, "INFO: suspicious RCU usage" },
	{ "lockdep-rcu-old", KLOG_LOCKDEP, 0, "[ INFO: suspicious *usage. ]" },
	{ "lockdep-unbalanced", KLOG_LOCKDEP, 0, "WARNING: bad * detected!" },
	{ "lockdep-unbalanced-old", KLOG_LOCKDEP, 0, "[ BUG: bad * detected! ]" },
	{ "lockdep-held", KLOG_LOCKDEP, 0, "WARNING: * still has locks held!" },
	{ "lockdep-held-old", KLOG_LOCKDEP, 0, "[ BUG: * still has locks held! ]" },
	{ "lockdep-held-freed", KLOG_LOCKDEP, 0, "WARNING: held lock freed!" },
	{ "lockdep-held-freed-old", KLOG_LOCKDEP, 0, "[ BUG: held lock freed! ]" },
	{ "lockdep-held-user", KLOG_LOCKDEP, 0,
	  "WARNING: lock held when returning to user space!" },
	{ "lockdep-held-user-old", KLOG_LOCKDEP, 0,
	  "[ BUG: lock held when returning to user space! ]" },
	{ "lockdep-nested", KLOG_LOCKDEP, 0, "WARNING: Nested lock was not taken" },
	{ "lockdep-collision", KLOG_LOCKDEP, 0, "WARNING: chain_key collision" },
	{ "lockdep-key", KLOG_LOCKDEP, 0, "INFO: trying to register non-static key." },
	{ "lockdep-key-unknown", KLOG_LOCKDEP, 0, "BUG: key *not " },
	{ "lockdep-warn-on", KLOG_LOCKDEP, KLOG_ROW_TEXT, "DEBUG_LOCKS_WARN_ON(" },

	/* kernel/time, arch/x86/kernel/tsc.c */
	{ "hrtimer-slow", KLOG_TIMER, 0, "hrtimer: interrupt took %u ns" },
	{ "clocksource-old", KLOG_TIMER, 0, "Clocksource * unstable (delta = %u ns)" },
	{ "clocksource", KLOG_TIMER, 0,
	  "timekeeping watchdog*: Marking clocksource '*' as unstable" },
	{ "clocksource-delay", KLOG_TIMER, 0,
	  "timekeeping watchdog on CPU%u: * read-back delay of %uns" },
	{ "clocksource-skipped", KLOG_TIMER, KLOG_ROW_CONT, "wd-*-wd read-back delay of %uns" },
	{ "clocksource-retried", KLOG_TIMER, 0,
	  "timekeeping watchdog on CPU%u: * retried %u times" },
	{ "tsc-unstable", KLOG_TIMER, KLOG_ROW_CONT, "Marking TSC unstable due to " },
	{ "timekeeping-offset", KLOG_TIMER, 0,
	  "WARNING: timekeeping: Cycle offset (%u) is larger" },
	{ "timekeeping-margin", KLOG_TIMER, 0, "INFO: timekeeping: Cycle offset (%u) is larger" },
	{ "timekeeping-wrap", KLOG_TIMER, 0, "WARNING: *flow in clocksource '" },

	/* arch/x86/kernel/cpu/mce, drivers/firmware/efi/cper.c, drivers/edac, arch/alpha */
	{ "mce", KLOG_MACHINE_CHECK, 0, "[Hardware Error]: CPU %u: Machine Check" },
	{ "mce-logged", KLOG_MACHINE_CHECK, 0, "[Hardware Error]: Machine check events logged" },
	{ "mce-logged-old", KLOG_MACHINE_CHECK, 0, "Machine check events logged" },
	{ "mce-2.6", KLOG_MACHINE_CHECK, 0, "CPU %u: Machine Check Exception:" },
	{ "mce-2.6-header", KLOG_MACHINE_CHECK, 0, "HARDWARE ERROR. This is " },
	{ "mce-line", KLOG_MACHINE_CHECK, KLOG_ROW_CONT, "[Hardware Error]: " },
	{ "ghes", KLOG_MACHINE_CHECK, 0, "{%u}[Hardware Error]: Hardware error from " },
	{ "ghes-line", KLOG_MACHINE_CHECK, KLOG_ROW_CONT, "{%u}[Hardware Error]: " },
	{ "edac-ce", KLOG_MACHINE_CHECK, 0, "EDAC MC%u: %u CE " },
	{ "edac-ue", KLOG_MACHINE_CHECK, 0, "EDAC MC%u: %u UE " },
	{ "alpha-mcheck", KLOG_MACHINE_CHECK, 0, "%h machine check: vector=%x pc=%x code=%x" },
	{ "alpha-mcheck-type", KLOG_MACHINE_CHECK, KLOG_ROW_CONT, "machine check type: " },
	/* Of single systems: core_cia.c, sys_nautilus.c, err_{ev6,ev7,titan,marvel}.c. */
	{ "alpha-mcheck-cia", KLOG_MACHINE_CHECK, 0, "CIA machine check: " },
	{ "alpha-mcheck-cia-lost", KLOG_MACHINE_CHECK, KLOG_ROW_CONT, "CIA lost machine check: " },
	{ "alpha-mcheck-nautilus", KLOG_MACHINE_CHECK, 0, "NAUTILUS Machine check %x [" },
	{ "alpha-mcheck-vector", KLOG_MACHINE_CHECK, 0, "*(Vector %x) reported on CPU %u" },

	/* kernel/panic.c: the reasons we know, then any other; the last lines belong to it */
	{ "panic-rcu-stall", KLOG_PANIC, 0, "Kernel panic - not syncing: RCU Stall" },
	{ "panic-hard-lockup", KLOG_PANIC, 0, "Kernel panic - not syncing: Hard LOCKUP" },
	{ "panic-hard-lockup-old", KLOG_PANIC, 0,
	  "Kernel panic - not syncing: Watchdog detected hard LOCKUP on cpu %u" },
	{ "panic-soft-lockup", KLOG_PANIC, 0,
	  "Kernel panic - not syncing: softlockup: hung tasks" },
	{ "panic-hung-task", KLOG_PANIC, 0,
	  "Kernel panic - not syncing: hung_task: blocked tasks" },
	{ "panic-nmi", KLOG_PANIC, 0, "Kernel panic - not syncing: NMI: Not continuing" },
	{ "panic", KLOG_PANIC, 0, "Kernel panic - not syncing" },
	{ "panic-reboot", KLOG_PANIC, KLOG_ROW_CONT, "Rebooting in %u seconds.." },
	{ "panic-end", KLOG_PANIC, KLOG_ROW_CONT, "---[ end Kernel panic" },

	/*
	 * Oops. What goes wrong comes first, the line of die() with its counter after it. One
	 * event, and the die() line ends it, so that a second oops without an introduction counts.
	 */
	{ "oops-bug-at", KLOG_OOPS, 0, "kernel BUG at " },
	{ "oops-bug-no-line", KLOG_OOPS, 0, "Kernel BUG at " },
	{ "oops-null", KLOG_OOPS, 0, "BUG: kernel NULL pointer dereference, address: %x" },
	{ "oops-page-fault", KLOG_OOPS, 0, "BUG: unable to handle page fault for address: %x" },
	{ "oops-paging-old", KLOG_OOPS, 0, "BUG: unable to handle kernel * at" },
	{ "oops-paging", KLOG_OOPS, 0, "Unable to handle kernel * at virtual address %x" },
	{ "oops-double-fault", KLOG_OOPS, 0, "PANIC: double fault" },
	{ "oops-arm64-serror", KLOG_OOPS, 0, "SError Interrupt on CPU%u, code %x" },
	{ "oops-arm64-brk", KLOG_OOPS, 0, "Unexpected kernel BRK exception at EL1" },
	{ "oops-arm-bad-mode", KLOG_OOPS, 0, "Bad mode in * handler detected" },
	{ "oops-arm64-stack", KLOG_OOPS, 0, "Insufficient stack space to handle exception!" },
	{ "oops-alpha-bug-at", KLOG_OOPS, 0, "Kernel bug at *:%u" },
	{ "oops-alpha-recursion", KLOG_OOPS, 0, "die_if_kernel recursion detected." },
	{ "oops-alpha-unaligned", KLOG_OOPS, 0, "*(%u): unhandled unaligned exception" },
	{ "oops-alpha-bad-unaligned", KLOG_OOPS, KLOG_ROW_LAST,
	  "Bad unaligned kernel access at %x: " },
	{ "oops-alpha", KLOG_OOPS, KLOG_ROW_CONT | KLOG_ROW_LAST, "*(%u): Oops %u" },
	{ "oops-alpha-arithmetic", KLOG_OOPS, KLOG_ROW_LAST, "*(%u): Arithmetic fault %u" },
	{ "oops-alpha-bug", KLOG_OOPS, KLOG_ROW_CONT | KLOG_ROW_LAST, "*(%u): Kernel Bug %u" },
	{ "oops-alpha-instruction", KLOG_OOPS, KLOG_ROW_LAST, "*(%u): Instruction fault %u" },
	{ "oops-arm-die", KLOG_OOPS, KLOG_ROW_CONT | KLOG_ROW_LAST, "Internal error: *[#%u]" },
	{ "oops-die", KLOG_OOPS, KLOG_ROW_CONT | KLOG_ROW_LAST, "Oops*[#%u]" },
	{ "oops-gpf", KLOG_OOPS, KLOG_ROW_LAST, "general protection fault*[#%u]" },
	{ "oops-die-other", KLOG_OOPS, KLOG_ROW_CONT | KLOG_ROW_LAST, "*: %x [#%u]" },
	{ "bug-atomic", KLOG_OOPS, KLOG_ROW_LAST, "BUG: scheduling while atomic: " },
	{ "bug-sleeping", KLOG_OOPS, KLOG_ROW_LAST,
	  "BUG: sleeping function called from invalid context" },
	{ "bug-kasan", KLOG_OOPS, KLOG_ROW_LAST, "BUG: KASAN: " },
	{ "bug-kfence", KLOG_OOPS, KLOG_ROW_LAST, "BUG: KFENCE: " },
	{ "bug-slub", KLOG_OOPS, KLOG_ROW_LAST, "BUG %h (*): " },

	/* lib/ubsan.c, kernel/kcsan; kernel/panic.c: WARN(), three layouts, then any other */
	{ "warn-kcsan", KLOG_WARN, 0, "BUG: KCSAN: " },
	{ "warn-ubsan", KLOG_WARN, 0, "UBSAN: " },
	{ "bug-other", KLOG_OOPS, KLOG_ROW_LAST, "BUG: " },
	{ "warn-2.6", KLOG_WARN, 0, "WARNING: at *:%u" },
	{ "warn-cpu-pid", KLOG_WARN, 0, "WARNING: CPU: %u PID: %u at " },
	{ "warn-6.19", KLOG_WARN, 0, "WARNING: *:%u at *, CPU#%u: " },
	{ "warn-other", KLOG_WARN, 0, "WARNING: " },
};

const size_t klog_pattern_count = sizeof(klog_patterns) / sizeof(klog_patterns[0]);

/* Prefixes that kernels put before a message, or did not yet (pr_fmt of the file it is in). */
static const char *const subsystems[] = {
	"rcu: ", "NMI watchdog: ", "watchdog: CPU%u: ",	 "watchdog: ", "clocksource: ", "tsc: ",
	"mce: ", "core: ",	   "perf_event_intel: ", "pt: ",
};

static const char *skip_class(const char *text, int (*in_class)(int))
{
	while (*text && in_class((unsigned char)*text))
		text++;
	return text;
}

static int is_host(int c)
{
	return !isspace(c) && c != ':';
}

static int is_zone(int c)
{
	return isdigit(c) || strchr("+-:,.Z", c) != NULL;
}

static const char *match_decimal(const char *text, unsigned int *number)
{
	unsigned int value = 0;
	const char *p = text + (*text == '-');

	if (!isdigit((unsigned char)*p))
		return NULL;
	for (; isdigit((unsigned char)*p); p++) {
		unsigned int digit = (unsigned int)(*p - '0');

		value = value > (UINT_MAX - digit) / 10 ? UINT_MAX : value * 10 + digit;
	}
	if (number)
		*number = value;
	return p;
}

static const char *match_hex(const char *text)
{
	if (text[0] == '0' && text[1] == 'x' && isxdigit((unsigned char)text[2]))
		text += 2;
	return isxdigit((unsigned char)*text) ? skip_class(text, isxdigit) : NULL;
}

/* Match the token after a '%'. */
static const char *match_token(char token, const char *text, unsigned int *number)
{
	const char *end;

	switch (token) {
	case 'u':
		return match_decimal(text, number);
	case 'x':
		return match_hex(text);
	case '_':
		while (*text == ' ')
			text++;
		return text;
	case 'w':
		end = skip_class(text, isalpha);
		return end > text ? end : NULL;
	case 'h':
		end = skip_class(text, is_host);
		return end > text ? end : NULL;
	case 'z':
		end = skip_class(text, is_zone);
		return end > text ? end : NULL;
	default:
		return NULL;
	}
}

/* Match one element of the form; *length is how much of the form it took. */
static const char *match_element(const char *form, const char *text, size_t *length,
				 unsigned int *number)
{
	*length = 1;
	if (form[0] == '%' && form[1]) {
		*length = 2;
		return match_token(form[1], text, number);
	}
	if (form[0] == '$' && !form[1])
		return *text ? NULL : text;
	return *form == *text ? text + 1 : NULL;
}

static bool is_literal(char c)
{
	return c != '*' && c != '%' && c != '$';
}

/* The next place where what follows a star can begin, or NULL. */
static const char *star_candidate(const char *form, const char *text)
{
	if (!*text)
		return NULL;
	return is_literal(*form) && *form ? strchr(text + 1, *form) : text + 1;
}

const char *klog_form_match(const char *form, const char *text, unsigned int *number)
{
	const char *star_form = NULL;
	const char *star_text = NULL;

	while (*form) {
		const char *next;
		size_t length;

		if (*form == '*') {
			star_form = ++form;
			star_text = text;
			continue;
		}
		next = match_element(form, text, &length, number);
		if (next) {
			form += length;
			text = next;
			continue;
		}
		star_text = star_form ? star_candidate(star_form, star_text) : NULL;
		if (!star_text)
			return NULL;
		form = star_form;
		text = star_text;
	}
	return text;
}

static const struct klog_pattern *match_rows(const char *text, unsigned int *number)
{
	for (size_t i = 0; i < klog_pattern_count; i++) {
		const struct klog_pattern *row = &klog_patterns[i];

		if (row->form[0] != text[0] && is_literal(row->form[0]))
			continue;
		if (klog_form_match(row->form, text, number))
			return row;
	}
	return NULL;
}

static const char *skip_subsystem(const char *text)
{
	for (size_t i = 0; i < sizeof(subsystems) / sizeof(subsystems[0]); i++) {
		const char *end = klog_form_match(subsystems[i], text, NULL);

		if (end)
			return end;
	}
	return NULL;
}

const struct klog_pattern *klog_pattern_match(const char *text, unsigned int *number)
{
	const struct klog_pattern *row = match_rows(text, number);

	if (row)
		return row;
	text = skip_subsystem(text);
	return text ? match_rows(text, number) : NULL;
}
