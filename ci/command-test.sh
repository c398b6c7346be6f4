#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What tests of the real command have in common; sourced by them.
# Uses $build (where the command was built), $command, $tmp and $report (directory of a run); counts in
# $passed and $failed.
# shellcheck disable=SC2154 # those of whoever sources this

# check WHAT COMMAND...: counts whether the command succeeds.
check() {
	what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $what"
	fi
}

not() {
	! "$@"
}

# suite NAME TEST...: a folder of tests for --suites; prints its path.
suite() {
	dir=$tmp/suites-$1
	shift
	mkdir -p "$dir/planted"
	for t; do
		ln -s "$build/ci/planted/$t" "$dir/planted/$t"
	done
	echo "$dir"
}

# usage_error TEXT ARGUMENT...: exit code 2 and one line on stderr that has TEXT in it.
usage_error() {
	text=$1
	shift
	"$command" "$@" >"$tmp/usage.out" 2>"$tmp/usage.err" </dev/null
	got=$?
	check "exit code of $*: $got, expected 2" test "$got" -eq 2
	check "one error line of $*" test "$(wc -l <"$tmp/usage.err")" -eq 1
	check "'$text' in the error of $*" grep -q -e "$text" "$tmp/usage.err"
}

journal() {
	cat "$report/journal.jsonl"
}

# record WORD...: does the journal of $report have a record with all these words?
record() {
	lines=$(journal)
	for word; do
		lines=$(printf '%s\n' "$lines" | grep -e "$word") || return 1
	done
}

# verdict TEST VERDICT [REASON]: what the journal says at the end of a test.
verdict() {
	check "$1 is $2${3:+: $3}" record '"type":"end"' "\"test\":\"$1\"" \
		"\"verdict\":\"$2\"" "${3:-.}"
	record '"type":"end"' "\"test\":\"$1\"" "\"verdict\":\"$2\"" || {
		printf '\tbut: '
		journal | grep "\"test\":\"$1\"" | grep '"type":"end"' || echo "no end"
	}
}

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for() {
	tries=$(($1 * 10))
	shift
	until "$@"; do
		tries=$((tries - 1))
		test $tries -gt 0 || return 1
		sleep 0.1
	done
}
