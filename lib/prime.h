/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_PRIME_H
#define PMIPROOF_PRIME_H

#include <stdint.h>

/*
 * The smallest prime that is not below `least`: a sampling period that does not beat with the
 * length of a loop. Found by division: for numbers up to 10^12 or so.
 */
uint64_t prime_from(uint64_t least);

#endif
