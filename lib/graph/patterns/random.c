/* SPDX-License-Identifier: BSD-3-Clause */
/* Random pairs of ranks: all alike, or with degrees that follow a power law. */
#include <math.h>

#include "graph/patterns/patterns.h"

#define COMMON                                                                                     \
    TOPOMAP_PARAM_RANKS("ranks"),                                                                  \
    {                                                                                              \
        "deg", TOPOMAP_PARAM_REAL, "D", "8", "neighbours of a rank, on average", 0, 0x1p31         \
    }
#define SPREAD                                                                                     \
    {                                                                                              \
        "spread", TOPOMAP_PARAM_REAL, "F", "0",                                                    \
            "bytes vary by this share either way, evenly (0: all pairs alike)", 0, 1               \
    }

static const topomap_pattern_param uniform[] = {
    COMMON,
    TOPOMAP_PARAM_BYTES("64", "each way between two neighbours"),
    SPREAD,
    TOPOMAP_PARAM_SEED,
    TOPOMAP_PARAM_NONE,
};
static const topomap_pattern_param powerlaw[] = {
    COMMON,
    {"exponent", TOPOMAP_PARAM_REAL, "G", "2.5", "ranks of degree d are as d^-G", 2, 10},
    TOPOMAP_PARAM_BYTES("64", "each way between two neighbours"),
    SPREAD,
    TOPOMAP_PARAM_SEED,
    TOPOMAP_PARAM_NONE,
};

/* The pairs drawn so far: open addressing, at most half full. */
struct pairs {
    uint64_t *key; /* 0: free; else u * 2^32 + v + 1, u < v */
    uint64_t mask;
};

/* Adds the pair of u and v, in either order. Returns 1 if it is new, or 0. */
static int pairs_add(struct pairs *pairs, uint64_t u, uint64_t v)
{
    uint64_t key = (u < v ? u << 32 | v : v << 32 | u) + 1;
    uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15);

    for (at ^= at >> 29;; at++) {
        uint64_t *slot = &pairs->key[at & pairs->mask];

        if (*slot == key)
            return 0;
        if (!*slot) {
            *slot = key;
            return 1;
        }
    }
}

static int pairs_new(struct pairs *pairs, uint64_t count, topomap_pattern_out *out)
{
    uint64_t room = 16;

    while (room < 2 * count)
        room *= 2;
    pairs->key = topomap_pattern_alloc(out, room, sizeof *pairs->key);
    pairs->mask = room - 1;
    return pairs->key ? 0 : -1;
}

struct draw {
    uint64_t n, pairs; /* wanted */
    uint64_t bytes;
    double spread;
    topomap_random random;
};

/* Checks the sizes; the number of pairs is n * deg / 2, rounded. */
static int draw_new(const topomap_pattern_args *args, struct draw *draw, topomap_pattern_out *out)
{
    double deg = topomap_pattern_get(args, "deg")->real, all;

    draw->n = topomap_pattern_number(args, "n");
    draw->bytes = topomap_pattern_number(args, "bytes");
    draw->spread = topomap_pattern_get(args, "spread")->real;
    draw->random.state = topomap_pattern_number(args, "seed");
    all = (double)draw->n * (double)(draw->n - 1) / 2;
    if (rint((double)draw->n * deg / 2) > all)
        return topomap_error_set(out->err, TOPOMAP_EUSAGE, "%g neighbours among %llu ranks", deg,
                                 (unsigned long long)draw->n);
    draw->pairs = (uint64_t)rint((double)draw->n * deg / 2);
    return topomap_pattern_size(out, draw->n, 2 * draw->pairs);
}

static int add_pair(struct draw *draw, uint64_t u, uint64_t v, topomap_pattern_out *out)
{
    double factor = 1.0;
    uint64_t bytes = draw->bytes;

    if (draw->spread > 0.0) {
        factor += draw->spread * (2.0 * topomap_pattern_unit(&draw->random) - 1.0);
        bytes = (uint64_t)rint((double)bytes * factor);
    }
    return topomap_pattern_pair(out, u, v, bytes + !bytes);
}

/* More than half of all pairs: those left out are drawn. */
static int make_dense(struct draw *draw, struct pairs *pairs, uint64_t left_out,
                      topomap_pattern_out *out)
{
    while (left_out) {
        uint64_t u = topomap_random_below(&draw->random, (uint32_t)draw->n);
        uint64_t v = topomap_random_below(&draw->random, (uint32_t)draw->n);

        if (u != v)
            left_out -= (uint64_t)pairs_add(pairs, u, v);
    }
    for (uint64_t u = 0; u < draw->n; u++)
        for (uint64_t v = u + 1; v < draw->n; v++)
            if (pairs_add(pairs, u, v) && add_pair(draw, u, v, out))
                return -1;
    return 0;
}

