/* SPDX-License-Identifier: BSD-3-Clause */
/* 2-D grids of ranks on 3-D meshes and tori: Bhatele (2010). The object grid is cut into one piece
 * a plane. `stack` translates each piece; `fold` reflects every second one, so that neighbours
 * across a cut face each other. Which dimension the planes are stacked along, which way the grid
 * is cut and which 2-D heuristic maps the planes is tried out: the least J stays. */
#include <string.h>

#include "map/problem.h"
#include "map/papers/papers.h"
#include "util/alloc.h"

typedef struct stacking {
    topomap_rectangle objects;
    uint32_t normal; /* axis across the planes */
    int turned;      /* the pieces are columns of the grid, not rows */
    int fold;
    topomap_plane_heuristic heuristic;
    uint32_t *at; /* [ranks * 2] */
} stacking;

static const topomap_plane_heuristic heuristics[] = {
    topomap_plane_overlap, topomap_plane_aligned, topomap_plane_affine,
    topomap_plane_coce,    topomap_plane_exco,
};
enum { HEURISTICS = sizeof heuristics / sizeof heuristics[0] };

/* Rows lo..hi-1 of the grid (columns where it is turned) on one plane. */
static int place_piece(topomap_mesh *mesh, const stacking *s, uint32_t plane, uint32_t lo,
                       uint32_t hi, topomap_error *err)
{
    uint32_t width = s->turned ? s->objects.y : s->objects.x;
    uint32_t a = s->normal == 0 ? 1 : 0, b = s->normal == 2 ? 1 : 2;
    topomap_rectangle piece = {width, hi - lo}, nodes = {mesh->extent[a], mesh->extent[b]};
    topomap_rectangle tile = topomap_plane_tile(piece, nodes, mesh->depth);

    if (s->heuristic(piece, (topomap_rectangle){nodes.x * tile.x, nodes.y * tile.y}, s->at, err) !=
        0)
        return -1;
    for (uint32_t i = 0; i < width * (hi - lo); i++) {
        uint32_t x = i % width, row = i / width, y, place[3];

        y = s->fold && plane % 2 ? hi - 1 - row : lo + row;
        place[s->normal] = plane;
        place[a] = s->at[2 * (size_t)i] / tile.x;
        place[b] = s->at[2 * (size_t)i + 1] / tile.y;
        topomap_mesh_put(mesh, s->turned ? x * s->objects.x + y : y * s->objects.x + x, place);
    }
    return 0;
}

static int place(topomap_mesh *mesh, const stacking *s, topomap_error *err)
{
    uint64_t rows = s->turned ? s->objects.x : s->objects.y, planes = mesh->extent[s->normal];

    if (topomap_mesh_restart(mesh, err) != 0)
        return -1;
    for (uint64_t k = 0; k < planes; k++) {
        uint32_t lo = (uint32_t)(k * rows / planes), hi = (uint32_t)((k + 1) * rows / planes);

        if (hi > lo && place_piece(mesh, s, (uint32_t)k, lo, hi, err) != 0)
            return -1;
    }
    topomap_problem_fill(mesh->problem, mesh->slot_of);
    return 0;
}

static int try_all(topomap_mesh *mesh, stacking *s, uint32_t *best, topomap_error *err)
{
    double best_cost = 0;

    for (uint32_t k = 0; k < 3 * 2 * HEURISTICS; k++) {
        double cost;

        s->normal = 2 - k % 3;
        s->turned = k / 3 % 2;
        s->heuristic = heuristics[k / 6];
        if (place(mesh, s, err) != 0)
            return -1;
        cost = topomap_problem_cost(mesh->problem, mesh->slot_of);
        if (k > 0 && cost >= best_cost)
            continue;
        best_cost = cost;
        memcpy(best, mesh->slot_of, mesh->problem->weights.vertices * sizeof *best);
    }
    memcpy(mesh->slot_of, best, mesh->problem->weights.vertices * sizeof *best);
    return 0;
}

static int require_space(const topomap_mesh *mesh, const char *name, topomap_error *err)
{
    if (mesh->axes == 3)
        return 0;
    return topomap_error_set(err, TOPOMAP_EUSAGE,
                             "'%s' maps a 2-D grid of ranks onto 3 dimensions, this allocation has "
                             "%u: 'mxovlp' and 'affn' map onto 2",
                             name, mesh->axes);
}

static int run(const topomap_algorithm_impl *self, topomap_problem *problem, uint32_t *slot_of,
               topomap_error *err)
{
    TOPOMAP_FREED uint32_t *at = topomap_alloc(problem->ranks, 2 * sizeof *at, err);
    stacking s = {.fold = self->variant, .at = at};
    TOPOMAP_CLEANUP(topomap_mesh_clear) topomap_mesh mesh = {0};
    TOPOMAP_FREED uint32_t *best = topomap_alloc(problem->weights.vertices, sizeof *best, err);

    if (!at || !best || topomap_mesh_init(&mesh, problem, slot_of, err) ||
        require_space(&mesh, self->row.name, err) ||
        topomap_plane_require(&mesh, self->row.name, 3, &s.objects, err))
        return -1;
    return try_all(&mesh, &s, best, err);
}

const topomap_algorithm_impl topomap_algorithm_stack = {
    .row = {"stack", BY_BHATELE ", stacking", "construct", FITS_GRID,
            "a 2-D grid of ranks on a 3-D mesh: one piece a plane, each translated"},
    .run_family = run,
};

const topomap_algorithm_impl topomap_algorithm_fold = {
    .row = {"fold", BY_BHATELE ", folding", "construct", FITS_GRID,
            "likewise, every second piece reflected"},
    .run_family = run,
    .variant = 1,
};
