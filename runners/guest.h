/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_GUEST_H
#define PMIPROOF_GUEST_H

/*
 * The first process of the lab's machine: makes it ready, does the job in INITRAMFS_JOB, gives
 * signs of life, and switches the machine off.
 *
 * A job is an object. "pulse_ms" is the time between two signs of life; "sysctls" an object that
 * says what to write to which before anything starts; "args" an array, the arguments of a run from
 * the word "run" on, and without it the job is a shell for people; "first" the number of the first
 * test of the plan to run, from 1.
 *
 * A sign of life is the line "up MILLISECONDS", the time since boot by the guest's clock; the last
 * line is "exit CODE".
 */
int guest_main(void);

#endif
