/* SPDX-License-Identifier: BSD-3-Clause */
/* COCE and EXCO on one plane: the mapping of a made grid graph on a made mesh. */
#include <string.h>

#include "map/problem.h"
#include "map/papers/papers.h"
#include "util/alloc.h"

static int grow(topomap_rectangle objects, topomap_rectangle processors,
                const topomap_algorithm_impl *heuristic, uint32_t *at, topomap_error *err)
{
    uint32_t slots = processors.x * processors.y;
    TOPOMAP_FREED uint32_t *slot_of = topomap_alloc(slots, sizeof *slot_of, err);
    TOPOMAP_FREED uint32_t *scratch = topomap_alloc(slots, sizeof *scratch, err);
    TOPOMAP_MACHINE_FREED topomap_machine *machine = NULL;
    TOPOMAP_GRAPH_FREED topomap_graph *graph = NULL;
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights weights = {0};
    topomap_problem problem = {.ranks = objects.x * objects.y};
    char grid[64], mesh[64];

    if (problem.ranks > slots)
        return topomap_plane_affine(objects, processors, at, err);
    snprintf(grid, sizeof grid, "stencil2d:5:%ux%u,bytes=1", objects.x, objects.y);
    snprintf(mesh, sizeof mesh, "mesh:%ux%u", processors.x, processors.y);
    if (!slot_of || !scratch || topomap_machine_parse(mesh, &machine, err) ||
        topomap_graph_generate(grid, &graph, err) ||
        topomap_weights_new(graph, slots, &weights, err))
        return -1;
    problem.machine = machine;
    problem.graph = graph;
    problem.weights = weights;
    problem.work.scratch = memset(scratch, 0xff, slots * sizeof *scratch);
    if (topomap_algorithm_run(heuristic, &problem, slot_of, err))
        return -1;
    for (uint32_t i = 0; i < problem.ranks; i++) {
        at[2 * (size_t)i] = slot_of[i] % processors.x;
        at[2 * (size_t)i + 1] = slot_of[i] / processors.x;
    }
    return 0;
}

int topomap_plane_coce(topomap_rectangle objects, topomap_rectangle processors, uint32_t *at,
                       topomap_error *err)
{
    return grow(objects, processors, &topomap_algorithm_coce, at, err);
}

int topomap_plane_exco(topomap_rectangle objects, topomap_rectangle processors, uint32_t *at,
                       topomap_error *err)
{
    return grow(objects, processors, &topomap_algorithm_exco, at, err);
}
