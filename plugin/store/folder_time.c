/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/store.h"
#include "util/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DAY = 86400, NEW_START = 600 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t distance(int64_t a, int64_t b)
{
    return a < b ? b - a : a - b;
}

/* \return 0: this computer does not tell */
static int read_boot(store_boot *boot)
{
    TOPOMAP_CLOSED int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, boot->id, 36);

    if (size != 36)
        return 0;
    boot->id[36] = 0;
    boot->up = topomap_clock_uptime();
    return boot->up >= 0;
}

/* Moves the folder's time towards `to`, as far as the `gone` seconds that have passed since
 * `before` allow: ahead by at most twice these seconds, of which at most a day is extra, and back
 * by at most twice these seconds. Where other computers have moved it further, it stays. */
static int64_t moved(const store_folder_time *time, int64_t to, const store_boot *before,
                     int64_t gone)
{
    int64_t high = before->now + gone + least(gone, DAY), low = before->now - 2 * gone;

    if (to > time->now)
        return least(to, high > time->now ? high : time->now);
    return to > low ? to : least(low, time->now);
}

/* \return its place; time->boots: it has not looked yet */
static unsigned find_boot(const store_folder_time *time, const char *id)
{
    unsigned at = 0;

    while (at < time->boots && strcmp(time->boot[at].id, id) != 0)
        at++;
    return at;
}

/* Puts a boot first, in its own place or the last one's. */
static void put_first(store_folder_time *time, const store_boot *boot)
{
    unsigned at = find_boot(time, boot->id);

    if (at == time->boots && time->boots < STORE_BOOTS)
        time->boots++;
    at = at < STORE_BOOTS ? at : STORE_BOOTS - 1;
    memmove(time->boot + 1, time->boot, at * sizeof *time->boot);
    time->boot[0] = *boot;
}

void store_folder_time_advance(store_folder_time *time, int64_t there)
{
    int64_t now = topomap_clock_date();
    store_boot boot = {.up = 0};
    const store_boot *before;
    unsigned at;

    if (there && distance(there, time->now) < distance(now, time->now))
        now = there;
    if (!read_boot(&boot)) {
        time->now = time->now ? time->now : now;
        return;
    }
    at = find_boot(time, boot.id);
    before = at < time->boots ? &time->boot[at] : NULL;
    if (!time->now)
        time->now = now;
    else if (before)
        time->now = moved(time, now, before, boot.up > before->up ? boot.up - before->up : 0);
    else
        time->now += now > time->now ? least(now - time->now, NEW_START)
                                     : -least(time->now - now, NEW_START);
    boot.now = time->now;
    put_first(time, &boot);
}

void store_folder_time_stamp(int fd, int64_t now)
{
    const struct timespec times[2] = {{.tv_sec = (time_t)now}, {.tv_sec = (time_t)now}};
    struct stat status;

    if (now && !fstat(fd, &status) &&
        least(topomap_clock_date(), (int64_t)status.st_mtime) < now - DAY)
        futimens(fd, times);
}
