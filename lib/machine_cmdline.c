// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Masking: a report is sent to others, and a kernel command line holds passwords and tokens, and
 * names of the machine and its network. In doubt a value is masked: one that is missing in a report
 * can be asked for, one that was published cannot be taken back.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "machine_parts.h"

#define MASK "***"

/* What the name of a parameter says about its value. */
enum meaning {
	MEANS_NOTHING,
	MEANS_IMAGE,  /* a file name, with a version that looks like an address */
	MEANS_NAMES,  /* names this machine, its network or its user */
	MEANS_SECRET, /* must not be seen by anyone */
};

/* Words that, anywhere in a parameter's name, make it a secret ... */
static const char *const secret_words[] = {
	"pass", "pwd", "secret", "token", "credential", "key", "psk", NULL,
};

/* ... unless as part of one of these. */
static const char *const innocent_words[] = {
	"keymap",      "keyboard", "keycode", "keytable", "hotkey",
	"passthrough", "bypass",   "passive", NULL,
};

/*
 * Names of parameters, for fnmatch(3), in lower case and with "_" for "-" (the kernel takes both).
 * From Documentation/admin-guide/kernel-parameters.txt, dracut.cmdline(7), systemd(1),
 * kernel-command-line(7), cloud-init and the installers of Debian and Fedora.
 */
static const struct {
	const char *pattern;
	enum meaning meaning;
} names[] = {
	{ "boot_image", MEANS_IMAGE },	 { "initrd", MEANS_IMAGE },
	{ "netroot", MEANS_SECRET }, /* iscsi:user:password@... */
	{ "ip", MEANS_NAMES },		 { "nfsroot", MEANS_NAMES },
	{ "nfsaddrs", MEANS_NAMES },	 { "netconsole", MEANS_NAMES },
	{ "kgdboe", MEANS_NAMES },	 { "ifname", MEANS_NAMES },
	{ "bootif", MEANS_NAMES },	 { "ethaddr", MEANS_NAMES },
	{ "*macaddr*", MEANS_NAMES },	 { "*mac_addr*", MEANS_NAMES },
	{ "*hostname*", MEANS_NAMES },	 { "host", MEANS_NAMES },
	{ "*.host", MEANS_NAMES },	 { "domain", MEANS_NAMES },
	{ "*domainname*", MEANS_NAMES }, { "netcfg/*", MEANS_NAMES },
	{ "nameserver", MEANS_NAMES },	 { "gateway", MEANS_NAMES },
	{ "*server", MEANS_NAMES },	 { "*iscsi*", MEANS_NAMES },
	{ "rd.zfcp", MEANS_NAMES },	 { "rd.route", MEANS_NAMES },
	{ "rd.luks.name", MEANS_NAMES }, { "*machine_id*", MEANS_NAMES },
	{ "*serialno*", MEANS_NAMES },	 { "*serial_n*", MEANS_NAMES },
	{ "*uuid*", MEANS_NAMES },	 { "label", MEANS_NAMES },
	{ "partlabel", MEANS_NAMES },	 { "user", MEANS_NAMES },
	{ "*.user", MEANS_NAMES },	 { "*username*", MEANS_NAMES },
	{ "owner", MEANS_NAMES },	 { "*email*", MEANS_NAMES },
	{ "ds", MEANS_NAMES }, /* cloud-init: host name, instance id, address */
	{ "ci.ds", MEANS_NAMES },
};

static bool ipv6(const char *text)
{
	struct in6_addr address;

	return inet_pton(AF_INET6, text, &address) == 1;
}

#define NAMES_COUNT (sizeof(names) / sizeof(names[0]))
#define BYTE "[0-9]{1,3}"
#define HEX "[0-9a-fA-F]"

/*
 * What gives itself away in any value. What matches is replaced but for its first group. `image` is
 * for, `not_image` not for file names of kernels, where 6.1.0.13 is a version.
 */
