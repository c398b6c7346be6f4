// SPDX-License-Identifier: GPL-2.0-or-later
/* That the whole is valid is what ci/formats-test sees to. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../fixtures/formatted.h"
#include "xml.h"

Suite *suite(void);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* By hand from the journals. */
static const struct {
	const char *journal, *part;
} parts[] = {
	{ "verdicts", "<testcase name=\"clock_refresh\" classname=\"clock_refresh\" "
		      "time=\"33.250\">\n      <failure message=\"hung: no progress for 30 s, "
		      "ended by SIGKILL\" type=\"hung\">" },
	{ "verdicts", "worker, cpu 1, period 17: 0.25 &gt;= 0.5 does not hold: half of the control "
		      "run: throttling is to leave the CPU usable\n" },
	{ "verdicts", "<error message=\"broken: positive control samples: 0, not above 0 1\" "
		      "type=\"broken\">" },
	{ "verdicts", "<skipped message=\"known: newest: 1 == 0 does not hold; " },
	{ "verdicts", "<testcase name=\"irq_latency\" classname=\"irq_latency\" "
		      "time=\"41.000\"/>" },
	{ "verdicts", "<skipped message=\"skip: perf_event_open type 0" },
	{ "verdicts", "<skipped message=\"notrun: interrupted before it\">" },
	{ "verdicts", "<property name=\"label / scheduler\" value=\"credit2\"/>" },
	{ "verdicts", "<property name=\"emulated\" value=\"false\"/>" },
	{ "verdicts", "<property name=\"progress / control / grace period / value [ns]\" "
		      "value=\"4100000\"/>" },
	{ "verdicts", "<system-err>dumping state\n</system-err>" },
	{ "emulated", "<property name=\"emulated\" value=\"true\"/>" },
	{ "emulated", "<property name=\"lab faults\" value=\"lost-pmi=7 shadow=on\"/>" },
	{ "emulated", "<property name=\"latency / other, idle allowed, idle / wake-up / p50 [ns]\" "
		      "value=\"50500\"/>" },
	{ "emulated", "<property name=\"latency / other, idle allowed, idle / wake-up / n\" "
		      "value=\"8\"/>" },
	/* a start and no end, and one that was planned only */
	{ "stopped", "<error message=\"none: no verdict: the run stopped here\" type=\"none\">" },
	{ "stopped", "<skipped message=\"notrun: not reached: the run stopped before it\">" },
	{ "repeat", ", iteration 3\"" },
	{ "markup",
	  "<testsuite id=\"0\" package=\"pmiproof\" name=\"=1+1 # SKIP &lt;/failure&gt;\"" },
	{ "markup", "name=\"?\" timestamp" },
	{ "markup", "hostname=\"?\"" },
	{ "markup", "<property name=\"claim\" value=\"]]&gt; &amp; &lt;!-- \xef\xbf\xbd\"/>" },
	{ "markup", "not ok 1 &lt;/system-out&gt; # SKIP\n" },
	{ "markup", "<property name=\"t / many / p50 [ns]\" value=\"1.5\"/>" },
	{ "hostile", "<testsuite id=\"0\" package=\"pmiproof\" name=\"evil\\x1b[31m\"" },
};

START_TEST(says_what_the_journal_says)
{
	char *text = formatted("junit", parts[_i].journal);

	ck_assert_msg(strstr(text, parts[_i].part) != NULL, "%s", parts[_i].part);
	free(text);
}
END_TEST

/* XML 1.0, 2.2: of what is below a blank only tab, line feed and carriage return, and no U+FFFE. */
START_TEST(holds_only_what_xml_can)
{
	static const struct {
		const char *text, *xml;
	} cases[] = {
		{ "plain", "plain" },
		{ "<b a=\"1\" c='2'>&amp;", "&lt;b a=&quot;1&quot; c=&apos;2&apos;&gt;&amp;amp;" },
		{ "]]>", "]]&gt;" },
		{ "\x01\x08\x1f\x7f", "\\x01\\x08\\x1f\\x7f" },
		{ "a\tb\nc\r", "a\\tb\\nc\\r" },
		{ "\xef\xbf\xbe\xef\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xff", "\xef\xbf\xbd" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* a surrogate */
		{ "\xf0\x9f\x90\xa7", "\xf0\x9f\x90\xa7" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[128] = "";
		FILE *out = fmemopen(text, sizeof(text), "w");

		xml_put(out, cases[i].text);
		fclose(out);
		ck_assert_str_eq(text, cases[i].xml);
	}
}
END_TEST

Suite *suite(void)
{
	Suite *s = suite_create("junit");
	TCase *tc = tcase_create("junit");

	tcase_add_loop_test(tc, says_what_the_journal_says, 0, COUNT(parts));
	tcase_add_test(tc, holds_only_what_xml_can);
	suite_add_tcase(s, tc);
	return s;
}
