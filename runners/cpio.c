// SPDX-License-Identifier: GPL-2.0-or-later
#include "cpio.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRAILER "TRAILER!!!"

/* Headers and contents start at multiples of this, an archive ends at one of the block size. */
#define ALIGN 4
#define BLOCK 512

/* Numbers in a header are eight hexadecimal digits. */
#define SIZE_MAX_NEWC UINT32_MAX

static void put(struct cpio *cpio, const void *data, size_t size)
{
	cpio->written += fwrite(data, 1, size, cpio->out);
}

static void pad(struct cpio *cpio, unsigned int to)
{
	static const char zeros[BLOCK];

	put(cpio, zeros, (to - cpio->written % to) % to);
}

static void put_entry(struct cpio *cpio, const char *name, unsigned int mode, const void *data,
		      size_t size)
{
	char header[128];
	/* magic, inode, mode, uid, gid, links, time, size, device x2, special device x2, length of
	 * the name, checksum (unused) */
	int length = snprintf(header, sizeof(header),
			      "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X",
			      ++cpio->files, mode, 0U, 0U, 1U, 0U, (unsigned int)size, 0U, 0U, 0U,
			      0U, (unsigned int)strlen(name) + 1, 0U);

	put(cpio, header, (size_t)length);
	put(cpio, name, strlen(name) + 1);
	pad(cpio, ALIGN);
	put(cpio, data, size);
	pad(cpio, ALIGN);
}

void cpio_begin(struct cpio *cpio, FILE *out)
{
	*cpio = (struct cpio){ .out = out };
}

void cpio_dir(struct cpio *cpio, const char *name)
{
	put_entry(cpio, name, S_IFDIR | 0755, "", 0);
}

void cpio_link(struct cpio *cpio, const char *name, const char *target)
{
	put_entry(cpio, name, S_IFLNK | 0777, target, strlen(target));
}

void cpio_data(struct cpio *cpio, const char *name, unsigned int mode, const void *data,
	       size_t size)
{
	put_entry(cpio, name, S_IFREG | mode, data, size);
}

int cpio_file(struct cpio *cpio, const char *name, unsigned int mode, const char *path,
	      struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *data = NULL;
	int result = 0;

	if (fd < 0)
		return err_set(err, errno, "open %s", path);
	if (fstat(fd, &status))
		result = err_set(err, errno, "stat %s", path);
	else if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size > SIZE_MAX_NEWC)
		result = err_set(err, 0, "%s: not a regular file below 4 GiB", path);
	if (!result && status.st_size) {
		data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data == MAP_FAILED)
			result = err_set(err, errno, "map %s", path);
	}
	close(fd);
	if (result)
		return result;
	cpio_data(cpio, name, mode, data ? data : "", (size_t)status.st_size);
	if (data)
		munmap(data, (size_t)status.st_size);
	return 0;
}

int cpio_end(struct cpio *cpio, struct err *err)
{
	put_entry(cpio, TRAILER, 0, "", 0);
	pad(cpio, BLOCK);
	if (fflush(cpio->out) || ferror(cpio->out))
		return err_set(err, errno ? errno : EIO, "write initramfs");
	return 0;
}
