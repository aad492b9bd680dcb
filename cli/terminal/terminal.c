/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/terminal/terminal.h"
#include "util/clock.h"
#include "util/text.h"

int terminal_is_coloured(int fd, const char *when)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

    if (when && strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0;
    return isatty(fd) && !(none && *none) && !(term && strcmp(term, "dumb") == 0);
}

unsigned terminal_columns(int fd)
{
    struct winsize window;

    if (!isatty(fd))
        return 0;
    return ioctl(fd, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col
                                                                    : TERMINAL_COLUMNS;
}

int terminal_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *value = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names && (!value || !*value); i++)
        value = getenv(names[i]); /* the first that is set */
    return value && (strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8"));
}

void terminal_paint(FILE *out, enum terminal_paint paint)
{
    /* Of the eight that every terminal has (ECMA-48, 8.3.117), none alone says anything. */
    static const char *const code[] = {[TERMINAL_PLAIN] = "\033[0m",
                                       [TERMINAL_GOOD] = "\033[32m",
                                       [TERMINAL_WARN] = "\033[33m",
                                       [TERMINAL_BAD] = "\033[31m",
                                       [TERMINAL_HEAD] = "\033[1m"};
    int fd = out == stderr ? STDERR_FILENO : STDOUT_FILENO;

    fflush(out);
    if (write(fd, code[paint], strlen(code[paint])) < 0)
        return; /* the text itself will say so */
}

/* ---- Progress ---------------------------------------------------------------------------- */

/* A thread of its own reads a long task's counters and draws a line. No library is used: the line
 * needs the terminal's width and a carriage return, and curses would take over the whole terminal.
 */
enum { FIRST_MS = 2000, EVERY_MS = 250, LINE = 256 };

struct terminal_progress {
    const char *label;
    topomap_watch *watch;
    pthread_t thread;
    int end; /* an eventfd(2) that becomes readable when the thread is to end */
};

/* ---- The line ---------------------------------------------------------------------------- */

static void write_count(char *text, size_t size, const char *unit, double count)
{
    static const char *const large[] = {"", "k", "M", "G", "T"};
    size_t step = 0;

    if (strcmp(unit, "B") != 0) {
        snprintf(text, size, count < 10 ? "%.2g %s" : "%.0f %s", count, unit);
        return;
    }
    while (count >= 1000 && step + 1 < sizeof large / sizeof *large)
        count /= 1000, step++;
    snprintf(text, size, "%.3g %sB", count, large[step]);
}

static void write_time(char *text, size_t size, double seconds)
{
    if (seconds < 60)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 3600)
        snprintf(text, size, "%.0f min %02.0f s", floor(seconds / 60), floor(fmod(seconds, 60)));
    else
        snprintf(text, size, "%.0f h %02.0f min", floor(seconds / 3600),
                 floor(fmod(seconds / 60, 60)));
}

/* The line itself, cut to \p columns.
 * \param seconds  since it began; \p stage_seconds  since this stage did */
static void write_line(char *text, size_t size, unsigned columns, const char *label,
                       const topomap_watch *watch, double seconds, double stage_seconds)
{
    uint64_t done = atomic_load(&watch->done), total = atomic_load(&watch->total);
    const char *stage = atomic_load(&watch->stage), *unit = atomic_load(&watch->unit);
    char count[48], time[48];
    double rate = stage_seconds > 0 ? (double)done / stage_seconds : 0;

    write_time(time, sizeof time, seconds);
    snprintf(text, size, "%s%s%s: %s", label, stage ? ": " : "", stage ? stage : "", time);
    if (done && total)
        topomap_text_append(text, size, ", %.0f %%",
                            100.0 * (double)(done < total ? done : total) / (double)total);
    if (done && !total) {
        write_count(count, sizeof count, unit ? unit : "", (double)done);
        topomap_text_append(text, size, ", %s", count);
    }
    if (done && rate > 0) {
        write_count(count, sizeof count, unit ? unit : "", rate);
        topomap_text_append(text, size, ", %s/s", count);
    }
    if (rate > 0 && done < total) {
        write_time(time, sizeof time, (double)(total - done) / rate);
        topomap_text_append(text, size, ", about %s left", time);
    }
    if (columns && columns < size) /* the last column would begin another line */
        text[columns - 1] = '\0';
}

/* ---- Drawing ----------------------------------------------------------------------------- */

static void put(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* nobody is there to be told */
}

/* Waits EVERY_MS. Returns 0, or nonzero as soon as the thread is to end. */
static int wait_for_end(const terminal_progress *p)
{
    struct pollfd end = {.fd = p->end, .events = POLLIN};

    return topomap_clock_poll(&end, 1, topomap_clock_ms() + EVERY_MS);
}

static void *draw(void *data)
{
    const terminal_progress *p = data;
    const char *stage = NULL;
    double began = topomap_clock_wall(), stage_began = began;
    int drawn = 0;

    while (wait_for_end(p) == 0) {
        char text[LINE];
        double now = topomap_clock_wall();

        if (atomic_load(&p->watch->stage) != stage) {
            stage = atomic_load(&p->watch->stage);
            stage_began = drawn || now - began > 1 ? now : began;
        }
        if (now - began < FIRST_MS / 1000.0)
            continue;
        write_line(text, sizeof text, terminal_columns(STDERR_FILENO), p->label, p->watch,
                   now - began, now - stage_began);
        put("\r\033[K"); /* erase in line (ECMA-48, 8.3.41) */
        put(text);
        drawn = 1;
    }
    if (drawn)
        put("\r\033[K");
    return NULL;
}

terminal_progress *terminal_progress_begin(const char *label, topomap_watch *watch)
{
    terminal_progress *p = terminal_columns(STDERR_FILENO) ? calloc(1, sizeof *p) : NULL;
    sigset_t all, before;
    int status;

    if (!p)
        return NULL;
    p->label = label;
    p->watch = watch;
    p->end = eventfd(0, EFD_CLOEXEC);
    sigfillset(&all); /* signals are the command's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    status = p->end < 0 ? -1 : pthread_create(&p->thread, NULL, draw, p);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status == 0)
        return p;
    if (p->end >= 0)
        close(p->end);
    free(p);
    return NULL;
}

void terminal_progress_end(terminal_progress *p)
{
    if (!p)
        return;
    eventfd_write(p->end, 1);
    pthread_join(p->thread, NULL);
    close(p->end);
    free(p);
}
