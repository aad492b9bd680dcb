/* SPDX-License-Identifier: BSD-3-Clause */
/* `topomap db refresh`: what its configuration says. */
#pragma once

#include <stddef.h>

#include "topomap/topomap.h"

enum { REFRESH_SOURCES = 64, REFRESH_WORDS = 16 };

typedef struct refresh_source {
    char *line;          /* all texts below are in it */
    const char *format;  /* of `topomap db import` */
    const char *file;    /* or: */
    const char *command; /* a shell's, which prints the dump */
    const char *nodes;   /* --nodes, or NULL */
    const char *option[REFRESH_WORDS];
    int options;
    double seconds; /* for the command, and as many for the import */
    size_t lineno;
} refresh_source;

typedef struct refresh_conf {
    char *db, *topology; /* NULL: not named */
    double lose;         /* percent of the hosts that may vanish */
    refresh_source source[REFRESH_SOURCES];
    int sources;
} refresh_conf;

/** Reads a configuration: lines of a word and what it takes, '#' begins a comment.
 *  \param conf  ends with refresh_conf_clear(), after a failure too
 *  \return 0, or -1: TOPOMAP_EINPUT with the line */
int refresh_conf_read(const char *path, refresh_conf *conf, topomap_error *err);
void refresh_conf_clear(refresh_conf *conf);
