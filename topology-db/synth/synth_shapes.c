/* SPDX-License-Identifier: BSD-3-Clause */
/* The switches of made fabrics and the links between them. */
#include <stdarg.h>
#include <string.h>

#include "topology-db/synth/synth.h"

static uint32_t digits(uint32_t most)
{
    uint32_t n = 1;

    for (; most > 9; most /= 10)
        n++;
    return n;
}

static int add_switch(struct synth_fabric *fabric, uint32_t level, topomap_error *err,
                      const char *format, ...) TOPOMAP_PRINTF(4, 5);
static int add_switch(struct synth_fabric *fabric, uint32_t level, topomap_error *err,
                      const char *format, ...)
{
    char name[2 * SYNTH_NAME];
    va_list args;

    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    if (topomap_fabric_add(&fabric->base, TOPOMAP_VERTEX_SWITCH, name, err))
        return -1;
    fabric->base.vertex[fabric->switches++].level = (uint8_t)level;
    return 0;
}

/* ---- Fat trees --------------------------------------------------------------------------- */

static int list_tree(struct synth_spec *spec, topomap_fattree *t, topomap_error *err)
{
    const char *m = synth_value(spec, "m"), *w = synth_value(spec, "w"),
               *p = synth_value(spec, "p");
    uint32_t parents, cables;

    if (synth_list(spec, m, t->m + 1, TOPOMAP_FATTREE_LEVELS, &t->levels, err) ||
        synth_list(spec, w, t->w + 1, TOPOMAP_FATTREE_LEVELS, &parents, err) ||
        synth_list(spec, p, t->p + 1, TOPOMAP_FATTREE_LEVELS, &cables, err))
        return -1;
    if (parents != t->levels || (p && cables != t->levels) || t->w[1] != 1 || (p && t->p[1] != 1))
        return synth_fail(spec, err,
                          "m=, w= and p= have one number a level from the hosts up, and "
                          "w and p begin with 1, as in m=16x8,w=1x4,p=1x4");
    for (uint32_t l = 1; !p && l <= t->levels; l++)
        t->p[l] = 1;
    return 0;
}

static int leaf_tree(struct synth_spec *spec, topomap_fattree *t, topomap_error *err)
{
    t->levels = 2;
    t->w[1] = t->p[1] = 1;
    return synth_number(spec, "leaves", 1, SYNTH_LIDS, 0, &t->m[2], err) ||
                   synth_number(spec, "hosts", 1, SYNTH_RADIX, 16, &t->m[1], err) ||
                   synth_number(spec, "spines", 1, SYNTH_RADIX, 4, &t->w[2], err) ||
                   synth_number(spec, "links", 1, SYNTH_RADIX, 1, &t->p[2], err)
               ? -1
               : 0;
}

/* The k-port tree: all ports used, half of them downwards but at the top. */
static int port_tree(struct synth_spec *spec, topomap_fattree *t, topomap_error *err)
{
    uint32_t k, hosts, taper;

    if (synth_number(spec, "k", 2, SYNTH_RADIX, 16, &k, err) ||
        synth_number(spec, "levels", 1, TOPOMAP_FATTREE_LEVELS, 2, &t->levels, err) ||
        synth_number(spec, "hosts", 1, SYNTH_RADIX, t->levels > 1 ? k / 2 : k, &hosts, err) ||
        synth_number(spec, "taper", 1, SYNTH_RADIX, 1, &taper, err))
        return -1;
    if (k % 2 || k / 2 % taper)
        return synth_fail(spec, err, "k= is even, and taper= divides its half");
    topomap_fattree_of_ports(t, k, hosts, taper);
    return 0;
}

static int add_level(struct synth_spec *spec, struct synth_fabric *fabric, topomap_fattree *t,
                     uint32_t level, topomap_error *err)
{
    uint64_t switches = topomap_fattree_count(t, level);
    uint32_t up = level < t->levels ? t->w[level + 1] * t->p[level + 1] : 0;
    uint64_t ports = (uint64_t)t->m[level] * t->p[level] + up;
    char stem[16];

    if (switches > SYNTH_LIDS)
        return synth_fail(spec, err, "more switches than a subnet has LIDs (%d)", SYNTH_LIDS);
    if (ports > SYNTH_RADIX)
        return synth_fail(spec, err, "a switch of level %u would have %llu ports; at most %d",
                          level, (unsigned long long)ports, SYNTH_RADIX);
    if (level == 1 || level == t->levels || t->levels == 3)
        snprintf(stem, sizeof stem, "%s",
                 level == 1          ? "leaf"
                 : level < t->levels ? "agg"
                                     : "spine");
    else
        snprintf(stem, sizeof stem, "level%u-", level);
    fabric->ports[level] = (uint8_t)ports;
    t->first[level] = fabric->switches;
    for (uint32_t i = 0; i < switches; i++)
        if (add_switch(fabric, level, err, "%s%0*u", stem,
                       (int)digits(switches > 9 ? (uint32_t)switches : 10), i + 1))
            return -1;
    fabric->divisor[level] =
        level == 1 ? 1 : fabric->divisor[level - 1] * t->w[level] * t->p[level];
    return 0;
}

