/* SPDX-License-Identifier: BSD-3-Clause */
/* Target architectures of Scotch (Scotch User's Guide, "Target architecture format"). Terminal i is
 * the i-th host in natural order of names. */
#include <stdlib.h>

#include "topology-db/export/export.h"
#include "util/alloc.h"

enum { HOSTS_MOST = 4096, LEVELS = 16 }; /* deco 0 writes half of a matrix */

struct arch {
    struct db_export *x;
    struct db_groups groups;
    uint32_t *host; /* [terminals] hosts that hang on a switch */
    uint32_t count;
};

/* ---- tleaf --------------------------------------------------------------------------------- */

/* A tree whose groups of each level are as large as each other, and hold hosts that follow one
 * another: sizes[] from the hosts' own groups upwards; 0 levels where it is none. */
static uint32_t uniform(const struct arch *a, const uint32_t *up, uint32_t *sizes)
{
    uint32_t levels = 0, last = 1;

    for (uint32_t g = up[0]; g != UINT32_MAX && levels < LEVELS; g = a->groups.group[g].parent)
        levels++;
    for (uint32_t level = 0; level < levels; level++) {
        uint32_t size = 0, run = 0, before = UINT32_MAX;

        for (uint32_t t = 0; t <= a->count; t++) {
            uint32_t g = UINT32_MAX;

            if (t < a->count) {
                g = up[t];
                for (uint32_t l = 0; l < level && g != UINT32_MAX; l++)
                    g = a->groups.group[g].parent;
                if (g == UINT32_MAX)
                    return 0;
            }
            if (g != before && t) {
                if (size && run != size)
                    return 0;
                size = run;
                run = 0;
            }
            before = g;
            run++;
        }
        if (size % last)
            return 0;
        sizes[level] = size / last;
        last = size;
    }
    return last == a->count ? levels : 0;
}

/* Hops between two hosts, by the lowest group that both are in. */
static uint32_t group_hops(const struct arch *a, uint32_t g, uint32_t h)
{
    while (g != h)
        /* Children have lower numbers than parents. */
        if (g < h)
            g = a->groups.group[g].parent;
        else
            h = a->groups.group[h].parent;
    return 2 * (a->groups.group[g].level + 1);
}

static int same_root(const struct arch *a)
{
    uint32_t root = UINT32_MAX;

    for (uint32_t t = 0; t < a->count; t++) {
        uint32_t g = a->groups.of_host[a->host[t]];

        while (a->groups.group[g].parent != UINT32_MAX)
            g = a->groups.group[g].parent;
        if (root != UINT32_MAX && g != root)
            return 0;
        root = g;
    }
    return 1;
}

/* Whether the links say the same as the groups about hosts of this switch and all others. */
static int agrees(struct arch *a, uint32_t home, uint16_t *hops)
{
    uint32_t g = UINT32_MAX;

    for (uint32_t t = 0; t < a->count; t++)
        if (a->x->host[a->host[t]].home == home)
            g = a->groups.of_host[a->host[t]];
    if (g == UINT32_MAX)
        return 1;
    topomap_switches_spread(&a->x->graph, &home, 1, hops);
    for (uint32_t t = 0; t < a->count; t++)
        if (hops[a->x->host[a->host[t]].home] + 2u !=
            group_hops(a, g, a->groups.of_host[a->host[t]]))
            return 0;
    return 1;
}

/* From the root: how many there are, and what their links add to a distance. Scotch refuses a level
 * of one, whose links are added to those above it. 0 where no level is left. */
static int put_tleaf(FILE *out, uint32_t levels, const uint32_t *sizes, const uint32_t *weights)
{
    uint32_t size[LEVELS], weight[LEVELS], count = 0, carried = 0;

    for (uint32_t level = 0; level < levels; level++) {
        carried += weights[level];
        if (sizes[level] < 2)
            continue;
        size[count] = sizes[level];
        weight[count++] = carried;
        carried = 0;
    }
    if (!count)
        return 0;
    fprintf(out, "tleaf\n%u", count);
    while (count--)
        fprintf(out, " %u %u", size[count], weight[count]);
    fputc('\n', out);
    return 1;
}

static int try_tleaf(struct arch *a, int *done, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *up = topomap_alloc(a->count, sizeof *up, err);
    TOPOMAP_FREED uint16_t *hops = topomap_alloc(a->x->graph.count, sizeof *hops, err);
    uint32_t sizes[LEVELS], weights[LEVELS], levels, below = 0;

    if (!up || !hops)
        return -1;
    for (uint32_t t = 0; t < a->count; t++)
        up[t] = a->groups.of_host[a->host[t]];
    levels = same_root(a) ? uniform(a, up, sizes) : 0;
    for (uint32_t i = 0; levels && i < a->x->graph.count; i++)
        if (!agrees(a, i, hops))
            levels = 0;
    for (uint32_t level = 0, g = up[0]; level < levels; level++, g = a->groups.group[g].parent) {
        weights[level] = 2 * (a->groups.group[g].level + 1 - below);
        below = a->groups.group[g].level + 1;
    }
    *done = put_tleaf(a->x->out, levels, sizes, weights);
    return 0;
}