static const struct {
	const char *pattern;
	bool secret;
	bool image, not_image;
	bool (*really)(const char *text); /* NULL: the pattern says it all */
} values[] = {
	{ .pattern = "(//)[^/@]*@", .secret = true },	       /* user:password@ of a URL */
	{ .pattern = "((^|[^a-z])iscsi:).+", .secret = true }, /* user:password in a root= */
	{ .pattern = "()" HEX "{32,}", .secret = true },       /* a key of dm-crypt, a machine id */
	{ .pattern = "(//)[^/, ]+" },			       /* the server of a URL or share */
	{ .pattern = "(^nfs4?:)[^:/]+" },
	{ .pattern = "(by-(uuid|id|label|partuuid|partlabel)/)[^,: ]+" },
	{ .pattern = "()" HEX "{8}-(" HEX "{4}-){3}" HEX "{12}" }, /* UUID */
	{ .pattern = "()(" HEX "{2}[:-]){5,}" HEX "{2}" },	   /* MAC, also of InfiniBand */
	{ .pattern = "()(iqn|eui|naa)\\.[^, ]+" },		   /* iSCSI names */
	{ .pattern = "(^|[^0-9A-Za-z._-])(" BYTE "\\.){3}" BYTE, .image = true },
	{ .pattern = "(^|[^0-9.])(" BYTE "\\.){3}" BYTE, .not_image = true },
	{ .pattern = "()[0-9a-fA-F.]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*", .really = ipv6 },
};

#define VALUES_COUNT (sizeof(values) / sizeof(values[0]))

/* The patterns of values[], compiled. */
struct masker {
	bool identify;
	size_t n;
	regex_t regex[VALUES_COUNT];
};

static const char *starts_with_one(const char *text, const char *const *table)
{
	for (; *table; table++)
		if (!strncmp(text, *table, strlen(*table)))
			return *table;
	return NULL;
}

static bool secret_name(const char *name)
{
	while (*name) {
		const char *innocent = starts_with_one(name, innocent_words);

		if (innocent) {
			name += strlen(innocent);
			continue;
		}
		if (starts_with_one(name, secret_words))
			return true;
		name++;
	}
	return false;
}

/* Longer names do not exist; what a line with one is cannot be told, so it is hidden. */
#define NAME_MAX_LEN 256

static enum meaning name_meaning(const char *name, size_t len)
{
	char plain[NAME_MAX_LEN];
	size_t used = 0;

	while (len && (*name == '-' || *name == '"')) {
		name++;
		len--;
	}
	for (; used < len && used < sizeof(plain) - 1; used++)
		plain[used] = (char)(name[used] == '-' ? '_' : tolower((unsigned char)name[used]));
	plain[used] = '\0';
	if (used < len || secret_name(plain))
		return MEANS_SECRET;
	for (size_t i = 0; i < NAMES_COUNT; i++)
		if (!fnmatch(names[i].pattern, plain, 0))
			return names[i].meaning;
	return MEANS_NOTHING;
}

static bool hides(const struct masker *masker, enum meaning meaning)
{
	return meaning == MEANS_SECRET || (meaning == MEANS_NAMES && !masker->identify);
}

static bool really(size_t i, const char *text, const regmatch_t *match)
{
	char *copy;
	bool result;

	if (!values[i].really)
		return true;
	copy = strndup(text + match->rm_so, (size_t)(match->rm_eo - match->rm_so));
	result = !copy || values[i].really(copy);
	free(copy);
	return result;
}

/* text with all matches of one pattern masked; frees text. NULL: no memory. */
static char *mask_pattern(const struct masker *masker, size_t i, char *text)
{
	const char *at = text;
	regmatch_t match[2];
	size_t size = 0;
	char *out = NULL;
	FILE *stream = open_memstream(&out, &size);

	if (!stream) {
		free(text);
		return NULL;
	}
	while (*at && !regexec(&masker->regex[i], at, 2, match, 0) && match[0].rm_eo > 0) {
		bool hide = really(i, at, &match[0]);

		fprintf(stream, "%.*s", (int)(hide ? match[1].rm_eo : match[0].rm_eo), at);
		if (hide)
			fputs(MASK, stream);
		at += match[0].rm_eo;
	}
	fputs(at, stream);
	free(text);
	if (fclose(stream)) {
		free(out);
		return NULL;
	}
	return out;
}

/* Cut a value behind the first "name=" in it that hides what follows: "user=x,password=y". */
static const char *hidden_option(const struct masker *masker, const char *value)
{
	while (value) {
		size_t len = strcspn(value, "=,;?& \"");

		if (value[len] == '=' && hides(masker, name_meaning(value, len)))
			return value + len + 1;
		value = value[len] ? value + len + 1 : NULL;
	}
	return NULL;
}

