/* SPDX-License-Identifier: BSD-3-Clause */
/* COCE and EXCO on one plane: the mapping of a made grid graph on a made mesh. */
#include <string.h>

#include "map/problem.h"
#include "map/papers/papers.h"
#include "util/alloc.h"

static int grow(topomap_rectangle objects, topomap_rectangle processors,
                const topomap_algorithm_impl *heuristic, uint32_t *at, topomap_error *err)
{
    uint32_t slots = processors.x * processors.y, *slot_of;
    topomap_machine *machine = NULL;
    topomap_graph *graph = NULL;
    topomap_problem problem = {.ranks = objects.x * objects.y};
    char grid[64], mesh[64];
    topomap_arena memory = {0};
    int status = -1;

    if (problem.ranks > slots)
        return topomap_plane_affine(objects, processors, at, err);
    slot_of = topomap_arena_alloc(&memory, slots, sizeof *slot_of, err);
    problem.work.scratch = topomap_arena_alloc(&memory, slots, sizeof *slot_of, err);
    snprintf(grid, sizeof grid, "stencil2d:5:%ux%u,bytes=1", objects.x, objects.y);
    snprintf(mesh, sizeof mesh, "mesh:%ux%u", processors.x, processors.y);
    if (!memory.is_short && topomap_machine_parse(mesh, &machine, err) == 0 &&
        topomap_graph_generate(grid, &graph, err) == 0 &&
        topomap_weights_new(graph, slots, &problem.weights, err) == 0) {
        problem.machine = machine;
        problem.graph = graph;
        memset(problem.work.scratch, 0xff, slots * sizeof *slot_of);
        status = topomap_algorithm_run(heuristic, &problem, slot_of, err);
    }
    for (uint32_t i = 0; status == 0 && i < problem.ranks; i++) {
        at[2 * (size_t)i] = slot_of[i] % processors.x;
        at[2 * (size_t)i + 1] = slot_of[i] / processors.x;
    }
    topomap_weights_clear(&problem.weights);
    topomap_graph_free(graph);
    topomap_machine_free(machine);
    topomap_arena_clear(&memory);
    return status;
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
