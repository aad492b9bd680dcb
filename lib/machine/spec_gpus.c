/* SPDX-License-Identifier: BSD-3-Clause */
/* gpus:nodes=128,gpus=8,rails=8,unit=32: slots are the GPUs of nodes, in the order of the nodes.
 *
 * Inside a node, each group of nvlink= GPUs (all, where it is left out; 1: none) is joined by
 * NVLink; else they are as far as devices.h says of the PCI switch, the NUMA node and the package
 * that switch=, numa= and package= GPUs share. domain= nodes are an NVLink domain. Between domains
 * bytes go by NICs: rails= of them a node, GPU g's being rail g * R / G. The NICs of one rail of
 * unit= nodes are on one leaf switch, 2 hops; units meet at spines, 4 hops, those of pod= nodes;
 * pods at core switches, 6 hops. Upwards a leaf has a cable for each taper= of its NICs.
 *
 * Another rail of the same unit is one NVLink away, to the GPU that has it, and then its leaf (as
 * NCCL goes since 2.12: PXN); or, where NVLink does not join a node's GPUs, over a spine. Above the
 * unit all ways lead over spines, where rails meet.
 *
 * For time a GPU takes 450 GB/s from others of its node (18 NVLinks of the H100's, 25 GB/s each and
 * way), without NVLink 25 (PCI Express 4.0 on 16 lanes). */
#include <string.h>

#include "machine/devices.h"
#include "machine/spec.h"
#include "util/alloc.h"

enum { GPUS_MOST = 256, NODES_MOST = 1 << 24 };

/* ---- Reading ------------------------------------------------------------------------------- */

static int add_inner(const topomap_spec *spec, topomap_gpus_shape *g, const char *name,
                     const char *key, uint32_t size, double cost, topomap_error *err)
{
    uint32_t below = g->inners ? g->inner[g->inners - 1].size : 1;

    if (size % below || g->gpus % size)
        return topomap_spec_fail(spec, err,
                                 "%s=%u: groups of GPUs lie inside each other: expected a multiple "
                                 "of %u that divides gpus=%u",
                                 key, size, below, g->gpus);
    if (size == below)
        return 0;
    g->inner[g->inners].name = name;
    g->inner[g->inners].size = size;
    g->inner[g->inners++].cost = cost * g->near;
    return 0;
}

static int read_inside(const topomap_spec *spec, topomap_gpus_shape *g, topomap_error *err)
{
    uint32_t in_switch, numa, package;

    if (topomap_spec_word(spec, "nvlink", 1, GPUS_MOST, g->gpus, &g->nvlink, err) ||
        topomap_spec_word(spec, "switch", 1, GPUS_MOST, 1, &in_switch, err) ||
        topomap_spec_word(spec, "numa", 1, GPUS_MOST, 1, &numa, err) ||
        topomap_spec_word(spec, "package", 1, GPUS_MOST, 1, &package, err))
        return -1;
    /* What NVLink joins, it joins across all else. */
    numa = numa > 1 ? numa : in_switch;
    package = package > 1 ? package : numa;
    in_switch = in_switch > g->nvlink ? in_switch : g->nvlink;
    numa = numa > in_switch ? numa : in_switch;
    package = package > numa ? package : numa;
    if (add_inner(spec, g, "nvlink", "nvlink", g->nvlink, 1, err) ||
        add_inner(spec, g, "switch", "switch", in_switch, topomap_near_cost(TOPOMAP_NEAR_SWITCH),
                  err) ||
        add_inner(spec, g, "numa", "numa", numa, topomap_near_cost(TOPOMAP_NEAR_NUMA), err) ||
        add_inner(spec, g, "package", "package", package, topomap_near_cost(TOPOMAP_NEAR_PACKAGE),
                  err) ||
        add_inner(spec, g, "node", "gpus", g->gpus, topomap_near_cost(TOPOMAP_NEAR_NODE), err))
        return -1;
    return 0;
}

static int add_outer(const topomap_spec *spec, topomap_gpus_shape *g, const char *name,
                     const char *key, uint32_t size, double cost, uint32_t hops, topomap_error *err)
{
    uint32_t below = g->outers ? g->outer[g->outers - 1].size : 1;

    if (size < g->nodes && size % below)
        return topomap_spec_fail(spec, err, "%s=%u: expected a multiple of %u nodes", key, size,
                                 below);
    if (size <= below)
        return 0;
    g->outer[g->outers].name = name;
    g->outer[g->outers].size = size;
    g->outer[g->outers].cost = cost;
    g->outer[g->outers++].hops = hops;
    return 0;
}

