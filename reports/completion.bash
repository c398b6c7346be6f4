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

# Names of the hypotheses that the command being completed ($1) knows. Its list has a line
# THEME/NAME for each, and what it says about it indented below. The theme is left out unless $2,
# the word so far, has one.
_pmiproof_names() {
	local theme='s,^[^/]*/,,'
	[[ $2 == */* ]] && theme=
	"$1" list 2>/dev/null | sed -n 's,^\([A-Za-z0-9_][A-Za-z0-9_./-]*\).*,\1,p' | sed "$theme"
}

_pmiproof_options() {
	case $1 in
	list) printf '%s\n' -v --verbose --json --suites -h --help ;;
	run)
		printf '%s\n' -o --output --repeat --cpu --timeout-scale --label --allow --bound \
			--workload --identify --ktap --suites -h --help
		;;
	report) printf '%s\n' -v --verbose -h --help ;;
	*) printf '%s\n' list run report --help ;;
	esac
}

# File names ($1: -d for directories only).
_pmiproof_files() {
	compopt -o filenames 2>/dev/null
	_pmiproof_offer "$2" < <(compgen "$1" -- "$2")
}

# Complete the value of an option $1 that starts with $2. Fails when it takes none.
_pmiproof_value() {
	case $1 in
	-o | --output | --suites) _pmiproof_files -d "$2" ;;
	--allow) _pmiproof_offer "$2" < <(printf '%s\n' safe may-throttle may-hang) ;;
	--bound)
		compopt -o nospace 2>/dev/null
		_pmiproof_offer "$2" < <(_pmiproof_names "$3" '' | sed 's/$/./')
		;;
	--workload) _pmiproof_offer "$2" < <(compgen -c -- "$2") ;;
	--repeat | --cpu | --timeout-scale | --label) COMPREPLY=() ;;
	*) return 1 ;;
	esac
}

_pmiproof() {
	local command=$1 current=$2 previous=$3 subcommand=
	local i

	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		list | run | report)
			subcommand=${COMP_WORDS[i]}
			break
			;;
		esac
	done
	[[ $subcommand ]] && _pmiproof_value "$previous" "$current" "$command" && return
	if [[ -z $subcommand || $current == -* ]]; then
		_pmiproof_offer "$current" < <(_pmiproof_options "$subcommand")
	elif [[ $subcommand == report ]]; then
		_pmiproof_files -f "$current"
	else
		_pmiproof_offer "$current" < <(_pmiproof_names "$command" "$current")
	fi
}

complete -F _pmiproof pmiproof
