/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/fake_clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t jumped;
static int stamped;

void fake_clock_set(int64_t jump)
{
    jumped = jump;
}

int fake_clock_stamped(void)
{
    int was = stamped;

    stamped = 0;
    return was;
}

/* Of the program itself, so that the dynamic linker takes these. */
time_t time(time_t *to)
{
    struct timespec now;
    time_t found;

    clock_gettime(CLOCK_REALTIME, &now);
    found = now.tv_sec + (time_t)jumped;
    if (to)
        *to = found;
    return found;
}

int futimens(int fd, const struct timespec times[2])
{
    stamped = 1;
    return (int)syscall(SYS_utimensat, fd, NULL, times, 0);
}

void fake_clock_pass(const char *folder, int64_t seconds, const char *boot)
{
    char path[512], text[8192] = "", id[64];
    long long now, up;
    char *at;
    FILE *file;

    snprintf(path, sizeof path, "%.500s/.tidy", folder);
    file = fopen(path, "r+");
    if (!file || !fread(text, 1, sizeof text - 1, file) ||
        sscanf(text, "topomap-tidy 1\nnow %lld\nboot %63s %lld\n", &now, id, &up) != 3)
        abort();
    at = strstr(text, "\nat ");
    rewind(file);
    fprintf(file, "topomap-tidy 1\nnow %lld\nboot %s %lld%s", now - (long long)seconds,
            *boot ? boot : id, up - (long long)seconds, at);
    fflush(file);
    if (ftruncate(fileno(file), ftell(file)))
        abort();
    fclose(file);
}
