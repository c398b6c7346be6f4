// SPDX-License-Identifier: GPL-2.0-or-later
#include "dma_latency.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define DMA_LATENCY "/dev/cpu_dma_latency"

int dma_latency_hold(int32_t us, struct err *err)
{
	int fd = open(DMA_LATENCY, O_WRONLY | O_CLOEXEC);
	ssize_t written;
	int errnum;

	if (fd < 0)
		return err_set(err, errno, "open " DMA_LATENCY);
	written = write(fd, &us, sizeof(us));
	if (written == sizeof(us))
		return fd;
	errnum = written < 0 ? errno : EIO;
	close(fd);
	return err_set(err, errnum, "write %d to " DMA_LATENCY, (int)us);
}

void dma_latency_release(int fd)
{
	if (fd >= 0)
		close(fd);
}

int dma_latency_read(int32_t *us, struct err *err)
{
	int fd = open(DMA_LATENCY, O_RDONLY | O_CLOEXEC);
	ssize_t got;
	int errnum;

	if (fd < 0)
		return err_set(err, errno, "open " DMA_LATENCY);
	got = read(fd, us, sizeof(*us));
	errnum = got < 0 ? errno : EIO;
	close(fd);
	return got == sizeof(*us) ? 0 : err_set(err, errnum, "read " DMA_LATENCY);
}
