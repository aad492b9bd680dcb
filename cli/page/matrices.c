/* SPDX-License-Identifier: BSD-3-Clause */
/* Who talks to whom, in the order of ranks and of nodes. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/page/pairs.h"
#include "fabric/dragonfly.h"
#include "graph/matrix.h"
#include "machine/machine.h"
#include "util/alloc.h"

enum { CELLS_MOST = 8192 };

/* Row, column and bytes of each cell that is not empty; null where they are many and the page has
 * what they are made of. */
static json_t *cells(const topomap_matrix *matrix, int pairs)
{
    json_t *list = json_array();

    for (uint32_t row = 0; row < matrix->cells; row++)
        for (uint32_t column = 0; column < matrix->cells; column++) {
            double bytes = matrix->bytes[(size_t)row * matrix->cells + column];

            if (bytes <= 0)
                continue;
            json_array_append_new(list, json_integer(row));
            json_array_append_new(list, json_integer(column));
            json_array_append_new(list, cli_json_bytes(bytes));
        }
    if (pairs && json_array_size(list) > 3 * CELLS_MOST) {
        json_decref(list);
        return json_null();
    }
    return list;
}

/* Where ranks stand by their slots. \param rank_at  [slots] UINT32_MAX: an empty one */
static void stand(const page_job *job, const uint32_t *slot_of, uint32_t *rank_at, uint32_t *place)
{
    uint32_t slots = topomap_machine_slots(job->machine), ranks = topomap_graph_ranks(job->graph);
    uint32_t next = 0;

    for (uint32_t slot = 0; slot < slots; slot++)
        rank_at[slot] = UINT32_MAX;
    for (uint32_t rank = 0; rank < ranks; rank++)
        rank_at[slot_of[rank]] = rank;
    for (uint32_t slot = 0; slot < slots; slot++)
        if (rank_at[slot] != UINT32_MAX)
            place[rank_at[slot]] = next++;
}

/* ---- Lines ------------------------------------------------------------------------------- */

static int other_node(const topomap_machine *m, uint32_t a, uint32_t b)
{
    return m->node_of[a] != m->node_of[b];
}

/* Two hops are one switch between two nodes. */
static int other_switch(const topomap_machine *m, uint32_t a, uint32_t b)
{
    return topomap_machine_hops(m, a, b) > 2;
}

static int other_domain(const topomap_machine *m, uint32_t a, uint32_t b)
{
    const uint32_t *domain = topomap_machine_groups(m, "domain");

    return domain && domain[m->node_of[a]] != domain[m->node_of[b]];
}

/* Of a dragonfly whose routes are known by rule, as its specification makes it. */
static int other_group(const topomap_machine *m, uint32_t a, uint32_t b)
{
    return m->network && topomap_dragonfly_group(m->network, m->node_of[a]) !=
                             topomap_dragonfly_group(m->network, m->node_of[b]);
}

/* The places at which another one begins: those beside each other may be of one, whose others stand
 * elsewhere. */
static json_t *bounds(const page_job *job, const uint32_t *rank_at,
                      int is_other(const topomap_machine *m, uint32_t a, uint32_t b))
{
    uint32_t slots = topomap_machine_slots(job->machine), next = 0, last = UINT32_MAX;
    json_t *list = json_array();

    for (uint32_t slot = 0; slot < slots; slot++) {
        if (rank_at[slot] == UINT32_MAX)
            continue;
        if (last != UINT32_MAX && is_other(job->machine, last, slot))
            json_array_append_new(list, json_integer(next));
        last = slot;
        next++;
    }
    if (json_array_size(list) > PAGE_NODES) /* more than can be seen */
        json_array_clear(list);
    return list;
}

static const struct {
    const char *name;
    int (*is_other)(const topomap_machine *m, uint32_t a, uint32_t b);
} lines[] = {{"nodes", other_node},
             {"groups", other_switch},
             {"dragonfly", other_group},
             {"domains", other_domain}};
enum { LINES = sizeof lines / sizeof *lines };

/* ---- Squares ----------------------------------------------------------------------------- */

static json_t *places(const uint32_t *place, const page_job *job)
{
    json_t *list = json_array();

    for (uint32_t rank = 0; rank < topomap_graph_ranks(job->graph); rank++)
        json_array_append_new(list, json_integer(place[rank]));
    return list;
}

/* \param pairs  the page has each pair, so that places alone say the rest */
static json_t *matrix_of(const page_job *job, const char *name, const uint32_t *place, int pairs,
                         topomap_error *err)
{
    topomap_matrix matrix = {0};
    json_t *made = NULL, *finer;

    if (topomap_matrix_make(job->graph, place, PAGE_CELLS, &matrix, err) == 0)
        made = json_pack("{s:s, s:I, s:I, s:I, s:f, s:f, s:o}", "name", name, "ranks",
                         (json_int_t)matrix.ranks, "cells", (json_int_t)matrix.cells, "each",
                         (json_int_t)matrix.each, "least", matrix.least, "most", matrix.most,
                         "bytes", cells(&matrix, pairs && !job->is_sheet));
    for (int i = 0; made && i < LINES; i++) /* ranks in their own order have none */
        json_object_set_new(made, lines[i].name, json_array());
    topomap_matrix_clear(&matrix);
    finer = made && !pairs ? page_finer(job->graph, place, err) : json_null();
    if (made && finer) {
        json_object_set_new(made, "finer", finer);
        json_object_set_new(made, "place", pairs && place ? places(place, job) : json_null());
        return made;
    }
    json_decref(made);
    return NULL;
}

static json_t *by_node(const page_job *job, int which, const char *name, int pairs,
                       topomap_error *err)
{
    uint32_t *rank_at = topomap_alloc(topomap_machine_slots(job->machine), sizeof *rank_at, err);
    uint32_t *place = topomap_alloc(topomap_graph_ranks(job->graph), sizeof *place, err);
    json_t *made = NULL;

    if (rank_at && place) {
        stand(job, job->slot[which], rank_at, place);
        made = matrix_of(job, name, place, pairs, err);
    }
    for (int i = 0; made && i < LINES; i++)
        json_object_set_new(made, lines[i].name, bounds(job, rank_at, lines[i].is_other));
    free(rank_at);
    free(place);
    return made;
}

static json_t *matrices(const page_job *job, int pairs, topomap_error *err)
{
    json_t *list = json_array(),
           *made[3] = {matrix_of(job, "in the order of ranks", NULL, pairs, err), NULL, NULL};

    if (made[0])
        made[1] = by_node(job, 0, "by node, before", pairs, err);
    if (made[1])
        made[2] = by_node(job, 1, "by node, after", pairs, err);
    for (int i = 0; i < 3; i++)
        if (made[i])
            json_array_append_new(list, made[i]);
    if (made[2])
        return list;
    json_decref(list);
    return NULL;
}

json_t *page_who(const page_job *job, topomap_error *err)
{
    json_t *pairs = page_pairs(job, err);
    json_t *list = pairs ? matrices(job, !json_is_null(pairs), err) : NULL;

    if (list)
        return json_pack("{s:o, s:o}", "pairs", pairs, "matrices", list);
    json_decref(pairs);
    return NULL;
}
