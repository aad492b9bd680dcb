/* SPDX-License-Identifier: BSD-3-Clause */
/* Placements in which every node keeps consecutive ranks. */
#include "map/auto/portfolio.h"

#include <string.h>

#include "map/refine/refine.h"
#include "util/alloc.h"
#include "util/clock.h"

static const uint32_t rounds[] = {
    [TOPOMAP_FAST] = 2, [TOPOMAP_DEFAULT] = 10, [TOPOMAP_STRONG] = 100};

typedef struct contiguous {
    topomap_arena memory;
    topomap_problem *problem;
    const topomap_map_options *options;
    portfolio kept;
    uint32_t *trial; /* [slots] */
    uint32_t blocks; /* nodes that have slots */
    uint32_t *node;  /* [blocks] */
    topomap_machine view;
    uint32_t *block_of; /* [slots] of each vertex, cut in the nodes' order */
} contiguous;

/* ---- Candidates -------------------------------------------------------------------------- */

static int consider(contiguous *c, const char *name, double started, topomap_error *err)
{
    topomap_score score;

    if (topomap_problem_score(c->problem, c->trial, &score, err))
        return -1;
    return topomap_portfolio_keep(&c->kept, name, c->trial, &score, topomap_clock_cpu() - started,
                                  err);
}

int topomap_contiguous_is(const topomap_machine *m, const uint32_t *slot_of, topomap_error *err)
{
    TOPOMAP_FREED uint8_t *seen = topomap_alloc(m->nodes, 1, err);
    int is = seen ? 1 : -1;

    for (uint32_t v = 0; is == 1 && v < m->slots; v++) {
        uint32_t node = m->node_of[slot_of[v]];

        if (v && node == m->node_of[slot_of[v - 1]])
            continue;
        is = !seen[node];
        seen[node] = 1;
    }
    return is;
}

/* Ranks in order fill the nodes in this order. \param block_at  [blocks] of `node`, or NULL: as
 * they are */
static void fill(contiguous *c, const uint32_t *block_at)
{
    const topomap_machine *m = c->problem->machine;
    uint32_t v = 0;

    for (uint32_t b = 0; b < c->blocks; b++) {
        uint32_t node = c->node[block_at ? block_at[b] : b];

        for (uint32_t s = m->slot_first[node]; s < m->slot_first[node + 1]; s++)
            c->trial[v++] = s;
    }
}

/* ---- Blocks to nodes --------------------------------------------------------------------- */

/* The machine with one slot on each node that has any; it borrows what is between the nodes. */
static int make_view(contiguous *c, topomap_error *err)
{
    const topomap_machine *m = c->problem->machine;
    uint32_t v = 0;

    c->node = topomap_arena_alloc(&c->memory, m->nodes, sizeof *c->node, err);
    c->block_of = topomap_arena_alloc(&c->memory, m->slots, sizeof *c->block_of, err);
    c->view = *m;
    c->view.slot_first =
        topomap_arena_alloc(&c->memory, (size_t)m->nodes + 1, sizeof(uint32_t), err);
    c->view.node_of = c->node;
    c->view.rail_of = NULL; /* of slots; each node has all */
    c->view.inner_levels = 1;
    c->view.inner[0] = m->inner[m->inner_levels - 1];
    c->view.inner[0].group = c->node;
    if (c->memory.is_short)
        return -1;
    for (uint32_t i = 0; i < m->nodes; i++) {
        uint32_t slots = topomap_node_slots(m, i);

        for (uint32_t k = 0; k < slots; k++)
            c->block_of[v++] = c->blocks;
        if (slots)
            c->node[c->blocks++] = i;
        c->view.slot_first[i + 1] = c->blocks;
    }
    c->view.slots = c->blocks;
    return 0;
}

/* The graph between blocks is mapped to the nodes. Where nodes are not equally large the blocks are
 * cut again, in the order of the nodes that was found. */
