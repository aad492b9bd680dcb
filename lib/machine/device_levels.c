/* SPDX-License-Identifier: BSD-3-Clause */
/* A node's GPUs as nested groups: at each cost, what pairs of no higher cost join (single linkage,
 * as machine/closeness.h does with nodes). */
#include <stdlib.h>
#include <string.h>

#include "fabric/network.h"
#include "machine/devices.h"
#include "util/alloc.h"

enum {
    LEVELS = sizeof((topomap_device_levels *)0)->level / sizeof *((topomap_device_levels *)0)->level
};

struct building {
    const topomap_devices *devices;
    uint32_t count;
    uint32_t *gpu;  /* [count] */
    double *cost;   /* [count * count] */
    uint32_t *part; /* [LEVELS * count] the first member of each one's group, by level */
    topomap_device_levels *levels;
};

static double cost_of(const struct building *b, uint32_t i, uint32_t j)
{
    return b->cost[(size_t)i * b->count + j];
}

/* The next higher cost of any two; 0: there is none. */
static double next_cost(const struct building *b, double after)
{
    double next = 0;

    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (cost_of(b, i, j) > after && (next == 0 || cost_of(b, i, j) < next))
                next = cost_of(b, i, j);
    return next;
}

/* Returns how many groups there are. */
static uint32_t join(const struct building *b, double most, uint32_t *part)
{
    uint32_t groups = 0;

    topomap_identity(part, b->count);
    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (cost_of(b, i, j) <= most)
                topomap_disjoint_join(part, i, j);
    for (uint32_t i = 0; i < b->count; i++) {
        part[i] = topomap_disjoint_root(part, i);
        groups += part[i] == i;
    }
    return groups;
}

/* The mean of pairs that are together from this level on. */
static double mean_cost(const struct building *b, uint32_t level)
{
    const uint32_t *part = b->part + (size_t)level * b->count, *in = part - b->count;
    double sum = 0, least = level ? b->levels->level[level - 1].cost : 0;
    uint32_t pairs = 0;

    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (part[i] == part[j] && !(level && in[i] == in[j])) {
                sum += cost_of(b, i, j);
                pairs++;
            }
    sum = pairs ? sum / pairs : 0;
    return sum > least ? sum : least;
}

static const char *name_of(const struct building *b, double cost)
{
    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (cost_of(b, i, j) == cost) {
                enum topomap_near near = topomap_devices_near(b->devices, b->gpu[i], b->gpu[j]);

                return topomap_devices_linked(b->devices, b->gpu[i], b->gpu[j])       ? "nvlink"
                       : near == TOPOMAP_NEAR_SWITCH || near == TOPOMAP_NEAR_SWITCHES ? "switch"
                       : near == TOPOMAP_NEAR_BRIDGE                                  ? "bridge"
                       : near == TOPOMAP_NEAR_NUMA                                    ? "numa"
                       : near == TOPOMAP_NEAR_PACKAGE                                 ? "package"
                                                                                      : "node";
            }
    return "node";
}

/* By groups from the outside in, then by number: groups are told by their first member. */
static int comes_before(const struct building *b, uint32_t x, uint32_t y)
{
    for (uint32_t l = b->levels->levels; l-- > 0;) {
        const uint32_t *part = b->part + (size_t)l * b->count;

        if (part[x] != part[y])
            return part[x] < part[y];
    }
    return x < y;
}

static int set_order(struct building *b, topomap_error *err)
{
    topomap_device_levels *levels = b->levels;

    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t at = i;

        for (; at && comes_before(b, i, levels->order[at - 1]); at--)
            levels->order[at] = levels->order[at - 1];
        levels->order[at] = i;
    }
    for (uint32_t l = 0; l < levels->levels; l++) {
        const uint32_t *part = b->part + (size_t)l * b->count;
        uint32_t *group = topomap_alloc(b->count, sizeof *group, err);

        levels->level[l].group = group;
        if (!group)
            return -1;
        for (uint32_t i = 1; i < b->count; i++)
            group[i] = group[i - 1] + (part[levels->order[i]] != part[levels->order[i - 1]]);
    }
    return 0;
}

static int build(struct building *b, topomap_error *err)
{
    topomap_device_levels *levels = b->levels;
    uint32_t groups = b->count;
    double cost = 0;

    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t j = 0; j < b->count; j++)
            b->cost[(size_t)i * b->count + j] =
                topomap_devices_cost(b->devices, b->gpu[i], b->gpu[j]);
    while (groups > 1 && (cost = next_cost(b, cost)) > 0) {
        /* What there is no level for falls into the last one. */
        double most = levels->levels + 1 == LEVELS ? 1e9 : cost;
        uint32_t now = join(b, most, b->part + (size_t)levels->levels * b->count);

        if (now == groups)
            continue;
        groups = now;
        strcpy(levels->level[levels->levels].name, name_of(b, cost));
        levels->level[levels->levels].cost = mean_cost(b, levels->levels);
        levels->levels++;
    }
    if (!levels->levels) {
        join(b, 1e9, b->part);
        strcpy(levels->level[levels->levels++].name, "node");
    }
    return set_order(b, err);
}

int topomap_devices_levels(const topomap_devices *devices, const uint32_t *gpu, uint32_t count,
                           topomap_device_levels *out, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_device_levels_clear) topomap_device_levels levels = {0};
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    struct building b = {
        .devices = devices, .count = gpu ? count : devices->gpus, .levels = &levels};

    if (b.count == 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "levels of no GPU");
    b.gpu = topomap_arena_alloc(&memory, b.count, sizeof *b.gpu, err);
    b.cost = topomap_arena_alloc(&memory, (size_t)b.count * b.count, sizeof *b.cost, err);
    b.part = topomap_arena_alloc(&memory, (size_t)LEVELS * b.count, sizeof *b.part, err);
    levels.order = topomap_alloc(b.count, sizeof *levels.order, err);
    if (memory.is_short || !levels.order)
        return -1;
    for (uint32_t i = 0; i < b.count; i++)
        b.gpu[i] = gpu ? gpu[i] : i;
    if (build(&b, err))
        return -1;
    *out = levels;
    levels = (topomap_device_levels){0};
    return 0;
}

void topomap_device_levels_clear(topomap_device_levels *levels)
{
    free(levels->order);
    for (uint32_t l = 0; l < levels->levels; l++)
        free(levels->level[l].group);
    *levels = (topomap_device_levels){0};
}
