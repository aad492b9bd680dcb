/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/open/open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "graph/formats/io.h"
#include "graph/formats/parts.h"
#include "graph/graph.h"
#include "graph/patterns/patterns.h"

int topomap_graph_divided(const char *name, char *file, uint32_t *parts)
{
    static const char word[] = ",parts=";
    const char *comma = strrchr(name, ','), *number;
    struct stat about;
    size_t digits;

    if (!comma || strncmp(comma, word, sizeof word - 1) != 0 || !stat(name, &about))
        return 0;
    number = comma + sizeof word - 1;
    digits = strspn(number, "0123456789");
    *parts = (uint32_t)strtoul(number, NULL, 10);
    return digits && digits < 10 && !number[digits] && *parts &&
           snprintf(file, TOPOMAP_GRAPH_PATH, "%.*s", (int)(comma - name), name) <
               TOPOMAP_GRAPH_PATH &&
           !stat(file, &about);
}

/* It is no file that can be seen, and no pattern. */
static int nothing(const char *what, int why, topomap_error *err)
{
    const char *dot = strpbrk(what, ".:(");
    char near[300];

    if (*what == '~')
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%.300s: no such file: a shell leaves ~ behind `=` as it is; name "
                                 "the whole path",
                                 what);
    /* "nofile.csv", "mesh.mtx,parts=16": no pattern has a dot in its first word. */
    if (strchr(what, '/') || (dot && *dot == '.' && dot[1]) || (why != ENOENT && why != ENOTDIR))
        return topomap_error_set(err, TOPOMAP_EINPUT, "%.300s: cannot open: %s", what,
                                 strerror(why));
    topomap_pattern_suggest(what, near, sizeof near);
    return topomap_error_set(
        err, TOPOMAP_EINPUT,
        "`%.100s` is neither a file (there is none of that name) nor a pattern: %s", what, near);
}

/* Reads a file that is named in a composition. */
static int read_operand(const char *path, topomap_graph **graph, topomap_error *err)
{
    struct stat about;

    return stat(path, &about) ? 1 : topomap_graph_read(path, NULL, graph, err);
}

/* Opens any graph except FILE,parts=N. */
static int read_whole(const char *name, uint32_t most, const char *format,
                      const char *const *option, topomap_watch *watch, topomap_graph **graph,
                      topomap_error *err)
{
    struct stat about;
    int why = stat(name, &about) ? errno : 0;

    if (!format && !why && S_ISDIR(about.st_mode))
        return topomap_parts_read(name, graph, err);
    if (format || !why || strcmp(name, "-") == 0)
        return topomap_graph_file_read(name, format, option, watch, graph, err);
    if (!topomap_pattern_is_named(name))
        return nothing(name, why, err);
    if (option && *option)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "options are for files; `%.100s` is a pattern", name);
    return topomap_pattern_generate(name, most, read_operand, graph, err);
}

int topomap_graph_open(const char *name, uint32_t most, const char *format,
                       const char *const *option, topomap_watch *watch, topomap_graph **graph,
                       topomap_error *err)
{
    char file[TOPOMAP_GRAPH_PATH];
    TOPOMAP_GRAPH_FREED topomap_graph *mesh = NULL;
    uint32_t parts;

    if (!topomap_graph_divided(name, file, &parts))
        return read_whole(name, most, format, option, watch, graph, err);
    if (read_whole(file, 0, format, option, watch, &mesh, err))
        return -1;
    topomap_watch_stage(watch, "division", NULL, 0);
    return topomap_graph_partition(mesh, parts, "rb", NULL, 1, graph, err);
}

int topomap_graph_read_options(const char *what, const char *format, const char *const *option,
                               topomap_graph **graph, topomap_error *err)
{
    return read_whole(what, 0, format, option, NULL, graph, err);
}

int topomap_graph_read(const char *what, const char *format, topomap_graph **graph,
                       topomap_error *err)
{
    return read_whole(what, 0, format, NULL, NULL, graph, err);
}

int topomap_graph_generate(const char *pattern, topomap_graph **graph, topomap_error *err)
{
    return topomap_pattern_generate(pattern, 0, read_operand, graph, err);
}
