/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_LAB_RUN_H
#define PMIPROOF_LAB_RUN_H

/* `pmiproof lab run` and `pmiproof lab shell`; argv[0] is "run" or "shell". Return the exit code.
 */
int lab_run(int argc, char **argv);
int lab_shell(int argc, char **argv);

#endif
