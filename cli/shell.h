/* SPDX-License-Identifier: BSD-3-Clause */
/* Words as a shell reads them. */
#ifndef TOPOMAP_CLI_SHELL_H
#define TOPOMAP_CLI_SHELL_H

/** Prints any text as one word, in quotes. */
void cli_shell_quote(const char *text);

#endif
