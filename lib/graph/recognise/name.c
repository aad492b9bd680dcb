/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/recognise/name.h"

#define CLEARLY 0.02 /* more of the bytes: else the words that have the light pairs too stay */

static void take_fit(const topomap_lattice *lattice, topomap_recognition *found)
{
    found->dims = lattice->dims;
    memcpy(found->size, lattice->size, sizeof found->size);
    found->explained = lattice->explained;
    found->present = lattice->present;
    found->even = lattice->even;
}

/* The lattice's own words, or better ones; none is no failure where others may be found. */
static int name_lattice(const topomap_graph *graph, const topomap_lattice *lattice, uint64_t ranks,
                        topomap_recognition *found, topomap_error *err)
{
    int named;

    take_fit(lattice, found);
    named = topomap_name_directed(graph, lattice, ranks, found, err);
    if (named != 0)
        return named < 0 ? -1 : 0;
    return topomap_lattice_words(lattice, ranks, found->text, sizeof found->text, err);
}

static int is_exact(const topomap_recognition *found)
{
    return found->dims && found->explained == 1.0 && found->present == 1.0 &&
           found->even > TOPOMAP_LATTICE_ALIKE;
}

/* A graph and its pairs: the whole, or its heavy part. */
typedef struct view {
    const topomap_graph *graph;
    topomap_weights pairs;
} view;

static void view_clear(view *v)
{
    topomap_weights_clear(&v->pairs);
}

/* One as it stands, its light pairs as good as the others. */
static int recognise(const view *v, uint64_t ranks, topomap_recognition *pattern,
                     topomap_error *err)
{
    topomap_recognition found = {.text = ""};
    TOPOMAP_CLEANUP(topomap_lattice_clear) topomap_lattice lattice = {0};

    if (topomap_lattice_find(&v->pairs, v->graph->ranks, &lattice, err) ||
        (lattice.dims && name_lattice(v->graph, &lattice, ranks, &found, err)) ||
        (lattice.cells != v->graph->ranks &&
         topomap_name_groups(&v->pairs, v->graph->ranks, ranks, &found, err) < 0))
        return -1;
    found.exact = is_exact(&found);
    if (!(found.exact && topomap_name_is_plain(&found)) &&
        topomap_name_known(v->graph, &v->pairs, ranks, &found, err) < 0)
        return -1;
    found.exact = is_exact(&found);
    *pattern = found;
    return 0;
}

/* How much of the bytes a pattern accounts for. Light pairs count for little here, where they are
 * the pattern's and where they are not. */
static double bytes_told(const topomap_recognition *found)
{
    return found->dims ? found->present * found->even : 0;
}

/* \return 1 where the heavy part tells more of the bytes than *found of the whole, which it then
 *  replaces, measured by the whole; 0 where not; -1 on failure */
static int look_heavy(const view *whole, const view *heavy, topomap_recognition *found,
                      topomap_error *err)
{
    topomap_recognition other;

    if (heavy->graph->pairs == whole->graph->pairs)
        return 0;
    if (recognise(heavy, 0, &other, err) != 0)
        return -1;
    if (!other.dims)
        return 0;
    other.explained *= (double)heavy->graph->pairs / (double)whole->graph->pairs;
    other.even *= (double)heavy->pairs.total / (double)whole->pairs.total;
    other.exact = 0;
    if (bytes_told(&other) <= bytes_told(found) + (topomap_name_is_plain(found) ? CLEARLY : 0))
        return 0;
    *found = other;
    return 1;
}

/* The same pattern's words for another number of ranks. */
static int name_scaled(const view *v, uint64_t ranks, topomap_recognition *found,
                       topomap_error *err)
{
    topomap_recognition scaled;

    if (recognise(v, ranks, &scaled, err) != 0)
        return -1;
    memcpy(found->text, scaled.text, sizeof found->text);
    return 0;
}

