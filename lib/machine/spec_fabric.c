/* SPDX-License-Identifier: BSD-3-Clause */
/* fattree:, dragonfly: and percs: machines of a made fabric, and links:, one from a file. The
 * shapes are those of `topomap db synth`. Every cable has capacity 1 where no rate is known. */
#include <stdlib.h>

#include "fabric/fabric.h"
#include "fabric/shapes.h"
#include "machine/spec.h"
#include "util/alloc.h"
#include "util/random.h"

enum { RADIX = 254, MANY = 1 << 20, VERTICES_MOST = 1 << 21, CABLES_MOST = 1 << 23 };

static int check_size(const topomap_spec *spec, uint64_t hosts, uint64_t switches, uint64_t cables,
                      topomap_error *err)
{
    if (hosts > VERTICES_MOST || switches > VERTICES_MOST - hosts || cables > CABLES_MOST)
        return topomap_spec_fail(spec, err,
                                 "the machine has more than %d hosts and switches or %d cables",
                                 VERTICES_MOST, CABLES_MOST);
    return 0;
}

static int add_hosts(topomap_fabric *f, uint64_t hosts, topomap_error *err)
{
    for (uint32_t i = 0; i < hosts; i++)
        if (topomap_fabric_addf(f, TOPOMAP_VERTEX_HOST, err, "node%u", i))
            return -1;
    return 0;
}

static int join(topomap_fabric *f, uint32_t a, uint32_t b, double rate, topomap_error *err)
{
    return topomap_fabric_join(f, &(topomap_link){.a = a, .b = b, .rate = rate, .ends = 3}, err);
}

/* ---- Fat trees --------------------------------------------------------------------------- */

static int leaf_tree(const topomap_spec *spec, topomap_fattree *t, topomap_error *err)
{
    t->levels = 2;
    t->w[1] = 1;
    return topomap_spec_words(spec, " leaves hosts spines links ", err) ||
                   topomap_spec_word(spec, "leaves", 1, MANY, 0, &t->m[2], err) ||
                   topomap_spec_word(spec, "hosts", 1, MANY, 16, &t->m[1], err) ||
                   topomap_spec_word(spec, "spines", 1, RADIX, 4, &t->w[2], err) ||
                   topomap_spec_word(spec, "links", 1, RADIX, 1, &t->p[2], err)
               ? -1
               : 0;
}

/* All ports of k used, half of them downwards but at the top. */
static int port_tree(const topomap_spec *spec, topomap_fattree *t, topomap_error *err)
{
    uint32_t k, hosts, taper;

    if (topomap_spec_words(spec, " k levels hosts taper ", err) ||
        topomap_spec_word(spec, "k", 2, RADIX, 0, &k, err) ||
        topomap_spec_word(spec, "levels", 1, TOPOMAP_FATTREE_LEVELS, 2, &t->levels, err) ||
        topomap_spec_word(spec, "hosts", 1, RADIX, t->levels > 1 ? k / 2 : k, &hosts, err) ||
        topomap_spec_word(spec, "taper", 1, RADIX, 1, &taper, err))
        return -1;
    if (k % 2 || k / 2 % taper)
        return topomap_spec_fail(spec, err, "k= is even, and taper= divides its half");
    topomap_fattree_of_ports(t, k, hosts, taper);
    return 0;
}

/* Each product stays below 2^62: at most 6 factors of 254 or 2^20 * 2^20 with 254. */
static void count_tree(const topomap_fattree *t, uint64_t *hosts, uint64_t *switches,
                       uint64_t *cables)
{
    *hosts = 1;
    *switches = 0;
    for (uint32_t l = 1; l <= t->levels; l++)
        *hosts *= t->m[l];
    *cables = *hosts;
    for (uint32_t level = 1; level <= t->levels; level++) {
        uint64_t count = 1;

        for (uint32_t l = 1; l <= t->levels; l++)
            count *= l > level ? t->m[l] : t->w[l];
        *switches += count;
        if (level < t->levels)
            *cables += count * t->w[level + 1] * t->p[level + 1];
    }
}

