/* SPDX-License-Identifier: BSD-3-Clause */
/* The heuristics of Bhatele (2010) that need positions (a grid's, or of a layout of the graph):
 * `affn` stretches, `coce` grows from all corners, `exco` from one, `coce-mht` fixes the corners
 * and then follows the placed neighbours; and the two that need none, `bft` and `mht`, with
 * `brick` for more objects than processors. All put ranks where findNext says. */
#include <math.h>
#include <stdlib.h>

#include "map/problem.h"
#include "map/papers/papers.h"
#include "util/alloc.h"

static int affine(topomap_mesh *mesh, const double *position, topomap_error *err)
{
    (void)err;
    for (uint32_t r = 0; r < mesh->problem->ranks; r++)
        topomap_mesh_put_part(mesh, r, position + (size_t)r * mesh->axes);
    return 0;
}

/* The unplaced rank nearest to a corner of the objects' box; bit a of the corner: the high end of
 * axis a. */
static uint32_t extreme(const topomap_mesh *mesh, const double *position, uint32_t corner)
{
    uint32_t best = UINT32_MAX;
    double best_gap = INFINITY;

    for (uint32_t r = 0; r < mesh->problem->ranks; r++) {
        double gap = 0;

        for (uint32_t a = 0; a < mesh->axes; a++) {
            double c = position[(size_t)r * mesh->axes + a];

            gap += corner >> a & 1 ? 1 - c : c;
        }
        if (gap < best_gap && mesh->slot_of[r] == UINT32_MAX) {
            best_gap = gap;
            best = r;
        }
    }
    return best;
}

/* Extreme ranks on the machine's corners; returns how many there are. */
static uint32_t fix_corners(topomap_mesh *mesh, const double *position, uint32_t *seed)
{
    uint32_t seeds = 0;

    for (uint32_t corner = 0; corner < 1u << mesh->axes; corner++) {
        uint32_t rank = extreme(mesh, position, corner), at[TOPOMAP_MACHINE_DIMS];

        if (rank == UINT32_MAX)
            break;
        for (uint32_t a = 0; a < mesh->axes; a++)
            at[a] = corner >> a & 1 ? mesh->extent[a] - 1 : 0;
        topomap_mesh_put(mesh, rank, at);
        seed[seeds++] = rank;
    }
    return seeds;
}

static int corners(topomap_mesh *mesh, const double *position, topomap_error *err)
{
    uint32_t seed[1 << TOPOMAP_MACHINE_DIMS], seeds = fix_corners(mesh, position, seed);

    return topomap_growth_breadth(mesh, seed, seeds, position, err);
}

static int one_corner(topomap_mesh *mesh, const double *position, topomap_error *err)
{
    static const uint32_t at[TOPOMAP_MACHINE_DIMS];
    uint32_t seed = extreme(mesh, position, 0);

    topomap_mesh_put(mesh, seed, at);
    return topomap_growth_breadth(mesh, &seed, 1, position, err);
}

static int corners_heap(topomap_mesh *mesh, const double *position, topomap_error *err)
{
    uint32_t seed[1 << TOPOMAP_MACHINE_DIMS];

    fix_corners(mesh, position, seed);
    return topomap_growth_heap(mesh, 0, err);
}

static int breadth(topomap_mesh *mesh, const double *position, topomap_error *err)
{
    static const uint32_t at[TOPOMAP_MACHINE_DIMS]; /* one end of the mesh */
    topomap_random random = {mesh->problem->seed};
    uint32_t seed = topomap_random_below(&random, mesh->problem->ranks);

    topomap_mesh_put(mesh, seed, at);
    return topomap_growth_breadth(mesh, &seed, 1, position, err);
}

static int by_neighbours(topomap_mesh *mesh, const double *position, topomap_error *err)
{
    (void)position;
    return topomap_growth_heap(mesh, 0, err);
}

static int between_partners(topomap_mesh *mesh, const double *position, topomap_error *err)
{
    (void)position;
    return topomap_growth_heap(mesh, 1, err);
}

enum { AFFN, COCE, EXCO, COCE_MHT, BFT, MHT, BRICK };

static const struct {
    int (*place)(topomap_mesh *mesh, const double *position, topomap_error *err);
    int positions; /* it wants them */
} heuristics[] = {
    [AFFN] = {affine, 1},
    [COCE] = {corners, 1},
    [EXCO] = {one_corner, 1},
    [COCE_MHT] = {corners_heap, 1},
    [BFT] = {breadth, 0},
    [MHT] = {by_neighbours, 0},
    [BRICK] = {between_partners, 0},
};

/* Sets up the mesh and, where wanted, positions; places; gives the rest of the slots away. */
static int run(const topomap_algorithm_impl *self, topomap_problem *problem, uint32_t *slot_of,
               topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_mesh_clear) topomap_mesh mesh = {0};
    TOPOMAP_FREED double *position = NULL;

    if (topomap_mesh_init(&mesh, problem, slot_of, err))
        return -1;
    if (heuristics[self->variant].positions) {
        position = topomap_alloc(problem->ranks, (mesh.axes + 1) * sizeof *position, err);
        if (!position || topomap_embedding_make(&mesh, position, err))
            return -1;
    }
    if (heuristics[self->variant].place(&mesh, position, err))
        return -1;
    topomap_problem_fill(problem, slot_of);
    return 0;
}

/* Defines an algorithm: its symbol, name, source and help, its index in heuristics[] and its
 * parameters. */
#define PLACEMENT(symbol, name, paper, help, index, words)                                         \
    const topomap_algorithm_impl topomap_algorithm_##symbol = {                                    \
        .row = {name, paper, "construct", FITS_GRID, help},                                        \
        .parameters = words,                                                                       \
        .run_family = run,                                                                         \
        .variant = index,                                                                          \
    }

PLACEMENT(coce, "coce", BY_BHATELE ", COCE",
          "grows from all corners towards the centre; any graph, laid out where it is no grid",
          COCE, topomap_parameters_coordinates);

PLACEMENT(exco, "exco", "Bhatele et al. (HiPC 2010), EXCO", "grows from one corner", EXCO,
          topomap_parameters_coordinates);

PLACEMENT(affn, "affn", BY_BHATELE ", AFFN",
          "stretches the ranks' grid, or a layout of the graph, over the machine's", AFFN,
          topomap_parameters_coordinates);

PLACEMENT(bft, "bft", BY_BHATELE ", BFT",
          "breadth-first from a random rank and one end of the machine, each near its parent", BFT,
          NULL);

PLACEMENT(mht, "mht", BY_BHATELE ", MHT",
          "the rank with the most placed neighbours next, near their centroid", MHT, NULL);

PLACEMENT(coce_mht, "coce-mht", BY_BHATELE ", COCE+MHT", "ranks at the corners first, then as mht",
          COCE_MHT, topomap_parameters_coordinates);

PLACEMENT(brick, "brick", BY_BHATELE ", NAMD",
          "inside the box of its two main partners, where there is most room, then outwards", BRICK,
          NULL);