int synth_fat_tree(struct synth_spec *spec, struct synth_fabric *fabric, struct synth_seats *seats,
                   topomap_error *err)
{
    topomap_fattree t = {0};

    if (synth_value(spec, "m")        ? list_tree(spec, &t, err)
        : synth_value(spec, "leaves") ? leaf_tree(spec, &t, err)
                                      : port_tree(spec, &t, err))
        return -1;
    for (uint32_t level = 1; level <= t.levels; level++)
        if (add_level(spec, fabric, &t, level, err))
            return -1;
    if (topomap_fattree_join(&t, &fabric->base, err))
        return -1;
    *seats = (struct synth_seats){
        .leaves = t.levels > 1 ? t.first[2] : fabric->switches, .per = t.m[1], .spread = 1};
    return 0;
}

/* ---- Tori and meshes --------------------------------------------------------------------- */

static int add_router(struct synth_fabric *fabric, const topomap_torus *t, uint32_t id,
                      topomap_error *err)
{
    char name[SYNTH_NAME] = "sw";
    uint32_t step = 1;

    for (uint32_t d = 1; d < t->dims; d++)
        step *= t->dim[d];
    for (uint32_t d = 0; d < t->dims; d++) {
        snprintf(name + strlen(name), sizeof name - strlen(name), "_%u", id / step % t->dim[d]);
        step /= d + 1 < t->dims ? t->dim[d + 1] : 1;
    }
    return add_switch(fabric, 1, err, "%s", name);
}

int synth_torus(struct synth_spec *spec, struct synth_fabric *fabric, struct synth_seats *seats,
                topomap_error *err)
{
    topomap_torus t = {0};
    uint64_t switches = 1, ports;
    uint32_t hosts, rails;

    spec->shaped = 1;
    memset(t.wrap, strcmp(spec->kind, "torus") == 0, sizeof t.wrap);
    if (synth_list(spec, spec->shape, t.dim, SYNTH_DIMS, &t.dims, err) ||
        synth_number(spec, "hosts", 1, SYNTH_RADIX, 1, &hosts, err) ||
        synth_number(spec, "rails", 1, 16, 1, &rails, err) ||
        synth_number(spec, "links", 1, 16, 1, &t.links, err))
        return -1;
    if (!t.dims)
        return synth_fail(spec, err, "expected the dimensions, as in %s:8x8x8", spec->kind);
    for (uint32_t d = 0; d < t.dims && switches <= SYNTH_LIDS; d++)
        switches *= t.dim[d];
    t.taken = hosts * rails;
    ports = (uint64_t)t.taken + 2 * t.dims * t.links;
    if (switches > SYNTH_LIDS || ports > SYNTH_RADIX)
        return synth_fail(spec, err, "at most %d switches of %d ports", SYNTH_LIDS, SYNTH_RADIX);
    fabric->grid = 1;
    fabric->ports[1] = (uint8_t)ports;
    fabric->divisor[1] = 1;
    for (uint32_t id = 0; id < switches; id++)
        if (add_router(fabric, &t, id, err))
            return -1;
    *seats = (struct synth_seats){.leaves = (uint32_t)switches, .per = hosts};
    return topomap_torus_join(&t, &fabric->base, err);
}

/* ---- Dragonflies ------------------------------------------------------------------------- */

static int check_dragonfly(const struct synth_spec *spec, const topomap_dragonfly *d,
                           uint32_t rails, topomap_error *err)
{
    uint64_t switches = (uint64_t)d->a * d->groups;

    if (d->groups > d->a * d->h + 1)
        return synth_fail(spec, err, "%u groups, but the global links reach %u (a*h + 1)",
                          d->groups, d->a * d->h + 1);
    if (switches > SYNTH_LIDS)
        return synth_fail(spec, err, "more switches than a subnet has LIDs (%d)", SYNTH_LIDS);
    if (d->p * rails + d->a - 1 + d->h > SYNTH_RADIX)
        return synth_fail(spec, err, "a router would have more than %d ports", SYNTH_RADIX);
    return 0;
}

int synth_dragonfly(struct synth_spec *spec, struct synth_fabric *fabric, struct synth_seats *seats,
                    topomap_error *err)
{
    topomap_dragonfly d = {0};
    uint32_t rails;

    if (synth_number(spec, "a", 1, SYNTH_RADIX, 4, &d.a, err) ||
        synth_number(spec, "p", 1, SYNTH_RADIX, d.a > 1 ? d.a / 2 : 1, &d.p, err) ||
        synth_number(spec, "h", 1, SYNTH_RADIX, d.a > 1 ? d.a / 2 : 1, &d.h, err) ||
        synth_number(spec, "groups", 1, SYNTH_LIDS, d.a * d.h + 1, &d.groups, err) ||
        synth_number(spec, "rails", 1, 16, 1, &rails, err) || check_dragonfly(spec, &d, rails, err))
        return -1;
    for (uint32_t i = 0; i < d.a * d.groups; i++)
        if (add_switch(fabric, 1, err, "g%0*u-r%0*u", (int)digits(d.groups > 9 ? d.groups : 10),
                       i / d.a, (int)digits(d.a > 9 ? d.a : 10), i % d.a))
            return -1;
    fabric->ports[1] = (uint8_t)(d.p * rails + d.a - 1 + d.h);
    fabric->divisor[1] = 1;
    *seats = (struct synth_seats){.leaves = d.a * d.groups, .per = d.p};
    d.taken = d.p * rails;
    fabric->group = d.a;
    return topomap_dragonfly_join(&d, &fabric->base, err);
}
