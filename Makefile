# SPDX-License-Identifier: GPL-2.0-or-later
# pmiproof. `make help` lists the targets; a line "target: ## text" is one of them.

BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
CC = gcc
CLANG = clang
OPT ?= -O2 -g
SANITIZE ?=

# Where big things that depend only on their inputs are kept between builds.
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/pmiproof
KSRC ?=

PKGS := jansson libtracefs libtraceevent gsl numa
CPPFLAGS := -D_GNU_SOURCE -Ilib -Ifixtures/workloads -I$(BUILD)/kselftest \
	$(shell pkg-config --cflags $(PKGS) 2>/dev/null)
WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings
SAN := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all)
CFLAGS := -std=gnu11 $(OPT) $(WARN) -pthread -MMD -MP $(SAN)
LDFLAGS := -pthread $(SAN)
LDLIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lm

notest = $(filter-out %_check.c %_fuzz.c %_bench.c,$(wildcard $(1)))
LIB_SRC := $(call notest,lib/*.c fixtures/workloads/*.c fixtures/workloads/*.S)
CMD_SRC := $(filter-out runners/pmiproof.c,$(call notest,runners/*.c reports/*.c))
SUITE_SRC := $(wildcard suites/*/*.c)
PLANTED_SRC := $(wildcard ci/planted/*.c)
CHECK_SRC := $(wildcard lib/*_check.c runners/*_check.c reports/*_check.c fixtures/*/*_check.c)
FUZZ_SRC := $(wildcard lib/*_fuzz.c)
BENCH_SRC := $(wildcard lib/*_bench.c)

obj = $(patsubst %,$(BUILD)/%.o,$(basename $(1)))
LIB := $(BUILD)/libpmiproof.a
CMD_LIB := $(BUILD)/libcommand.a
SUITES := $(SUITE_SRC:%.c=$(BUILD)/%)
PLANTED := $(PLANTED_SRC:%.c=$(BUILD)/%)
CHECKS := $(CHECK_SRC:%.c=$(BUILD)/%)
BENCHES := $(BENCH_SRC:%.c=$(BUILD)/%)

.PHONY: all build check test help deps clean
.DELETE_ON_ERROR:
.SECONDARY:

all: build

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

build: $(BUILD)/pmiproof $(SUITES) ## build the command and all hypotheses

$(BUILD)/%.o: %.c Makefile | $(BUILD)/kselftest/kselftest.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/%.o: %.S Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(LIB): $(call obj,$(LIB_SRC))
	rm -f $@
	$(AR) rcs $@ $^

$(CMD_LIB): $(call obj,$(CMD_SRC))
	rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/pmiproof: $(BUILD)/runners/pmiproof.o $(CMD_LIB) $(LIB)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(SUITES) $(PLANTED): $(BUILD)/%: $(BUILD)/%.o $(LIB)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(CHECKS): $(BUILD)/%: $(BUILD)/%.o $(BUILD)/ci/check_main.o $(CMD_LIB) $(LIB)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(shell pkg-config --libs check)

$(BENCHES): $(BUILD)/%: $(BUILD)/%.o $(LIB)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# kselftest.h comes from a kernel tree, never from this repository (ci/kselftest).
$(BUILD)/kselftest/kselftest.h: ci/kselftest
	ci/kselftest $(@D) "$(CACHE)" "$(KSRC)"

unit: $(CHECKS) ## run the unit tests
	@set -e; for t in $(CHECKS); do $$t; done

clean: ## remove what was built here
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
