# SPDX-License-Identifier: GPL-2.0-or-later
# pmiproof. `make help` lists the targets; a line "target: ## text" is one of them.

BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
CC = gcc
OPT ?= -O2 -g
SANITIZE ?=
RUN ?=
LAB ?= auto
KSRC ?=
KCIDB_IO ?=
QEMU_SRC ?=
KERNEL_SRC ?=
# Where a tree for the kernel's run_kselftest.sh goes, and what it lists (ci/kselftest-tree).
KST ?= $(BUILD)/kst
ALLOW ?=
# What `make prove` and `make mutate` are to run, options of lab prove, and whether the README gets its
# matrix.
ONLY ?=
PROVE ?=
README ?=
# Options of lab mutate, what witnesses saw, whether docs/detection.md gets the table, and whether others'
# tests are run in place of ours.
MUTATE ?=
WITNESS ?=
DETECTION ?=
PEERS ?=
PEERS_DIR ?= $(BUILD)/peers
V ?=
# Go on with the run of RUN="-o DIR".
RESUME ?=
# Of reports/examples, those that are to be made; all of them.
EXAMPLES ?=
# How often crash-test kills.
CRASHES ?= 80
# Another architecture to build for, of fixtures/libraries: make ARCH=alpha BUILD=build/alpha build
ARCH ?=
# Seconds per fuzz target.
FUZZ_TIME ?= 10

# All processors, unless -j says otherwise; a make started by another one shares that one's.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif
export BUILD CC MAKE V

# These go before whatever else is asked for: what is installed decides how the rest is built.
FIRST := deps deps-bench deps-browser clean
.DEFAULT_GOAL := build
.PHONY: $(FIRST)

deps: ## install the Debian 12 packages that are missing (needs root), for all but bench and browser
	@ci/deps base $(if $(KSRC),,kernel) lab test

deps-bench: ## the same, for bench
	@ci/deps bench

deps-browser: ## the same, for html-test to see how pages are laid out (300 MB)
	@ci/deps browser

clean: ## remove what was built
	rm -rf $(BUILD)

REST := $(filter-out $(FIRST),$(MAKECMDGOALS))
ifneq ($(and $(REST),$(filter $(FIRST),$(MAKECMDGOALS))),)

.PHONY: $(REST) rest
$(REST): rest ;
rest: $(filter $(FIRST),$(MAKECMDGOALS))
	@$(MAKE) --no-print-directory $(REST)

else

# Kept between builds: what takes long to make and depends on its inputs alone.
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/pmiproof

PKG_CONFIG := pkg-config

# For another architecture: its compiler, and libraries that fixtures/libraries/build has made.
ifneq ($(ARCH),)
$(if $(shell grep -s ^host= fixtures/libraries/$(ARCH)),,$(error ARCH=$(ARCH): no such architecture in fixtures/libraries))
# A line NAME='value' of it is for the shell, too.
cross = $(shell . fixtures/libraries/$(ARCH) && echo "$$$(1)")
SYSROOT := $(BUILD)/libraries
CC := $(call cross,host)-gcc
AR := $(call cross,host)-ar
PKG_CONFIG := PKG_CONFIG_LIBDIR=$(SYSROOT)/lib/pkgconfig pkg-config --static
tracing := $(call cross,tracing)
# It is kept by the machine that reports are brought to, not by the one tested: no SQLite.
history := no
# What make includes it makes first, where it is older than this, and then begins anew.
$(SYSROOT).mk: $(addprefix fixtures/,build.sh $(addprefix libraries/,build table $(ARCH)))
	@mkdir -p $(@D)
	@fixtures/libraries/build $(ARCH) $(CACHE) $(SYSROOT)
	@: >$@
include $(SYSROOT).mk
endif

PKGS := jansson $(if $(filter no,$(tracing)),,libtracefs libtraceevent) gsl numa nettle zlib
# Of the command alone, not of hypotheses.
CMD_PKGS := $(if $(filter no,$(history)),,sqlite3)
# Where it is installed, what another checkout or an earlier build has compiled is not compiled again.
CCACHE := $(if $(findstring ccache,$(CC)),,$(shell command -v ccache))
CPPFLAGS := -D_GNU_SOURCE -Ilib -Ifixtures/workloads -I$(BUILD)/kselftest \
	$(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null)
WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings \
	-Wno-missing-field-initializers
# snprintf() cuts on purpose where a text is for people, as in the kernel, which turns this off too.
WARN += $(if $(filter clang,$(CC)),,-Wno-format-truncation)
SAN := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all)
CFLAGS := -std=gnu11 $(OPT) $(WARN) -pthread -MMD -MP $(SAN) $(if $(ARCH),$(call cross,cflags)) \
	-ffile-prefix-map=$(CURDIR)=.
LDFLAGS := -pthread $(SAN) $(if $(ARCH),$(call cross,ldflags))
LDLIBS := $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null) -lm
CMD_LDLIBS := $(if $(CMD_PKGS),$(shell $(PKG_CONFIG) --libs $(CMD_PKGS) 2>/dev/null))

# What there is in two forms: with event tracing and without, with a history of reports and without.
UNUSED := $(if $(filter no,$(tracing)),lib/trace.c lib/trace_fs.c,lib/trace_none.c) \
	$(if $(filter no,$(history)),reports/history_sql.c reports/history_add.c reports/history_query.c,\
		reports/history_none.c)
notest = $(filter-out $(UNUSED) %_check.c %_fuzz.c %_bench.c,$(wildcard $(1)))
LIB_SRC := $(call notest,lib/*.c fixtures/workloads/*.c fixtures/workloads/*.S) fixtures/hooks/hooks.c
CMD_SRC := $(filter-out runners/pmiproof.c,$(call notest,runners/*.c reports/*.c))
SUITE_SRC := $(call notest,suites/*/*.c)
PLANTED_SRC := $(wildcard ci/planted/*.c)
CHECK_SRC := $(filter-out $(UNUSED:.c=_check.c),$(wildcard $(addsuffix /*_check.c,lib runners reports \
	fixtures/*)))
# What unit tests share.
CHECK_LIB_SRC := ci/check_main.c $(addprefix fixtures/,outcome.c single_step.c fake_watchdog.c json_schema.c \
	small_report.c)
FUZZ_SRC := $(wildcard lib/*_fuzz.c reports/*_fuzz.c)
FUZZ_LIB_SRC := fixtures/mutate_journal.c
BENCH_SRC := $(wildcard lib/*_bench.c)

obj = $(patsubst %,$(BUILD)/%.o,$(basename $(1)))
LIB := $(BUILD)/libpmiproof.a
CMD_LIB := $(BUILD)/libcommand.a
COMMAND := $(BUILD)/pmiproof
INSERT := $(BUILD)/fixtures/hooks/insert
LAB_GUESTS := $(addprefix $(BUILD)/fixtures/,machines/x86/smoke_guest machines/x86/fault_guest \
	kernels/x86/witness_guest)
# Runs a test of another project.
PEER_TEST := $(BUILD)/fixtures/peers/peer_test
ALPHA_GUEST := $(BUILD)/fixtures/machines/alpha/smoke_guest
LOOKS := $(BUILD)/fixtures/kernels/looks
# Built with ARCH=alpha: it needs the library.
ALPHA_WITNESS := fixtures/kernels/alpha/witness_guest
SUITES := $(SUITE_SRC:%.c=$(BUILD)/%)
PLANTED := $(PLANTED_SRC:%.c=$(BUILD)/%)
CHECKS := $(CHECK_SRC:%.c=$(BUILD)/%)
FUZZERS := $(FUZZ_SRC:%.c=$(BUILD)/%)
BENCHES := $(BENCH_SRC:%.c=$(BUILD)/%)
OBJS := $(call obj,$(LIB_SRC) $(CMD_SRC) $(SUITE_SRC) $(PLANTED_SRC) $(CHECK_SRC) $(FUZZ_SRC) \
	$(FUZZ_LIB_SRC) $(BENCH_SRC) $(CHECK_LIB_SRC) $(wildcard fixtures/kernels/looks*.c) runners/pmiproof.c \
	fixtures/hooks/insert.c fixtures/peers/peer_test.c)

GROUPS := deps-test lint completion-test formats-test html-test unit alpha-unit asan asan-commands e2e crash-test kselftest-test install-test lab-smoke \
	lab-smoke-alpha lab-test reliability prove-test mutate-test prove fuzz

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 22
	@echo 'variables: RUN="arguments of pmiproof run" RESUME=1 V=1 KSRC=KERNEL-TREE BUILD=DIR PREFIX=DIR DESTDIR=DIR'

.PHONY: help build alpha planted alpha-tar lab lab-alpha lab-kernels lab-witness lab-looks lab-perf lab-kvm-unit-tests lab-bench fuzzers check list mutate test $(GROUPS) bench format examples install \
	install-kselftest FORCE
.DELETE_ON_ERROR:
.SECONDARY:

build: $(COMMAND) $(SUITES) ## build the command and all hypotheses

lab: $(INSERT) ## fetch and build what the lab boots: QEMU with an emulated PMU, and a kernel
	@QEMU_SRC='$(QEMU_SRC)' fixtures/machines/build-qemu x86 $(CACHE) $(INSERT) $(BUILD)/lab/qemu
	@fixtures/machines/fetch-kernel $(CACHE) $(BUILD)/lab/kernel

lab-alpha: $(INSERT) ## the same for Alpha: QEMU with the counters of an EV67, its PALcode, a kernel, and our programs
	@QEMU_SRC='$(QEMU_SRC)' fixtures/machines/build-qemu alpha $(CACHE) $(INSERT) $(BUILD)/lab/alpha/qemu
	@KERNEL_SRC='$(KERNEL_SRC)' fixtures/kernels/build-kernel alpha $(CACHE) $(INSERT) $(BUILD)/lab/alpha/variants
	@$(MAKE) --no-print-directory alpha
	@ln -sfn ../../alpha $(BUILD)/lab/alpha/guest

alpha: ## build the command and the hypotheses for Alpha, as static programs, in BUILD/alpha
	@$(MAKE) --no-print-directory ARCH=alpha BUILD=$(BUILD)/alpha build

alpha-tar: alpha ## the same as one file to unpack on an Alpha: BUILD/pmiproof-alpha.tar.gz
	@tar -C $(BUILD)/alpha --transform 's,^,pmiproof-alpha/,' --owner=0 --group=0 \
		-czf $(BUILD)/pmiproof-alpha.tar.gz pmiproof $(SUITE_SRC:%.c=%)

alpha-unit: ## test group: unit tests, built for Alpha and run by QEMU's user emulation
	@$(MAKE) --no-print-directory ARCH=alpha BUILD=$(BUILD)/alpha unit

lab-kernels: lab ## build the kernel variants that the lab can boot: "pmiproof lab variants" lists them
	@KERNEL_SRC='$(KERNEL_SRC)' fixtures/kernels/build-kernel x86 $(CACHE) $(INSERT) $(BUILD)/lab/variants

# With ONLY, what else it needs is said if it is missing.
prove: build lab-kernels $(if $(ONLY),,lab-alpha) ## test group: hypotheses on machines and kernels that they must tell apart: make prove ONLY=lbr_stale README=1
	@$(COMMAND) lab prove --table fixtures/proofs $(if $(README),--markdown README.md) $(PROVE) -- $(foreach p,$(ONLY),'$(p)')

prove-test: build lab $(PLANTED) ## test group: expectations of planted tests, right and wrong ones
	@ci/prove-test

# With ONLY, what else it needs is said if it is missing.
mutate: build lab-kernels $(if $(ONLY),,lab-alpha) $(if $(PEERS),$(PEER_TEST)) ## what the hypotheses notice of breaks planted in the kernel: make mutate ONLY="lbr-*" MUTATE="--named" DETECTION=1; PEERS=1
	@$(if $(PEERS),[ -e "$(PEERS_DIR)/versions" ] || ci/peers "$(PEERS_DIR)")
	@$(COMMAND) lab mutate $(if $(PEERS),--peers "$(PEERS_DIR)") $(if $(WITNESS),--witness "$(WITNESS)") \
		$(if $(DETECTION),--markdown docs/detection.md) $(MUTATE) -- $(foreach p,$(ONLY),'$(p)')

mutate-test: build lab-kernels $(PLANTED) $(PEER_TEST) ## test group: mutants that planted tests notice and do not notice
	@ci/mutate-test

planted: $(PLANTED)

lab-smoke: lab $(LAB_GUESTS) ## test group: the emulated machines, each CPU model and fault
	@ci/lab-smoke

lab-smoke-alpha: lab-alpha $(ALPHA_GUEST) ## test group: the emulated Alpha, at each frequency
	@ci/lab-smoke-alpha

lab-witness: lab-kernels lab-alpha $(LAB_GUESTS) ## what each kernel variant does, seen directly: VARIANT="freeze ack-mixed"
	@fixtures/kernels/x86/witness $(VARIANT)
	@$(MAKE) --no-print-directory ARCH=alpha BUILD=$(BUILD)/alpha $(BUILD)/alpha/$(ALPHA_WITNESS)
	@fixtures/kernels/alpha/witness $(VARIANT)

lab-looks: lab-kernels $(LOOKS) $(if $(MUTANT),,lab-alpha) ## is each mutant of the kernels live, seen directly: MUTANT="lost-silent..."
	$(if $(MUTANT),,@$(MAKE) --no-print-directory ARCH=alpha BUILD=$(BUILD)/alpha $(BUILD)/alpha/fixtures/kernels/looks)
	@fixtures/kernels/witness $(MUTANT)

lab-perf: lab $(LAB_GUESTS) ## perf in the emulated machines (deps-bench first)
	@ci/lab-perf

lab-kvm-unit-tests: lab ## the PMU tests of a built kvm-unit-tests tree, in KUT=DIR
	@ci/lab-kvm-unit-tests $(or $(KUT),$(error KUT=DIR: a built tree of kvm-unit-tests is needed))

lab-bench: lab $(BENCHES) ## what the emulated PMU costs, against a stock qemu-system-x86_64
	@ci/lab-bench

check: build ## run the hypotheses on this machine: make check RUN="irq_latency --repeat 3"; LAB=auto|native|virtual; RESUME=1
	@LAB='$(LAB)' RESUME='$(RESUME)' ci/check $(COMMAND) $(RUN)

list: build ## list the hypotheses and whether each would run here
	@$(COMMAND) list $(RUN)

test: ## run the project's own tests: all the groups below
	+@ci/test $(GROUPS)

unit: $(CHECKS) ## test group: unit tests
	@ci/unit$(if $(ARCH),-emulated $(call cross,run) ci/unit-$(ARCH)) $(CHECKS)

asan: ## test group: unit tests under AddressSanitizer and UBSan
	@$(MAKE) --no-print-directory unit BUILD=$(BUILD)/asan SANITIZE=address,undefined OPT='-O1 -g'

asan-commands: lab-kernels lab-alpha ## test group: the command itself under AddressSanitizer and UBSan
	@$(MAKE) --no-print-directory build planted BUILD=$(BUILD)/asan SANITIZE=address,undefined OPT='-O1 -g'
	@ln -sfn ../lab $(BUILD)/asan/lab
	@ci/asan-commands $(BUILD)/asan

lint: $(BUILD)/kselftest/kselftest.h ## test group: style and static analysis of C, shell and the man page
	@CPPFLAGS='$(CPPFLAGS)' ci/lint

e2e: build $(PLANTED) ## test group: the real command with planted tests
	@ci/end-to-end

crash-test: build $(PLANTED) ## test group: the supervisor killed, its run resumed: CRASHES=1000
	@CRASHES='$(CRASHES)' ci/crash-test

kselftest-test: build $(PLANTED) ## test group: our tests under the kernel's own run_kselftest.sh
	@ci/kselftest-test

install-test: build ## test group: what make install lays out
	+@ci/install-test

lab-test: build lab-kernels lab-alpha $(PLANTED) ## test group: the emulated machine, with planted tests that break it
	@$(MAKE) --no-print-directory ARCH=alpha BUILD=$(BUILD)/alpha planted
	@ci/lab-test

reliability: build lab-kernels $(PLANTED) ## test group: emulated machines that hang, crash and start again, and runs that survive it
	@ci/reliability

completion-test: ## test group: the bash completion
	@ci/completion-test

examples: build lab-kernels lab-alpha ## make the reports of reports/examples anew, and their picture (root, chromium)
	@reports/examples/make $(EXAMPLES)

html-test: $(COMMAND) ## test group: HTML reports; with chromium, how a browser lays them out
	@ci/html-test

formats-test: $(COMMAND) ## test group: reports, read by programs that others wrote
	@KSRC='$(KSRC)' KCIDB_IO='$(KCIDB_IO)' ci/formats-test

deps-test: ## test group: what make deps does, with apt replaced
	@ci/deps-test

fuzz: ## test group: each fuzz target for FUZZ_TIME seconds
	@$(MAKE) --no-print-directory fuzzers BUILD=$(BUILD)/fuzz CC=clang \
		SANITIZE=address,undefined,fuzzer-no-link OPT='-O1 -g'
	@FUZZ_TIME=$(FUZZ_TIME) ci/fuzz $(FUZZ_SRC:%.c=$(BUILD)/fuzz/%)

bench: build $(BENCHES) ## compare with perf record and trace-cmd (deps-bench first)
	@ci/bench $(BUILD)/lib/trace_bench $(BENCH)

format: ## bring C sources into the project's style
	git ls-files -z '*.[ch]' | xargs -0 clang-format -i

LIBEXEC = $(DESTDIR)$(PREFIX)/libexec/pmiproof
SHARE = $(DESTDIR)$(PREFIX)/share

install: build ## install below DESTDIR/PREFIX, with a tree for run_kselftest.sh in libexec
	install -D -m 755 $(COMMAND) $(DESTDIR)$(PREFIX)/bin/pmiproof
	for suite in $(SUITE_SRC:suites/%.c=%); do \
		install -D -m 755 $(BUILD)/suites/$$suite $(LIBEXEC)/suites/$$suite || exit; done
	install -D -m 644 fixtures/proofs $(LIBEXEC)/proofs
	install -D -m 644 fixtures/kernels/mutants $(LIBEXEC)/mutants
	install -D -m 644 reports/known-issues $(LIBEXEC)/known-issues
	install -D -m 644 reports/pmiproof.1 $(SHARE)/man/man1/pmiproof.1
	install -D -m 644 reports/completion.bash $(SHARE)/bash-completion/completions/pmiproof
	for page in README.md LICENSE $(wildcard docs/*.md docs/*/*.md); do \
		install -D -m 644 $$page $(SHARE)/doc/pmiproof/$$page || exit; done
	for file in $(filter-out %.md,$(shell find docs/examples -type f)); do \
		install -D -m $$(test -x $$file && echo 755 || echo 644) $$file $(SHARE)/doc/pmiproof/$$file || exit; done
	ALLOW=$(ALLOW) ci/kselftest-tree $(LIBEXEC)/kselftest $(BUILD)/kselftest $(SUITES)

