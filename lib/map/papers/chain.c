/* SPDX-License-Identifier: BSD-3-Clause */
/* `chain`: ranks in a row, each with a load, on processors in a row, by prefix sums: Bhatele
 * (2010), eq. 12.1. The row through a mesh or torus turns round at each end (boustrophedon), so
 * that consecutive processors are neighbours. */
#define _GNU_SOURCE /* qsort_r */
#include <stdlib.h>

#include "map/problem.h"
#include "map/papers/papers.h"
#include "util/alloc.h"

/* Position of a node on the row: its coordinates with the last slowest, each run reversed where
 * the ones outside it are odd in sum. */
static int along_row(const void *a, const void *b, void *data)
{
    const topomap_machine *m = data;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b, turns = 0;

    for (uint32_t d = m->dims; d-- > 0;) {
        uint32_t x = m->coord[(size_t)i * m->dims + d], y = m->coord[(size_t)j * m->dims + d];

        if (x != y)
            return (x > y) == (turns % 2 == 0) ? 1 : -1;
        turns += x;
    }
    return (i > j) - (i < j);
}

/* The nodes that have slots, in the order of the row. */
static uint32_t *row_of_nodes(topomap_machine *m, uint32_t *count, topomap_error *err)
{
    uint32_t *row = topomap_alloc(m->nodes, sizeof *row, err);

    for (uint32_t i = 0; row && i < m->nodes; i++)
        if (m->slot_first[i + 1] > m->slot_first[i])
            row[(*count)++] = i;
    if (row)
        qsort_r(row, *count, sizeof *row, along_row, m);
    return row;
}

/* Processor floor(p (L_i - l_i / 2) / L), L_i the inclusive prefix sum; exact, in 128 bits (loads
 * sum to less than 2^63, p < 2^32). */
static uint32_t processor_of(uint64_t prefix, uint64_t load, uint64_t total, uint32_t p)
{
    unsigned __int128 twice = (unsigned __int128)2 * prefix - load,
                      k = twice * p / (2 * (unsigned __int128)total);

    return k < p ? (uint32_t)k : p - 1;
}

static void place(topomap_mesh *mesh, const uint32_t *row, uint32_t count)
{
    const topomap_problem *problem = mesh->problem;
    const topomap_machine *m = problem->machine;
    uint64_t total = 0, prefix = 0;

    for (uint32_t r = 0; problem->load && r < problem->ranks; r++)
        total += problem->load[r];
    for (uint32_t r = 0; r < problem->ranks; r++) {
        uint64_t load = total ? problem->load[r] : 1; /* no loads: all alike */
        uint32_t node, coord[TOPOMAP_MACHINE_DIMS];

        prefix += load;
        node = row[processor_of(prefix, load, total ? total : problem->ranks, count)];
        for (uint32_t d = 0; d < m->dims; d++)
            coord[d] = m->coord[(size_t)node * m->dims + d];
        topomap_mesh_put_near(mesh, r, coord);
    }
}

static int map_chain(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_mesh_clear) topomap_mesh mesh = {0};
    TOPOMAP_FREED uint32_t *row = NULL;
    uint32_t count = 0;

    if (topomap_mesh_init(&mesh, problem, slot_of, err))
        return -1;
    row = row_of_nodes((topomap_machine *)problem->machine, &count, err);
    if (!row)
        return -1;
    place(&mesh, row, count);
    topomap_problem_fill(problem, slot_of);
    return 0;
}

const topomap_algorithm_impl topomap_algorithm_chain = {
    .row = {"chain", BY_BHATELE ", eq. 12.1", "construct", FITS_GRID,
            "ranks in a row, by prefix sums of their loads, along a row through the machine"},
    .run = map_chain,
};