static int map_blocks(contiguous *c, const char **algorithm, topomap_mapping **found,
                      topomap_error *err)
{
    topomap_map_options options = *c->options;
    TOPOMAP_GRAPH_FREED topomap_graph *graph = NULL;

    if (topomap_graph_blocks(c->problem->graph, c->block_of, c->blocks, &graph, err))
        return -1;
    options.contiguous = 0;
    options.inter_only = 0;
    options.start = NULL;
    options.start_name = "block";
    options.layouts = 0;
    if (c->problem->deadline > 0) {
        options.seconds = c->problem->deadline - topomap_clock_wall();
        options.seconds = options.seconds > 1e-3 ? options.seconds : 1e-3;
    }
    if (c->problem->map(graph, &c->view, &options, found, err))
        return -1;
    fill(c, (*found)->slot_of_rank);
    *algorithm = (*found)->algorithm;
    return 0;
}

/* ---- Inside nodes ------------------------------------------------------------------------ */

/* Pairs of ranks of one node change slots where that pays. */
static int refine_node(topomap_pairs *pairs, const uint32_t *vertex, uint32_t count)
{
    int better = 0;

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count; k++)
            better |= topomap_pairs_try(pairs, vertex[i], vertex[k]);
    return better;
}

static int refine_inside(contiguous *c, topomap_error *err)
{
    const topomap_machine *m = c->problem->machine;
    TOPOMAP_FREED uint32_t *vertex_at = topomap_alloc(m->slots, sizeof *vertex_at, err);
    topomap_pairs pairs;

    if (!vertex_at || topomap_pairs_init(&pairs, c->problem, c->trial, err))
        return -1;
    for (uint32_t v = 0; v < m->slots; v++)
        vertex_at[c->trial[v]] = v;
    for (uint32_t i = 0; i < m->nodes; i++)
        for (uint32_t round = 0; round < rounds[c->problem->effort]; round++)
            if (topomap_problem_late(c->problem) ||
                !refine_node(&pairs, vertex_at + m->slot_first[i], topomap_node_slots(m, i)))
                break;
    topomap_pairs_clear(&pairs);
    return 0;
}

/* ---- All --------------------------------------------------------------------------------- */

static int refine(contiguous *c, const char *name, double started, topomap_error *err)
{
    char all[sizeof c->kept.mapping->algorithm];
    double before = topomap_clock_cpu();
    int status = c->problem->objective ? topomap_map_relieve_nodes(c->problem, c->trial, err)
                                       : topomap_map_swap_nodes(c->problem, c->trial, err);

    if (status == 0 && !c->problem->inter_only)
        status = refine_inside(c, err);
    c->problem->found.phase_seconds[TOPOMAP_PHASE_REFINE] += topomap_clock_cpu() - before;
    snprintf(all, sizeof all, "contiguous %.40s", name);
    return status == 0 ? consider(c, all, started, err) : -1;
}

static int try_baseline(contiguous *c, topomap_error *err)
{
    const char *name = c->options->start_name;
    int is = topomap_contiguous_is(c->problem->machine, c->problem->start, err);

    memcpy(c->trial, c->problem->start, c->problem->weights.vertices * sizeof *c->trial);
    if (is == 1)
        return consider(c, name ? name : "identity", topomap_clock_cpu(), err);
    return is;
}

static int try_all(contiguous *c, topomap_error *err)
{
    TOPOMAP_MAPPING_FREED topomap_mapping *found = NULL;
    const char *algorithm;
    double started = topomap_clock_cpu();

    if (make_view(c, err) || try_baseline(c, err))
        return -1;
    fill(c, NULL);
    if (refine(c, "block", started, err))
        return -1;
    started = topomap_clock_cpu();
    if (map_blocks(c, &algorithm, &found, err))
        return -1;
    for (int phase = 0; phase < TOPOMAP_PHASES; phase++)
        c->problem->found.phase_seconds[phase] += found->phase_seconds[phase];
    return refine(c, algorithm, started, err);
}

int topomap_contiguous_run(topomap_problem *problem, const topomap_map_options *options,
                           topomap_mapping *mapping, topomap_score *score, topomap_error *err)
{
    contiguous c = {.problem = problem,
                    .options = options,
                    .kept = {.problem = problem, .options = options, .mapping = mapping}};
    int status;

    mapping->congestion_model = problem->objective ? problem->objective->model : NULL;
    c.trial = topomap_arena_alloc(&c.memory, problem->weights.vertices, sizeof *c.trial, err);
    status = c.trial ? try_all(&c, err) : -1;
    *score = c.kept.score;
    topomap_arena_clear(&c.memory);
    return status;
}
