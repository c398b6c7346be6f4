// SPDX-License-Identifier: GPL-2.0-or-later
/* main() of every test binary: its file defines `hypothesis`. */
#include "hypothesis.h"

extern const struct hypothesis hypothesis;

int main(int argc, char **argv)
{
	return hypothesis_main(&hypothesis, argc, argv);
}