install-kselftest: build ## lay out only the tree for run_kselftest.sh, in KST=DIR
	ALLOW=$(ALLOW) ci/kselftest-tree $(KST) $(BUILD)/kselftest $(SUITES)

# One short line per command; V=1 prints the commands.
quiet = $(if $(V),,@echo "  $(1)  $@" && )

$(BUILD)/%.o: %.c $(BUILD)/flags | $(BUILD)/kselftest/kselftest.h
	@mkdir -p $(@D)
	$(call quiet,CC  )$(CCACHE) $(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/%.o: %.S $(BUILD)/flags
	@mkdir -p $(@D)
	$(call quiet,CC  )$(CCACHE) $(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# The style sheet of HTML reports, as a string.
$(BUILD)/reports/style.c: reports/style.css
	@mkdir -p $(@D)
	$(call quiet,GEN )sed -e '1i #include "html.h"\nconst char html_style[] =' \
		-e 's/\\/&&/g; s/"/\\"/g; s/^\t*\(.*\)/"\1\\n"/' -e '$$a ;' $< >$@
$(BUILD)/reports/style.o: $(BUILD)/reports/style.c $(BUILD)/flags
	$(call quiet,CC  )$(CCACHE) $(CC) $(CPPFLAGS) -Ireports $(CFLAGS) -c -o $@ $<

# Made anew, as ar would keep members whose source is gone.
$(LIB): $(call obj,$(LIB_SRC))
$(CMD_LIB): $(call obj,$(CMD_SRC)) $(BUILD)/reports/style.o
$(LIB) $(CMD_LIB):
	@mkdir -p $(@D) && rm -f $@
	$(call quiet,AR  )$(AR) rcs $@ $^

$(COMMAND): $(BUILD)/runners/pmiproof.o $(CMD_LIB) $(LIB)
	$(call quiet,LINK)$(CC) $(LDFLAGS) -o $@ $^ $(CMD_LDLIBS) $(LDLIBS)

$(SUITES) $(PLANTED) $(BENCHES) $(INSERT) $(PEER_TEST) $(BUILD)/$(ALPHA_WITNESS): $(BUILD)/%: $(BUILD)/%.o $(LIB)
	$(call quiet,LINK)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# For an initramfs, which has no libraries.
$(LAB_GUESTS): $(BUILD)/%: $(BUILD)/%.o $(LIB)
	$(call quiet,LINK)$(CC) $(LDFLAGS) -static -o $@ $^

# What shows that mutants of the kernel are live, on the architecture that this is built for. Call chains
# of its own are looked at.
$(LOOKS): $(call obj,$(addprefix fixtures/kernels/looks,.c _rate.c _records.c _readers.c _counts.c) \
		$(wildcard fixtures/kernels/looks_$(or $(ARCH),x86)*.c)) $(LIB)
	$(call quiet,LINK)$(CC) $(LDFLAGS) -static -o $@ $^
$(BUILD)/fixtures/kernels/look%.o: private CFLAGS += -fno-omit-frame-pointer

# The same for Alpha. Relaxed, a static program of Debian 12's linker for Alpha crashes.
$(ALPHA_GUEST): $(BUILD)/%: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call quiet,LINK)alpha-linux-gnu-gcc -D_GNU_SOURCE -std=gnu11 -O2 $(WARN) -static -Wl,--no-relax -o $@ $<

# fixtures/hypotheses/NAME_check tests the hypothesis of suites/THEME/NAME.c.
$(foreach s,$(SUITE_SRC),$(eval $(BUILD)/fixtures/hypotheses/$(notdir $(s:.c=))_check: \
	$(s:%.c=$(BUILD)/%.o)))

$(CHECKS): $(BUILD)/%: $(BUILD)/%.o $(call obj,$(CHECK_LIB_SRC)) $(CMD_LIB) $(LIB)
	$(call quiet,LINK)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) \
		$(CMD_LDLIBS) $(LDLIBS) $(shell $(PKG_CONFIG) --libs check)