static int read_between(const topomap_spec *spec, topomap_gpus_shape *g, topomap_error *err)
{

    if (topomap_spec_word(spec, "rails", 1, GPUS_MOST, 1, &g->rails, err) ||
        topomap_spec_word(spec, "domain", 1, NODES_MOST, 1, &g->domain, err) ||
        topomap_spec_word(spec, "unit", 1, NODES_MOST, g->nodes, &g->unit, err) ||
        topomap_spec_word(spec, "pod", 1, NODES_MOST, g->nodes, &g->pod, err) ||
        topomap_spec_word(spec, "taper", 1, NODES_MOST, 1, &g->taper, err))
        return -1;
    if (g->gpus % g->rails)
        return topomap_spec_fail(spec, err, "rails=%u: expected a number that divides gpus=%u",
                                 g->rails, g->gpus);
    g->domain = g->domain < g->nodes ? g->domain : g->nodes;
    g->unit = g->unit < g->nodes ? g->unit : g->nodes;
    g->pod = g->pod < g->nodes ? g->pod : g->nodes;
    if (add_outer(spec, g, "domain", "domain", g->domain, 2 * g->near, 1, err) ||
        add_outer(spec, g, "leaf", "unit", g->unit, 2 * g->hop, 2, err) ||
        add_outer(spec, g, "spine", "pod", g->pod, 4 * g->hop, 4, err) ||
        add_outer(spec, g, "core", "nodes", g->nodes, 6 * g->hop, 6, err))
        return -1;
    return 0;
}

static int read_shape(const topomap_spec *spec, topomap_gpus_shape *g, topomap_error *err)
{
    if (topomap_spec_words(
            spec, " nodes gpus rails unit pod taper domain nvlink switch numa package ", err) ||
        topomap_spec_word(spec, "nodes", 1, NODES_MOST, 0, &g->nodes, err) ||
        topomap_spec_word(spec, "gpus", 1, GPUS_MOST, 0, &g->gpus, err))
        return -1;
    if (spec->slots > 1)
        return topomap_spec_fail(spec, err, "gpus=%u are a node's slots: no '*%u' behind them",
                                 g->gpus, spec->slots);
    if (spec->costs > 2)
        return topomap_spec_fail(spec, err, "expected @NVLINK:HOP, found %u costs", spec->costs);
    g->near = spec->costs == 2 ? spec->cost[0] : 1;
    g->hop = spec->costs ? spec->cost[spec->costs - 1] : 10;
    if ((uint64_t)g->nodes * g->gpus > UINT32_MAX / 2)
        return topomap_spec_fail(spec, err, "the machine has more than %u GPUs", UINT32_MAX / 2);
    return read_inside(spec, g, err) || read_between(spec, g, err) ? -1 : 0;
}

/* ---- Building ------------------------------------------------------------------------------ */

static int fill_inside(topomap_machine *machine, const topomap_gpus_shape *g, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *group = topomap_alloc(machine->slots, sizeof *group, err);

    if (!group)
        return -1;
    for (uint32_t l = 0; l + 1 < g->inners; l++) {
        for (uint32_t s = 0; s < machine->slots; s++)
            group[s] = s / g->inner[l].size;
        if (topomap_machine_add_inner(machine, g->inner[l].name, g->inner[l].cost, group, err))
            return -1;
    }
    return topomap_machine_add_inner(machine, "node", g->inners ? g->inner[g->inners - 1].cost : 0,
                                     machine->node_of, err);
}

static int fill_between(topomap_machine *machine, const uint32_t *ids, const topomap_gpus_shape *g,
                        topomap_error *err)
{
    TOPOMAP_FREED uint32_t *group = topomap_alloc(machine->nodes, sizeof *group, err);

    if (!group)
        return -1;
    for (uint32_t l = 0; l < g->outers; l++)
        if (topomap_spec_groups(machine, ids, g->outer[l].size, g->nodes, group, err) ||
            topomap_machine_add_outer(machine, g->outer[l].name, g->outer[l].cost, g->outer[l].hops,
                                      group, err))
            return -1;
    return 0;
}

static int fill_rails(topomap_machine *machine, const topomap_gpus_shape *g, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *rail = topomap_alloc(machine->slots, sizeof *rail, err);
    uint32_t hops[TOPOMAP_GPUS_OUTER] = {0};
    float cross[TOPOMAP_GPUS_OUTER] = {0};
    int any = 0;

    if (!rail)
        return -1;
    for (uint32_t s = 0; s < machine->slots; s++)
        rail[s] = s % g->gpus * g->rails / g->gpus;
    for (uint32_t l = 0; l < g->outers; l++) {
        int over_nvlink = g->nvlink == g->gpus && g->near < 2 * g->hop;

        if (strcmp(g->outer[l].name, "leaf") != 0)
            continue;
        cross[l] = (float)(over_nvlink ? g->near : 2 * g->hop);
        hops[l] = over_nvlink ? 0 : 2;
        any |= cross[l] > 0;
    }
    return any ? topomap_machine_set_rails(machine, rail, cross, hops, err) : 0;
}

static int fill(topomap_machine *machine, const uint32_t *ids, void *shape, topomap_error *err)
{
    const topomap_gpus_shape *g = shape;

    machine->memory_rate = g->nvlink > 1 ? 450e9 : 25e9;
    return fill_inside(machine, g, err) || fill_between(machine, ids, g, err) ||
                   (g->rails > 1 && fill_rails(machine, g, err)) ||
                   topomap_gpus_network(machine, ids, g, err)
               ? -1
               : 0;
}

int topomap_spec_gpus(const topomap_spec *spec, topomap_machine **machine, topomap_error *err)
{
    topomap_gpus_shape g = {0};

    if (read_shape(spec, &g, err))
        return -1;
    return topomap_spec_build(spec, g.nodes, g.gpus, fill, &g, machine, err);
}
