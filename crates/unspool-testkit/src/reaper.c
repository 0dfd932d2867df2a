/* Ends a program before its nth write.
 *
 * Loaded into the program before the C library. Counts the calls that change files or send to a
 * socket, on all threads, and ends the process without another word when the count is reached.
 * Standard streams do not count. When the program ends by itself the count is written to a file,
 * with the most memory that it ever had, in kilobytes.
 *
 *   REAPER_LAST   the call that is not made any more; without it all are
 *   REAPER_TALLY  the file that the numbers are written to
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long done;
static long last;
static const char *tally;

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("REAPER_LAST");
    last = text ? atol(text) : 0;
    tally = getenv("REAPER_TALLY");
}

static long most_memory(void) {
    long kilobytes = 0;
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %ld kB", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return kilobytes;
}

__attribute__((destructor)) static void end(void) {
    FILE *file = tally ? fopen(tally, "w") : NULL;
    if (file) {
        last = 0;
        fprintf(file, "%ld %ld\n", atomic_load(&done), most_memory());
        fclose(file);
    }
}

static void step(int fd) {
    if (fd > 2 && atomic_fetch_add(&done, 1) + 1 == last)
        kill(getpid(), SIGKILL);
}

#define COUNTED(type, name, fd, names, ...)                                                        \
    type name(__VA_ARGS__) {                                                                       \
        static type (*real)(__VA_ARGS__);                                                          \
        if (!real)                                                                                 \
            real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name);                                  \
        step(fd);                                                                                  \
        return real names;                                                                         \
    }

#define NO_FD 3

COUNTED(ssize_t, write, fd, (fd, from, n), int fd, const void *from, size_t n)
COUNTED(ssize_t, writev, fd, (fd, from, n), int fd, const struct iovec *from, int n)
COUNTED(ssize_t, pwrite, fd, (fd, from, n, at), int fd, const void *from, size_t n, off_t at)
COUNTED(ssize_t, pwrite64, fd, (fd, from, n, at), int fd, const void *from, size_t n, off64_t at)
COUNTED(ssize_t, send, fd, (fd, from, n, how), int fd, const void *from, size_t n, int how)
COUNTED(int, ftruncate, fd, (fd, n), int fd, off_t n)
COUNTED(int, ftruncate64, fd, (fd, n), int fd, off64_t n)
COUNTED(int, fsync, fd, (fd), int fd)
COUNTED(int, fdatasync, fd, (fd), int fd)
COUNTED(int, rename, NO_FD, (from, to), const char *from, const char *to)
COUNTED(int, link, NO_FD, (from, to), const char *from, const char *to)
COUNTED(int, unlink, NO_FD, (path), const char *path)
COUNTED(int, mkdir, NO_FD, (path, mode), const char *path, mode_t mode)
