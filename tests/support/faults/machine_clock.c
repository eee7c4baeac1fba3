/* A machine's wall clock that somebody sets: loaded before the C library (LD_PRELOAD), it adds the
 * seconds in the file MACHINE_CLOCK to the real-time clock, and leaves the other clocks alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile const int *ahead;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("MACHINE_CLOCK");
    int file = path ? open(path, O_RDONLY) : -1;
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof(int), PROT_READ, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) ahead = mapped;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(clock, time);
    if (!failed && clock == CLOCK_REALTIME && ahead) time->tv_sec += *ahead;
    return failed;
}
