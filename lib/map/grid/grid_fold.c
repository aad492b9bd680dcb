/* SPDX-License-Identifier: BSD-3-Clause */
/* Folding. Each dimension of the grid is a number of digits, each digit a part of one dimension of
 * the machine; digits run back and forth (a reflected mixed-radix code), so that one step in the
 * grid is one step of one digit. A digit that is alone in its dimension of the machine, or the
 * first there, moves by one node; the others by what lies below them. One digit each is the
 * isomorphism of equal grids. Round a ring, what lies below its last digit runs back and forth,
 * too: its steps are then as far on average, and those that are far are short the other way round
 * (2 x 2 is a ring of 4). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/closeness.h"
#include "map/grid/grid.h"
#include "util/alloc.h"

enum {
    DIMS = 4,       /* of grid and machine that are longer than 1 */
    SPLITS = 20000, /* looked at */
    KEPT = 16
};

/* factor[k][j]: of grid dimension k in machine dimension j. */
typedef struct folding {
    uint32_t factor[DIMS][DIMS];
    uint32_t inner[DIMS][DIMS]; /* order of the digits of grid dimension k: machine dimensions */
    uint32_t below[DIMS][DIMS]; /* order of the digits in machine dimension j: grid dimensions */
    double cost;
} folding;

typedef struct fold {
    const topomap_coarse *coarse;
    const topomap_machine *machine;
    uint32_t dims, dim[DIMS], sides, side[DIMS]; /* of the grid and of the machine */
    uint8_t wraps[DIMS];                         /* sides */
    folding now, kept[KEPT];
    int count, most;
    uint32_t looked;
} fold;

/* Steps of the digit (k, j) in a walk along the whole of grid dimension k. */
static double steps(const fold *f, uint32_t k, uint32_t j)
{
    double length = f->coarse->size[f->dim[k]], before = 1;

    for (uint32_t i = 0; f->now.inner[k][i] != j; i++)
        before *= f->now.factor[k][f->now.inner[k][i]];
    return length / before - length / before / f->now.factor[k][j];
}

/* How far a step of a digit is with so many nodes below it; round a ring of `around`, if it is its
 * last digit, on average over the places that they are at. */
static double stride_of(double below, double around)
{
    double sum = 0;

    if (below == 1 || around == 0 || around >= 4 * below) /* none is shorter the other way */
        return below;
    for (double far = 1; far < 2 * below; far += 2)
        sum += fmin(far, around - far);
    return sum / below;
}

/* Cost of machine dimension j with its digits in the present order. */
static double side_cost(const fold *f, uint32_t j)
{
    double sum = 0, stride = 1;

    for (uint32_t i = 0; i < f->dims; i++) {
        uint32_t k = f->now.below[j][i], d = f->dim[k];

        double after = stride * f->now.factor[k][j];
        double around = f->wraps[j] && after == f->side[j] ? after : 0;

        if (f->now.factor[k][j] > 1)
            sum += steps(f, k, j) * stride_of(stride, around) * f->coarse->face[d] *
                   (f->coarse->items / f->coarse->size[d]);
        stride = after;
    }
    return sum;
}

static void keep(fold *f)
{
    int i;

    if (f->count == f->most && f->now.cost >= f->kept[f->count - 1].cost)
        return;
    i = f->count < f->most ? f->count++ : f->count - 1;
    for (; i > 0 && f->kept[i - 1].cost > f->now.cost; i--)
        f->kept[i] = f->kept[i - 1];
    f->kept[i] = f->now;
}

/* The best order in each machine dimension, given the orders of digits. */
static void order_sides(fold *f)
{
    f->now.cost = 0;
    for (uint32_t j = 0; j < f->sides; j++) {
        uint32_t best[DIMS] = {0};
        double least = INFINITY;

        topomap_identity(f->now.below[j], f->dims);
        do {
            double cost = side_cost(f, j);

            if (cost < least) {
                least = cost;
                memcpy(best, f->now.below[j], sizeof best);
            }
        } while (topomap_next_order(f->now.below[j], f->dims));
        memcpy(f->now.below[j], best, sizeof best);
        f->now.cost += least;
    }
    keep(f);
}

/* All orders of the digits of grid dimension k that differ; factors of 1 keep their places. */
static void order_digits(fold *f, uint32_t k)
{
    uint32_t used = 0;

    if (k == f->dims) {
        order_sides(f);
        return;
    }
    for (uint32_t j = 0; j < f->sides; j++)
        used += f->now.factor[k][j] > 1;
    topomap_identity(f->now.inner[k], f->sides);
    do {
        int plain = 1; /* digits of factor 1 last, in order */

        for (uint32_t i = 0; i < f->sides; i++) {
            int one = f->now.factor[k][f->now.inner[k][i]] == 1;

            plain = plain && one == (i >= used);
            plain = plain && (i <= used || f->now.inner[k][i] > f->now.inner[k][i - 1]);
        }
        if (plain)
            order_digits(f, k + 1);
    } while (topomap_next_order(f->now.inner[k], f->sides));
}

