/* SPDX-License-Identifier: BSD-3-Clause */
/* COCE and EXCO on one plane: the mapping of a made grid graph on a made mesh. */
#include <stdlib.h>

#include "map/algorithm.h"
#include "map/papers/plane.h"
#include "util/alloc.h"

static int make_plane(topomap_rectangle r, topomap_machine **machine, topomap_error *err)
{
    static const uint8_t wrap[2];
    uint32_t nodes = r.x * r.y, dim[] = {r.x, r.y};
    uint32_t *one = topomap_alloc(nodes, sizeof *one, err);
    uint16_t *coord = topomap_alloc(nodes, 2 * sizeof *coord, err);
    topomap_machine *m = NULL;
    int status = one && coord ? 0 : -1;

    for (uint32_t i = 0; status == 0 && i < nodes; i++) {
        one[i] = 1;
        coord[2 * (size_t)i] = (uint16_t)(i % r.x);
        coord[2 * (size_t)i + 1] = (uint16_t)(i / r.x);
    }
    if (status == 0)
        status = topomap_machine_frame(nodes, one, NULL, &m, err);
    if (status == 0 && (topomap_machine_add_inner(m, "node", 0, m->node_of, err) != 0 ||
                        topomap_machine_set_torus(m, 2, dim, wrap, coord, 0, 1, 0, err) != 0 ||
                        topomap_machine_finish(m, err) != 0)) {
        topomap_machine_free(m);
        status = -1;
    }
    free(one);
    free(coord);
    if (status == 0)
        *machine = m;
    return status;
}

static int make_grid(topomap_rectangle r, topomap_graph **graph, topomap_error *err)
{
    topomap_arcs arcs = {0};
    int status = 0;

    for (uint32_t i = 0; status == 0 && i < r.x * r.y; i++) {
        if (i % r.x + 1 < r.x)
            status = topomap_arcs_add(&arcs, i, i + 1, 1, 0, err);
        if (status == 0 && i / r.x + 1 < r.y)
            status = topomap_arcs_add(&arcs, i, i + r.x, 1, 0, err);
    }
    if (status == 0)
        return topomap_arcs_take(&arcs, r.x * r.y, graph, err);
    topomap_arcs_clear(&arcs);
    return -1;
}

static int grow(topomap_rectangle objects, topomap_rectangle processors,
                const topomap_algorithm_impl *heuristic, uint32_t *at, topomap_error *err)
{
    uint32_t slots = processors.x * processors.y, *slot_of;
    topomap_machine *machine = NULL;
    topomap_graph *graph = NULL;
    topomap_problem problem = {.ranks = objects.x * objects.y};
    int status = -1;

    if (problem.ranks > slots)
        return topomap_plane_affine(objects, processors, at, err);
    slot_of = topomap_alloc(slots, sizeof *slot_of, err);
    if (slot_of && make_plane(processors, &machine, err) == 0 &&
        make_grid(objects, &graph, err) == 0 &&
        topomap_weights_new(graph, slots, &problem.weights, err) == 0) {
        problem.machine = machine;
        problem.graph = graph;
        status = topomap_algorithm_run(heuristic, &problem, slot_of, err);
    }
    for (uint32_t i = 0; status == 0 && i < problem.ranks; i++) {
        at[2 * (size_t)i] = slot_of[i] % processors.x;
        at[2 * (size_t)i + 1] = slot_of[i] / processors.x;
    }
    topomap_weights_clear(&problem.weights);
    topomap_graph_free(graph);
    topomap_machine_free(machine);
    free(slot_of);
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
