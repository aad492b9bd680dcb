/* SPDX-License-Identifier: BSD-3-Clause */
/* torus:16x16x16, mesh:8x8: node id = x + X*(y + Y*z), x varies fastest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/spec.h"
#include "util/alloc.h"

typedef struct torus_shape {
    uint32_t dims, dim[TOPOMAP_MACHINE_DIMS], routers;
    uint8_t wrap[TOPOMAP_MACHINE_DIMS];
    uint64_t nodes;
    double inside, hop, base;
} torus_shape;

static const char axis[] = "xyzwvuts"; /* names of the dimensions in wrap= */

static int read_wrap(const topomap_spec *spec, torus_shape *torus, topomap_error *err)
{
    memset(torus->wrap, 0, sizeof torus->wrap);
    for (const char *c = spec->wrap; *c; c++) {
        const char *at = strchr(axis, *c);

        if (!at || (uint32_t)(at - axis) >= torus->dims)
            return topomap_spec_fail(spec, err, "wrap= takes letters of '%.*s', found '%c'",
                                     (int)torus->dims, axis, *c);
        torus->wrap[at - axis] = 1;
    }
    return 0;
}

static int read_costs(const topomap_spec *spec, torus_shape *torus, topomap_error *err)
{
    char *end;

    if (spec->costs > 2)
        return topomap_spec_fail(spec, err, "expected @HOP or @INSIDE:HOP, found %u costs",
                                 spec->costs);
    torus->inside = spec->costs == 2 ? spec->cost[0] : 0.0;
    torus->hop = spec->costs ? spec->cost[spec->costs - 1] : 1.0;
    if (!spec->base)
        return 0;
    torus->base = strtod(spec->base, &end);
    if (end == spec->base || *end || !isfinite(torus->base) || torus->base < 0)
        return topomap_spec_fail(spec, err, "base= takes a cost, found '%s'", spec->base);
    return 0;
}

static int read_shape(const topomap_spec *spec, int wraps, torus_shape *torus, topomap_error *err)
{
    int count = topomap_spec_numbers(spec->body, 'x', torus->dim, TOPOMAP_MACHINE_DIMS);

    if (count < 1)
        return topomap_spec_fail(spec, err,
                                 "expected 1 to %d dimensions such as 16x16x8, found '%s'",
                                 TOPOMAP_MACHINE_DIMS, spec->body);
    torus->dims = (uint32_t)count;
    memset(torus->wrap, wraps, sizeof torus->wrap);
    if (spec->wrap && read_wrap(spec, torus, err) != 0)
        return -1;
    torus->routers = 1;
    if (spec->routers && topomap_spec_numbers(spec->routers, ':', &torus->routers, 1) != 1)
        return topomap_spec_fail(spec, err, "routers= takes the nodes of one router, found '%s'",
                                 spec->routers);
    torus->nodes = torus->routers;
    for (uint32_t d = 0; d < torus->dims; d++) {
        if (torus->dim[d] > UINT16_MAX || torus->nodes > UINT32_MAX / 2 / torus->dim[d])
            return topomap_spec_fail(spec, err, "the machine has more than %u nodes",
                                     UINT32_MAX / 2);
        torus->nodes *= torus->dim[d];
    }
    if (torus->nodes > UINT32_MAX / 2 / spec->slots)
        return topomap_spec_fail(spec, err, "the machine has more than %u slots", UINT32_MAX / 2);
    return read_costs(spec, torus, err);
}

static int fill(topomap_machine *machine, const uint32_t *ids, void *shape, topomap_error *err)
{
    const torus_shape *torus = shape;
    TOPOMAP_FREED uint16_t *coord =
        topomap_alloc((size_t)machine->nodes * torus->dims, sizeof *coord, err);

    if (!coord)
        return -1;
    for (uint32_t i = 0; i < machine->nodes; i++) {
        uint32_t rest = (ids ? ids[i] : i) / torus->routers;

        for (uint32_t d = 0; d < torus->dims; d++) {
            coord[(size_t)i * torus->dims + d] = (uint16_t)(rest % torus->dim[d]);
            rest /= torus->dim[d];
        }
    }
    if (topomap_machine_add_inner(machine, "node", torus->inside, machine->node_of, err))
        return -1;
    return topomap_machine_set_torus(machine, torus->dims, torus->dim, torus->wrap, coord,
                                     torus->base, torus->hop, 0, err);
}

static int parse(const topomap_spec *spec, int wraps, topomap_machine **machine, topomap_error *err)
{
    torus_shape torus = {0};

    if (read_shape(spec, wraps, &torus, err) != 0)
        return -1;
    return topomap_spec_build(spec, torus.nodes, spec->slots, fill, &torus, machine, err);
}

int topomap_spec_torus(const topomap_spec *spec, topomap_machine **machine, topomap_error *err)
{
    return parse(spec, 1, machine, err);
}

int topomap_spec_mesh(const topomap_spec *spec, topomap_machine **machine, topomap_error *err)
{
    return parse(spec, 0, machine, err);
}
