// SPDX-License-Identifier: GPL-2.0-or-later
#include "port.h"

#include <errno.h>

#ifdef __x86_64__
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