/* With the heavy part, where the whole is no pattern to the last pair. */
static int recognise_parts(const topomap_graph *graph, uint64_t ranks, topomap_recognition *pattern,
                           topomap_error *err)
{
    TOPOMAP_CLEANUP(view_clear) view whole = {.graph = graph}, heavy = {0};
    TOPOMAP_GRAPH_FREED topomap_graph *part = NULL;
    topomap_recognition found;
    int is_heavy = 0;

    if (topomap_pairs_new(graph, &whole.pairs, err) || recognise(&whole, 0, &found, err))
        return -1;
    if (!found.exact) {
        if (topomap_graph_heavy(graph, &part, err) || topomap_pairs_new(part, &heavy.pairs, err))
            return -1;
        heavy.graph = part;
        is_heavy = look_heavy(&whole, &heavy, &found, err);
    }
    if (is_heavy < 0 ||
        (ranks && found.dims && name_scaled(is_heavy ? &heavy : &whole, ranks, &found, err)))
        return -1;
    *pattern = found;
    return 0;
}

/* ---- Halves --------------------------------------------------------------------------------- */
/* Weights of undirected files, without the direction that halving them makes. */

/* What both arcs of a pair have, where they are its weight's halves; UINT64_MAX where not. An arc
 * of 0 bytes has to be there: what really goes one way has none back. */
static uint64_t sum_of_halves(const topomap_graph *graph, uint32_t u, uint64_t arc)
{
    uint32_t v = graph->target[arc];
    uint64_t end = graph->offset[v + 1];
    uint64_t back = topomap_sorted_u32(graph->target, graph->offset[v], end, u);
    uint64_t a = graph->bytes[arc], b;

    if (back == end || graph->target[back] != u)
        return UINT64_MAX;
    b = graph->bytes[back];
    return (a < b ? b - a : a - b) <= 1 ? a + b : UINT64_MAX;
}

/* Readers of undirected files give each arc of an edge half of its weight, and of an odd one the
 * first arc a byte more: of a weight of 1 all there is. Where that is how every pair is split,
 * *bytes becomes an array of the arcs' bytes that are twice as many and the same both ways, to be
 * freed; else NULL. \return 0, or -1 on failure */
static int halves_even(const topomap_graph *graph, uint64_t **bytes, topomap_error *err)
{
    TOPOMAP_FREED uint64_t *sum = NULL;
    int uneven = 0;

    *bytes = NULL;
    /* Undirected files count no messages; and where sums are so large, a byte makes no direction.
     */
    if (topomap_graph_has_messages(graph) || graph->total_bytes >= TOPOMAP_GRAPH_SUM / 2)
        return 0;
    sum = topomap_alloc(graph->arcs, sizeof *sum, err);
    if (!sum)
        return -1;
    for (uint32_t u = 0; u < graph->ranks; u++)
        for (uint64_t e = graph->offset[u]; e < graph->offset[u + 1]; e++) {
            sum[e] = sum_of_halves(graph, u, e);
            if (sum[e] == UINT64_MAX)
                return 0;
            uneven |= sum[e] % 2 != 0;
        }
    if (uneven)
        *bytes = topomap_take(&sum);
    return 0;
}

int topomap_graph_recognise(const topomap_graph *graph, uint64_t ranks,
                            topomap_recognition *pattern, topomap_error *err)
{
    topomap_graph even = *graph; /* all but the bytes stays the graph's */
    TOPOMAP_FREED uint64_t *bytes = NULL;

    if (ranks > TOPOMAP_GRAPH_RANKS)
        return topomap_error_set(
            err, TOPOMAP_EUSAGE, "a graph of %llu ranks: %llu are the most that one can have",
            (unsigned long long)ranks, (unsigned long long)TOPOMAP_GRAPH_RANKS);
    if (halves_even(graph, &bytes, err))
        return -1;
    if (bytes) {
        even.bytes = bytes;
        even.total_bytes *= 2;
    }
    return recognise_parts(&even, ranks, pattern, err);
}
