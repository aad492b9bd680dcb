/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DAY = 86400, MINUTE = 60 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t distance(int64_t a, int64_t b)
{
    return a < b ? b - a : a - b;
}

/* \return 0: this computer does not tell */
static int read_boot(char boot[40], int64_t *up)
{
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    struct timespec since;
    ssize_t size;

    if (fd < 0)
        return 0;
    size = read(fd, boot, 36);
    close(fd);
    if (size != 36 || clock_gettime(CLOCK_BOOTTIME, &since))
        return 0;
    boot[36] = 0;
    *up = (int64_t)since.tv_sec;
    return 1;
}

void store_clock_tick(store_clock *clock, int64_t there)
{
    int64_t now = (int64_t)time(NULL), up = 0, step = DAY;
    store_clock before = *clock;

    if (there && distance(there, before.now) < distance(now, before.now))
        now = there;
    if (!read_boot(clock->boot, &up))
        *clock->boot = 0;
    clock->up = up;
    if (!before.now)
        clock->now = now;
    if (!before.now)
        return;
    if (*clock->boot && !strcmp(clock->boot, before.boot))
        step = up > before.up ? 2 * (up - before.up) + MINUTE : MINUTE;
    if (now > before.now)
        clock->now = before.now + least(now - before.now, step);
    else
        clock->now = before.now - least(before.now - now, step);
}

void store_clock_stamp(int fd, int64_t now)
{
    const struct timespec times[2] = {{.tv_sec = (time_t)now}, {.tv_sec = (time_t)now}};
    struct stat status;

    if (now && !fstat(fd, &status) &&
        least((int64_t)time(NULL), (int64_t)status.st_mtime) < now - DAY)
        futimens(fd, times);
}
