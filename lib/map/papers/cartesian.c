/* SPDX-License-Identifier: BSD-3-Clause */
/* Published node-aware orders of a Cartesian grid of ranks, here on recognised grids. Each gives an
 * order of the ranks; nodes take consecutive ones.
 * `nodecart`: Gropp, "Using node information to implement MPI Cartesian topologies", EuroMPI 2018.
 * `hyperplane`, `kd-tree`, `stencil-strips`: Hunold, von Kirchbach, Lehr, Schulz, Traeff,
 * "Efficient process-to-node mapping algorithms for stencil computations", CLUSTER 2020. */
#include <math.h>
#include <string.h>

#include "map/problem.h"
#include "map/grid/grid.h"
#include "map/split/split.h"
#include "util/alloc.h"

typedef struct cartesian {
    const topomap_lattice *lattice;
    uint32_t per_node;
    uint32_t *order; /* [cells] cells in the order of the slots */
    uint32_t count;
} cartesian;

typedef struct box {
    uint32_t corner[TOPOMAP_LATTICE_DIMS], size[TOPOMAP_LATTICE_DIMS];
} box;

static uint64_t volume(const cartesian *c, const box *b)
{
    uint64_t cells = 1;

    for (uint32_t k = 0; k < c->lattice->dims; k++)
        cells *= b->size[k];
    return cells;
}

/* Neighbours of an inner rank that lie in the direction of a dimension, in part. */
static uint32_t offsets_along(const topomap_lattice *l, uint32_t k)
{
    uint32_t count = l->kind[k] == TOPOMAP_LATTICE_CLIQUE   ? l->size[k] - 1
                     : l->kind[k] == TOPOMAP_LATTICE_COPIES ? 0
                                                            : 2;

    for (uint32_t j = 0; l->reach > 1 && j < l->dims; j++)
        count *= j == k ? 1 : 3;
    return count;
}

/* Appends the cells of a box, the dimensions at the front of `dim` varying slowest. */
static void append(cartesian *c, const box *b, const uint32_t *dim)
{
    const topomap_lattice *l = c->lattice;
    uint32_t cells = (uint32_t)volume(c, b);

    for (uint32_t i = 0; i < cells; i++) {
        uint32_t at[TOPOMAP_LATTICE_DIMS], rest = i, cell = 0;

        for (uint32_t j = l->dims; j-- > 0;) {
            at[dim[j]] = b->corner[dim[j]] + rest % b->size[dim[j]];
            rest /= b->size[dim[j]];
        }
        for (uint32_t k = l->dims; k-- > 0;)
            cell = cell * l->size[k] + at[k];
        c->order[c->count++] = cell;
    }
}

/* Orders the two parts of a box that is cut at `at` along dimension k. */
static void halve(cartesian *c, const box *b, uint32_t k, uint32_t at,
                  void (*order)(cartesian *c, const box *b))
{
    box part = *b;

    part.size[k] = at;
    order(c, &part);
    part.size[k] = b->size[k] - at;
    part.corner[k] += at;
    order(c, &part);
}

/* Dimensions in which the fewest neighbours lie first, the longest of these first. */
static void preferred(const cartesian *c, const box *b, uint32_t *dim)
{
    for (uint32_t k = 0; k < c->lattice->dims; k++) {
        uint32_t i = k, few = offsets_along(c->lattice, k);

        for (; i > 0; i--) {
            uint32_t other = offsets_along(c->lattice, dim[i - 1]);

            if (few > other || (few == other && b->size[k] <= b->size[dim[i - 1]]))
                break;
            dim[i] = dim[i - 1];
        }
        dim[i] = k;
    }
}

/* Cuts across the preferred dimension, as near to the middle as leaves whole nodes on both
 * sides, until two nodes or no such cut are left. */
static void hyperplane(cartesian *c, const box *b)
{
    uint32_t dim[TOPOMAP_LATTICE_DIMS];
    uint64_t cells = volume(c, b);

    preferred(c, b, dim);
    for (uint32_t i = 0; i < c->lattice->dims && cells > 2 * (uint64_t)c->per_node; i++)
        for (uint32_t at = b->size[dim[i]] / 2; at > 0; at--) {
            if (cells / b->size[dim[i]] * at % c->per_node != 0)
                continue;
            halve(c, b, dim[i], at, hyperplane);
            return;
        }
    append(c, b, dim);
}

