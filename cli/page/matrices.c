/* SPDX-License-Identifier: BSD-3-Clause */
/* Who talks to whom: the pairs of ranks, and matrices in the order of ranks and of nodes. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/page/page.h"
#include "fabric/shapes.h"
#include "graph/graph.h"
#include "machine/machine.h"
#include "util/alloc.h"
#include "util/sorted.h"

/* ---- Traffic by pair of ranks for zooming in, or smaller cells if there are too many pairs --- */

/* About 1.5 MB of text, whether bytes are written out or stand in a table of few. */
enum { ARCS_MOST = 250000, LONG_MOST = 120000, VALUES_MOST = 4096 };
enum { FINE_MOST = 2048, FILLED_MOST = 40000 };

/* The different numbers of bytes, ascending. \return how many */
static size_t sort_values(const topomap_graph *graph, uint64_t *value)
{
    size_t values = 0;

    for (uint64_t arc = 0; arc < graph->arcs; arc++)
        value[arc] = graph->bytes[arc];
    TOPOMAP_SORT(value, graph->arcs, topomap_by_u64);
    for (uint64_t arc = 0; arc < graph->arcs; arc++)
        if (arc == 0 || value[arc] != value[arc - 1])
            value[values++] = value[arc];
    return values;
}

/* How many pairs a rank has; then each one's way from the one before, and its bytes or their number
 * in the table. */
static json_t *arcs_json(const topomap_graph *graph, const uint64_t *value, size_t values)
{
    json_t *list = json_array();

    for (uint32_t rank = 0; rank < graph->ranks; rank++) {
        uint32_t last = 0;

        json_array_append_new(
            list, json_integer((json_int_t)(graph->offset[rank + 1] - graph->offset[rank])));
        for (uint64_t arc = graph->offset[rank]; arc < graph->offset[rank + 1]; arc++) {
            const uint64_t *at =
                values ? bsearch(&graph->bytes[arc], value, values, sizeof *value, topomap_by_u64)
                       : NULL;

            json_array_append_new(list, json_integer(graph->target[arc] - last));
            json_array_append_new(list,
                                  json_integer(at ? at - value : (json_int_t)graph->bytes[arc]));
            last = graph->target[arc];
        }
    }
    return list;
}

static json_t *values_json(const uint64_t *value, size_t values)
{
    json_t *list = json_array();

    for (size_t i = 0; i < values; i++)
        json_array_append_new(list, json_integer((json_int_t)value[i]));
    return list;
}

/* Each pair of ranks that communicates; json_null(): they are too many. NULL after a failure. */
static json_t *pairs_json(const page_job *job, topomap_error *err)
{
    const topomap_graph *graph = job->graph;
    TOPOMAP_FREED uint64_t *value = NULL;
    size_t values;

    if (graph->arcs > ARCS_MOST)
        return json_null();
    value = topomap_alloc((size_t)graph->arcs, sizeof *value, err);
    if (!value)
        return NULL;
    values = sort_values(graph, value);
    if (values > VALUES_MOST)
        values = 0;
    return values == 0 && graph->arcs > LONG_MOST
               ? json_null()
               : cli_json_object("value:o arc:o", values_json(value, values),
                                 arcs_json(graph, value, values));
}

static size_t count_filled(const topomap_matrix *matrix)
{
    size_t filled = 0;

    for (size_t i = 0; i < (size_t)matrix->cells * matrix->cells; i++)
        filled += matrix->bytes[i] > 0;
    return filled;
}

/* Each filled cell's way from the one before, and its bytes. */
static json_t *fine_json(const topomap_matrix *matrix)
{
    size_t last = 0;
    json_t *list = json_array();

    for (size_t i = 0; i < (size_t)matrix->cells * matrix->cells; i++)
        if (matrix->bytes[i] > 0) {
            json_array_append_new(list, json_integer((json_int_t)(i - last)));
            json_array_append_new(list, json_integer((json_int_t)matrix->bytes[i]));
            last = i;
        }
    return cli_json_object("cells:u each:u cell:o", matrix->cells, matrix->each, list);
}

/* Smaller cells than PAGE_CELLS a side; json_null() where too many of them are filled.
 * \param place  [ranks] as topomap_matrix_make() has it */
static json_t *finer_json(const topomap_graph *graph, const uint32_t *place, topomap_error *err)
{
    for (uint32_t cells = FINE_MOST; cells > PAGE_CELLS; cells /= 2) {
        TOPOMAP_CLEANUP(topomap_matrix_clear) topomap_matrix matrix = {0};

        if (cells / 2 >= graph->ranks)
            continue;
        if (topomap_matrix_make(graph, place, cells, &matrix, err) != 0)
            return NULL;
        if (count_filled(&matrix) <= FILLED_MOST)
            return fine_json(&matrix);
    }
    return json_null();
}

/* ---- Matrices ---- */

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

/* \param pairs  the page has each pair, so that places alone say the rest */
static json_t *matrix_of(const page_job *job, const char *name, const uint32_t *place, int pairs,
                         topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_matrix_clear) topomap_matrix matrix = {0};
    json_t *made, *finer;

    if (topomap_matrix_make(job->graph, place, PAGE_CELLS, &matrix, err) != 0)
        return NULL;
    made = cli_json_object("name:s ranks:u cells:u each:u least:r most:r bytes:o", name,
                           matrix.ranks, matrix.cells, matrix.each, matrix.least, matrix.most,
                           cells(&matrix, pairs && !job->is_drawing));
    for (int i = 0; made && i < LINES; i++) /* ranks in their own order have none */
        json_object_set_new(made, lines[i].name, json_array());
    finer = made && !pairs ? finer_json(job->graph, place, err) : json_null();
    if (made && finer) {
        cli_json_set(made, "finer:o place:o", finer,
                     pairs && place ? cli_json_numbers(place, topomap_graph_ranks(job->graph))
                                    : json_null());
        return made;
    }
    json_decref(made);
    return NULL;
}

static json_t *by_node(const page_job *job, int which, const char *name, int pairs,
                       topomap_error *err)
{
    TOPOMAP_FREED uint32_t *rank_at =
        topomap_alloc(topomap_machine_slots(job->machine), sizeof *rank_at, err);
    TOPOMAP_FREED uint32_t *place =
        topomap_alloc(topomap_graph_ranks(job->graph), sizeof *place, err);
    json_t *made;

    if (!rank_at || !place)
        return NULL;
    stand(job, job->slot[which], rank_at, place);
    made = matrix_of(job, name, place, pairs, err);
    for (int i = 0; made && i < LINES; i++)
        json_object_set_new(made, lines[i].name, bounds(job, rank_at, lines[i].is_other));
    return made;
}

static json_t *matrices(const page_job *job, int pairs, topomap_error *err)
{
    json_t *list = json_array();

    /* A failure ends the list, as JSON that is NULL cannot be appended. */
    if (json_array_append_new(list, matrix_of(job, "in the order of ranks", NULL, pairs, err)) ==
            0 &&
        json_array_append_new(list, by_node(job, 0, "by node, before", pairs, err)) == 0 &&
        json_array_append_new(list, by_node(job, 1, "by node, after", pairs, err)) == 0)
        return list;
    json_decref(list);
    return NULL;
}

json_t *page_who(const page_job *job, topomap_error *err)
{
    json_t *pairs = pairs_json(job, err);
    json_t *list = pairs ? matrices(job, !json_is_null(pairs), err) : NULL;

    if (list)
        return cli_json_object("pairs:o matrices:o", pairs, list);
    json_decref(pairs);
    return NULL;
}
