/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/grid/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/recognise/name.h"
#include "graph/recognise/lattice.h"
#include "util/alloc.h"

enum {
    BOXES = 400000,  /* more are cut in halves only */
    SHAPES = 200000, /* looked at */
    STEPS = 16,      /* sizes of a side, from one to twice that */
};

/* The best cut of a box: at `at` along `dim`; dim NO_CUT: the box is one innermost group. */
typedef struct topomap_cut {
    uint64_t key; /* 0: free */
    double cost;
    uint32_t dim, at;
} topomap_cut;

#define NO_CUT UINT32_MAX

/* Nearly all that have neighbours: the rest is placed where room is left. */
static int holds_most(const topomap_lattice *found, const topomap_weights *w)
{
    uint64_t active = 0;

    for (uint32_t u = 0; u < found->ranks; u++)
        active += w->offset[u] < w->offset[u + 1];
    return 10 * (uint64_t)found->cells >= 9 * active;
}

/* Where the whole graph shows no pattern, what the ranks mainly do may: a halo exchange with the
 * reductions beside it. How well it fits is said of the whole graph. */
static int find_lattice(const topomap_problem *problem, topomap_lattice *found, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights heavy = {0};
    int some;

    if (topomap_lattice_find(&problem->weights, problem->ranks, found, err) != 0)
        return -1;
    if (found->dims)
        return 0;
    some = topomap_weights_heavy(&problem->weights, &heavy, err);
    if (some != 1)
        return some;
    topomap_lattice_clear(found);
    if (topomap_lattice_find(&heavy, problem->ranks, found, err) != 0)
        return -1;
    if (found->dims && !holds_most(found, &problem->weights))
        topomap_lattice_clear(found);
    if (!found->dims)
        return 0;
    topomap_lattice_fit(found, &problem->weights);
    if (topomap_lattice_weigh(found, &problem->weights, err) == 0)
        return 0;
    topomap_lattice_clear(found);
    return -1;
}

int topomap_problem_lattice(topomap_problem *problem, const char *algorithm,
                            const topomap_lattice **lattice, topomap_error *err)
{
    if (!problem->work.lattice) {
        topomap_lattice *found = topomap_alloc(1, sizeof *found, err);

        if (!found)
            return -1;
        if (find_lattice(problem, found, err) != 0) {
            free(found);
            return -1;
        }
        problem->work.lattice = found;
    }
    if (!problem->work.lattice->dims)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "%s: no grid, torus or product of groups is recognised in the "
                                 "graph",
                                 algorithm);
    *lattice = problem->work.lattice;
    return 0;
}

/* The dimensions in which two cells differ, as bits. */
static uint32_t differing(const topomap_lattice *l, const uint32_t *a, const uint32_t *b)
{
    uint32_t mask = 0;

    for (uint32_t k = 0; k < l->dims; k++)
        mask |= (uint32_t)(a[k] != b[k]) << k;
    return mask;
}

/* One more edge of a kind; `count` of them weigh `*sum` so far. */
static void weigh_edge(topomap_grid_weights *weights, double weight, double *sum, double *count)
{
    if (*count > 0 && *sum != weight * *count)
        weights->even = 0;
    *sum += weight;
    ++*count;
}

static void weigh(topomap_grid_weights *weights, const topomap_problem *problem,
                  const topomap_lattice *l)
{
    const topomap_weights *w = &problem->weights;
    double along[TOPOMAP_LATTICE_DIMS] = {0}, across[16] = {0};

    memset(weights, 0, sizeof *weights);
    weights->even = 1;
    for (uint32_t u = 0; u < l->ranks; u++) {
        uint32_t a[TOPOMAP_LATTICE_DIMS], b[TOPOMAP_LATTICE_DIMS];

        if (l->cell[u] == UINT32_MAX)
            continue;
        topomap_lattice_at(l, l->cell[u], a);
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++) {
            uint32_t v = w->target[e], k;

            if (v < u || l->cell[v] == UINT32_MAX)
                continue;
            topomap_lattice_at(l, l->cell[v], b);
            k = topomap_lattice_along(l, a, b);
            if (k < l->dims) {
                weigh_edge(weights, (double)w->weight[e], &weights->along[k], &along[k]);
            } else if (k == l->dims && l->reach > 1 && l->dims <= 4) {
                uint32_t mask = differing(l, a, b);

                weigh_edge(weights, (double)w->weight[e], &weights->across[mask], &across[mask]);
            }
        }
    }
    for (uint32_t k = 0; k < l->dims; k++)
        weights->along[k] /= along[k] > 0 ? along[k] : 1;
    for (uint32_t mask = 0; mask < 16; mask++)
        weights->across[mask] /= across[mask] > 0 ? across[mask] : 1;
}

