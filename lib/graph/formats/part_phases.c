/* SPDX-License-Identifier: BSD-3-Clause */
/* Which phases of a profiled run are phases of its graph. What is added up in the time of a graph
 * is each phase's most loaded link: phases whose traffic is alike have the same one, and one that
 * is next to nothing does not matter. So those are put together, and most programs have one phase.
 */
#include "graph/formats/parts.h"

#include <stdlib.h>

#include "util/alloc.h"

enum {
    MOST_ARCS = 1 << 25, /* beyond, there is one phase: they would be in memory twice */
    MOST = 8,            /* phases of a graph; what has no room goes to the largest */
    PERCENT = 1,         /* below so many of all bytes, and of a rank's, a phase is nothing */
};
static const double ALIKE = 0.9; /* the share of their traffic that goes the same ways */

/* ---- Arcs ---------------------------------------------------------------------------------- */

void topomap_part_phases_clear(topomap_parts *parts)
{
    for (uint32_t k = 0; parts->phase && k < TOPOMAP_PART_PHASES; k++)
        topomap_arcs_clear(&parts->phase[k]);
    free(parts->phase);
    parts->phase = NULL;
    parts->passed = 0;
}

int topomap_part_phases_begin(topomap_parts *parts, uint64_t passed, topomap_error *err)
{
    if (parts->count == 1 && passed) { /* the first rank */
        parts->phase = topomap_alloc(TOPOMAP_PART_PHASES, sizeof *parts->phase, err);
        if (!parts->phase)
            return -1;
        for (uint32_t k = 0; k < TOPOMAP_PART_PHASES; k++)
            parts->phase[k].has_messages = 1;
        parts->passed = passed;
    } else if (passed != parts->passed) {
        topomap_part_phases_clear(parts);
    }
    return 0;
}

int topomap_part_phases_add(topomap_parts *parts, uint32_t phase, uint32_t from, uint32_t to,
                            uint64_t bytes, uint64_t messages, topomap_error *err)
{
    if (!parts->phase)
        return 0;
    if (parts->arcs.count > MOST_ARCS) {
        topomap_part_phases_clear(parts);
        return 0;
    }
    return topomap_arcs_add(&parts->phase[phase], from, to, bytes, messages, err);
}

/* ---- What phases are like ------------------------------------------------------------------ */

struct phase {
    topomap_graph *graph;
    uint64_t busiest; /* bytes that one rank sends or receives, at most */
    uint32_t goes_to; /* a phase that stays */
};

struct phases {
    struct phase phase[TOPOMAP_PART_PHASES]; /* the largest first */
    uint32_t count;
    uint64_t bytes, busiest; /* of all */
};

static int find_busiest(struct phase *phase, topomap_error *err)
{
    const topomap_graph *g = phase->graph;
    TOPOMAP_FREED uint64_t *received = topomap_alloc(g->ranks, sizeof *received, err);

    if (!received)
        return -1;
    for (uint32_t u = 0; u < g->ranks; u++) {
        uint64_t sent = 0;

        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            sent += g->bytes[e];
            received[g->target[e]] += g->bytes[e];
        }
        if (sent > phase->busiest)
            phase->busiest = sent;
    }
    for (uint32_t u = 0; u < g->ranks; u++)
        if (received[u] > phase->busiest)
            phase->busiest = received[u];
    return 0;
}

static int is_nothing(const struct phases *all, const struct phase *phase)
{
    return (double)phase->graph->total_bytes * 100 < PERCENT * (double)all->bytes &&
           (double)phase->busiest * 100 < PERCENT * (double)all->busiest;
}

/* Of each one's bytes, the share that the other has between the same ranks; both have some. */
static double overlap(const topomap_graph *a, const topomap_graph *b)
{
    double of_a = 1 / (double)a->total_bytes, of_b = 1 / (double)b->total_bytes, sum = 0;

    for (uint32_t u = 0; u < a->ranks; u++)
        for (uint64_t i = a->offset[u], j = b->offset[u];
             i < a->offset[u + 1] && j < b->offset[u + 1];) {
            if (a->target[i] == b->target[j]) {
                double x = (double)a->bytes[i] * of_a, y = (double)b->bytes[j] * of_b;

                sum += x < y ? x : y;
            }
            if (a->target[i] <= b->target[j])
                i++, j += a->target[i - 1] == b->target[j];
            else
                j++;
        }
    return sum;
}