/* Erdos and Renyi's G(n, m): every set of m pairs is as likely. */
static int make_uniform(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    struct pairs pairs = {0};
    struct draw draw;
    uint64_t all;

    if (draw_new(args, &draw, out))
        return -1;
    all = draw.n * (draw.n - 1) / 2;
    if (draw.pairs > all / 2) /* the set gets all pairs: they are few, see the limit on arcs */
        return pairs_new(&pairs, all, out) || make_dense(&draw, &pairs, all - draw.pairs, out) ? -1
                                                                                               : 0;
    if (pairs_new(&pairs, draw.pairs, out))
        return -1;
    for (uint64_t left = draw.pairs; left;) {
        uint64_t u = topomap_random_below(&draw.random, (uint32_t)draw.n);
        uint64_t v = topomap_random_below(&draw.random, (uint32_t)draw.n);

        if (u == v || !pairs_add(&pairs, u, v))
            continue;
        left--;
        if (add_pair(&draw, u, v, out))
            return -1;
    }
    return 0;
}

/* Chung and Lu's model: rank i has the weight (i + i0)^(-1/(G-1)), i0 such that no two ranks are
 * expected to have more than one edge; a pair comes up as often as the product of its weights.
 * Rank 0 is the heaviest. */
struct weights {
    uint64_t n;
    double *sum;     /* [n + 1] of the weights before each rank */
    uint64_t *guide; /* [n + 1] the rank at each n-th part of the sum: where a search begins */
};

static int weights_new(struct weights *w, double exponent, double deg, topomap_pattern_out *out)
{
    double power = -1.0 / (exponent - 1.0), shift = 1.0;
    uint64_t at = 0;

    w->sum = topomap_pattern_alloc(out, w->n + 1, sizeof *w->sum);
    w->guide = topomap_pattern_alloc(out, w->n + 1, sizeof *w->guide);
    if (!w->sum || !w->guide)
        return -1;
    for (int round = 0; round < 60; round++, shift *= 2) {
        for (uint64_t i = 0; i < w->n; i++)
            w->sum[i + 1] = w->sum[i] + pow((double)i + shift, power);
        /* The heaviest weight, scaled to degrees, squared over their sum. */
        if (w->sum[1] * w->sum[1] * deg * (double)w->n <= w->sum[w->n] * w->sum[w->n])
            break;
    }
    for (uint64_t k = 0; k <= w->n; k++) {
        while (at + 1 < w->n && w->sum[at + 1] <= (double)k / (double)w->n * w->sum[w->n])
            at++;
        w->guide[k] = at;
    }
    return 0;
}

static uint64_t weighted(const struct weights *w, topomap_random *random)
{
    double part = topomap_pattern_unit(random), at = part * w->sum[w->n];
    uint64_t k = (uint64_t)(part * (double)w->n);
    uint64_t low = w->guide[k], high = w->guide[k + (k < w->n)] + 1;

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (w->sum[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int make_powerlaw(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    double exponent = topomap_pattern_get(args, "exponent")->real;
    struct weights weights = {0};
    struct pairs pairs = {0};
    struct draw draw;
    uint64_t tries;

    if (draw_new(args, &draw, out))
        return -1;
    if (draw.pairs > draw.n * (draw.n - 1) / 8)
        return topomap_error_set(out->err, TOPOMAP_EUSAGE,
                                 "no room for a power law: more than a quarter of all pairs");
    weights.n = draw.n;
    if (weights_new(&weights, exponent, topomap_pattern_get(args, "deg")->real, out) ||
        pairs_new(&pairs, draw.pairs, out))
        return -1;
    tries = 100 * draw.pairs + 1000;
    for (uint64_t left = draw.pairs; left;) {
        uint64_t u = weighted(&weights, &draw.random);
        uint64_t v = weighted(&weights, &draw.random);

        if (!tries--)
            return topomap_error_set(out->err, TOPOMAP_EUSAGE,
                                     "the heavy ranks have no more pairs to draw: a larger "
                                     "exponent or a lower degree is needed");
        if (u != v && pairs_add(&pairs, u, v) && left-- && add_pair(&draw, u, v, out))
            return -1;
    }
    return 0;
}

const topomap_pattern topomap_patterns_random[] = {
    {{"random", "n*deg/2 random pairs"}, uniform, 1, 0, make_uniform},
    {{"powerlaw", "random pairs, few ranks with many neighbours"}, powerlaw, 1, 0, make_powerlaw},
    {{NULL, NULL}, NULL, 0, 0, NULL},
};
