/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* qsort_r */
#include "map/papers/papers.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/sorted.h"

static void measure(topomap_mesh *mesh)
{
    const topomap_machine *m = mesh->problem->machine;

    for (uint32_t d = 0; d < m->dims; d++) {
        uint32_t low = UINT32_MAX, high = 0;

        for (uint32_t i = 0; i < m->nodes; i++) {
            uint32_t c = m->coord[(size_t)i * m->dims + d];

            if (m->slot_first[i + 1] == m->slot_first[i])
                continue;
            low = c < low ? c : low;
            high = c > high ? c : high;
        }
        if (high <= low)
            continue;
        mesh->axis[mesh->axes] = d;
        mesh->low[mesh->axes] = low;
        mesh->extent[mesh->axes++] = high - low + 1;
    }
}

TOPOMAP_COMPARE_BY(by_place, const topomap_machine *m,
                   memcmp(m->coord + (size_t)x * m->dims, m->coord + (size_t)y * m->dims,
                          m->dims * sizeof *m->coord))

/* Several nodes of one router are at one place. */
static int measure_depth(topomap_mesh *mesh, topomap_error *err)
{
    topomap_machine *m = (topomap_machine *)mesh->problem->machine; /* qsort_r; it is only read */
    uint32_t *node = topomap_alloc(m->nodes, sizeof *node, err), depth = 0;

    if (!node)
        return -1;
    topomap_identity(node, m->nodes);
    qsort_r(node, m->nodes, sizeof *node, by_place, m);
    for (uint32_t i = 0; i < m->nodes; i++) {
        if (i > 0 &&
            memcmp(m->coord + (size_t)node[i] * m->dims, m->coord + (size_t)node[i - 1] * m->dims,
                   m->dims * sizeof *m->coord) != 0)
            depth = 0;
        depth += topomap_node_slots(m, node[i]);
        mesh->depth = depth > mesh->depth ? depth : mesh->depth;
    }
    free(node);
    return 0;
}

int topomap_mesh_restart(topomap_mesh *mesh, topomap_error *err)
{
    memset(mesh->slot_of, 0xff, mesh->problem->weights.vertices * sizeof *mesh->slot_of);
    topomap_cells_clear(&mesh->cells);
    return topomap_cells_init(&mesh->cells, mesh->problem->machine, err);
}

int topomap_mesh_init(topomap_mesh *mesh, topomap_problem *problem, uint32_t *slot_of,
                      topomap_error *err)
{
    *mesh = (topomap_mesh){.problem = problem, .slot_of = slot_of};
    measure(mesh);
    if (measure_depth(mesh, err) != 0)
        return -1;
    return topomap_mesh_restart(mesh, err);
}

void topomap_mesh_clear(topomap_mesh *mesh)
{
    topomap_cells_clear(&mesh->cells);
}

void topomap_mesh_put_near(topomap_mesh *mesh, uint32_t rank, const uint32_t *coord)
{
    mesh->slot_of[rank] = topomap_cells_next(&mesh->cells, coord);
}

static void coordinates(const topomap_mesh *mesh, uint32_t slot, uint32_t *coord)
{
    const topomap_machine *m = mesh->problem->machine;

    for (uint32_t d = 0; d < m->dims; d++)
        coord[d] = m->coord[(size_t)m->node_of[slot] * m->dims + d];
}

void topomap_mesh_put(topomap_mesh *mesh, uint32_t rank, const uint32_t *at)
{
    uint32_t coord[TOPOMAP_MACHINE_DIMS];

    coordinates(mesh, 0, coord); /* the dimensions without an extent */
    for (uint32_t a = 0; a < mesh->axes; a++)
        coord[mesh->axis[a]] = mesh->low[a] + at[a];
    topomap_mesh_put_near(mesh, rank, coord);
}

void topomap_mesh_put_part(topomap_mesh *mesh, uint32_t rank, const double *part)
{
    uint32_t at[TOPOMAP_MACHINE_DIMS];

    for (uint32_t a = 0; a < mesh->axes; a++) {
        double c = part[a] * mesh->extent[a] + 1e-9; /* x / X * X is X, not just below */

        at[a] = c <= 0 ? 0 : c >= mesh->extent[a] ? mesh->extent[a] - 1 : (uint32_t)c;
    }
    topomap_mesh_put(mesh, rank, at);
}

void topomap_mesh_where(const topomap_mesh *mesh, uint32_t rank, uint32_t *coord)
{
    coordinates(mesh, mesh->slot_of[rank], coord);
}

void topomap_mesh_middle(const topomap_mesh *mesh, uint32_t *coord)
{
    coordinates(mesh, 0, coord);
    for (uint32_t a = 0; a < mesh->axes; a++)
        coord[mesh->axis[a]] = mesh->low[a] + (mesh->extent[a] - 1) / 2;
}

uint32_t topomap_mesh_centroid(const topomap_mesh *mesh, uint32_t rank, uint32_t *coord)
{
    const topomap_weights *w = &mesh->problem->weights;
    const topomap_machine *m = mesh->problem->machine;
    int64_t sum[TOPOMAP_MACHINE_DIMS] = {0}; /* of the offsets from the first neighbour */
    uint32_t first[TOPOMAP_MACHINE_DIMS] = {0}, at[TOPOMAP_MACHINE_DIMS], count = 0;

    for (uint64_t e = w->offset[rank]; e < w->offset[rank + 1]; e++) {
        if (mesh->slot_of[w->target[e]] == UINT32_MAX)
            continue;
        topomap_mesh_where(mesh, w->target[e], count++ ? at : first);
        for (uint32_t d = 0; count > 1 && d < m->dims; d++) {
            int64_t offset = (int64_t)at[d] - first[d], length = m->dim[d];

            if (m->wrap[d] && 2 * offset > length)
                offset -= length;
            if (m->wrap[d] && 2 * offset < -length)
                offset += length;
            sum[d] += offset;
        }
    }
    for (uint32_t d = 0; count > 0 && d < m->dims; d++) {
        int64_t twice = 2 * sum[d] + (int64_t)count, mean = twice / (2 * (int64_t)count);

        mean -= twice % (2 * (int64_t)count) < 0; /* rounded down, so to the nearest */
        mean += first[d];
        mean = mean < 0 ? mean + m->dim[d] : mean >= (int64_t)m->dim[d] ? mean - m->dim[d] : mean;
        coord[d] = (uint32_t)mean;
    }
    return count;
}
