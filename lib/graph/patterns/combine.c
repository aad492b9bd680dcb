/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/patterns/patterns.h"

#include <math.h>

#include "util/alloc.h"

/* One graph among those that are added up, and where its rank 0 and its first phase go. */
typedef struct piece {
    const topomap_graph *graph;
    double factor;
    uint64_t first;
    uint32_t when;
} piece;

static int scale(uint64_t value, double factor, uint64_t *out)
{
    double scaled = (double)value * factor;

    if (factor == 1.0 || !value) {
        *out = value;
        return 0;
    }
    if (!(rint(scaled) < 0x1p63))
        return -1;
    *out = topomap_pattern_whole(scaled);
    return 0;
}

static int add_piece(const piece *p, topomap_arcs *arcs, topomap_error *err)
{
    const topomap_graph *g = p->graph;

    for (uint32_t u = 0; u < g->ranks; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            uint64_t bytes, messages = 0;

            if (scale(g->bytes[i], p->factor, &bytes) ||
                (arcs->has_messages &&
                 scale(topomap_graph_arc_messages(g, i), p->factor, &messages)))
                return topomap_error_set(err, TOPOMAP_EUSAGE, "the bytes of an arc reach 2^63");
            if (topomap_arcs_add(arcs, (uint32_t)(p->first + u),
                                 (uint32_t)(p->first + g->target[i]), bytes, messages, err))
                return -1;
        }
    return 0;
}

static int check_size(const piece *list, size_t count, uint64_t more, topomap_error *err)
{
    uint64_t arcs = more;

    for (size_t i = 0; i < count && arcs <= TOPOMAP_PATTERN_MOST; i++)
        arcs += list[i].graph->arcs;
    if (arcs > TOPOMAP_PATTERN_MOST)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "more arcs in all than allowed: " TOPOMAP_PATTERN_LIMIT);
    return 0;
}

/* Messages are known where all graphs know theirs. */
static int add_pieces(const piece *list, size_t count, uint64_t more, topomap_arcs *arcs,
                      topomap_error *err)
{
    if (check_size(list, count, more, err))
        return -1;
    arcs->has_messages = !more;
    for (size_t i = 0; i < count; i++)
        arcs->has_messages &= topomap_graph_has_messages(list[i].graph);
    for (size_t i = 0; i < count; i++)
        if (add_piece(&list[i], arcs, err))
            return -1;
    return 0;
}

/* ---- Loads --------------------------------------------------------------------------------- */

/* Ranks that no graph has a load for have 1. */
static int add_loads(const piece *list, size_t count, topomap_graph *graph, topomap_error *err)
{
    int any = 0;

    for (size_t i = 0; i < count; i++)
        any |= list[i].graph->load != NULL;
    if (!any)
        return 0;
    graph->load = topomap_alloc(graph->ranks, sizeof *graph->load, err);
    if (!graph->load)
        return -1;
    for (size_t i = 0; i < count; i++)
        for (uint32_t r = 0; list[i].graph->load && r < list[i].graph->ranks; r++) {
            uint64_t load, *sum = &graph->load[list[i].first + r];

            if (scale(list[i].graph->load[r], list[i].factor, &load) ||
                load >= TOPOMAP_GRAPH_SUM - *sum)
                return topomap_error_set(err, TOPOMAP_EUSAGE, "a rank's load reaches 2^63");
            *sum += load;
        }
    for (uint32_t r = 0; r < graph->ranks; r++)
        graph->load[r] += !graph->load[r];
    return 0;
}

/* ---- Phases -------------------------------------------------------------------------------- */

static const topomap_graph *phase_of(const topomap_graph *graph, uint32_t k)
{
    if (!graph->phases)
        return k ? NULL : graph;
    return k < graph->phases ? graph->phase[k] : NULL;
}

static uint32_t most_phases(const piece *list, size_t count)
{
    uint32_t most = 0;

    for (size_t i = 0; i < count; i++)
        if (list[i].graph->phases > most)
            most = list[i].graph->phases;
    return most;
}

static int take_sum(const piece *list, size_t count, uint32_t ranks, topomap_arcs *more,
                    topomap_graph **graph, topomap_error *err)
{
    return add_pieces(list, count, more->count, more, err) ||
                   topomap_arcs_take(more, ranks, graph, err)
               ? -1
               : 0;
}

/* Phase k of all pieces. */
static int phase_new(const piece *list, size_t count, uint32_t k, uint32_t ranks, piece *some,
                     topomap_arcs *more, topomap_graph **graph, topomap_error *err)
{
    size_t used = 0;
    int barrier = 0;

    for (size_t i = 0; i < count; i++) {
        some[used] = list[i];
        some[used].graph = k < list[i].when ? NULL : phase_of(list[i].graph, k - list[i].when);
        barrier |= some[used].graph && some[used].graph->barrier;
        used += some[used].graph != NULL;
    }
    if (take_sum(some, used, ranks, more, graph, err))
        return -1;
    (*graph)->barrier = barrier;
    return 0;
}