fuzzers: $(FUZZERS)
$(FUZZERS): $(BUILD)/%: $(BUILD)/%.o $(call obj,$(FUZZ_LIB_SRC)) $(CMD_LIB) $(LIB)
	$(call quiet,LINK)$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(CMD_LDLIBS) $(LDLIBS)

# What everything is built with: new flags rebuild it.
FLAGS = $(CC) $(CPPFLAGS) $(CFLAGS)
$(BUILD)/flags: FORCE
	@$(PKG_CONFIG) --exists $(PKGS) $(CMD_PKGS) 2>/dev/null && command -v $(CC) >/dev/null || \
		{ echo "pmiproof: compiler or libraries are missing: run 'sudo make deps'" >&2; exit 1; }
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' >$@

# kselftest.h comes from a kernel tree, never from this repository (ci/kselftest).
$(BUILD)/kselftest/kselftest.h: ci/kselftest $(BUILD)/ksrc | $(BUILD)/flags
	@ci/kselftest $(@D) "$(CACHE)" "$(KSRC)"

$(BUILD)/ksrc: FORCE
	@mkdir -p $(@D)
	@echo '$(KSRC)' | cmp -s - $@ || echo '$(KSRC)' >$@

-include $(OBJS:.o=.d) $(LAB_GUESTS:=.d) $(BUILD)/$(ALPHA_WITNESS).d

endif