/* The largest first; of those as large, the earlier. */
static int take_graphs(topomap_parts *parts, uint32_t ranks, struct phases *all, topomap_error *err)
{
    for (uint32_t k = 0; k < TOPOMAP_PART_PHASES; k++) {
        struct phase made = {0};
        uint32_t at = all->count;

        if (!parts->phase[k].count)
            continue;
        if (topomap_arcs_take(&parts->phase[k], ranks, &made.graph, err))
            return -1;
        for (; at && made.graph->total_bytes > all->phase[at - 1].graph->total_bytes; at--)
            all->phase[at] = all->phase[at - 1];
        all->phase[at] = made;
        all->count++;
        if (find_busiest(&all->phase[at], err))
            return -1;
        all->bytes += made.graph->total_bytes;
        all->busiest += all->phase[at].busiest;
    }
    return 0;
}

/* \return how many stay; what is nothing and like none of them goes to the largest */
static uint32_t put_together(struct phases *all)
{
    uint32_t stays[MOST], count = 0;

    for (uint32_t i = 0; i < all->count; i++) {
        struct phase *own = &all->phase[i];
        uint32_t s = 0;

        if (!own->graph->total_bytes)
            continue;
        while (s < count && overlap(all->phase[stays[s]].graph, own->graph) < ALIKE)
            s++;
        if (s < count) {
            own->goes_to = stays[s];
        } else if (count < MOST && !(i && is_nothing(all, own))) {
            own->goes_to = i;
            stays[count++] = i;
        }
    }
    return count;
}

/* ---- Phases of the graph ------------------------------------------------------------------- */

static int add_graph(topomap_arcs *arcs, const topomap_graph *g, topomap_error *err)
{
    for (uint32_t u = 0; u < g->ranks; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++)
            if (topomap_arcs_add(arcs, u, g->target[e], g->bytes[e],
                                 topomap_graph_arc_messages(g, e), err))
                return -1;
    return 0;
}

/* Phase \p into, with all that goes to it. */
static int sum(struct phases *all, uint32_t into, topomap_error *err)
{
    struct phase *own = &all->phase[into];
    TOPOMAP_CLEANUP(topomap_arcs_clear) topomap_arcs arcs = {.has_messages = 1};
    uint32_t ranks = own->graph->ranks;
    int more = 0;

    for (uint32_t i = 0; i < all->count; i++)
        more |= i != into && all->phase[i].goes_to == into;
    if (!more)
        return 0;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->phase[i].goes_to == into) {
            if (add_graph(&arcs, all->phase[i].graph, err))
                return -1;
            topomap_graph_free(topomap_take(&all->phase[i].graph));
        }
    return topomap_arcs_take(&arcs, ranks, &own->graph, err);
}

static int give(struct phases *all, topomap_graph *graph, topomap_error *err)
{
    topomap_graph *list[MOST];
    uint32_t count = 0;

    for (uint32_t i = 0; i < all->count; i++)
        if (all->phase[i].goes_to == i) {
            if (sum(all, i, err))
                return -1;
            all->phase[i].graph->barrier = 1;
            list[count++] = all->phase[i].graph;
        }
    if (topomap_graph_set_phases(graph, list, count, err))
        return -1;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->phase[i].goes_to == i)
            all->phase[i].graph = NULL;
    return 0;
}

int topomap_part_phases_take(topomap_parts *parts, topomap_graph *graph, topomap_error *err)
{
    struct phases all = {0};
    int status;

    if (!parts->phase)
        return 0;
    status = take_graphs(parts, graph->ranks, &all, err) ||
             (all.bytes && put_together(&all) > 1 && give(&all, graph, err));
    for (uint32_t i = 0; i < all.count; i++)
        topomap_graph_free(all.phase[i].graph);
    return status ? -1 : 0;
}