/* Halves the dimension that is longest for the neighbours that lie along it, down to one rank. */
static void kd_tree(cartesian *c, const box *b)
{
    uint32_t dim[TOPOMAP_LATTICE_DIMS], longest = UINT32_MAX;
    double most = 0;

    for (uint32_t k = 0; k < c->lattice->dims; k++) {
        uint32_t along = offsets_along(c->lattice, k);
        double length = along ? (double)b->size[k] / along : INFINITY;

        dim[k] = k;
        if (b->size[k] > 1 && length > most) {
            most = length;
            longest = k;
        }
    }
    if (longest == UINT32_MAX)
        append(c, b, dim);
    else
        halve(c, b, longest, b->size[longest] / 2, kd_tree);
}

/* Widths of the strips: sides of a cube of a node's ranks, the last strip taking the rest. */
static uint32_t strip_width(const cartesian *c, uint32_t k)
{
    uint32_t lines = 0;
    double side;

    for (uint32_t j = 0; j < c->lattice->dims; j++)
        lines += c->lattice->kind[j] != TOPOMAP_LATTICE_COPIES;
    if (c->lattice->kind[k] == TOPOMAP_LATTICE_COPIES)
        return 1;
    side = round(pow(c->per_node, 1.0 / (lines ? lines : 1)));
    side = side < 1 ? 1 : side;
    return side > c->lattice->size[k] ? c->lattice->size[k] : (uint32_t)side;
}

/* Strips along the longest dimension, walked forth and back. */
static void strips(cartesian *c, const box *whole)
{
    const topomap_lattice *l = c->lattice;
    uint32_t dim[TOPOMAP_LATTICE_DIMS], number[TOPOMAP_LATTICE_DIMS], all = 1, longest = 0;

    for (uint32_t k = 0; k < l->dims; k++)
        if (l->kind[k] != TOPOMAP_LATTICE_COPIES &&
            (l->kind[longest] == TOPOMAP_LATTICE_COPIES || l->size[k] > l->size[longest]))
            longest = k;
    for (uint32_t k = 0; k < l->dims; k++) {
        number[k] = k == longest ? 1 : l->size[k] / strip_width(c, k);
        all *= number[k];
        dim[k] = k;
    }
    for (uint32_t i = 0; i < all; i++) {
        box strip = *whole;

        for (uint32_t k = 0, rest = i; k < l->dims; k++) {
            uint32_t at = rest % number[k], width = strip_width(c, k);

            rest /= number[k];
            if (k == longest)
                continue;
            at = rest % 2 ? number[k] - 1 - at : at; /* the next strip is beside this one */
            strip.corner[k] = at * width;
            strip.size[k] = at + 1 == number[k] ? l->size[k] - at * width : width;
        }
        strip.size[longest] = 1;
        for (uint32_t x = 0; x < l->size[longest]; x++) {
            strip.corner[longest] = i % 2 ? l->size[longest] - 1 - x : x;
            append(c, &strip, dim);
        }
    }
}

/* The largest prime factor of n. */
static uint32_t largest_prime(uint32_t n)
{
    uint32_t largest = 1;

    for (uint32_t p = 2; p <= n / p; p++)
        while (n % p == 0) {
            largest = p;
            n /= p;
        }
    return n > largest ? n : largest;
}

/* Prime factors of the node's size, largest first, each to the dimension that is longest between
 * nodes and divides. Returns 0 where none does. */
static int node_box(const cartesian *c, uint32_t *inside)
{
    const topomap_lattice *l = c->lattice;

    for (uint32_t k = 0; k < l->dims; k++)
        inside[k] = 1;
    for (uint32_t left = c->per_node; left > 1;) {
        uint32_t prime = largest_prime(left), best = UINT32_MAX;

        for (uint32_t k = 0; k < l->dims; k++)
            if (l->size[k] / inside[k] % prime == 0 &&
                (best == UINT32_MAX || l->size[k] / inside[k] > l->size[best] / inside[best]))
                best = k;
        if (best == UINT32_MAX)
            return 0;
        inside[best] *= prime;
        left /= prime;
    }
    return 1;
}

