/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/terminal/terminal.h"

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
