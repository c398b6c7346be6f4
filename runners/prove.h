/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PROVE_H
#define PMIPROOF_PROVE_H

/* `pmiproof lab prove`; argv[0] is "prove". Returns the exit code. */
int lab_prove(int argc, char **argv);

#endif