static int nodecart(cartesian *c)
{
    const topomap_lattice *l = c->lattice;
    uint32_t inside[TOPOMAP_LATTICE_DIMS], dim[TOPOMAP_LATTICE_DIMS], nodes = 1;

    if (!node_box(c, inside))
        return 0;
    for (uint32_t k = 0; k < l->dims; k++) {
        nodes *= l->size[k] / inside[k];
        dim[l->dims - 1 - k] = k;
    }
    for (uint32_t i = 0; i < nodes; i++) {
        box b;

        for (uint32_t k = 0, rest = i; k < l->dims; k++) {
            b.corner[k] = rest % (l->size[k] / inside[k]) * inside[k];
            b.size[k] = inside[k];
            rest /= l->size[k] / inside[k];
        }
        append(c, &b, dim);
    }
    return 1;
}

/* Cells to slots, those of one group of the machine together; what is left to the rest. */
static int settle(const cartesian *c, const topomap_problem *problem, uint32_t *slot_of,
                  topomap_error *err)
{
    const topomap_machine *m = problem->machine;
    uint32_t next = c->lattice->cells;
    TOPOMAP_FREED uint32_t *slots = topomap_nested_slots(m, err);
    TOPOMAP_FREED uint32_t *place = topomap_alloc(c->lattice->cells, sizeof *place, err);

    if (!slots || !place)
        return -1;
    for (uint32_t i = 0; i < c->lattice->cells; i++)
        place[c->order[i]] = i;
    for (uint32_t v = 0; v < m->slots; v++) {
        uint32_t cell = v < problem->ranks ? c->lattice->cell[v] : UINT32_MAX;

        slot_of[v] = slots[cell == UINT32_MAX ? next++ : place[cell]];
    }
    return 0;
}

enum { NODECART, HYPERPLANE, KD_TREE, STRIPS };

static int map(const topomap_algorithm_impl *self, topomap_problem *problem, uint32_t *slot_of,
               topomap_error *err)
{
    const char *name = self->row.name;
    cartesian c = {.per_node = topomap_slots_per_node(problem->machine)};
    box whole = {{0}, {0}};
    TOPOMAP_FREED uint32_t *order = NULL;

    if (topomap_problem_lattice(problem, name, &c.lattice, err) != 0)
        return -1;
    if (!c.per_node)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "%s: a grid is mapped to nodes of equal size; they differ here",
                                 name);
    c.order = order = topomap_alloc(c.lattice->cells, sizeof *order, err);
    if (!order)
        return -1;
    memcpy(whole.size, c.lattice->size, sizeof whole.size);
    if (self->variant == HYPERPLANE)
        hyperplane(&c, &whole);
    else if (self->variant == KD_TREE)
        kd_tree(&c, &whole);
    else if (self->variant == STRIPS)
        strips(&c, &whole);
    else if (!nodecart(&c))
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "%s: the grid that is recognised does not divide into boxes of "
                                 "%u ranks",
                                 name, c.per_node);
    return settle(&c, problem, slot_of, err);
}

const topomap_algorithm_impl topomap_algorithm_nodecart = {
    .row = {"nodecart", "Gropp (EuroMPI 2018)", "construct", FITS_ALL,
            "a recognised grid in equal boxes of a node's size, from its prime factors"},
    .run_family = map,
    .variant = NODECART,
};

const topomap_algorithm_impl topomap_algorithm_hyperplane = {
    .row = {"hyperplane", BY_HUNOLD, "construct", FITS_ALL,
            "a recognised grid cut by planes near the middle that leave whole nodes on both sides"},
    .run_family = map,
    .variant = HYPERPLANE,
};

const topomap_algorithm_impl topomap_algorithm_kd_tree = {
    .row = {"kd-tree", BY_HUNOLD, "construct", FITS_ALL,
            "a recognised grid halved along its longest dimension, down to single ranks"},
    .run_family = map,
    .variant = KD_TREE,
};

const topomap_algorithm_impl topomap_algorithm_stencil_strips = {
    .row = {"stencil-strips", BY_HUNOLD, "construct", FITS_ALL,
            "a recognised grid in strips as wide as a node's cube, walked forth and back"},
    .run_family = map,
    .variant = STRIPS,
};
