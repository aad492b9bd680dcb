/* SPDX-License-Identifier: BSD-3-Clause */
/* Which pictures a terminal shows: it is asked. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cli/terminal/terminal.h"
#include "util/clock.h"

enum { WAIT_MS = 1000, ANSWER = 512 }; /* over a slow line, too */

/* A picture of one pixel, of which kitty says whether it could show it (kitty's "Terminal graphics
 * protocol", querying support), then the primary device attributes, which every terminal answers
 * (ECMA-48, 8.3.24), so that nobody waits for the first answer in vain. */
static const char question[] = "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\\033[c";

/* Until the device attributes' end, or for WAIT_MS. */
static void listen(int fd, char *answer, size_t size)
{
    struct pollfd from = {.fd = fd, .events = POLLIN};
    size_t used = 0;

    while (used + 1 < size && topomap_clock_poll(&from, 1, topomap_clock_ms() + WAIT_MS) == 1) {
        const char *attributes;
        ssize_t got = read(fd, answer + used, size - 1 - used);

        if (got <= 0)
            break;
        used += (size_t)got;
        answer[used] = '\0';
        attributes = strstr(answer, "\033[?");
        if (attributes && strchr(attributes, 'c'))
            break;
    }
    answer[used] = '\0';
}

/* \033[?62;4;22c: 4 is sixel (DEC's "VT330/VT340 Programmer Reference Manual", volume 1, chapter
 * 4). */
static int has_sixel(const char *answer)
{
    const char *at = strstr(answer, "\033[?");

    if (!at)
        return 0;
    for (at += 3; *at && *at != 'c'; at += *at == ';') {
        size_t length = strspn(at, "0123456789");

        if (length == 1 && *at == '4')
            return 1;
        at += length;
        if (*at != ';')
            break;
    }
    return 0;
}

static void ask(int fd, char *answer, size_t size)
{
    struct pollfd typed = {.fd = fd, .events = POLLIN};
    struct termios before, raw;
    sigset_t hold, mask;

    if (tcgetattr(fd, &before) != 0)
        return;
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    sigfillset(&hold); /* whatever would end us does so with the terminal as it was */
    sigprocmask(SIG_BLOCK, &hold, &mask);
    if (tcsetattr(fd, TCSADRAIN, &raw) == 0) {
        if (topomap_clock_poll(&typed, 1, 0) == 0 && /* what was typed ahead is the shell's */
            write(fd, question, sizeof question - 1) == (ssize_t)(sizeof question - 1))
            listen(fd, answer, size);
        tcsetattr(fd, TCSADRAIN, &before);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

enum terminal_graphics terminal_graphics(void)
{
    char answer[ANSWER] = "";
    int fd;

    if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
        return TERMINAL_BLOCKS;
    fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return TERMINAL_BLOCKS;
    if (tcgetpgrp(fd) == getpgrp()) /* who is in the background would be stopped */
        ask(fd, answer, sizeof answer);
    close(fd);
    return strstr(answer, "\033_Gi=31;OK") ? TERMINAL_KITTY
           : has_sixel(answer)             ? TERMINAL_SIXEL
                                           : TERMINAL_BLOCKS;
}
