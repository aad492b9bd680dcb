/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/sorted.h"
#include "util/text.h"

enum { CORES_OF_NODE = 8192, CORES_MOST = 1 << 25 };

struct reader {
    const char *at;
    uint32_t *core; /* NULL: count only */
    uint64_t cores;
};

static int read_number(struct reader *r, uint32_t most, uint32_t *number)
{
    uint64_t value;

    *number = 0;
    if (topomap_text_number(&r->at, &value) || value > most)
        return -1;
    *number = (uint32_t)value;
    return 0;
}

static void add_cores(struct reader *r, uint32_t low, uint32_t high)
{
    for (uint32_t core = low; r->core && core <= high; core++)
        r->core[r->cores + core - low] = core;
    r->cores += high - low + 1;
}

/* "0-3,8" or "*" */
static int read_list(struct reader *r)
{
    uint32_t least = 0, low, high;

    if (*r->at == '*') {
        r->at++;
        return 0;
    }
    for (;; r->at++) {
        if (read_number(r, CORES_OF_NODE - 1, &low) != 0 || low < least)
            return -1;
        high = low;
        if (*r->at == '-') {
            r->at++;
            if (read_number(r, CORES_OF_NODE - 1, &high) != 0 || high < low)
                return -1;
        }
        add_cores(r, low, high);
        least = high + 1;
        if (*r->at != ',')
            return 0;
    }
}

/* "(x12)" or nothing: 1 */
static int read_repeat(struct reader *r, uint32_t *times)
{
    *times = 1;
    if (*r->at != '(')
        return 0;
    if (*++r->at != 'x')
        return -1;
    r->at++;
    if (read_number(r, INT32_MAX / 16, times) != 0 || !*times || *r->at != ')')
        return -1;
    r->at++;
    return 0;
}

/* The list that was just read, once more. */
static int repeat_list(struct reader *r, uint64_t from, uint32_t times)
{
    uint64_t length = r->cores - from;

    if (length * times > CORES_MOST - from)
        return -1;
    for (uint32_t i = 1; r->core && i < times; i++)
        memcpy(r->core + from + i * length, r->core + from, length * sizeof *r->core);
    r->cores = from + length * times;
    return 0;
}

/* Fills *first where it is given. \return how many nodes were named; 0: the text is none */
static uint32_t read_all(struct reader *r, uint32_t nodes, uint32_t *first)
{
    uint32_t node = 0;

    for (;; r->at++) {
        uint64_t from = r->cores;
        uint32_t times;

        if (read_list(r) != 0 || read_repeat(r, &times) != 0 || times > nodes - node)
            return 0;
        if (!node && times == 1 && !*r->at)
            times = nodes;
        if (repeat_list(r, from, times) != 0)
            return 0;
        for (uint32_t i = 0; first && i < times; i++)
            first[node + i + 1] = (uint32_t)(from + (r->cores - from) / times * (i + 1));
        node += times;
        if (!*r->at)
            return node;
        if (*r->at != ';')
            return 0;
    }
}

int topomap_cores_parse(const char *text, uint32_t nodes, topomap_cores *cores, topomap_error *err)
{
    struct reader counting = {.at = text}, filling = {.at = text};
    topomap_cores made = {.nodes = nodes};

    if (!nodes || read_all(&counting, nodes, NULL) != nodes)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "cores: expected lists such as 0-3,8;*(x2) for %u nodes, found "
                                 "'%.60s'",
                                 nodes, text);
    made.first = topomap_alloc(nodes + 1u, sizeof *made.first, err);
    made.core = topomap_alloc(counting.cores + 1, sizeof *made.core, err);
    if (!made.first || !made.core) {
        topomap_cores_clear(&made);
        return -1;
    }
    filling.core = made.core;
    read_all(&filling, nodes, made.first);
    *cores = made;
    return 0;
}

/* ---- Writing ----------------------------------------------------------------------------- */

static uint32_t count_of(const topomap_cores *cores, uint32_t node)
{
    return cores->first[node + 1] - cores->first[node];
}

static int are_alike(const topomap_cores *cores, uint32_t a, uint32_t b)
{
    return count_of(cores, a) == count_of(cores, b) &&
           (!count_of(cores, a) ||
            memcmp(cores->core + cores->first[a], cores->core + cores->first[b],
                   count_of(cores, a) * sizeof *cores->core) == 0);
}

char *topomap_cores_format(const topomap_cores *cores, topomap_error *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (uint32_t node = 0, end; out && node < cores->nodes; node = end) {
        for (end = node + 1; end < cores->nodes && are_alike(cores, node, end); end++)
            ;
        fputs(node ? ";" : "", out);
        fputs(count_of(cores, node) ? "" : "*", out);
        topomap_ranges_print(out, cores->core + cores->first[node], count_of(cores, node), 2);
        if (end > node + 1)
            fprintf(out, "(x%u)", end - node);
    }
    return topomap_printed(out, &text, err);
}

void topomap_cores_clear(topomap_cores *cores)
{
    free(cores->first);
    free(cores->core);
    *cores = (topomap_cores){0};
}
