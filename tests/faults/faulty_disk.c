/* A disk that fails when it is told to: loaded before the C library (LD_PRELOAD), it stands between
   the database and the kernel. It concerns only files with FAULTY_DISK_FILES in their name.

   FAULTY_DISK_ORDER names a file with five numbers (32 bits each), shared with the test: the kind
   of fault, how many calls to let pass, how many to fail then, how many have failed, and at which
   bit of what is read the first of them flips one. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NONE, FULL, WRITE_ERROR, TORN, SYNC_ERROR, READ_ERROR, FLIP };

static struct { _Atomic int32_t kind, pass, fail, failed, bit; } *order;
static const char *watched;
static unsigned char marked[65536];

__attribute__((constructor)) static void begin(void) {
    watched = getenv("FAULTY_DISK_FILES");
    int file = open(getenv("FAULTY_DISK_ORDER"), O_RDWR);
    if (file < 0) abort();
    order = mmap(0, sizeof *order, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (order == MAP_FAILED) abort();
    close(file);
}

/* Whether this call, of a kind between the first and the last, is to fail; its kind, else NONE. */
static int fails(int fd, int first, int last) {
    if (order == 0 || fd < 0 || fd >= (int)sizeof marked || !marked[fd]) return NONE;
    int kind = order->kind;
    if (kind < first || kind > last || order->fail <= 0) return NONE;
    if (order->pass-- > 0) return NONE;
    if (order->fail-- <= 0) return NONE;
    order->failed++;
    return kind;
}

static int opened(int fd, const char *path) {
    if (fd >= 0 && fd < (int)sizeof marked)
        marked[fd] = watched && strstr(path, watched) && !strstr(path, "-shm");
    return fd;
}

#define REAL(result, name, ...) \
    static result (*real)(__VA_ARGS__); \
    if (!real) real = dlsym(RTLD_NEXT, name)

#define OPENS(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, #name, const char *, int, ...); \
        va_list more; va_start(more, flags); \
        mode_t mode = va_arg(more, mode_t); va_end(more); \
        return opened(real(path, flags, mode), path); \
    }
OPENS(open)
OPENS(open64)

static ssize_t write_fault(int kind, ssize_t torn) {
    if (kind == TORN && torn > 0) return torn;
    errno = kind == FULL ? ENOSPC : EIO;
    return -1;
}

#define WRITES(name, offset) \
    ssize_t name(int fd, const void *bytes, size_t count, offset at) { \
        REAL(ssize_t, #name, int, const void *, size_t, offset); \
        int kind = fails(fd, FULL, TORN); \
        if (kind == NONE) return real(fd, bytes, count, at); \
        return write_fault(kind, kind == TORN ? real(fd, bytes, count / 2, at) : 0); \
    }
WRITES(pwrite, off_t)
WRITES(pwrite64, off64_t)

/* PostgreSQL grows its files with these two; of a vector nothing arrives when it is torn. */
#define VECTORS(name, offset) \
    ssize_t name(int fd, const struct iovec *parts, int count, offset at) { \
        REAL(ssize_t, #name, int, const struct iovec *, int, offset); \
        int kind = fails(fd, FULL, TORN); \
        return kind == NONE ? real(fd, parts, count, at) : write_fault(kind, 0); \
    }
VECTORS(pwritev, off_t)
VECTORS(pwritev64, off64_t)

#define GROWS(name, offset) \
    int name(int fd, offset at, offset size) { \
        REAL(int, #name, int, offset, offset); \
        int kind = fails(fd, FULL, FULL); \
        return kind == NONE ? real(fd, at, size) : ENOSPC; \
    }
GROWS(posix_fallocate, off_t)
GROWS(posix_fallocate64, off64_t)

/* Flips one bit, another one with each call that fails. */
static void flip(unsigned char *bytes, ssize_t size) {
    uint32_t bit = (uint32_t)order->bit + (uint32_t)order->failed * 10007u;
    bytes[bit / 8 % (size_t)size] ^= 1 << bit % 8;
}

#define READS(name, offset) \
    ssize_t name(int fd, void *bytes, size_t count, offset at) { \
        REAL(ssize_t, #name, int, void *, size_t, offset); \
        int kind = fails(fd, READ_ERROR, FLIP); \
        if (kind == READ_ERROR) { errno = EIO; return -1; } \
        ssize_t got = real(fd, bytes, count, at); \
        if (kind == FLIP && got > 0) flip(bytes, got); \
        return got; \
    }
READS(pread, off_t)
READS(pread64, off64_t)

#define SYNCS(name) \
    int name(int fd) { \
        REAL(int, #name, int); \
        if (fails(fd, SYNC_ERROR, SYNC_ERROR) == NONE) return real(fd); \
        errno = EIO; \
        return -1; \
    }
SYNCS(fsync)
SYNCS(fdatasync)