/* Chooses the factors of machine dimension j, grid dimension by grid dimension. */
static void split(fold *f, uint32_t j, uint32_t k, uint32_t left, uint32_t *rest)
{
    if (++f->looked > SPLITS)
        return;
    if (j == f->sides) {
        for (uint32_t i = 0; i < f->dims; i++)
            if (rest[i] != 1)
                return;
        order_digits(f, 0);
        return;
    }
    if (k == f->dims) {
        if (left == 1)
            split(f, j + 1, 0, j + 1 < f->sides ? f->side[j + 1] : 1, rest);
        return;
    }
    for (uint32_t x = left; x > 0; x--) {
        if (left % x != 0 || rest[k] % x != 0)
            continue;
        f->now.factor[k][j] = x;
        rest[k] /= x;
        split(f, j, k + 1, left / x, rest);
        rest[k] *= x;
    }
}

/* The node of an item. */
static uint32_t place_item(const fold *f, const folding *folding, uint32_t item,
                           const uint32_t *node_at)
{
    const topomap_machine *m = f->machine;
    uint32_t digit[DIMS][DIMS] = {{0}}, at = 0, stride = 1;

    for (uint32_t k = 0; k < f->dims; k++) {
        uint32_t x = topomap_coarse_at(f->coarse, item, f->dim[k]);

        for (uint32_t i = 0; i < f->sides; i++) {
            uint32_t j = folding->inner[k][i], n = folding->factor[k][j], low = x % n;

            x /= n;
            digit[k][j] = x % 2 ? n - 1 - low : low; /* back where the higher digits are odd */
        }
    }
    for (uint32_t d = 0, j = 0; d < m->dims; stride *= m->dim[d++]) {
        uint32_t y = 0, unit = 1;

        if (m->dim[d] == 1)
            continue;
        for (uint32_t i = 0; i < f->dims; i++) {
            uint32_t k = folding->below[j][i], after = unit * folding->factor[k][j];

            if (f->wraps[j] && after == m->dim[d] && digit[k][j] % 2) /* its last digit */
                y = unit - 1 - y;
            y += digit[k][j] * unit;
            unit = after;
        }
        at += y * stride;
        j++;
    }
    return node_at[at];
}

/* Nodes by coordinates; 0 where a place has none or several. */
static int find_nodes(const topomap_machine *m, uint32_t *node_at)
{
    memset(node_at, 0xff, m->nodes * sizeof *node_at);
    for (uint32_t i = 0; i < m->nodes; i++) {
        uint32_t at = 0;

        for (uint32_t d = m->dims; d-- > 0;)
            at = at * m->dim[d] + m->coord[(size_t)i * m->dims + d];
        if (node_at[at] != UINT32_MAX)
            return 0;
        node_at[at] = i;
    }
    return 1;
}

static int is_whole(const fold *f)
{
    uint64_t places = 1;

    for (uint32_t d = 0; d < f->machine->dims; d++)
        places *= f->machine->dim[d];
    return places == f->machine->nodes && f->coarse->items == f->machine->nodes;
}

/* The dimensions that are longer than 1; 0 where there are too many. */
static int find_dims(fold *f)
{
    for (uint32_t k = 0; k < f->coarse->dims; k++)
        if (f->coarse->size[k] > 1) {
            if (f->dims == DIMS)
                return 0;
            f->dim[f->dims++] = k;
        }
    for (uint32_t d = 0; d < f->machine->dims; d++)
        if (f->machine->dim[d] > 1) {
            if (f->sides == DIMS)
                return 0;
            f->wraps[f->sides] = f->machine->wrap[d];
            f->side[f->sides++] = f->machine->dim[d];
        }
    return f->dims > 0 && f->sides > 0;
}

int topomap_fold(const topomap_coarse *coarse, const topomap_machine *machine, uint32_t *node,
                 int most, topomap_error *err)
{
    fold f = {.coarse = coarse, .machine = machine, .most = most < KEPT ? most : KEPT};
    uint32_t rest[DIMS], *node_at;

    if (!is_whole(&f) || !find_dims(&f))
        return 0;
    node_at = topomap_alloc(machine->nodes, sizeof *node_at, err);
    if (!node_at)
        return -1;
    for (uint32_t k = 0; k < f.dims; k++)
        rest[k] = coarse->size[f.dim[k]];
    if (find_nodes(machine, node_at))
        split(&f, 0, 0, f.side[0], rest);
    for (int i = 0; i < f.count; i++)
        for (uint32_t item = 0; item < coarse->items; item++)
            node[(size_t)i * coarse->items + item] = place_item(&f, &f.kept[i], item, node_at);
    free(node_at);
    return f.count;
}
