/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/problem.h"
#include "map/papers/papers.h"

#include <math.h>
#include <string.h>

#include "util/alloc.h"

/* A rectangle of objects that are still to be placed, or of processors that are still free. */
typedef struct region {
    uint32_t x, y, width, height;
} region;

/* MXOVLP: the largest rectangle that fits both is placed one to one. What is left of the objects
 * is one strip (both sides too long cannot be, by area), and so is what is left beside it of the
 * processors. With `align`, the objects' longer side lies along the processors' at each step. */
static void overlap(topomap_rectangle objects, topomap_rectangle processors, int align,
                    uint32_t *at)
{
    region o = {0, 0, objects.x, objects.y}, p = {0, 0, processors.x, processors.y};
    int turned = 0; /* whether o is in transposed coordinates */

    while (o.width > 0 && o.height > 0 && p.width > 0 && p.height > 0) {
        if (align && (o.width > o.height) != (p.width > p.height) && o.width != o.height &&
            p.width != p.height) {
            o = (region){o.y, o.x, o.height, o.width};
            turned = !turned;
        }
        uint32_t width = o.width < p.width ? o.width : p.width;
        uint32_t height = o.height < p.height ? o.height : p.height;

        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++) {
                size_t ox = turned ? o.y + y : o.x + x, oy = turned ? o.x + x : o.y + y;
                uint32_t *to = at + 2 * (oy * objects.x + ox);

                to[0] = p.x + x;
                to[1] = p.y + y;
            }
        if (o.width > width) { /* the strip at the right goes to the free rows above */
            o.x += width;
            o.width -= width;
            p.y += height;
            p.height -= height;
        } else {
            o.y += height;
            o.height -= height;
            p.x += width;
            p.width -= width;
        }
    }
}

int topomap_plane_affine(topomap_rectangle objects, topomap_rectangle processors, uint32_t *at,
                         topomap_error *err)
{
    (void)err;
    for (uint32_t y = 0; y < objects.y; y++)
        for (uint32_t x = 0; x < objects.x; x++) {
            uint32_t *to = at + 2 * ((size_t)y * objects.x + x);

            to[0] = (uint32_t)((uint64_t)processors.x * x / objects.x);
            to[1] = (uint32_t)((uint64_t)processors.y * y / objects.y);
        }
    return 0;
}

int topomap_plane_overlap(topomap_rectangle objects, topomap_rectangle processors, uint32_t *at,
                          topomap_error *err)
{
    topomap_plane_affine(objects, processors, at, err); /* for more objects than processors */
    overlap(objects, processors, 0, at);
    return 0;
}

int topomap_plane_aligned(topomap_rectangle objects, topomap_rectangle processors, uint32_t *at,
                          topomap_error *err)
{
    topomap_plane_affine(objects, processors, at, err);
    overlap(objects, processors, 1, at);
    return 0;
}

/* COCE and EXCO on one plane: the mapping of a made grid graph on a made mesh. */
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

topomap_rectangle topomap_plane_tile(topomap_rectangle objects, topomap_rectangle nodes,
                                     uint32_t depth)
{
    topomap_rectangle best = {1, depth};
    double best_skew = INFINITY;

    for (uint32_t x = 1; x <= depth; x++) {
        double skew;

        if (depth % x != 0)
            continue;
        skew = fabs(
            log((double)nodes.x * x * objects.y / ((double)nodes.y * (depth / x) * objects.x)));
        if (skew < best_skew) {
            best_skew = skew;
            best = (topomap_rectangle){x, depth / x};
        }
    }
    return best;
}

int topomap_plane_require(const topomap_mesh *mesh, const char *name, uint32_t axes,
                          topomap_rectangle *objects, topomap_error *err)
{
    topomap_grid grid;

    if (mesh->axes > axes)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "'%s' maps a 2-D grid of ranks onto %u dimensions, this "
                                 "allocation has %u%s",
                                 name, axes, mesh->axes,
                                 mesh->axes == 3 ? ": 'stack' and 'fold' map onto planes" : "");
    if (!topomap_grid_find(&mesh->problem->weights, mesh->problem->ranks, 2, &grid))
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "'%s' maps a 2-D grid of ranks in natural order, and this graph "
                                 "is none: 'mht', 'bft' and 'coce' map any graph",
                                 name);
    *objects = (topomap_rectangle){grid.dim[0], grid.dim[1]};
    return 0;
}

static uint32_t extent(const topomap_mesh *mesh, uint32_t axis)
{
    return axis < mesh->axes ? mesh->extent[axis] : 1;
}

static int map_plane(topomap_mesh *mesh, const char *name, topomap_plane_heuristic heuristic,
                     topomap_error *err)
{
    topomap_rectangle objects, nodes, tile;
    TOPOMAP_FREED uint32_t *at = NULL;

    if (topomap_plane_require(mesh, name, 2, &objects, err) != 0)
        return -1;
    nodes = (topomap_rectangle){extent(mesh, 0), extent(mesh, 1)};
    tile = topomap_plane_tile(objects, nodes, mesh->depth);
    at = topomap_alloc(mesh->problem->ranks, 2 * sizeof *at, err);
    if (!at)
        return -1;
    if (heuristic(objects, (topomap_rectangle){nodes.x * tile.x, nodes.y * tile.y}, at, err) != 0)
        return -1;
    for (uint32_t r = 0; r < mesh->problem->ranks; r++) {
        uint32_t place[2] = {at[2 * (size_t)r] / tile.x, at[2 * (size_t)r + 1] / tile.y};

        topomap_mesh_put(mesh, r, place);
    }
    topomap_problem_fill(mesh->problem, mesh->slot_of);
    return 0;
}

static int run(const topomap_algorithm_impl *self, topomap_problem *problem, uint32_t *slot_of,
               topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_mesh_clear) topomap_mesh mesh = {0};

    if (topomap_mesh_init(&mesh, problem, slot_of, err))
        return -1;
    return map_plane(&mesh, self->row.name,
                     self->variant ? topomap_plane_aligned : topomap_plane_overlap, err);
}

const topomap_algorithm_impl topomap_algorithm_mxovlp = {
    .row = {"mxovlp", BY_BHATELE ", MXOVLP", "construct", FITS_GRID,
            "a 2-D grid of ranks on a 2-D mesh: the largest common rectangle, then what is left"},
    .run_family = run,
};

const topomap_algorithm_impl topomap_algorithm_mxov_al = {
    .row = {"mxov-al", "Bhatele et al. (HiPC 2010), MXOV+AL", "construct", FITS_GRID,
            "mxovlp with the longer sides aligned at each step"},
    .run_family = run,
    .variant = 1,
};
