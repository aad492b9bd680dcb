/* SPDX-License-Identifier: BSD-3-Clause */
#include "partition/partition.h"

#include <limits.h>
#include <metis.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* METIS draws from libc's rand() and re-seeds it at each call (5.1, libmetis/util.c), so two
 * threads inside it would change each other's result. */
static pthread_mutex_t metis_lock = PTHREAD_MUTEX_INITIALIZER;

enum {
    WEIGHT_LIMIT = 1 << 30,   /* METIS adds up edge weights in 32-bit idx_t */
    TRIED_VERTICES = 1 << 14, /* larger graphs are divided once, and well enough */
    TRIED_ARCS = 1 << 20,
    RECURSIVE_PARTS = 1024, /* recursive bisection cuts less for few parts, k-way is faster for
                             many */
};

int topomap_partitioner_init(topomap_partitioner *p, const topomap_weights *weights, int cuts,
                             uint32_t seed, topomap_error *err)
{
    *p = (topomap_partitioner){.weights = weights, .cuts = cuts, .seed = seed};
    p->local = topomap_alloc(weights->vertices, sizeof *p->local, err);
    p->reorder = topomap_alloc(weights->vertices, sizeof *p->reorder, err);
    if (!p->local || !p->reorder) {
        topomap_partitioner_clear(p);
        return -1;
    }
    memset(p->local, 0xff, weights->vertices * sizeof *p->local);
    return 0;
}

void topomap_partitioner_clear(topomap_partitioner *p)
{
    free(p->local);
    free(p->reorder);
    *p = (topomap_partitioner){0};
}

typedef struct subgraph {
    topomap_arena memory;
    idx_t *offset, *target, *weight, *part;
    idx_t *load; /* of vertices, or NULL: 1 each */
    real_t *share;
} subgraph;

static void subgraph_clear(subgraph *sub)
{
    topomap_arena_clear(&sub->memory);
}

static uint64_t count_inside(const topomap_partitioner *p, const uint32_t *vertices, uint32_t count,
                             uint64_t *total)
{
    const topomap_weights *w = p->weights;
    uint64_t arcs = 0;

    *total = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint64_t e = w->offset[vertices[i]]; e < w->offset[vertices[i] + 1]; e++)
            if (p->local[w->target[e]] != UINT32_MAX) {
                arcs++;
                *total += w->weight[e];
            }
    return arcs;
}

/* Bytes become 32-bit weights of the same proportions; no edge vanishes. */
static idx_t scale(uint64_t weight, uint64_t total)
{
    if (total > WEIGHT_LIMIT)
        weight = (uint64_t)((double)weight * ((double)WEIGHT_LIMIT / (double)total));
    return weight ? (idx_t)weight : 1;
}

static int extract(const topomap_partitioner *p, const uint32_t *vertices, uint32_t count,
                   uint64_t arcs, uint64_t total, subgraph *sub, topomap_error *err)
{
    const topomap_weights *w = p->weights;
    idx_t at = 0;

    sub->offset = topomap_arena_alloc(&sub->memory, (size_t)count + 1, sizeof(idx_t), err);
    sub->target = topomap_arena_alloc(&sub->memory, arcs, sizeof(idx_t), err);
    sub->weight = topomap_arena_alloc(&sub->memory, arcs, sizeof(idx_t), err);
    if (sub->memory.is_short)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        for (uint64_t e = w->offset[vertices[i]]; e < w->offset[vertices[i] + 1]; e++) {
            uint32_t other = p->local[w->target[e]];

            if (other == UINT32_MAX)
                continue;
            sub->target[at] = (idx_t)other;
            sub->weight[at++] = scale(w->weight[e], total);
        }
        sub->offset[i + 1] = at;
    }
    return 0;
}