int topomap_tiling_open(topomap_tiling *tiling, const topomap_problem *problem,
                        const topomap_lattice *lattice, const topomap_tiling_levels *levels,
                        topomap_error *err)
{
    memset(tiling, 0, sizeof *tiling);
    tiling->lattice = lattice;
    tiling->levels = *levels;
    tiling->capacity = 1024;
    tiling->most = BOXES;
    weigh(&tiling->weights, problem, lattice);
    tiling->table = topomap_alloc(tiling->capacity, sizeof *tiling->table, err);
    return tiling->table ? 0 : -1;
}

void topomap_tiling_close(topomap_tiling *tiling)
{
    free(tiling->table);
    memset(tiling, 0, sizeof *tiling);
}

/* Pairs along one dimension in a box of that size; a ring is closed only while it is whole. */
static double pairs(const topomap_lattice *l, uint32_t k, double size)
{
    switch (l->kind[k]) {
    case TOPOMAP_LATTICE_CLIQUE:
        return 0.5 * size * (size - 1.0);
    case TOPOMAP_LATTICE_COPIES:
        return 0;
    case TOPOMAP_LATTICE_RING:
        if (size == l->size[k] && size > 2)
            return size;
    }
    return size - 1.0;
}

/* Weight of the edges that go `steps` times along dimension k, in a box of that size else. */
static double slab(const topomap_tiling *t, const uint32_t *size, uint32_t k, double steps)
{
    const topomap_lattice *l = t->lattice;
    double sum = t->weights.along[k];

    for (uint32_t j = 0; j < l->dims; j++)
        sum *= j == k ? 1.0 : size[j];
    for (uint32_t mask = 1; l->reach > 1 && l->dims <= 4 && mask < 1u << l->dims; mask++) {
        double one = 0.5 * t->weights.across[mask];

        if (!(mask >> k & 1))
            continue;
        for (uint32_t j = 0; j < l->dims; j++) {
            one *= mask >> j & 1 ? 2.0 : 1.0;
            if (j != k)
                one *= mask >> j & 1 ? pairs(l, j, size[j]) : size[j];
        }
        sum += one;
    }
    return sum * steps;
}

static double inside(const topomap_tiling *t, const double *size)
{
    const topomap_lattice *l = t->lattice;
    double sum = 0;

    for (uint32_t k = 0; k < l->dims; k++) {
        double one = t->weights.along[k] * pairs(l, k, size[k]);

        for (uint32_t j = 0; j < l->dims; j++)
            one *= j == k ? 1.0 : size[j];
        sum += one;
    }
    for (uint32_t mask = 1; l->reach > 1 && l->dims <= 4 && mask < 1u << l->dims; mask++) {
        double one = 0.5 * t->weights.across[mask];

        for (uint32_t j = 0; j < l->dims; j++)
            one *= mask >> j & 1 ? 2.0 * pairs(l, j, size[j]) : size[j];
        sum += one;
    }
    return sum;
}

double topomap_tiling_inside(const topomap_tiling *t, const uint32_t *size)
{
    double box[TOPOMAP_LATTICE_DIMS] = {0};

    for (uint32_t k = 0; k < t->lattice->dims; k++)
        box[k] = size[k];
    return inside(t, box);
}

/* Boxes of whole sizes in all dimensions but `broken`, which gets what is left of `rest`. */
static void roomiest(const topomap_tiling *t, uint32_t broken, uint32_t k, double rest,
                     double *size, uint32_t *looked, double *most)
{
    const topomap_lattice *l = t->lattice;

    if (k == l->dims) {
        if (rest >= 1 && rest <= l->size[broken]) {
            double one;

            size[broken] = rest;
            one = inside(t, size);
            *most = one > *most ? one : *most;
        }
        return;
    }
    if (k == broken) {
        roomiest(t, broken, k + 1, rest, size, looked, most);
        return;
    }
    for (uint32_t x = 1, whole = l->size[k]; x <= whole && x <= rest && *looked < SHAPES;) {
        uint32_t next = x + 1 + x / STEPS;

        ++*looked;
        size[k] = x;
        roomiest(t, broken, k + 1, rest / x, size, looked, most);
        x = x < whole && next > whole ? whole : next;
    }
}

