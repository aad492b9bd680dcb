/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/closeness.h"

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "util/alloc.h"

/* Nodes sorted into cells: routers of a torus, groups of a tree, sites of a matrix. */
typedef struct cells {
    uint64_t count;
    uint32_t *first; /* [count + 1] */
    uint32_t *node;  /* [nodes] ascending within a cell */
} cells;

static void cells_clear(cells *c)
{
    free(c->first);
    free(c->node);
}

static uint64_t cell_of(const topomap_machine *m, uint32_t node)
{
    switch (m->kind) {
    case TOPOMAP_MACHINE_TORUS:
        return topomap_torus_router(m, m->coord + (size_t)node * m->dims);
    case TOPOMAP_MACHINE_MATRIX:
        return m->site_of[node];
    case TOPOMAP_MACHINE_TREE:
        break;
    }
    return m->outer_levels ? m->outer[0].group[node] : 0;
}

static int cells_fill(const topomap_machine *m, cells *c, topomap_error *err)
{
    c->count = m->kind == TOPOMAP_MACHINE_MATRIX ? m->sites : m->nodes;
    if (m->kind == TOPOMAP_MACHINE_TORUS) {
        c->count = 1;
        for (uint32_t d = 0; d < m->dims; d++) {
            if (c->count > UINT32_MAX / m->dim[d])
                return 1; /* too large to index: no vicinity, the search does without */
            c->count *= m->dim[d];
        }
    }
    c->first = topomap_alloc(c->count + 2, sizeof *c->first, err);
    c->node = topomap_alloc(m->nodes, sizeof *c->node, err);
    if (!c->first || !c->node)
        return -1;
    for (uint32_t i = 0; i < m->nodes; i++)
        c->first[cell_of(m, i) + 2]++;
    for (uint64_t k = 0; k < c->count; k++)
        c->first[k + 2] += c->first[k + 1];
    for (uint32_t i = 0; i < m->nodes; i++)
        c->node[c->first[cell_of(m, i) + 1]++] = i;
    return 0;
}

/* Cells next to a node's own, its own first. */
static uint32_t cells_near(const topomap_machine *m, uint32_t node, uint64_t *near)
{
    uint32_t count = 0;

    near[count++] = cell_of(m, node);
    if (m->kind == TOPOMAP_MACHINE_TORUS)
        for (uint32_t d = 0; d < m->dims; d++)
            for (int step = -1; step <= 1; step += 2) {
                uint16_t coord[TOPOMAP_MACHINE_DIMS];
                int64_t c;

                memcpy(coord, m->coord + (size_t)node * m->dims, m->dims * sizeof *coord);
                c = (int64_t)coord[d] + step;
                if (m->wrap[d])
                    c = (c + m->dim[d]) % m->dim[d];
                if (c < 0 || c >= m->dim[d])
                    continue;
                coord[d] = (uint16_t)c;
                near[count++] = topomap_torus_router(m, coord);
            }
    if (m->kind == TOPOMAP_MACHINE_MATRIX) {
        const float *row = m->site_cost + near[0] * m->sites;
        uint64_t best = near[0];

        for (uint32_t s = 0; s < m->sites; s++)
            if (s != near[0] && (best == near[0] || row[s] < row[best]))
                best = s;
        if (best != near[0])
            near[count++] = best;
    }
    return count;
}

static int list_near(const topomap_machine *m, const cells *c, uint32_t limit, topomap_vicinity *v,
                     topomap_error *err)
{
    size_t count = 0, capacity = 0;

    for (uint32_t i = 0; i < m->nodes; i++) {
        uint64_t near[1 + 2 * TOPOMAP_MACHINE_DIMS];
        uint32_t cells_count = cells_near(m, i, near);

        for (uint32_t k = 0; k < cells_count; k++)
            for (uint32_t at = c->first[near[k]]; at < c->first[near[k] + 1]; at++)
                if (c->node[at] != i && count - v->first[i] < limit &&
                    TOPOMAP_APPEND(v->node, count, capacity, err, c->node[at]))
                    return -1;
        if (count > UINT32_MAX)
            return topomap_error_set(err, TOPOMAP_ESYSTEM, "the machine is too large to search");
        v->first[i + 1] = (uint32_t)count;
    }
    return 0;
}

int topomap_vicinity_build(const topomap_machine *machine, uint32_t limit,
                           topomap_vicinity *vicinity, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_vicinity_clear) topomap_vicinity made = {0};
    TOPOMAP_CLEANUP(cells_clear) cells c = {0};
    int status;

    made.first = topomap_alloc((size_t)machine->nodes + 1, sizeof *made.first, err);
    status = made.first ? cells_fill(machine, &c, err) : -1;
    if (status < 0 || (status == 0 && list_near(machine, &c, limit, &made, err)))
        return -1;
    *vicinity = made;
    made = (topomap_vicinity){0};
    return 0;
}

void topomap_vicinity_clear(topomap_vicinity *vicinity)
{
    free(vicinity->first);
    free(vicinity->node);
    *vicinity = (topomap_vicinity){0};
}