/* The graph that has these phases, unless it fails, and is their sum. */
static int sum_of_phases(topomap_graph **phase, uint32_t phases, topomap_graph **graph,
                         topomap_error *err)
{
    TOPOMAP_FREED piece *list = topomap_alloc(phases, sizeof *list, err);
    TOPOMAP_CLEANUP(topomap_arcs_clear) topomap_arcs arcs = {0};
    TOPOMAP_GRAPH_FREED topomap_graph *made = NULL;

    if (!list)
        return -1;
    for (uint32_t k = 0; k < phases; k++)
        list[k] = (piece){phase[k], 1.0, 0, 0};
    if (take_sum(list, phases, phase[0]->ranks, &arcs, &made, err) ||
        topomap_graph_set_phases(made, phase, phases, err))
        return -1;
    *graph = topomap_take(&made);
    return 0;
}

/* The pieces phase by phase; `more` goes to the first. */
static int by_phases(const piece *list, size_t count, uint32_t phases, uint32_t ranks,
                     topomap_arcs *more, topomap_graph **graph, topomap_error *err)
{
    topomap_graph **phase = topomap_alloc(phases, sizeof *phase, err);
    TOPOMAP_FREED piece *some = topomap_alloc(count, sizeof *some, err);
    TOPOMAP_CLEANUP(topomap_arcs_clear) topomap_arcs none = {0};
    int status = phase && some ? 0 : -1;

    for (uint32_t k = 0; !status && k < phases; k++)
        status = phase_new(list, count, k, ranks, some, k ? &none : more, &phase[k], err);
    if (!status)
        status = sum_of_phases(phase, phases, graph, err);
    topomap_graph_free_list(phase, status ? phases : 0);
    return status;
}

/* `phases` 0: all at the same time. */
static int add_up(const piece *list, size_t count, uint32_t phases, uint64_t ranks,
                  topomap_arcs *more, topomap_graph **graph, topomap_error *err)
{
    TOPOMAP_GRAPH_FREED topomap_graph *made = NULL;

    if ((phases ? by_phases(list, count, phases, (uint32_t)ranks, more, &made, err)
                : take_sum(list, count, (uint32_t)ranks, more, &made, err)) ||
        add_loads(list, count, made, err))
        return -1;
    *graph = topomap_take(&made);
    return 0;
}

/* ---- The three ----------------------------------------------------------------------------- */

int topomap_combine_same(const topomap_operand *part, size_t parts, int in_turn,
                         topomap_graph **graph, topomap_error *err)
{
    TOPOMAP_FREED piece *list = topomap_alloc(parts, sizeof *list, err);
    TOPOMAP_CLEANUP(topomap_arcs_clear) topomap_arcs none = {0};
    uint32_t phases = 0, ranks = 0;

    if (!list)
        return -1;
    for (size_t i = 0; i < parts; i++) {
        list[i] = (piece){part[i].graph, part[i].factor, 0, in_turn ? phases : 0};
        phases += part[i].graph->phases ? part[i].graph->phases : 1;
        ranks = part[i].graph->ranks > ranks ? part[i].graph->ranks : ranks;
    }
    return add_up(list, parts, in_turn ? phases : most_phases(list, parts), ranks, &none, graph,
                  err);
}

/* What two neighbouring blocks exchange: the overlaps of rank i's share [i, i+1)/a of the interface
 * with rank j's [j, j+1)/b, in parts of 1/(ab). */
static int add_coupling(const piece *here, const piece *next, uint64_t couple, topomap_arcs *arcs,
                        topomap_error *err)
{
    uint64_t a = here->graph->ranks, b = next->graph->ranks;

    for (uint64_t i = 0, j = 0; i < a && j < b;) {
        uint64_t begin = i * b > j * a ? i * b : j * a;
        uint64_t end = (i + 1) * b < (j + 1) * a ? (i + 1) * b : (j + 1) * a;
        double share = (double)couple * ((double)(end - begin) / ((double)a * (double)b));
        uint64_t bytes = topomap_pattern_whole(share);
        uint32_t u = (uint32_t)(here->first + i), v = (uint32_t)(next->first + j);

        if (topomap_arcs_add(arcs, u, v, bytes, 0, err) ||
            topomap_arcs_add(arcs, v, u, bytes, 0, err))
            return -1;
        i += end == (i + 1) * b;
        j += end == (j + 1) * a;
    }
    return 0;
}

int topomap_combine_blocks(const topomap_operand *part, size_t parts, uint64_t repeat,
                           uint64_t couple, topomap_graph **graph, topomap_error *err)
{
    uint64_t once = 0, count = topomap_pattern_times(parts, repeat), first = 0;
    TOPOMAP_CLEANUP(topomap_arcs_clear) topomap_arcs arcs = {0};
    TOPOMAP_FREED piece *list = NULL;

    for (size_t i = 0; i < parts; i++)
        once += part[i].graph->ranks;
    if (topomap_pattern_times(once, repeat) > TOPOMAP_PATTERN_MOST)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "more ranks in all blocks than allowed: " TOPOMAP_PATTERN_LIMIT);
    list = topomap_alloc(count, sizeof *list, err);
    if (!list)
        return -1;
    for (uint64_t i = 0; i < count; i++) {
        list[i] = (piece){part[i % parts].graph, part[i % parts].factor, first, 0};
        first += list[i].graph->ranks;
    }
    if (check_size(list, count, couple ? 2 * first : 0, err))
        return -1;
    for (uint64_t i = 0; couple && i + 1 < count; i++)
        if (add_coupling(&list[i], &list[i + 1], couple, &arcs, err))
            return -1;
    return add_up(list, count, most_phases(list, count), first, &arcs, graph, err);
}