double topomap_tiling_most_inside(const topomap_tiling *t, uint32_t cells)
{
    double size[TOPOMAP_LATTICE_DIMS] = {0}, most = 0;

    for (uint32_t broken = 0; broken < t->lattice->dims; broken++) {
        uint32_t looked = 0;

        roomiest(t, broken, 0, cells, size, &looked, &most);
    }
    return most;
}

/* Weight across a cut of a box at `at` along k: a whole ring is cut twice. */
static double cut_weight(const topomap_tiling *t, const uint32_t *size, uint32_t k, uint32_t at)
{
    const topomap_lattice *l = t->lattice;
    double whole = pairs(l, k, size[k]);

    return slab(t, size, k, whole - pairs(l, k, at) - pairs(l, k, size[k] - at));
}

static uint64_t key_of(const topomap_tiling *t, const uint32_t *size)
{
    uint64_t key = 0;

    for (uint32_t k = 0; k < t->lattice->dims; k++)
        key = key * (t->lattice->size[k] + 1ull) + size[k];
    return key;
}

static topomap_cut *look_up(const topomap_tiling *t, uint64_t key)
{
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (t->capacity - 1);

    while (t->table[at].key && t->table[at].key != key)
        at = (at + 1) & (t->capacity - 1);
    return &t->table[at];
}

static int remember(topomap_tiling *t, const topomap_cut *cut, topomap_error *err)
{
    if (2 * t->count >= t->capacity) {
        topomap_tiling old = *t;

        t->capacity *= 2;
        t->table = topomap_alloc(t->capacity, sizeof *t->table, err);
        if (!t->table) {
            *t = old;
            return -1;
        }
        for (size_t i = 0; i < old.capacity; i++)
            if (old.table[i].key)
                *look_up(t, old.table[i].key) = old.table[i];
        free(old.table);
    }
    *look_up(t, cut->key) = *cut;
    t->count++;
    return 0;
}

static uint64_t volume(const topomap_tiling *t, const uint32_t *size)
{
    uint64_t cells = 1;

    for (uint32_t k = 0; k < t->lattice->dims; k++)
        cells *= size[k];
    return cells;
}

/* The level whose groups a box of that volume is made of. */
static uint32_t level_inside(const topomap_tiling *t, uint64_t cells)
{
    uint32_t l = t->levels.levels;

    while (l > 0 && t->levels.group[l] >= cells)
        l--;
    return l;
}

static int best_cut(topomap_tiling *t, const uint32_t *size, topomap_cut *best, topomap_error *err);

int topomap_tiling_cost(topomap_tiling *t, const uint32_t *size, double *cost, topomap_error *err)
{
    topomap_cut cut;

    if (best_cut(t, size, &cut, err) != 0)
        return -1;
    *cost = cut.cost;
    return 0;
}

/* One cut; keeps it where it is better. */
static int try_cut(topomap_tiling *t, const uint32_t *size, uint32_t k, uint32_t at, double price,
                   topomap_cut *best, topomap_error *err)
{
    uint32_t part[TOPOMAP_LATTICE_DIMS];
    double cost = price * cut_weight(t, size, k, at), one;

    memcpy(part, size, t->lattice->dims * sizeof *part);
    for (int side = 0; side < 2; side++) {
        if (cost >= best->cost)
            return 0;
        part[k] = side ? size[k] - at : at;
        if (topomap_tiling_cost(t, part, &one, err) != 0)
            return -1;
        cost += one;
    }
    if (cost < best->cost) {
        best->cost = cost;
        best->dim = k;
        best->at = at;
    }
    return 0;
}

/* Cuts in halves are enough for a box of equal halves, and all there is where boxes are many. */
static int try_cuts(topomap_tiling *t, const uint32_t *size, uint32_t k, uint32_t group,
                    double price, topomap_cut *best, topomap_error *err)
{
    uint64_t plane = volume(t, size) / size[k];

    for (uint32_t at = size[k] / 2; at > 0; at--) {
        if (plane * at % group != 0)
            continue;
        if (try_cut(t, size, k, at, price, best, err) != 0)
            return -1;
        if (t->count > t->most)
            return 0;
    }
    return 0;
}