/* What is to be divided into parts; \p what and \p arcs_are: what it is of, for the error. */
static int open_subgraph(const topomap_partitioner *p, const uint32_t *vertices, uint32_t count,
                         uint32_t parts, const char *what, const char *arcs_are, subgraph *sub,
                         topomap_error *err)
{
    uint64_t total, arcs;
    int status;

    for (uint32_t i = 0; i < count; i++)
        p->local[vertices[i]] = i;
    arcs = count_inside(p, vertices, count, &total);
    sub->part = topomap_arena_alloc(&sub->memory, count, sizeof(idx_t), err);
    sub->share = topomap_arena_alloc(&sub->memory, parts, sizeof(real_t), err);
    if (arcs > INT32_MAX)
        status =
            topomap_error_set(err, TOPOMAP_ESYSTEM, "the %s has %llu %s; METIS takes %d at most",
                              what, (unsigned long long)arcs, arcs_are, INT32_MAX);
    else
        status = extract(p, vertices, count, arcs, total, sub, err);
    for (uint32_t i = 0; i < count; i++)
        p->local[vertices[i]] = UINT32_MAX;
    return status;
}

static int run_metis(const topomap_partitioner *p, uint32_t count, uint32_t parts, uint32_t seed,
                     subgraph *sub, topomap_error *err)
{
    idx_t n = (idx_t)count, constraints = 1, k = (idx_t)parts, cut, options[METIS_NOPTIONS];
    int status;

    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = (idx_t)(seed & INT_MAX);
    options[METIS_OPTION_NCUTS] = p->cuts;
    options[METIS_OPTION_UFACTOR] = 1;
    pthread_mutex_lock(&metis_lock);
    status =
        (parts <= RECURSIVE_PARTS && !(p->how & TOPOMAP_PARTITION_KWAY)
             ? METIS_PartGraphRecursive
             : METIS_PartGraphKway)(&n, &constraints, sub->offset, sub->target, sub->load, NULL,
                                    sub->weight, &k, sub->share, NULL, options, &cut, sub->part);
    pthread_mutex_unlock(&metis_lock);
    if (status != METIS_OK)
        return topomap_error_set(err, TOPOMAP_ESYSTEM,
                                 "METIS failed (%d) on %u vertices in %u parts", status, count,
                                 parts);
    return 0;
}

/* Shares of the vertices that have edges, where those without fill the last parts. */
static void pack(uint32_t count, uint32_t parts, const uint32_t *size, uint32_t silent,
                 subgraph *sub)
{
    uint32_t left = count - silent;

    for (uint32_t i = 0; i < count; i++)
        sub->load[i] = sub->offset[i] < sub->offset[i + 1];
    for (uint32_t i = 0; i < parts; i++) { /* METIS wants at least one in each */
        uint32_t later = parts - 1 - i, own = size[i] < left - later ? size[i] : left - later;

        sub->share[i] = (real_t)((double)own / (count - silent));
        left -= own;
    }
}

static int64_t cut_of(uint32_t count, const subgraph *sub, const idx_t *part)
{
    int64_t cut = 0;

    for (uint32_t u = 0; u < count; u++)
        for (idx_t e = sub->offset[u]; e < sub->offset[u + 1]; e++)
            cut += part[u] == part[sub->target[e]] ? 0 : sub->weight[e];
    return cut;
}

static int perfect(const topomap_partitioner *p, uint32_t count, uint32_t parts,
                   const uint32_t *size, uint32_t seed, subgraph *sub, topomap_error *err)
{
    if (run_metis(p, count, parts, seed, sub, err) != 0 ||
        topomap_balance(count, sub->offset, sub->target, sub->weight, parts, size, sub->part,
                        err) != 0)
        return -1;
    return topomap_exchange(count, sub->offset, sub->target, sub->weight, parts, sub->part, err);
}

/* Perfect balance leaves METIS' own choice of the best behind: several seeds are taken all the way,
 * and where vertices have no edges, every second one packs them into the last parts. */