static int add_level(topomap_fabric *f, topomap_fattree *t, uint32_t level, topomap_error *err)
{
    uint32_t switches = (uint32_t)topomap_fattree_count(t, level);
    char stem[24];

    if (level == 1 || level == t->levels)
        snprintf(stem, sizeof stem, "%s", level == 1 ? "leaf" : "spine");
    else
        snprintf(stem, sizeof stem, "level%u-", level);
    t->first[level] = (uint32_t)f->vertices;
    for (uint32_t i = 0; i < switches; i++)
        if (topomap_fabric_addf(f, TOPOMAP_VERTEX_SWITCH, err, "%s%u", stem, i))
            return -1;
    return 0;
}

int topomap_spec_fattree(const topomap_spec *spec, topomap_machine **machine, topomap_error *err)
{
    topomap_fattree t = {0};
    TOPOMAP_CLEANUP(topomap_fabric_clear) topomap_fabric f = {.tree = &t};
    uint64_t hosts, switches, cables;

    if (topomap_spec_find(spec, "leaves") ? leaf_tree(spec, &t, err) : port_tree(spec, &t, err))
        return -1;
    count_tree(&t, &hosts, &switches, &cables);
    if (check_size(spec, hosts, switches, cables, err) || add_hosts(&f, hosts, err))
        return -1;
    for (uint32_t level = 1; level <= t.levels; level++)
        if (add_level(&f, &t, level, err))
            return -1;
    for (uint32_t i = 0; i < hosts; i++)
        if (join(&f, i, t.first[1] + i / t.m[1], 0, err))
            return -1;
    if (topomap_fattree_join(&t, &f, err))
        return -1;
    return topomap_fabric_machine(&f, spec, 0, machine, err);
}

/* ---- Dragonflies ------------------------------------------------------------------------- */

static int make_dragonfly(topomap_fabric *f, topomap_dragonfly *d, topomap_error *err)
{
    uint32_t routers = d->a * d->groups;

    if (add_hosts(f, (uint64_t)routers * d->p, err))
        return -1;
    d->first = routers * d->p;
    for (uint32_t r = 0; r < routers; r++) {
        if (topomap_fabric_addf(f, TOPOMAP_VERTEX_SWITCH, err, "g%u-r%u", r / d->a, r % d->a))
            return -1;
        for (uint32_t i = 0; i < d->p; i++)
            if (join(f, r * d->p + i, d->first + r, 0, err))
                return -1;
    }
    return topomap_dragonfly_join(d, f, err);
}

int topomap_spec_dragonfly(const topomap_spec *spec, topomap_machine **machine, topomap_error *err)
{
    topomap_dragonfly d = {0};
    TOPOMAP_CLEANUP(topomap_fabric_clear) topomap_fabric f = {.dragonfly = &d};
    uint64_t routers;

    if (topomap_spec_words(spec, " p a h groups valiant ", err) ||
        topomap_spec_word(spec, "a", 1, RADIX, 0, &d.a, err) ||
        topomap_spec_word(spec, "p", 1, RADIX, 0, &d.p, err) ||
        topomap_spec_word(spec, "h", 1, RADIX, 0, &d.h, err) ||
        topomap_spec_word(spec, "groups", 1, MANY, d.a * d.h + 1, &d.groups, err) ||
        topomap_spec_word(spec, "valiant", 0, 100, 0, &d.valiant, err))
        return -1;
    if (d.groups > d.a * d.h + 1)
        return topomap_spec_fail(spec, err, "%u groups, but the global links reach %u (a*h + 1)",
                                 d.groups, d.a * d.h + 1);
    routers = (uint64_t)d.a * d.groups;
    if (check_size(spec, routers * d.p, routers, routers * (d.p + d.a + (uint64_t)d.h), err) ||
        make_dragonfly(&f, &d, err))
        return -1;
    return topomap_fabric_machine(&f, spec, 0, machine, err);
}

/* ---- PERCS ------------------------------------------------------------------------------- */

/* Hoefler & Snir, section 5.3.2: nodes are the routers. 8 nodes a drawer, joined by LL; 4 drawers a
 * supernode, its nodes joined by LR across drawers; supernodes joined by D links, 9 a node. Which
 * nodes own the D links of two supernodes is dealt out by the seed. */