static int best_cut(topomap_tiling *t, const uint32_t *size, topomap_cut *best, topomap_error *err)
{
    uint64_t cells = volume(t, size), key = key_of(t, size);
    uint32_t level = level_inside(t, cells), group = t->levels.group[level];

    *best = *look_up(t, key);
    if (best->key)
        return 0;
    *best = (topomap_cut){key, INFINITY, NO_CUT, 0};
    if (level == 0)
        best->cost = t->levels.cost[1] * topomap_tiling_inside(t, size);
    for (uint32_t k = 0; level > 0 && cells % group == 0 && k < t->lattice->dims; k++)
        if (try_cuts(t, size, k, group, t->levels.cost[level + 1], best, err) != 0)
            return -1;
    return remember(t, best, err);
}

static void lay_group(const topomap_tiling *t, const uint32_t *corner, const uint32_t *size,
                      uint32_t first, uint32_t *place)
{
    const topomap_lattice *l = t->lattice;
    uint32_t cells = (uint32_t)volume(t, size);

    for (uint32_t i = 0; i < cells; i++) {
        uint32_t cell = 0, stride = 1;

        for (uint32_t k = 0, rest = i; k < l->dims; k++) {
            cell += (corner[k] + rest % size[k]) * stride;
            rest /= size[k];
            stride *= l->size[k];
        }
        place[cell] = first + i;
    }
}

int topomap_tiling_lay(topomap_tiling *t, const uint32_t *corner, const uint32_t *size,
                       uint32_t first, uint32_t *place, topomap_error *err)
{
    uint32_t at[TOPOMAP_LATTICE_DIMS], part[TOPOMAP_LATTICE_DIMS], dims = t->lattice->dims;
    topomap_cut cut;

    if (best_cut(t, size, &cut, err) != 0)
        return -1;
    if (cut.dim == NO_CUT) {
        lay_group(t, corner, size, first, place);
        return 0;
    }
    memcpy(at, corner, dims * sizeof *at);
    memcpy(part, size, dims * sizeof *part);
    part[cut.dim] = cut.at;
    if (topomap_tiling_lay(t, at, part, first, place, err) != 0)
        return -1;
    first += (uint32_t)volume(t, part);
    at[cut.dim] += cut.at;
    part[cut.dim] = size[cut.dim] - cut.at;
    return topomap_tiling_lay(t, at, part, first, place, err);
}

typedef struct shapes {
    topomap_tiling *tiling;
    topomap_tile *tile;
    uint32_t level, size[TOPOMAP_LATTICE_DIMS];
    double outside;
    int count, most;
    uint32_t looked;
} shapes;

static int keep_shape(shapes *s, topomap_error *err)
{
    topomap_tiling *t = s->tiling;
    const topomap_lattice *l = t->lattice;
    double tiles = l->cells / t->levels.group[s->level], inside, cost;
    int i = s->count;

    if (topomap_tiling_cost(t, s->size, &inside, err) != 0)
        return -1;
    cost = tiles * inside + s->outside * (topomap_tiling_inside(t, l->size) -
                                          tiles * topomap_tiling_inside(t, s->size));
    if (!isfinite(cost) || (s->count == s->most && cost >= s->tile[i - 1].cost))
        return 0;
    if (s->count < s->most)
        s->count++;
    else
        i--;
    for (; i > 0 && s->tile[i - 1].cost > cost; i--)
        s->tile[i] = s->tile[i - 1];
    memcpy(s->tile[i].size, s->size, sizeof s->size);
    s->tile[i].cost = cost;
    return 0;
}

static int each_shape(shapes *s, uint32_t k, uint32_t rest, topomap_error *err)
{
    const topomap_lattice *l = s->tiling->lattice;

    if (k == l->dims)
        return rest == 1 ? keep_shape(s, err) : 0;
    for (uint32_t x = 1; x <= l->size[k] && x <= rest; x++) {
        if (l->size[k] % x != 0 || rest % x != 0)
            continue;
        if (++s->looked > SHAPES)
            return 0;
        s->size[k] = x;
        if (each_shape(s, k + 1, rest / x, err) != 0)
            return -1;
    }
    return 0;
}

int topomap_tiling_shapes(topomap_tiling *t, uint32_t level, double outside, topomap_tile *tile,
                          int most, topomap_error *err)
{
    shapes s = {.tiling = t, .tile = tile, .level = level, .outside = outside, .most = most};

    if (t->lattice->cells % t->levels.group[level] != 0)
        return 0;
    return each_shape(&s, 0, t->levels.group[level], err) != 0 ? -1 : s.count;
}
