/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults of made fabrics: what real dumps have, and `db check` must find. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/network.h"
#include "fabric/infiniband.h"
#include "topology-db/synth/synth.h"
#include "util/alloc.h"

static const char *const names[SYNTH_FAULTS] = {"missing", "degraded", "one-way", "unnamed"};

void synth_log(struct synth_log *log, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    log->faults++;
    if (log->file)
        fprintf(log->file, "%s\n", text);
    if (log->fault)
        log->fault(text, log->data);
}

/* One item, "degraded:5" or "degraded:5%". */
static int read_item(const struct synth_spec *spec, const char *item, struct synth_faults *faults,
                     topomap_error *err)
{
    for (int kind = 0; kind < SYNTH_FAULTS; kind++) {
        size_t length = strlen(names[kind]);
        char *end;
        unsigned long number;

        if (strncmp(item, names[kind], length) != 0 || item[length] != ':' ||
            item[length + 1] < '0' || item[length + 1] > '9')
            continue;
        number = strtoul(item + length + 1, &end, 10);
        faults->percent[kind] = *end == '%';
        end += *end == '%';
        if (*end || number > (faults->percent[kind] ? 100 : SYNTH_LIDS * 8ul))
            break;
        faults->number[kind] = (uint32_t)number;
        return 0;
    }
    return synth_fail(spec, err,
                      "fault=%s: expected degraded:N, missing:N, one-way:N or unnamed:N, "
                      "N a count, or per cent with a %% after it",
                      item);
}

int synth_faults_parse(struct synth_spec *spec, struct synth_faults *faults, topomap_error *err)
{
    memset(faults, 0, sizeof *faults);
    for (size_t i = 0; i < spec->words; i++)
        if (strcmp(spec->word[i].key, "fault") == 0) {
            spec->word[i].used = 1;
            if (read_item(spec, spec->word[i].value, faults, err))
                return -1;
        }
    return synth_number(spec, "seed", 0, UINT32_MAX - 1, 1, &faults->seed, err);
}

uint32_t synth_faults_count(const struct synth_faults *faults, enum synth_fault kind, uint32_t of)
{
    uint32_t number = faults->number[kind];

    if (faults->percent[kind]) {
        uint32_t some = (uint32_t)(((uint64_t)of * number + 50) / 100);

        number = some || !number ? some : 1;
    }
    return number < of ? number : of;
}

void synth_deal(topomap_random *random, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    topomap_random_shuffle(random, order, count);
}

/* ---- Making them ------------------------------------------------------------------------- */

struct work {
    struct synth_fabric *fabric;
    struct synth_log *log;
    uint32_t *order; /* links or adapters, shuffled */
    uint32_t *group; /* union-find over nodes */
};

/* Whether all switches are still joined. A dump is taken from one port: what is cut off from it is
 * not in the dump at all. */
static int is_joined(struct work *w)
{
    const struct synth_fabric *f = w->fabric;
    uint32_t parts = f->switches;

    for (uint32_t i = 0; i < f->switches; i++)
        w->group[i] = i;
    for (size_t i = 0; i < f->base.links; i++) {
        const topomap_link *link = &f->base.link[i];

        if (link->ends && link->b < f->switches) {
            uint32_t a = topomap_disjoint_root(w->group, link->a),
                     b = topomap_disjoint_root(w->group, link->b);

            if (a != b) {
                w->group[a] = b;
                parts--;
            }
        }
    }
    return parts == 1;
}

static void log_link(struct work *w, const char *kind, const topomap_link *link, const char *more)
{
    const topomap_fabric *f = &w->fabric->base;

    synth_log(w->log, "%s %s[%u] - %s[%u]%s", kind, topomap_fabric_name(f, link->a), link->aport,
              topomap_fabric_name(f, link->b), link->bport, more);
}

static uint32_t make_missing(struct work *w, topomap_link *link)
{
    link->ends = 0;
    if (link->b < w->fabric->switches && !is_joined(w)) {
        link->ends = 3;
        return 0;
    }
    log_link(w, names[SYNTH_MISSING], link, "");
    return 1;
}

/* Every other one runs at a quarter of its width, the others one speed lower: both are what a bad
 * cable does. */
static uint32_t make_degraded(struct work *w, topomap_link *link)
{
    char more[64];
    uint8_t width = link->width, speed = link->speed;

    if (!link->ends)
        return 0;
    if (width > 1 && (w->log->faults % 2 || speed <= 1))
        link->width = 1;
    else if (speed > 1)
        link->speed--;
    else
        return 0;
    snprintf(more, sizeof more, " %ux%s instead of %ux%s", link->width, ib_speeds[link->speed].name,
             width, ib_speeds[speed].name);
    log_link(w, names[SYNTH_DEGRADED], link, more);
    return 1;
}

static uint32_t make_one_way(struct work *w, topomap_link *link)
{
    if (link->ends != 3)
        return 0;
    link->ends = 1;
    log_link(w, names[SYNTH_ONE_WAY], link, " listed by the first alone");
    return 1;
}

static void break_links(struct work *w, const struct synth_faults *faults, enum synth_fault kind,
                        topomap_random *random, uint32_t (*make)(struct work *, topomap_link *))
{
    uint32_t links = (uint32_t)w->fabric->base.links;
    uint32_t left = synth_faults_count(faults, kind, links);

    if (!left)
        return;
    synth_deal(random, w->order, links);
    for (uint32_t i = 0; left && i < links; i++)
        left -= make(w, &w->fabric->base.link[w->order[i]]);
}

/* A driver that has not renamed its adapter. */
static int unname(struct work *w, const struct synth_faults *faults, topomap_random *random,
                  topomap_error *err)
{
    struct synth_fabric *f = w->fabric;
    uint32_t adapters = (uint32_t)f->base.vertices - f->switches;
    uint32_t left = synth_faults_count(faults, SYNTH_UNNAMED, adapters);

    synth_deal(random, w->order, adapters);
    for (uint32_t i = 0; i < left; i++) {
        uint32_t v = f->switches + w->order[i];

        synth_log(w->log, "%s %s 0x%016llx", names[SYNTH_UNNAMED], topomap_fabric_name(&f->base, v),
                  (unsigned long long)synth_guid(f, v));
        if (topomap_fabric_rename(&f->base, v, "MT25408 ConnectX Mellanox Technologies", err))
            return -1;
    }
    return 0;
}

int synth_faults_make(const struct synth_faults *faults, struct synth_fabric *fabric,
                      struct synth_log *log, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena arena = {0};
    topomap_random random = {faults->seed};
    struct work w = {.fabric = fabric, .log = log};
    size_t links = fabric->base.links, nodes = fabric->base.vertices;

    w.order = topomap_arena_alloc(&arena, links > nodes ? links : nodes, sizeof *w.order, err);
    w.group = topomap_arena_alloc(&arena, nodes, sizeof *w.group, err);
    if (arena.is_short)
        return -1;
    break_links(&w, faults, SYNTH_MISSING, &random, make_missing);
    break_links(&w, faults, SYNTH_DEGRADED, &random, make_degraded);
    break_links(&w, faults, SYNTH_ONE_WAY, &random, make_one_way);
    return unname(&w, faults, &random, err);
}