enum { DRAWER = 8, SUPERNODE = 32, D_LINKS = 9, D_PORTS = SUPERNODE * D_LINKS };

static int join_supernode(topomap_fabric *f, uint32_t first, topomap_error *err)
{
    static const double gib = 1073741824.0;

    for (uint32_t i = 0; i < SUPERNODE; i++)
        for (uint32_t j = i + 1; j < SUPERNODE; j++)
            if (join(f, first + i, first + j, (i / DRAWER == j / DRAWER ? 24.0 : 5.0) * gib, err))
                return -1;
    return 0;
}

static int join_supernodes(topomap_fabric *f, uint32_t supernodes, uint32_t links, uint32_t seed,
                           topomap_error *err)
{
    TOPOMAP_FREED uint32_t *deck = topomap_alloc((size_t)supernodes * D_PORTS, sizeof *deck, err);
    TOPOMAP_FREED uint32_t *dealt = topomap_alloc(supernodes, sizeof *dealt, err);
    topomap_random random = {seed};

    if (!deck || !dealt)
        return -1;
    for (uint32_t s = 0; s < supernodes; s++) {
        for (uint32_t i = 0; i < D_PORTS; i++)
            deck[s * D_PORTS + i] = s * SUPERNODE + i / D_LINKS;
        topomap_random_shuffle(&random, deck + s * D_PORTS, D_PORTS);
    }
    for (uint32_t s = 0; s < supernodes; s++)
        for (uint32_t t = s + 1; t < supernodes; t++)
            for (uint32_t i = 0; i < links; i++)
                if (join(f, deck[s * D_PORTS + dealt[s]++], deck[t * D_PORTS + dealt[t]++],
                         10.0 * 1073741824.0, err))
                    return -1;
    return 0;
}

int topomap_spec_percs(const topomap_spec *spec, topomap_machine **machine, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_fabric_clear) topomap_fabric f = {.hosts_route = 1};
    uint32_t supernodes, links, seed;

    if (topomap_spec_words(spec, " supernodes links seed ", err) ||
        topomap_spec_word(spec, "supernodes", 1, D_PORTS + 1, 0, &supernodes, err) ||
        topomap_spec_word(spec, "links", 1, D_PORTS, 1, &links, err) ||
        topomap_spec_word(spec, "seed", 0, UINT32_MAX, 1, &seed, err))
        return -1;
    if (links * (supernodes - 1) > D_PORTS)
        return topomap_spec_fail(spec, err, "a supernode has %d D links, not %u", D_PORTS,
                                 links * (supernodes - 1));
    if (check_size(spec, (uint64_t)supernodes * SUPERNODE, 0,
                   (uint64_t)supernodes * (SUPERNODE * SUPERNODE + D_PORTS), err) ||
        add_hosts(&f, (uint64_t)supernodes * SUPERNODE, err))
        return -1;
    for (uint32_t s = 0; s < supernodes; s++)
        if (join_supernode(&f, s * SUPERNODE, err))
            return -1;
    if (join_supernodes(&f, supernodes, links, seed, err))
        return -1;
    return topomap_fabric_machine(&f, spec, 0, machine, err);
}

/* ---- Links from a file ------------------------------------------------------------------- */

static int check_links(const topomap_spec *spec, const topomap_fabric *f, topomap_error *err)
{
    size_t hosts = 0;

    for (uint32_t v = 0; v < f->vertices; v++)
        hosts += topomap_fabric_is(f, v, TOPOMAP_VERTEX_HOST);
    if (check_size(spec, hosts, f->vertices - hosts, f->links, err))
        return -1;
    return hosts
               ? 0
               : topomap_error_set(err, TOPOMAP_EINPUT, "%s: no hosts, only switches", spec->body);
}

int topomap_spec_links(const topomap_spec *spec, topomap_machine **machine, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_fabric_clear) topomap_fabric f = {0};
    TOPOMAP_INPUT_CLOSED topomap_input *input = NULL;

    if (topomap_input_open(spec->body, &input, err) || topomap_links_read(input, NULL, &f, err) ||
        check_links(spec, &f, err))
        return -1;
    return topomap_fabric_machine(&f, spec, 1, machine, err);
}
