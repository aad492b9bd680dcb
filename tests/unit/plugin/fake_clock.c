/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/plugin/fake_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"

enum { EVENTS = 8, PATIENCE_MS = 60000, START_MS = 1000000 };

struct event {
    int64_t us; /* virtual time */
    void (*act)(void *with);
    void *with;
};

static struct {
    int64_t us, began; /* virtual time in microseconds: now, and at fake_clock_begin() */
    int is_late;       /* waits for descriptors are late after `on_time` more */
    unsigned on_time, stays;
    int jumps;                  /* the present wait is a late one */
    struct event event[EVENTS]; /* by time */
    int events;
} fake = {.us = START_MS * 1000LL, .began = START_MS * 1000LL};

static int64_t jumped;
static int stamped;

/* ---- The test's side ---------------------------------------------------------------------- */

void fake_clock_on_time(void)
{
    fake.is_late = fake.jumps = 0;
    fake.on_time = fake.stays = 0;
}

void fake_clock_begin(void)
{
    fake_clock_on_time();
    fake.events = 0;
    fake.began = fake.us;
}

int64_t fake_clock_passed(void)
{
    return (fake.us - fake.began) / 1000;
}

void fake_clock_late(unsigned waits)
{
    fake.is_late = 1;
    fake.on_time = waits;
}

void fake_clock_child_stays(unsigned waits)
{
    fake.stays = waits;
}

void fake_clock_at(int64_t ms, void (*act)(void *with), void *with)
{
    const struct event event = {fake.began + ms * 1000, act, with};
    int at = fake.events;

    if (fake.events == EVENTS)
        abort();
    for (; at > 0 && fake.event[at - 1].us > event.us; at--)
        fake.event[at] = fake.event[at - 1];
    fake.event[at] = event;
    fake.events++;
}

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

/* Of the program itself, so that the dynamic linker takes this one in place of libc's. */
int futimens(int fd, const struct timespec times[2])
{
    stamped = 1;
    return (int)syscall(SYS_utimensat, fd, NULL, times, 0);
}

/* ---- The program's side: util/clock.h ----------------------------------------------------- */

/* Moves to the next event until then and runs it, or to that time. Returns whether there was an
 * event. */
static int pass(int64_t until_us)
{
    struct event next;

    if (!fake.events || fake.event[0].us > until_us) {
        fake.us = until_us > fake.us ? until_us : fake.us;
        return 0;
    }
    next = fake.event[0];
    fake.events--;
    memmove(fake.event, fake.event + 1, (size_t)fake.events * sizeof *fake.event);
    fake.us = next.us > fake.us ? next.us : fake.us;
    next.act(next.with);
    return 1;
}

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "fake_clock: %s within a minute of real time; see fake_clock_late()\n", what);
    abort();
}

double topomap_clock_cpu(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double topomap_clock_wall(void)
{
    return 1e-6 * (double)fake.us;
}

int64_t topomap_clock_ms(void)
{
    return fake.us / 1000;
}

int64_t topomap_clock_date_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return ((int64_t)now.tv_sec + jumped) * 1000000000 + now.tv_nsec +
           (fake.us - START_MS * 1000LL) * 1000;
}

int64_t topomap_clock_date(void)
{
    return topomap_clock_date_ns() / 1000000000;
}

int64_t topomap_clock_uptime(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_BOOTTIME, &now))
        return -1;
    return (int64_t)now.tv_sec + fake.us / 1000000 - START_MS / 1000;
}

void topomap_clock_sleep(unsigned microseconds)
{
    int64_t until = fake.us + microseconds;

    while (pass(until))
        ;
}

int topomap_clock_poll(struct pollfd *fds, unsigned count, int64_t until)
{
    int ready = poll(fds, count, 0);

    fake.jumps = fake.is_late && !fake.on_time;
    fake.on_time -= fake.on_time > 0;
    while (fake.jumps && !ready && topomap_clock_ms() < until) {
        pass(until * 1000);
        ready = poll(fds, count, 0);
    }
    if (ready || topomap_clock_ms() >= until)
        return ready;
    ready = poll(fds, count, PATIENCE_MS);
    if (!ready)
        give_up("no descriptor became ready");
    return ready;
}

/* Returns as topomap_clock_wait_child(). */
static int has_ended(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};

    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT))
        return -1;
    return info.si_pid != 0;
}

int topomap_clock_wait_child(pid_t pid, int64_t until)
{
    static const struct timespec pause = {.tv_nsec = 1000000};
    int ended = has_ended(pid);

    fake.jumps = fake.stays > 0 && topomap_clock_ms() < until;
    fake.stays -= (unsigned)fake.jumps;
    while (fake.jumps && !ended && topomap_clock_ms() < until)
        if (pass(until * 1000))
            ended = has_ended(pid);
    for (int i = 0; !ended && topomap_clock_ms() < until; i++) {
        if (i == PATIENCE_MS)
            give_up("no child ended");
        nanosleep(&pause, NULL);
        ended = has_ended(pid);
    }
    return ended;
}

/* ---- The time of a folder ----------------------------------------------------------------- */

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
