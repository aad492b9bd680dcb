/* SPDX-License-Identifier: BSD-3-Clause */
/* What a terminal can show, colours on it, and how far something long has come. */
#pragma once

#include <stdio.h>

#include "watch/watch.h"

enum { TERMINAL_COLUMNS = 80 }; /* of one that does not say how many it has, and in a pipe */

/** Nonzero: text for this descriptor may be in colours.
 *  \param when  of --color: "always", "never", or "auto" and NULL: on a terminal that is not dumb,
 *               and without NO_COLOR (no-color.org: set and not empty) */
int terminal_is_coloured(int fd, const char *when);

/** Columns of the terminal behind a descriptor; 0: it is none. */
unsigned terminal_columns(int fd);

/** Nonzero where the locale has UTF-8 (locale(7)). */
int terminal_is_utf8(void);

enum terminal_paint { TERMINAL_PLAIN, TERMINAL_GOOD, TERMINAL_WARN, TERMINAL_BAD, TERMINAL_HEAD };

/** Changes the colour of what follows on stdout or stderr, back with TERMINAL_PLAIN. These streams
 *  show control characters (util/safe_text.h): this goes past them. */
void terminal_paint(FILE *out, enum terminal_paint paint);

typedef struct terminal_progress terminal_progress;

/** Shows on standard error how far \p watch has come, from two seconds on and about four times a
 *  second: a share, a rate and what is left, as far as they are known. Does nothing where standard
 *  error is no terminal, or there is no thread for it.
 *  \param label  a constant: "db import" */
terminal_progress *terminal_progress_begin(const char *label, topomap_watch *watch);
/** The line is gone; NULL does nothing. Before anything else is written to standard error. */
void terminal_progress_end(terminal_progress *progress);
