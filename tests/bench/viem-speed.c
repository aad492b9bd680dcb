/* SPDX-License-Identifier: BSD-3-Clause */
/* viem-speed gain|oracle GRAPH MACHINE: what VieM's two speed-ups are worth (Schulz & Traeff,
 * sections 3.2 and 3.4), against the plain ways, which are too slow for the library and live here.
 * One line of numbers, seconds of CPU: gain     ranks, swaps, gain in O(degree), gain in O(n),
 * whether both took the same path. N_1 from Mueller-Merbach, the same pairs in the same order.
 *   oracle   ranks, N_1 with a distance matrix, with the online oracle, Mueller-Merbach as
 *            published with the matrix, with the oracle, and ours. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map/problem.h"
#include "map/refine/refine.h"
#include "machine/closeness.h"
#include "machine/machine.h"
#include "util/clock.h"

enum { MOST = 16384 }; /* two matrices of 1 GiB */

typedef struct bench {
    topomap_graph *graph;
    topomap_machine *machine;
    topomap_problem problem;
    uint32_t n;
    uint32_t *start, *slot_of; /* [n] */
    float *distance, *weight;  /* [n * n] by slots; by ranks, for the plain gain */
} bench;

static int fail(const topomap_error *err)
{
    fprintf(stderr, "viem-speed: %s\n", err->text);
    exit(1);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory) {
        fputs("viem-speed: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static void fill_matrices(bench *b)
{
    const topomap_weights *w = &b->problem.weights;

    b->distance = allocate((size_t)b->n * b->n, sizeof(float));
    b->weight = allocate((size_t)b->n * b->n, sizeof(float));
    for (uint32_t p = 0; p < b->n; p++)
        for (uint32_t q = 0; q < b->n; q++)
            b->distance[(size_t)p * b->n + q] = (float)topomap_slot_distance(b->machine, p, q);
    for (uint32_t u = 0; u < b->n; u++)
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            b->weight[(size_t)u * b->n + w->target[e]] = (float)w->weight[e];
}

static void open_bench(bench *b, const char *graph, const char *machine)
{
    topomap_map_options options = {.size = sizeof options, .algorithm = "mueller-merbach"};
    topomap_mapping *mapping;
    topomap_error err;

    if (topomap_graph_read(graph, NULL, &b->graph, &err) != 0 ||
        topomap_machine_parse(machine, &b->machine, &err) != 0 ||
        topomap_map(b->graph, b->machine, &options, &mapping, &err) != 0)
        fail(&err);
    b->n = topomap_machine_slots(b->machine);
    if (b->n > MOST || topomap_graph_ranks(b->graph) != b->n) {
        fprintf(stderr, "viem-speed: expected at most %d slots and as many ranks\n", MOST);
        exit(1);
    }
    b->start = allocate(b->n, sizeof *b->start);
    b->slot_of = allocate(b->n, sizeof *b->slot_of);
    for (uint32_t r = 0; r < b->n; r++)
        b->start[r] = mapping->slot_of_rank[r];
    topomap_mapping_free(mapping);
    b->problem.machine = b->machine;
    b->problem.ranks = b->n;
    b->problem.seed = 1;
    if (topomap_weights_new(b->graph, b->n, &b->problem.weights, &err) != 0)
        fail(&err);
    fill_matrices(b);
}

static void close_bench(bench *b)
{
    topomap_weights_clear(&b->problem.weights);
    topomap_machine_free(b->machine);
    topomap_graph_free(b->graph);
    free(b->start);
    free(b->slot_of);
    free(b->distance);
    free(b->weight);
}

/* ---- The gain ------------------------------------------------------------------------------ */

static const bench *now;

/* Row by row of both matrices: section 2. */
static double plain_delta(const topomap_pairs *pairs, uint32_t u, uint32_t x)
{
    const uint32_t n = now->n, *slot_of = pairs->slot_of;
    const float *wu = now->weight + (size_t)u * n, *wx = now->weight + (size_t)x * n;
    const float *dp = now->distance + (size_t)slot_of[u] * n;
    const float *dq = now->distance + (size_t)slot_of[x] * n;
    double sum = 0;

    for (uint32_t v = 0; v < n; v++)
        if (v != u && v != x)
            sum += ((double)wu[v] - wx[v]) * ((double)dq[slot_of[v]] - dp[slot_of[v]]);
    return sum;
}

typedef struct path {
    uint64_t swaps, hash;
} path;

static void follow(void *data, uint32_t u, uint32_t x, double delta)
{
    path *p = data;

    (void)delta;
    p->swaps++;
    p->hash = (p->hash ^ ((uint64_t)u << 32 | x)) * 0x100000001b3u;
}

/* N_1 from the start on \p machine; seconds. */
static double search_once(bench *b, const topomap_machine *machine, int plain, path *p)
{
    topomap_problem problem = b->problem;
    topomap_pairs pairs;
    topomap_error err;
    double before = topomap_clock_cpu(), seconds;

    problem.machine = machine;
    memcpy(b->slot_of, b->start, b->n * sizeof *b->slot_of);
    now = b;
    *p = (path){0};
    if (topomap_pairs_init(&pairs, &problem, b->slot_of, &err) != 0)
        fail(&err);
    if (plain)
        pairs.delta = plain_delta;
    pairs.swapped = follow;
    pairs.data = p;
    if (topomap_pairs_near(&pairs, 1, &err) != 0)
        fail(&err);
    seconds = topomap_clock_cpu() - before;
    topomap_pairs_clear(&pairs);
    return seconds;
}

/* The least of several where one is too short to time. */
static double search(bench *b, const topomap_machine *machine, int plain, path *p)
{
    double least = search_once(b, machine, plain, p), total = least;

    for (int i = 0; i < 50 && total < 0.05; i++) {
        double again = search_once(b, machine, plain, p);

        total += again;
        least = again < least ? again : least;
    }
    return least;
}

static void compare_gains(bench *b)
{
    path fast = {0}, slow = {0};
    double quick = search(b, b->machine, 0, &fast), plain = search(b, b->machine, 1, &slow);

    printf("%u %llu %.6f %.6f %d\n", b->n, (unsigned long long)fast.swaps, quick, plain,
           fast.swaps == slow.swaps && fast.hash == slow.hash);
}

/* ---- The oracle ---------------------------------------------------------------------------- */

/* The same distances as a matrix between nodes of one slot. */
static topomap_machine *matrix_machine(const bench *b)
{
    uint32_t *array = allocate(b->n, sizeof *array);
    topomap_machine *machine = NULL;
    topomap_error err;

    for (uint32_t i = 0; i < b->n; i++)
        array[i] = 1;
    if (topomap_machine_frame(b->n, array, NULL, &machine, &err) != 0)
        fail(&err);
    for (uint32_t i = 0; i < b->n; i++)
        array[i] = i;
    if (topomap_machine_add_inner(machine, "node", 0.0, array, &err) != 0 ||
        topomap_machine_set_matrix(machine, "matrix", b->n, array, b->distance, NULL, &err) != 0 ||
        topomap_machine_finish(machine, &err) != 0)
        fail(&err);
    free(array);
    return machine;
}

static uint32_t least_free(const double *sum, const uint8_t *used, uint32_t n)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < n; i++)
        if (!used[i] && (best == UINT32_MAX || sum[i] < sum[best]))
            best = i;
    return best;
}