/* ---- deco 0 -------------------------------------------------------------------------------- */

struct placed {
    uint32_t key, terminal;
};

TOPOMAP_COMPARE(by_key, struct placed, TOPOMAP_ORDER(x->key, y->key),
                TOPOMAP_ORDER(x->terminal, y->terminal))

/* Position of each group in a walk through the tree, parents first. */
static void walk(const struct arch *a, uint32_t *position)
{
    uint32_t *size = position + a->groups.count, next = 0;

    /* Children come before parents: sizes upwards, then positions downwards. */
    for (uint32_t g = 0; g < a->groups.count; g++)
        size[g] = 1;
    for (uint32_t g = 0; g < a->groups.count; g++)
        if (a->groups.group[g].parent != UINT32_MAX)
            size[a->groups.group[g].parent] += size[g];
    for (uint32_t g = a->groups.count; g--;) {
        uint32_t parent = a->groups.group[g].parent;

        position[g] = parent == UINT32_MAX ? next : position[parent] + size[parent] - size[g];
        if (parent == UINT32_MAX)
            next += size[g];
        else
            size[parent] -= size[g];
    }
}

/* Domains are numbered as in a binary tree: the halves of domain d are 2d and 2d + 1. */
static void bisect(const struct placed *order, uint32_t count, uint32_t domain, uint32_t *domain_of)
{
    if (count == 1) {
        domain_of[order->terminal] = domain;
        return;
    }
    bisect(order, count - count / 2, 2 * domain, domain_of);
    bisect(order + count - count / 2, count / 2, 2 * domain + 1, domain_of);
}

static int number_domains(const struct arch *a, uint32_t *domain_of, topomap_error *err)
{
    TOPOMAP_FREED struct placed *order = topomap_alloc(a->count, sizeof *order, err);
    TOPOMAP_FREED uint32_t *position =
        topomap_alloc((size_t)a->groups.count * 2, sizeof *position, err);

    if (!order || !position)
        return -1;
    walk(a, position);
    for (uint32_t t = 0; t < a->count; t++)
        order[t] = (struct placed){position[a->groups.of_host[a->host[t]]], t};
    TOPOMAP_SORT(order, a->count, by_key);
    bisect(order, a->count, 1, domain_of);
    return 0;
}

/* Distances are hops; where there is no path, farther than any. */
static int put_distances(struct arch *a, topomap_error *err)
{
    TOPOMAP_FREED uint16_t *hops = topomap_alloc(a->x->graph.count, sizeof *hops, err);

    if (!hops)
        return -1;
    for (uint32_t t = 1; t < a->count; t++) {
        uint32_t home = a->x->host[a->host[t]].home;

        topomap_switches_spread(&a->x->graph, &home, 1, hops);
        for (uint32_t u = 0; u < t; u++) {
            uint16_t h = hops[a->x->host[a->host[u]].home];

            fprintf(a->x->out, "%s%u", u ? " " : "",
                    h == TOPOMAP_FAR ? a->x->graph.count + 2 : h + 2u);
        }
        fputc('\n', a->x->out);
    }
    return 0;
}

static int put_deco(struct arch *a, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *domain_of = topomap_alloc(a->count, sizeof *domain_of, err);
    uint32_t most = 0;

    if (a->count > HOSTS_MOST)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "%u hosts that are no uniform tree need a table of all "
                                 "distances; export at most %d of them with --nodes",
                                 a->count, HOSTS_MOST);
    if (!domain_of || number_domains(a, domain_of, err))
        return -1;
    for (uint32_t t = 0; t < a->count; t++)
        most = domain_of[t] > most ? domain_of[t] : most;
    fprintf(a->x->out, "deco\n0\n%u %u\n", a->count, most);
    for (uint32_t t = 0; t < a->count; t++)
        fprintf(a->x->out, "%u 1 %u\n", t, domain_of[t]);
    return put_distances(a, err);
}

/* ---- Either ------------------------------------------------------------------------------ */

static void arch_clear(struct arch *a)
{
    free(a->host);
    db_groups_clear(&a->groups);
}

static int run_scotch(struct db_export *x, topomap_error *err)
{
    TOPOMAP_CLEANUP(arch_clear) struct arch a = {.x = x};
    int done;

    if (db_groups_make(x, &a.groups, err) ||
        !(a.host = topomap_alloc(x->hosts, sizeof *a.host, err)))
        return -1;
    for (uint32_t h = 0; h < x->hosts; h++)
        if (a.groups.of_host[h] != UINT32_MAX)
            a.host[a.count++] = h;
    if (!a.count)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: no host hangs on a switch", x->db->path);
    return try_tleaf(&a, &done, err) || (!done && put_deco(&a, err)) ? -1 : 0;
}

const db_exporter db_export_scotch = {
    .row = {"scotch-arch", "target architecture of Scotch: tleaf or deco 0, host i being the i-th"},
    .run = run_scotch,
    .links = 1,
};
