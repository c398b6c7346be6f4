// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "machine_parts.h"

Suite *suite(void);

/* A command line, and how it looks without and with identify. NULL: as without. */
struct line {
	const char *cmdline;
	const char *masked;
	const char *identified;
};

#define SAME(text)               \
	{                        \
		text, text, text \
	}

static const struct line plain[] = {
	SAME(""),
	SAME(" "),
	SAME("quiet"),
	SAME("ro  quiet\tsplash "),
	SAME("BOOT_IMAGE=/boot/vmlinuz-6.1.0-13-amd64 root=/dev/sda1 ro"),
	SAME("BOOT_IMAGE=(hd0,gpt2)/vmlinuz-5.14.0.1.2 initrd=/initrd-6.1.0.13.img"),
	SAME("isolcpus=managed_irq,domain,2-5 nohz_full=2-5 rcu_nocbs=2-5"),
	SAME("console=ttyS0,115200n8 earlycon=uart8250,mmio32,0xfe215040"),
	SAME("crashkernel=1G-4G:192M,4G-64G:256M memmap=64G!0x100000000"),
	SAME("xen-pciback.hide=(0000:01:00.0)(0000:01:00.1) pci=realloc=on"),
	SAME("vconsole.keymap=de rd.vconsole.keymap=de keyboard=us iommu.passthrough=1 x.bypass=1"),
	SAME("mitigations=off nmi_watchdog=0 intel_idle.max_cstate=1 clocksource=tsc"),
	SAME("dyndbg=\"file drivers/usb/* +p\" quiet"),
	SAME("net.ifnames=0 rd.peerdns=0 rd.neednet=1 systemd.unit=rescue.target"),
	SAME("root=/dev/mapper/vg-root rd.lvm.lv=vg/root rd.luks.options=discard"),
	SAME("= == a= =b a=b=c"),
};

static const struct line secrets[] = {
	{ "password=hunter2", "password=***", NULL },
	{ "PASSWORD=Hunter2 ro", "PASSWORD=*** ro", NULL },
	{ "password=", "password=", NULL },
	{ "password", "password", NULL },
	{ "a.b_pass-word=x api-key=1 my_secret=2", "a.b_pass-word=*** api-key=*** my_secret=***",
	  NULL },
	{ "wpa-psk=abc systemd.set_credential=passwd:x", "wpa-psk=*** systemd.set_credential=***",
	  NULL },
	{ "password=\"a b\" ro", "password=*** ro", NULL },
	{ "\"password=a b\" ro", "\"password=***\" ro", NULL },
	{ "password=\"never closed ro", "password=***", NULL },
	{ "password=a\"b c\"d ro", "password=*** ro", NULL },
	{ "password=a=b,c ro", "password=*** ro", NULL },
	{ "rd.luks.key=/etc/k:UUID=1", "rd.luks.key=***", NULL },
	{ "cifsroot=//srv/share,user=me,password=x,ro", "cifsroot=//***/share,user=***",
	  "cifsroot=//srv/share,user=me,password=***" },
	{ "opts=\"ro,password=a b\" quiet", "opts=\"ro,password=***\" quiet", NULL },
	{ "opts=\"password=a b\" quiet", "opts=\"password=***\" quiet", NULL },
	{ "url=http://me:pw@boot/x", "url=http://***/x", "url=http://***boot/x" },
	{ "url=http://boot/x?token=abc&y=1", "url=http://***/x?token=***",
	  "url=http://boot/x?token=***" },
	{ "root=iscsi:me:pw@10.0.0.1::3260::iqn.2009-06.x", "root=iscsi:***", NULL },
	{ "netroot=iscsi:me:pw@x", "netroot=***", NULL },
	{ "-- --token abc --keep x", "-- --token *** --keep x", NULL },
	{ "-- --token=abc", "-- --token=***", NULL },
	{ "-- --token --other x", "-- --token --other x", NULL },
	{ "-- --token \"a b\" c", "-- --token *** c", NULL },
	{ "dm-mod.create=\"r,,,rw, 0 9 crypt aes 00112233445566778899aabbccddeeff 0 /dev/sda 0\"",
	  "dm-mod.create=\"r,,,rw, 0 9 crypt aes *** 0 /dev/sda 0\"", NULL },
	/* Bytes that are no text, in key and value. */
	{ "\xff\x80password\xff=\xc3 x", "\xff\x80password\xff=*** x", NULL },
};

