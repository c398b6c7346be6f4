#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A script for initramfs-tools, and for an init of one's own: runs pmiproof before there is a root file system,
# for a machine that boots from the network or whose disk is not to be touched. It begins a run, or goes on with
# one that the machine did not survive, with the report on a file system of its own.
#
# Install as /etc/initramfs-tools/scripts/init-premount/pmiproof, with pmiproof.hook beside it, and boot with
#   pmiproof=DEVICE   the file system, such as pmiproof=/dev/vda1; without it nothing is done
# On that file system:
#   arguments          of `pmiproof run` for a new run, one a line; without this file none is begun
#   resume-arguments   the same for going on with it, such as --max-resets
#   report/            the report; where there is one, the run in it is resumed
#   log                what the command printed
# It returns when the run is over, whatever came out; 1 when the file system is not there.

case ${1:-} in
prereqs)
	echo udev
	exit 0
	;;
esac

command=${PMIPROOF:-pmiproof} place=/run/pmiproof
PATH=/usr/libexec/pmiproof/bin:$PATH # tools from the hook

device=$(sed -n 's/.*\bpmiproof=\([^ ]*\).*/\1/p' /proc/cmdline)
[ -n "$device" ] || exit 0

# udev does not load them all: some distributions keep it from watchdogs, and ramoops has no device to be found by.
for module in iTCO_wdt sp5100_tco i6300esb ipmi_si ipmi_watchdog pretimeout_panic ramoops efi_pstore; do
	modprobe -q $module 2>/dev/null || :
done

# mount_once TYPE PLACE: what the kernel offers to tests, where it is not mounted.
mount_once() {
	grep -q " $2 $1 " /proc/mounts || mount -t "$1" "$1" "$2" 2>/dev/null || :
}

for kind in debugfs:/sys/kernel/debug tracefs:/sys/kernel/tracing cgroup2:/sys/fs/cgroup pstore:/sys/fs/pstore; do
	mount_once "${kind%%:*}" "${kind#*:}"
done

# The disk may come late. A journal that a reset has left behind is replayed by the mount.
mkdir -p $place
tries=30
until mount "$device" $place 2>/dev/null; do
	tries=$((tries - 1))
	[ $tries -gt 0 ] || {
		echo "pmiproof: cannot mount $device" >&2
		exit 1
	}
	sleep 1
done

# run_with FILE ARGUMENT...: with these and those of the file, one a line, if there is one.
run_with() {
	file=$place/$1
	shift
	[ ! -e "$file" ] || while IFS= read -r word; do
		set -- "$@" "$word"
	done <"$file"
	"$command" run "$@"
}

# The supervisor itself may be killed: the run goes on with what is left of it.
tries=10
while [ $tries -gt 0 ]; do
	tries=$((tries - 1))
	if [ -s $place/report/journal.jsonl ]; then
		run_with resume-arguments --resume $place/report
	elif [ -e $place/arguments ]; then
		rm -rf $place/report
		run_with arguments -o $place/report
	else
		break
	fi
	rc=$?
	echo "pmiproof: exit code $rc"
	case $rc in
	[0-9] | [0-9][0-9] | 1[01]? | 12[0-8] | 130) break ;; # it has ended by itself, or by Ctrl-C
	esac
done >>$place/log 2>&1 </dev/null
umount $place
exit 0
