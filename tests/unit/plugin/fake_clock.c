/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/plugin/fake_clock.h"

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

/* Its line of the folder's file, so much earlier. */
static void pass_line(FILE *out, const char *line, long long seconds, const char *boot)
{
    long long now, up;
    char id[64];

    if (sscanf(line, "now %lld", &now) == 1) {
        fprintf(out, "now %lld\n", now - seconds);
        if (*boot)
            fprintf(out, "boot %s 0 %lld\n", boot, now - seconds);
    } else if (sscanf(line, "boot %63s %lld %lld", id, &up, &now) == 3) {
        fprintf(out, "boot %s %lld %lld\n", id, up - seconds, now - seconds);
    } else {
        fprintf(out, "%s\n", line);
    }
}

void fake_clock_pass(const char *folder, int64_t seconds, const char *boot)
{
    char path[512], text[8192] = "", *rest = NULL;
    FILE *file;

    snprintf(path, sizeof path, "%.500s/.tidy", folder);
    file = fopen(path, "r+");
    if (!file || !fread(text, 1, sizeof text - 1, file))
        abort();
    rewind(file);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        pass_line(file, line, (long long)seconds, boot);
    fflush(file);
    if (ftruncate(fileno(file), ftell(file)))
        abort();
    fclose(file);
}