static const char *const naming[][2] = {
	{ "root=UUID=2f1d7c3e-11aa-4b6e-9c1d-0123456789ab ro", "root=UUID=*** ro" },
	{ "root=PARTUUID=1234abcd-02", "root=PARTUUID=***" },
	{ "root=LABEL=node17-root", "root=LABEL=***" },
	{ "root=/dev/disk/by-id/ata-X_SERIAL-part1 ro", "root=/dev/disk/by-id/*** ro" },
	{ "rd.luks.uuid=luks-abc", "rd.luks.uuid=***" },
	{ "resume=/dev/mapper/luks-2f1d7c3e-11aa-4b6e-9c1d-0123456789ab",
	  "resume=/dev/mapper/luks-***" },
	{ "ip=10.0.0.5::10.0.0.1:255.255.255.0:node17:eth0:off", "ip=***" },
	{ "ip=dhcp", "ip=***" },
	{ "nfsroot=10.0.0.5:/srv/node17,vers=4", "nfsroot=***" },
	{ "root=nfs:filer:/srv/x", "root=nfs:***:/srv/x" },
	{ "netconsole=6665@10.0.0.2/eth0,6666@10.0.0.1/52:54:00:ab:cd:ef", "netconsole=***" },
	{ "systemd.hostname=node17 hostname=node17", "systemd.hostname=*** hostname=***" },
	{ "ifname=eth0:52:54:00:ab:cd:ef BOOTIF=01-52-54-00-ab-cd-ef", "ifname=*** BOOTIF=***" },
	{ "smsc95xx.macaddr=B8:27:EB:00:00:01", "smsc95xx.macaddr=***" },
	{ "vendor.thing=B8:27:EB:00:00:01,x", "vendor.thing=***,x" },
	{ "a=10.0.0.1 b=x10.0.0.1y c=[10.0.0.1]:80", "a=*** b=x***y c=[***]:80" },
	{ "--addr 10.0.0.1:2024", "--addr ***:2024" },
	{ "--hostname node17 ro", "--hostname *** ro" },
	{ "a=fe80::1 b=[2001:db8::2]:6666 c=0000:00:1f.3", "a=*** b=[***]:6666 c=0000:00:1f.3" },
	{ "inst.repo=http://boot.example.org/x", "inst.repo=http://***/x" },
	{ "BOOT_IMAGE=http://10.0.0.1/vmlinuz-6.1.0.13", "BOOT_IMAGE=http://***/vmlinuz-6.1.0.13" },
	{ "BOOT_IMAGE=(tftp,10.0.0.1)/vmlinuz-6.1.0.13", "BOOT_IMAGE=(tftp,***)/vmlinuz-6.1.0.13" },
	{ "ds=nocloud;h=node17;i=iid-1", "ds=***" },
	{ "rd.iscsi.initiator=iqn.2009-06.org.example:node17", "rd.iscsi.initiator=***" },
	{ "x=iqn.2009-06.org.example:node17,1", "x=***,1" },
	{ "androidboot.serialno=ABC", "androidboot.serialno=***" },
};

static void expect(const char *cmdline, bool identify, const char *want)
{
	char *got = machine_mask_cmdline(cmdline, identify);

	ck_assert_ptr_nonnull(got);
	ck_assert_msg(!strcmp(got, want), "\"%s\"%s: \"%s\", not \"%s\"", cmdline,
		      identify ? " with identify" : "", got, want);
	free(got);
}

START_TEST(what_is_harmless_stays)
{
	expect(plain[_i].cmdline, false, plain[_i].masked);
	expect(plain[_i].cmdline, true, plain[_i].identified);
}
END_TEST

START_TEST(secrets_are_masked_always)
{
	const struct line *line = &secrets[_i];

	expect(line->cmdline, false, line->masked);
	expect(line->cmdline, true, line->identified ? line->identified : line->masked);
}
END_TEST

/* With identify, these stay as they are. */
START_TEST(names_are_masked_unless_asked_for)
{
	expect(naming[_i][0], false, naming[_i][1]);
	expect(naming[_i][0], true, naming[_i][0]);
}
END_TEST

/* The longest command lines are 8 KiB; one word, many words, many quotes. */
START_TEST(long_lines)
{
	static const char secret[] = "password=secretvalue";
	static char line[8193];
	char *masked;

	for (const char *fill = "a=\" 1:.-"; *fill; fill++) {
		memset(line, *fill, sizeof(line) - 1);
		masked = machine_mask_cmdline(line, false);
		ck_assert_ptr_nonnull(masked);
		free(masked);
	}
	/* Of a name as long as that nothing is known, so its value is not shown. */
	memset(line, 'n', sizeof(line) - 1);
	for (size_t i = 0; secret[i]; i++)
		line[4000 + i] = secret[i];
	masked = machine_mask_cmdline(line, true);
	ck_assert_ptr_null(strstr(masked, "secretvalue"));
	free(masked);
}
END_TEST

START_TEST(builder_is_masked)
{
	static const char *const lines[][2] = {
		{ "Linux version 6.1 (me@host) (gcc (GCC) 12) #1",
		  "Linux version 6.1 (***) (gcc (GCC) 12) #1" },
		{ "Linux version 6.1 (me(x)@host) #1", "Linux version 6.1 (***) #1" },
		{ "Linux version 6.1 (me@host #1", "Linux version 6.1 (***" },
		{ "Linux version 6.1", "Linux version 6.1" },
		{ "", "" },
	};
	char *got = machine_mask_builder(lines[_i][0]);

	ck_assert_str_eq(got, lines[_i][1]);
	free(got);
}
END_TEST

START_TEST(words_are_masked_whole)
{
	static const char *const lines[][3] = {
		{ "/srv/node17/vmlinuz", "node17", "/srv/***/vmlinuz" },
		{ "node17", "node17", "***" },
		{ "Node17-vg node17--root", "node17", "***-vg ***--root" },
		{ "node170 xnode17 node17", "node17", "node170 xnode17 ***" },
		{ "abc", "", "abc" },
		{ "", "x", "" },
	};
	char *got = machine_mask_word(lines[_i][0], lines[_i][1]);

	ck_assert_str_eq(got, lines[_i][2]);
	free(got);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

Suite *suite(void)
{
	Suite *s = suite_create("machine_cmdline");
	TCase *t = tcase_create("mask");

	tcase_add_loop_test(t, what_is_harmless_stays, 0, COUNT(plain));
	tcase_add_loop_test(t, secrets_are_masked_always, 0, COUNT(secrets));
	tcase_add_loop_test(t, names_are_masked_unless_asked_for, 0, COUNT(naming));
	tcase_add_test(t, long_lines);
	tcase_add_loop_test(t, builder_is_masked, 0, 5);
	tcase_add_loop_test(t, words_are_masked_whole, 0, 6);
	suite_add_tcase(s, t);
	return s;
}