static int best_perfect(const topomap_partitioner *p, uint32_t count, uint32_t parts,
                        const uint32_t *size, subgraph *sub, topomap_error *err)
{
    uint32_t silent = 0, tries = 2 * (uint32_t)p->cuts;
    TOPOMAP_FREED idx_t *best = topomap_alloc(count, sizeof *best, err);
    idx_t *load;
    int64_t least = 0;

    if (!best)
        return -1;
    if (p->cuts < 2 || count > TRIED_VERTICES || sub->offset[count] > TRIED_ARCS)
        tries = 1;
    for (uint32_t i = 0; i < count; i++)
        silent += sub->offset[i] == sub->offset[i + 1];
    load = silent && count - silent >= parts
               ? topomap_arena_alloc(&sub->memory, count, sizeof *load, err)
               : NULL;
    for (uint32_t k = 0; k < tries; k++) {
        int64_t cut;

        sub->load = k % 2 ? load : NULL;
        for (uint32_t i = 0; i < parts; i++)
            sub->share[i] = (real_t)((double)size[i] / count);
        if (sub->load)
            pack(count, parts, size, silent, sub);
        if (perfect(p, count, parts, size, p->seed + k, sub, err))
            return -1;
        cut = cut_of(count, sub, sub->part);
        if (k == 0 || cut < least) {
            least = cut;
            memcpy(best, sub->part, count * sizeof *best);
        }
    }
    memcpy(sub->part, best, count * sizeof *best);
    return 0;
}

/* In little time: with more, METIS is asked often enough to have found it. */
static int is_small(const topomap_partitioner *p, uint32_t count, uint32_t parts,
                    const uint32_t *size)
{
    return p->looks_at_all && p->cuts == 1 && !p->how && !p->least_incident && parts == 2 &&
           topomap_small_fits(count, size[0]);
}

static int divide(topomap_partitioner *p, const uint32_t *vertices, uint32_t count, uint32_t parts,
                  const uint32_t *size, subgraph *sub, topomap_error *err)
{
    if (open_subgraph(p, vertices, count, parts, "graph", "arcs", sub, err) != 0)
        return -1;
    for (uint32_t i = 0; i < parts; i++)
        sub->share[i] = (real_t)((double)size[i] / count);
    if (is_small(p, count, parts, size)) {
        topomap_small_halve(count, sub->offset, sub->target, sub->weight, size[0], sub->part);
        return 0;
    }
    /* Without an edge, or with parts of one vertex, there is nothing to cut. METIS would print. */
    if (sub->offset[count] > 0 && count > parts) {
        if (p->how & TOPOMAP_PARTITION_EXCHANGE)
            return best_perfect(p, count, parts, size, sub, err);
        if (run_metis(p, count, parts, p->seed, sub, err) != 0)
            return -1;
    } else {
        for (uint32_t i = 0, part = 0, used = 0; i < count; i++, used++) {
            while (used == size[part]) {
                part++;
                used = 0;
            }
            sub->part[i] = (idx_t)part;
        }
    }
    if (p->least_incident)
        return topomap_balance_incident(count, sub->offset, sub->weight, parts, size, sub->part,
                                        err);
    return topomap_balance(count, sub->offset, sub->target, sub->weight, parts, size, sub->part,
                           err);
}

static int reorder(topomap_partitioner *p, uint32_t *vertices, uint32_t count, uint32_t parts,
                   const uint32_t *size, const idx_t *part, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *next = topomap_alloc(parts, sizeof *next, err);

    if (!next)
        return -1;
    for (uint32_t i = 1; i < parts; i++)
        next[i] = next[i - 1] + size[i - 1];
    for (uint32_t i = 0; i < count; i++)
        p->reorder[next[part[i]]++] = vertices[i];
    memcpy(vertices, p->reorder, count * sizeof *vertices);
    return 0;
}

int topomap_partition(topomap_partitioner *p, uint32_t *vertices, uint32_t count, uint32_t parts,
                      const uint32_t *size, topomap_error *err)
{
    TOPOMAP_CLEANUP(subgraph_clear) subgraph sub = {0};

    if (parts < 2 || parts == count)
        return 0;
    if (divide(p, vertices, count, parts, size, &sub, err))
        return -1;
    return reorder(p, vertices, count, parts, size, sub.part, err);
}

