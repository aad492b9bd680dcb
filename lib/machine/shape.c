/* SPDX-License-Identifier: BSD-3-Clause */
/* A node's inside as text: `1 cores=4 pus=0,4;1,5;2,6;3,7 package=2x2 l2=1x4`.
 * Groups are runs of consecutive cores, so a level is the list of their sizes, `SIZExTIMES`; a star
 * after its name says that the groups are the NUMA nodes. */
#include "machine/shape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

enum { CORES = 1 << 16, PUS = 1 << 20 }; /* far above any node; guards against damaged text */

static const struct {
    const char *level;
    double cost;
} costs[] = {
    {"core", 1}, {"l1", 2},    {"l2", 2},   {"l3", 2},      {"l4", 2},   {"l5", 2},
    {"die", 2},  {"group", 2}, {"numa", 3}, {"package", 4}, {"node", 6},
};

const char *topomap_shape_level(size_t i)
{
    return i < sizeof costs / sizeof *costs ? costs[i].level : NULL;
}

int topomap_shape_level_named(const char *level)
{
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (strcmp(costs[i].level, level) == 0)
            return (int)i;
    return -1;
}

double topomap_shape_cost(const char *level)
{
    int at = topomap_shape_level_named(level);

    return at < 0 ? 6 : costs[at].cost;
}

void topomap_shape_clear(topomap_shape *shape)
{
    free(shape->pu_first);
    free(shape->pu_os);
    for (uint32_t i = 0; i < shape->levels; i++)
        free(shape->level[i].group);
    memset(shape, 0, sizeof *shape);
}

/* ---- Writing ----------------------------------------------------------------------------- */

static void write_pus(FILE *out, const topomap_shape *shape)
{
    for (uint32_t core = 0; core < shape->cores; core++)
        for (uint32_t i = shape->pu_first[core]; i < shape->pu_first[core + 1]; i++) {
            const char *mark = i > shape->pu_first[core] ? "," : core ? ";" : "";

            fprintf(out, "%s%" PRIu32, mark, shape->pu_os[i]);
        }
}

static uint32_t group_size(const uint32_t *group, uint32_t cores, uint32_t from)
{
    uint32_t end = from + 1;

    while (end < cores && group[end] == group[from])
        end++;
    return end - from;
}

static void write_level(FILE *out, const uint32_t *group, uint32_t cores)
{
    const char *mark = "";

    for (uint32_t at = 0; at < cores;) {
        uint32_t size = group_size(group, cores, at), times = 1;

        for (at += size; at < cores && group_size(group, cores, at) == size; at += size)
            times++;
        fprintf(out, "%s%" PRIu32 "x%" PRIu32, mark, size, times);
        mark = ",";
    }
}

char *topomap_shape_format(const topomap_shape *shape, topomap_error *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out) {
        fprintf(out, "1 cores=%" PRIu32 " pus=", shape->cores);
        write_pus(out, shape);
        for (uint32_t i = 0; i < shape->levels; i++) {
            fprintf(out, " %s%s=", shape->level[i].name, shape->numa == i + 1 ? "*" : "");
            write_level(out, shape->level[i].group, shape->cores);
        }
        if (fclose(out) == 0)
            return text;
        free(text);
    }
    topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: a node's shape as text");
    return NULL;
}

/* ---- Reading ----------------------------------------------------------------------------- */

static int broken(topomap_error *err, const char *at)
{
    return topomap_error_set(err, TOPOMAP_EINPUT, "node shape: unexpected text at '%.40s'", at);
}

/* Reads a number of at most \p most and steps over it. */
static int number(const char **at, uint32_t most, uint32_t *value)
{
    uint64_t n = 0;
    const char *start = *at;

    for (; **at >= '0' && **at <= '9' && n <= most; (*at)++)
        n = n * 10 + (uint64_t)(**at - '0');
    *value = (uint32_t)n;
    return *at > start && n <= most ? 0 : -1;
}

static int word(const char **at, const char *expected)
{
    size_t length = strlen(expected);

    if (strncmp(*at, expected, length) != 0)
        return -1;
    *at += length;
    return 0;
}

static int read_pus(const char **at, topomap_shape *shape, topomap_error *err)
{
    size_t capacity = 0;

    shape->pu_first = topomap_alloc(shape->cores + 1u, sizeof *shape->pu_first, err);
    if (!shape->pu_first)
        return -1;
    for (uint32_t core = 0; core < shape->cores; core++) {
        do {
            if (topomap_grow(&shape->pu_os, &capacity, shape->pus + 1u, sizeof *shape->pu_os, err))
                return -1;
            if ((**at == ',' || **at == ';') && shape->pus)
                (*at)++;
            if (number(at, PUS, &shape->pu_os[shape->pus]) || ++shape->pus > PUS)
                return broken(err, *at);
        } while (**at == ',');
        shape->pu_first[core + 1] = shape->pus;
        if (core + 1 < shape->cores && **at != ';')
            return broken(err, *at);
    }
    return 0;
}

static int read_level(const char **at, topomap_shape *shape, topomap_error *err)
{
    uint32_t core = 0, id = 0;
    size_t length = strcspn(*at, "*= ");
    uint32_t *group;

    if (!length || length >= sizeof shape->level[0].name || (*at)[length] == ' ' ||
        shape->levels == TOPOMAP_SHAPE_LEVELS)
        return broken(err, *at);
    group = topomap_alloc(shape->cores, sizeof *group, err);
    if (!group)
        return -1;
    memcpy(shape->level[shape->levels].name, *at, length);
    shape->level[shape->levels++].group = group;
    *at += length;
    if (**at == '*') {
        shape->numa = shape->levels;
        (*at)++;
    }
    if (**at != '=')
        return broken(err, *at);
    do {
        uint32_t size, times;

        (*at)++;
        if (number(at, CORES, &size) || word(at, "x") || number(at, CORES, &times) || !size ||
            (uint64_t)size * times > shape->cores - core)
            return broken(err, *at);
        for (; times; times--, id++)
            for (uint32_t i = 0; i < size; i++)
                group[core++] = id;
    } while (**at == ',');
    return core == shape->cores ? 0 : broken(err, *at);
}

static int read_all(const char *at, topomap_shape *shape, topomap_error *err)
{
    if (word(&at, "1 cores="))
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "node shape: '%.40s' is not of this version; import the hwloc "
                                 "files again",
                                 at);
    if (number(&at, CORES, &shape->cores) || !shape->cores || word(&at, " pus="))
        return broken(err, at);
    if (read_pus(&at, shape, err))
        return -1;
    while (*at == ' ') {
        at++;
        if (read_level(&at, shape, err))
            return -1;
    }
    return *at ? broken(err, at) : 0;
}

int topomap_shape_parse(const char *text, topomap_shape *shape, topomap_error *err)
{
    topomap_shape read = {0};

    if (read_all(text, &read, err)) {
        topomap_shape_clear(&read);
        return -1;
    }
    *shape = read;
    return 0;
}
