/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_MUTATE_H
#define PMIPROOF_MUTATE_H

/* `pmiproof lab mutate`; argv[0] is "mutate". Returns the exit code. */
int lab_mutate(int argc, char **argv);

#endif
