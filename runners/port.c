// SPDX-License-Identifier: GPL-2.0-or-later
#include "port.h"

#include <errno.h>

#if defined(__x86_64__)
#include <sys/io.h>

int port_open(struct err *err)
{
	if (ioperm(PORT_RECORDS, 1, 1) || ioperm(PORT_PULSE, 1, 1))
		return err_set(err, errno, "access to the ports of the lab");
	return 0;
}

void port_write(enum port port, const char *data, size_t size)
{
	outsb((unsigned short)port, data, size);
}
#elif defined(__alpha__)
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Ports are memory here: on a machine with a Typhoon chipset, as the lab's, this is where the I/O
 * space of its first PCI bus is (Linux has it in asm/core_tsunami.h).
 */
#define IO_SPACE 0x801fc000000

/*
 * Where a process sees the page that both ports are in: far above its heap and libraries, far below
 * the end of its 4 TiB. A place that is always the same is there for children, too, as ports are.
 */
#define WINDOW ((char *)0x30000000000)
#define WINDOW_SIZE 8192

int port_open(struct err *err)
{
	int fd = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
	const void *window;

	if (fd < 0)
		return err_set(err, errno, "open /dev/mem");
	window = mmap(WINDOW, WINDOW_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
		      fd, IO_SPACE);
	if (window != WINDOW)
		err_set(err, window == MAP_FAILED ? errno : EEXIST, "map the ports of the lab");
	close(fd);
	return window == WINDOW ? 0 : -EIO;
}

/*
 * A byte is to be stored as one: without byte instructions, which compilers do not use for the
 * first Alphas, it would be a read and a write of eight ports. The barrier keeps the bytes apart.
 */
void port_write(enum port port, const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		__asm__ volatile(".arch ev56\n\tstb %0, %1\n\tmb"
				 :
				 : "r"(data[i]), "m"(WINDOW[port])
				 : "memory");
}
#else
int port_open(struct err *err)
{
	return err_set(err, ENOSYS, "ports of the lab");
}

void port_write(enum port port, const char *data, size_t size)
{
	(void)port;
	(void)data;
	(void)size;
}
#endif
