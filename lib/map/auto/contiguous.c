/* SPDX-License-Identifier: BSD-3-Clause */
/* Placements in which every node keeps consecutive ranks. */
#include "map/auto/portfolio.h"

#include "util/alloc.h"
#include "util/clock.h"

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
    uint32_t v = 0, *first;

    c->node = topomap_arena_alloc(&c->memory, m->nodes, sizeof *c->node, err);
    c->block_of = topomap_arena_alloc(&c->memory, m->slots, sizeof *c->block_of, err);
    first = topomap_arena_alloc(&c->memory, (size_t)m->nodes + 1, sizeof *first, err);
    if (c->memory.is_short)
        return -1;
    for (uint32_t i = 0; i < m->nodes; i++) {
        uint32_t slots = topomap_node_slots(m, i);

        for (uint32_t k = 0; k < slots; k++)
            c->block_of[v++] = c->blocks;
        if (slots)
            c->node[c->blocks++] = i;
        first[i + 1] = c->blocks;
    }
    topomap_machine_of_nodes(m, first, c->node, &c->view);
    c->view.rail_of = NULL; /* of slots; each node has all */
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
        status = topomap_portfolio_swap_inside(c->problem, c->problem->machine->nodes,
                                               c->problem->machine->slot_first, NULL, UINT32_MAX,
                                               c->trial, err);
    c->problem->found.phase_seconds[TOPOMAP_PHASE_REFINE] += topomap_clock_cpu() - before;
    snprintf(all, sizeof all, "contiguous %.40s", name);
    return status == 0 ? topomap_portfolio_try(&c->kept, all, c->trial, started, err) : -1;
}

static int try_baseline(contiguous *c, topomap_error *err)
{
    int is = topomap_contiguous_is(c->problem->machine, c->problem->start, err);

    return is == 1 ? topomap_portfolio_try(&c->kept, topomap_start_name(c->options),
                                           c->problem->start, topomap_clock_cpu(), err)
                   : is;
}

static int try_all(contiguous *c, topomap_error *err)
{
    TOPOMAP_MAPPING_FREED topomap_mapping *found = NULL;
    double started = topomap_clock_cpu();

    if (make_view(c, err) || try_baseline(c, err))
        return -1;
    fill(c, NULL);
    if (refine(c, "block", started, err))
        return -1;
    started = topomap_clock_cpu();
    /* Where nodes are not equally large the blocks are cut again, in the order of the nodes. */
    if (topomap_portfolio_map_blocks(&c->kept, c->block_of, c->blocks, &c->view, *c->options,
                                     &found, err))
        return -1;
    fill(c, found->slot_of_rank);
    return refine(c, found->algorithm, started, err);
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