/* A value, or a word without one, as it may be shown; newly allocated. */
static char *mask_value(const struct masker *masker, const char *value, size_t len, bool image)
{
	char *text = strndup(value, len);
	const char *hidden = text ? hidden_option(masker, text) : NULL;
	bool quoted = len && value[len - 1] == '"';

	if (hidden && *hidden) {
		char *cut = NULL;

		if (asprintf(&cut, "%.*s" MASK "%s", (int)(hidden - text), text,
			     quoted ? "\"" : "") < 0)
			cut = NULL;
		free(text);
		text = cut;
	}
	for (size_t i = 0; text && i < VALUES_COUNT; i++) {
		if ((masker->identify && !values[i].secret) || (values[i].image && !image) ||
		    (values[i].not_image && image))
			continue;
		text = mask_pattern(masker, i, text);
	}
	return text;
}

/* End of the word at text: quotes toggle, as in next_arg() of lib/cmdline.c, and hide blanks. */
static size_t word_length(const char *text)
{
	bool quoted = false;
	size_t len = 0;

	for (; text[len] && (quoted || !isspace((unsigned char)text[len])); len++)
		if (text[len] == '"')
			quoted = !quoted;
	return len;
}

/* One word. Returns what the word after it is: the value of this option, or an own word. */
static enum meaning mask_one(const struct masker *masker, const char *word, size_t len,
			     enum meaning before, FILE *stream)
{
	const char *equals = memchr(word, '=', len);
	size_t name_len = equals ? (size_t)(equals - word) : len;
	enum meaning meaning = name_meaning(word, name_len);
	size_t shown = equals ? name_len + 1 : 0;
	char *text;

	if (word[0] != '-' && hides(masker, before)) {
		fputs(MASK, stream);
		return MEANS_NOTHING;
	}
	fprintf(stream, "%.*s", (int)shown, word);
	if (equals && hides(masker, meaning)) {
		if (shown < len)
			fprintf(stream, MASK "%s", word[0] == '"' ? "\"" : "");
		return MEANS_NOTHING;
	}
	text = mask_value(masker, word + shown, len - shown, meaning == MEANS_IMAGE);
	/* Without memory for it a word is masked, not shown. */
	fputs(text ? text : MASK, stream);
	free(text);
	/* "--token abc", for init; the kernel itself has no such form. */
	return !equals && word[0] == '-' ? meaning : MEANS_NOTHING;
}

static void mask_words(const struct masker *masker, const char *cmdline, FILE *stream)
{
	enum meaning before = MEANS_NOTHING;

	while (*cmdline) {
		size_t len = word_length(cmdline);

		if (!len) {
			fputc(*cmdline++, stream);
			continue;
		}
		before = mask_one(masker, cmdline, len, before, stream);
		cmdline += len;
	}
}

static bool masker_init(struct masker *masker, bool identify)
{
	masker->identify = identify;
	for (masker->n = 0; masker->n < VALUES_COUNT; masker->n++)
		if (regcomp(&masker->regex[masker->n], values[masker->n].pattern, REG_EXTENDED))
			return false;
	return true;
}

char *machine_mask_cmdline(const char *cmdline, bool identify)
{
	struct masker masker;
	size_t size = 0;
	char *out = NULL;
	FILE *stream = NULL;

	if (masker_init(&masker, identify))
		stream = open_memstream(&out, &size);
	if (stream) {
		mask_words(&masker, cmdline, stream);
		if (fclose(stream)) {
			free(out);
			out = NULL;
		}
	}
	while (masker.n)
		regfree(&masker.regex[--masker.n]);
	return out;
}

char *machine_mask_word(const char *text, const char *word)
{
	size_t len = strlen(word), size = 0;
	bool inside = false;
	char *out = NULL;
	FILE *stream = open_memstream(&out, &size);

	if (!stream)
		return NULL;
	while (*text) {
		if (!inside && len && !strncasecmp(text, word, len) &&
		    !isalnum((unsigned char)text[len])) {
			fputs(MASK, stream);
			text += len;
			continue;
		}
		inside = isalnum((unsigned char)*text);
		fputc(*text++, stream);
	}
	if (fclose(stream)) {
		free(out);
		return NULL;
	}
	return out;
}

char *machine_mask_builder(const char *version)
{
	const char *open = strchr(version, '('), *close = open;
	char *out = NULL;
	int depth = 0;

	if (!open)
		return strdup(version);
	for (; *close; close++) {
		depth += (*close == '(') - (*close == ')');
		if (!depth)
			break;
	}
	if (asprintf(&out, "%.*s(" MASK "%s", (int)(open - version), version, close) < 0)
		return NULL;
	return out;
}