/* Mueller-Merbach as published (section 2): n rounds over all ranks and all slots. The choices of
 * ranks and slots are not linked. Distances by the matrix, or by the oracle's codes. */
static double published(bench *b, const topomap_oracle *oracle)
{
    const topomap_weights *w = &b->problem.weights;
    double before = topomap_clock_cpu(), seconds;
    double *away = allocate(b->n, sizeof *away), *pull = allocate(b->n, sizeof *pull);
    uint8_t *placed = allocate(b->n, 1), *used = allocate(b->n, 1);

    for (uint32_t u = 0; u < b->n; u++) /* the heaviest rank first: least of the negatives */
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            pull[u] -= (double)w->weight[e];
    for (uint32_t k = 0; k < b->n; k++) {
        uint32_t u = least_free(pull, placed, b->n), p = least_free(away, used, b->n);

        if (k == 0)
            memset(pull, 0, b->n * sizeof *pull);
        placed[u] = used[p] = 1;
        b->slot_of[u] = p;
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            pull[w->target[e]] -= (double)w->weight[e];
        if (oracle) {
            for (uint32_t q = 0; q < b->n; q++)
                away[q] += oracle->cost[topomap_closeness_bit(oracle->code[p], oracle->code[q])];
        } else {
            for (uint32_t q = 0; q < b->n; q++)
                away[q] += b->distance[(size_t)p * b->n + q];
        }
    }
    seconds = topomap_clock_cpu() - before;
    free(away);
    free(pull);
    free(placed);
    free(used);
    return seconds;
}

static double ours(bench *b)
{
    topomap_error err;
    double before = topomap_clock_cpu();

    if (topomap_algorithm_run(&topomap_algorithm_mueller_merbach, &b->problem, b->slot_of, &err) !=
        0)
        fail(&err);
    return topomap_clock_cpu() - before;
}

static void compare_oracles(bench *b)
{
    topomap_machine *matrix = matrix_machine(b);
    topomap_oracle oracle;
    topomap_error err;
    path p;

    if (topomap_oracle_init(&oracle, b->machine, &err) != 0)
        fail(&err);
    if (!oracle.code) {
        fputs("viem-speed: expected a tree machine\n", stderr);
        exit(1);
    }
    printf("%u %.6f", b->n, search(b, matrix, 0, &p));
    printf(" %.6f", search(b, b->machine, 0, &p));
    printf(" %.6f", published(b, NULL));
    printf(" %.6f", published(b, &oracle));
    printf(" %.6f\n", ours(b));
    topomap_oracle_clear(&oracle);
    topomap_machine_free(matrix);
}

int main(int argc, char **argv)
{
    bench b = {0};
    int gain = argc == 4 && strcmp(argv[1], "gain") == 0;

    if (!gain && !(argc == 4 && strcmp(argv[1], "oracle") == 0))
        return fputs("usage: viem-speed gain|oracle GRAPH MACHINE\n", stderr), 2;
    open_bench(&b, argv[2], argv[3]);
    if (gain)
        compare_gains(&b);
    else
        compare_oracles(&b);
    close_bench(&b);
    return 0;
}
