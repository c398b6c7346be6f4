#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For the scripts that boot the emulated machines (sourced): the files they need, an initramfs, a
# boot with the console in a file, and verdicts. Sets build, qemu, kernel, guest, exact, tmp, log.
# shellcheck disable=SC2034 # its variables are used where it is sourced

build=${BUILD:-build}
qemu=$build/lab/qemu/bin/qemu-system-x86_64
kernel=${LAB_KERNEL:-$build/lab/kernel/vmlinuz}
guest=$build/fixtures/machines/x86/smoke_guest
# One CPU, time counted in instructions: the mode in which runs are alike.
exact='-smp 1 -icount shift=0,sleep=off -rtc clock=vm,base=2020-01-01 -seed 1'
passed=0 failed=0

# Say which file is missing, and end; otherwise make the temporary directory.
lab_begin() {
	for file in "$qemu" "$kernel" "$@"; do
		[ -e "$file" ] || {
			echo "${0##*/}: $file is missing: run 'make ${0##*/}'" >&2
			exit 2
		}
	done
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT TERM HUP
	log=${LOG:-$tmp}
	mkdir -p "$log"
}

# lab_initramfs FILE PROGRAM...: with busybox, these programs with the libraries they need, and
# what comes on standard input as what is run; FILE is the initramfs.
lab_initramfs() {
	out=$1 root=$1.root
	shift
	mkdir -p "$root/bin" "$root/proc" "$root/sys" "$root/dev" "$root/tmp"
	for program in "$(command -v busybox)" "$@"; do
		cp "$program" "$root/bin/"
		ldd "$program" 2>/dev/null | grep -o '/[^ ]*' | while read -r library; do
			mkdir -p "$root${library%/*}"
			cp -L "$library" "$root$library"
		done
	done
	{
		cat <<-'END'
			#!/bin/busybox sh
			/bin/busybox mount -t proc proc /proc
			/bin/busybox mount -t sysfs sysfs /sys
			/bin/busybox mount -t devtmpfs dev /dev
			/bin/busybox --install -s /bin
			export PATH=/bin HOME=/tmp
			cd /tmp
			echo 1000000 >/proc/sys/kernel/perf_event_max_sample_rate
			echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
		END
		cat
		echo 'poweroff -f'
	} >"$root/init"
	chmod +x "$root/init"
	(cd "$root" && find . | cpio -o -H newc --quiet) | gzip -1 >"$out"
	rm -rf "$root"
}

# lab_qemu CPU INITRAMFS QEMU-OPTION...: boot, with the console on standard input and output. With LAB_QEMU
# another emulator.
lab_qemu() {
	cpu=$1 initramfs=$2
	shift 2
	timeout 300 "${LAB_QEMU:-$qemu}" -accel tcg -cpu "$cpu" -m 512 -nodefaults -no-user-config \
		-display none -vga none -nic none -serial stdio -no-reboot "$@" \
		-kernel "$kernel" -initrd "$initramfs" \
		-append 'console=ttyS0 quiet panic=-1 nmi_watchdog=0' </dev/null
}

# lab_console NAME COMMAND...: run what boots, with the console in $log/NAME.
lab_console() {
	name=$1
	shift
	"$@" 2>"$log/$name.err" >"$log/$name.raw" ||
		echo "FAILED qemu: exit $?" >>"$log/$name.raw"
	tr -d '\r' <"$log/$name.raw" >"$log/$name"
	rm -f "$log/$name.raw"
}

# lab_boot NAME CPU INITRAMFS QEMU-OPTION...: boot, with the console in $log/NAME.
lab_boot() {
	boot=$1
	shift
	lab_console "$boot" lab_qemu "$@"
}

# verdict RC WHAT
verdict() {
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
		echo "ok      $2"
	else
		failed=$((failed + 1))
		echo "FAILED  $2"
	fi
}

# The last words: how many, and the exit status.
lab_end() {
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
