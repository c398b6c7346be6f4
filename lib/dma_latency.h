/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PMIPROOF_DMA_LATENCY_H
#define PMIPROOF_DMA_LATENCY_H

#include <stdint.h>

#include "err.h"

/*
 * Ask the kernel that no CPU enter an idle state whose exit takes longer than `us` microseconds;
 * 0 forbids all of them. The request lasts as long as the returned descriptor is open, so it ends
 * with the process at the latest (Documentation/power/pm_qos_interface.rst, /dev/cpu_dma_latency).
 * Returns the descriptor, or -errno.
 */
int dma_latency_hold(int32_t us, struct err *err);

/* Take the request back. Safe on a negative descriptor. */
void dma_latency_release(int fd);

/*
 * The longest exit latency allowed now, in us, by everyone's requests together: how to see that
 * somebody else already holds idle states off. Returns 0, or -errno.
 */
int dma_latency_read(int32_t *us, struct err *err);

#endif