static int partition_equally(const topomap_weights *weights, uint32_t parts, uint32_t *vertices,
                             uint32_t *size, uint32_t *part_of, topomap_error *err)
{
    uint32_t count = weights->vertices, at = 0;
    TOPOMAP_CLEANUP(topomap_partitioner_clear) topomap_partitioner partitioner = {0};

    topomap_identity(vertices, count);
    for (uint32_t p = 0; p < parts; p++)
        size[p] = count / parts + (p < count % parts);
    if (topomap_partitioner_init(&partitioner, weights, 1, 1, err) ||
        topomap_partition(&partitioner, vertices, count, parts, size, err))
        return -1;
    for (uint32_t p = 0; p < parts; p++)
        for (uint32_t k = 0; k < size[p]; k++)
            part_of[vertices[at++]] = p;
    return 0;
}

int topomap_partition_graph(const topomap_graph *graph, uint32_t parts, uint32_t *part_of,
                            topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights weights = {0};
    TOPOMAP_FREED uint32_t *vertices = topomap_alloc(graph->ranks, sizeof *vertices, err);
    TOPOMAP_FREED uint32_t *size = topomap_alloc(parts, sizeof *size, err);

    if (!vertices || !size || topomap_weights_new(graph, graph->ranks, &weights, err))
        return -1;
    return partition_equally(&weights, parts, vertices, size, part_of, err);
}

int topomap_bisect(topomap_partitioner *p, const uint32_t *vertices, uint32_t count,
                   const uint32_t *load, uint8_t *side, topomap_error *err)
{
    TOPOMAP_CLEANUP(subgraph_clear) subgraph sub = {0};

    sub.load = topomap_arena_alloc(&sub.memory, count, sizeof(idx_t), err);
    if (open_subgraph(p, vertices, count, 2, "network", "links", &sub, err))
        return -1;
    sub.share[0] = sub.share[1] = (real_t)0.5;
    for (uint32_t i = 0; i < count; i++)
        sub.load[i] = (idx_t)load[vertices[i]];
    if (sub.offset[count] > 0 && count > 2 && run_metis(p, count, 2, p->seed, &sub, err))
        return -1;
    for (uint32_t i = 0; i < count; i++)
        side[i] = sub.part[i] != 0;
    return 0;
}

/* ---- Blocks ------------------------------------------------------------------------------- */

int topomap_contract(const topomap_weights *w, const uint32_t *block_of, uint32_t blocks,
                     topomap_weights *out, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_arcs_clear) topomap_arcs arcs = {0};
    TOPOMAP_GRAPH_FREED topomap_graph *graph = NULL;

    for (uint32_t u = 0; u < w->vertices; u++)
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            if (u < w->target[e] && block_of[u] != block_of[w->target[e]] &&
                topomap_arcs_add(&arcs, block_of[u], block_of[w->target[e]], w->weight[e], 0, err))
                return -1;
    if (topomap_arcs_take(&arcs, blocks, &graph, err) != 0)
        return -1;
    return topomap_weights_new(graph, blocks, out, err);
}

int topomap_contract_blocks(topomap_partitioner *p, uint32_t size, uint32_t *members,
                            topomap_weights *out, topomap_error *err)
{
    const topomap_weights *w = p->weights;
    uint32_t blocks = w->vertices / size;
    TOPOMAP_FREED uint32_t *sizes = topomap_alloc(blocks, sizeof *sizes, err);
    TOPOMAP_FREED uint32_t *block_of = topomap_alloc(w->vertices, sizeof *block_of, err);

    if (!sizes || !block_of)
        return -1;
    for (uint32_t i = 0; i < blocks; i++)
        sizes[i] = size;
    topomap_identity(members, w->vertices);
    if (topomap_partition(p, members, w->vertices, blocks, sizes, err))
        return -1;
    for (uint32_t i = 0; i < w->vertices; i++)
        block_of[members[i]] = i / size;
    return topomap_contract(w, block_of, blocks, out, err);
}
