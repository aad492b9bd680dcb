/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/shell.h"

#include <stdio.h>

void cli_shell_quote(const char *text)
{
    putchar('\'');
    for (; *text; text++)
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, stdout);
    putchar('\'');
}
