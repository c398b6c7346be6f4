# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Bash completion for pmiproof. Source it, or install it as
# /usr/share/bash-completion/completions/pmiproof.

# Words from standard input that start with $1 become the candidates.
_pmiproof_offer() {
	local word
	COMPREPLY=()
	while IFS= read -r word; do
		[[ -n $word && $word == "$1"* ]] && COMPREPLY+=("$word")
	done
	return 0
}

# Names of the mutants that the command being completed ($1) knows. Its list has machines without
# mutants, too.
_pmiproof_mutants() {
	"$1" lab mutate --list 2>/dev/null | sed -n 's,^mutants/\([a-z0-9-]*\): .*,\1,p'
}

# Names of the hypotheses that the command being completed ($1) knows. Its list has a line
# THEME/NAME for each, and what it says about it indented below. The theme is left out unless $2,
# the word so far, has one.
_pmiproof_names() {
	local theme='s,^[^/]*/,,'
	[[ $2 == */* ]] && theme=
	"$1" list 2>/dev/null | sed -n 's,^\([A-Za-z0-9_][A-Za-z0-9_./-]*\).*,\1,p' | sed "$theme"
}

# What --bound can set, as HYPOTHESIS.CHECK=, of the JSON that "list --json" prints: the name of a
# hypothesis is 4 spaces deep, that of a check 8, and a check that takes a bound has a unit for it.
_pmiproof_bounds() {
	"$1" list --json 2>/dev/null | awk -F '"' '
		/^    "name": / { hypothesis = $4 }
		/^        "name": / { check = $4 }
		/^        "bound_unit": / { print hypothesis "." check "=" }'
}

# The same for --option: HYPOTHESIS.NAME=. Where in it a name is, is told by the key of its array.
_pmiproof_own_options() {
	"$1" list --json 2>/dev/null | awk -F '"' '
		/^    "name": / { hypothesis = $4 }
		/^    "[a-z]*": [[]/ { array = $2 }
		/^        "name": / && array == "options" { print hypothesis "." $4 "=" }'
}

_pmiproof_run_options() {
	printf '%s\n' -o --output --repeat --cpu --timeout-scale --label --allow --bound \
			--option --workload --identify --mirror --ktap --known --suites -h --help
}

_pmiproof_lab_options() {
	printf '%s\n' --cpu-model --fault --variant --param --kernel --mode --with
}

_pmiproof_options() {
	case $1 in
	list) printf '%s\n' -v --verbose --json --suites -h --help ;;
	run)
		_pmiproof_run_options
		printf '%s\n' --watchdog --no-escalate --resume --retry-hung --max-resets
		;;
	"lab run")
		_pmiproof_run_options
		_pmiproof_lab_options
		echo --unmet
		;;
	"lab prove")
		printf '%s\n' -o --output --table --partial --kernel --jobs --repeat --markdown --list \
			--suites -h --help
		;;
	"lab mutate")
		printf '%s\n' --hypotheses --named -o --output --resume --baseline-runs --unmutated --witness \
			--jobs --markdown --json --list --table --suites --peers -h --help
		;;
	"lab shell")
		_pmiproof_lab_options
		printf '%s\n' --suites -h --help
		;;
	"lab "*) printf '%s\n' -h --help ;;
	lab) printf '%s\n' run prove mutate shell faults models variants -h --help ;;
	report)
		printf '%s\n' -f --format -o --output --baseline --known -v --verbose -h --help
		;;
	"history add") printf '%s\n' --db --known -h --help ;;
	"history trend") printf '%s\n' --db -f --format -o --output -h --help ;;
	"history compare")
		printf '%s\n' --db --by -f --format -o --output --fail-on --threshold -h --help
		;;
	"history "*) printf '%s\n' --db -h --help ;;
	history) printf '%s\n' add list trend flaky compare export --db -h --help ;;
	compare)
		printf '%s\n' --by -f --format -o --output --fail-on --threshold --known -h --help
		;;
	recover) printf '%s\n' -h --help ;;
	help) printf '%s\n' list run recover report compare history lab ;;
	*) printf '%s\n' list run recover report compare history lab help --help ;;
	esac
}

# File names ($1: -d for directories only).
_pmiproof_files() {
	compopt -o filenames 2>/dev/null
	_pmiproof_offer "$2" < <(compgen "$1" -- "$2")
}

# The forms of a report, from the end of its help.
_pmiproof_formats() {
	"$1" report --help 2>/dev/null | sed -n '/^formats:/,$s,^  \([a-z]*\) .*,\1,p'
}

# Complete the value of an option $1 that starts with $2, of the command $3 and its subcommand $4.
# Fails when it takes none.
_pmiproof_value() {
	if [[ $4 == report ]]; then
		case $1 in
		-f | --format) _pmiproof_offer "$2" < <(_pmiproof_formats "$3") && return ;;
		-o | --output | --baseline) _pmiproof_files -f "$2" && return ;;
		esac
	elif [[ $4 == *compare ]]; then
		case $1 in
		-f | --format) _pmiproof_offer "$2" < <(printf '%s\n' term html mail json) && return ;;
		-o | --output) _pmiproof_files -f "$2" && return ;;
		esac
	fi
	if [[ $4 == "history trend" ]]; then
		case $1 in
		-f | --format) _pmiproof_offer "$2" < <(printf '%s\n' term svg html) && return ;;
		-o | --output) _pmiproof_files -f "$2" && return ;;
		esac
	fi
	case $1 in
	-o | --output | --suites | --resume | --peers) _pmiproof_files -d "$2" ;;
	--by) _pmiproof_offer "$2" < <(printf '%s\n' cpu-model kernel label) ;;
	--hypotheses) _pmiproof_offer "$2" < <(_pmiproof_names "$3" "$2") ;;
	--fail-on) _pmiproof_offer "$2" < <(printf '%s\n' regression new-fail) ;;
	--allow) _pmiproof_offer "$2" < <(printf '%s\n' safe may-throttle may-hang) ;;
	--watchdog) _pmiproof_offer "$2" < <(printf '%s\n' auto none; compgen -G '/dev/watchdog*') ;;
	--bound)
		compopt -o nospace 2>/dev/null
		_pmiproof_offer "$2" < <(_pmiproof_bounds "$3")
		;;
	--option)
		compopt -o nospace 2>/dev/null
		_pmiproof_offer "$2" < <(_pmiproof_own_options "$3")
		;;
	--cpu-model) _pmiproof_offer "$2" < <("$3" lab models 2>/dev/null | sed 's, .*,,') ;;
	--fault) _pmiproof_offer "$2" < <("$3" lab faults 2>/dev/null | sed 's,[ =].*,,') ;;
	--variant) _pmiproof_offer "$2" < <("$3" lab variants 2>/dev/null | sed 's, .*,,') ;;
	--mode) _pmiproof_offer "$2" < <(printf '%s\n' smp exact) ;;
	--kernel | --table | --markdown | --witness | --with | --known | --db) _pmiproof_files -f "$2" ;;
	--workload) _pmiproof_offer "$2" < <(compgen -c -- "$2") ;;
	--repeat | --max-resets | --baseline-runs | --jobs | --cpu | --timeout-scale | --label | --param | --threshold) COMPREPLY=() ;;
	*) return 1 ;;
	esac
}

# Bash takes "--allow=may" for the three words "--allow", "=", "may".
_pmiproof() {
	local command=$1 current=$2 previous=$3 subcommand=
	local i

	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		list | run | recover | report | compare | help)
			subcommand=${subcommand:+$subcommand }${COMP_WORDS[i]}
			break
			;;
		lab | history) [[ $subcommand ]] || subcommand=${COMP_WORDS[i]} ;;
		add | trend | flaky | export)
			[[ $subcommand != history ]] || subcommand+=" ${COMP_WORDS[i]}"
			;;
		prove | mutate | shell | faults | models | variants)
			[[ $subcommand != lab ]] || subcommand+=" ${COMP_WORDS[i]}"
			;;
		esac
	done
	[[ $current == = ]] && current=
	if [[ $previous == = ]]; then
		previous=${COMP_WORDS[COMP_CWORD - 2]}
		[[ $previous == --* ]] || return 0
	fi
	[[ $subcommand ]] && _pmiproof_value "$previous" "$current" "$command" "$subcommand" && return
	if [[ -z $subcommand || $subcommand == help || $subcommand == lab || $subcommand == history ||
		$current == -* ]]; then
		_pmiproof_offer "$current" < <(_pmiproof_options "$subcommand")
	elif [[ $subcommand == recover ]]; then
		_pmiproof_files -d "$current"
	elif [[ $subcommand == report || $subcommand == compare || $subcommand == "history add" ]]; then
		_pmiproof_files -f "$current"
	elif [[ $subcommand == "lab mutate" ]]; then
		_pmiproof_offer "$current" < <(_pmiproof_mutants "$command")
	elif [[ $subcommand == "history "* ||
		$subcommand == "lab "* && $subcommand != "lab run" && $subcommand != "lab prove" ]]; then
		COMPREPLY=()
	else
		_pmiproof_offer "$current" < <(_pmiproof_names "$command" "$current")
	fi
}

complete -F _pmiproof pmiproof
