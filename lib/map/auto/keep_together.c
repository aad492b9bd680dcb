/* SPDX-License-Identifier: BSD-3-Clause */
/* Placements in which groups of ranks stay together: on a node, below a leaf switch, or in a group
 * of nodes of a tree's level (a cell, from here on). The groups become vertices of one size, a cell
 * has places for as many as fit, and the graph of the groups is mapped to these; ranks then change
 * places inside their cells alone. Where not all groups find a place in one piece, the pieces are
 * the largest equal ones that do. */
#include "map/auto/portfolio.h"

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/sorted.h"

enum { MOST_PAIRS = 1 << 16 }; /* of a cell's ranks, in a round */

typedef struct together {
    topomap_arena memory;
    topomap_problem *problem;
    const topomap_map_options *options;
    portfolio kept;
    uint32_t *trial;    /* [slots] */
    uint32_t cells;     /* each of one node at least */
    uint32_t *cell_of;  /* [nodes] */
    uint32_t *slot;     /* [slots] cell by cell */
    uint32_t *first;    /* [cells + 1] into slot */
    uint32_t *rank;     /* [ranks] group by group, each group's ascending */
    uint32_t size;      /* of the groups */
    uint32_t piece;     /* ranks that stay together: a divisor of it */
    uint32_t *piece_of; /* [ranks] */
    uint32_t *place;    /* [pieces' places + 1] the first entry of `slot` of each */
    uint32_t places;    /* in all cells */
} together;

/* ---- Cells ----------------------------------------------------------------------------------- */

/* Numbers from 0 in place of any, in the order in which they come. \param names  [names below] */
static uint32_t number_anew(uint32_t *of, uint32_t count, uint32_t *names, uint32_t below)
{
    uint32_t next = 0;

    memset(names, 0xff, below * sizeof *names);
    for (uint32_t i = 0; i < count; i++) {
        if (names[of[i]] == UINT32_MAX)
            names[of[i]] = next++;
        of[i] = names[of[i]];
    }
    return next;
}

/* What a cell of a name is on this machine: the groups of nodes; NULL: nodes, or an error. */
static const uint32_t *groups_of_nodes(const topomap_machine *m, const char *name,
                                       topomap_error *err)
{
    if (strcmp(name, "node") == 0)
        return NULL;
    if (strcmp(name, "leaf") == 0 && m->kind == TOPOMAP_MACHINE_MATRIX)
        return m->site_of;
    /* Cells of a torus's nodes would be no torus. */
    if (m->kind != TOPOMAP_MACHINE_TORUS && topomap_machine_groups(m, name))
        return topomap_machine_groups(m, name);
    topomap_error_set(err, TOPOMAP_EUSAGE, "this machine has no level `%.40s` between its nodes",
                      name);
    return NULL;
}

static int make_cells(together *t, topomap_error *err)
{
    const topomap_machine *m = t->problem->machine;
    const char *name = t->options->together_level ? t->options->together_level : "node";
    const uint32_t *group = groups_of_nodes(m, name, err);
    uint32_t *names = topomap_arena_alloc(&t->memory, m->nodes + m->sites, sizeof *names, err);
    TOPOMAP_FREED uint32_t *cell_of_slot = topomap_alloc(m->slots, sizeof *cell_of_slot, err);

    if (!group && strcmp(name, "node") != 0)
        return -1;
    t->cell_of = topomap_arena_alloc(&t->memory, m->nodes, sizeof *t->cell_of, err);
    t->slot = topomap_arena_alloc(&t->memory, m->slots, sizeof *t->slot, err);
    t->first = topomap_arena_alloc(&t->memory, (size_t)m->nodes + 2, sizeof *t->first, err);
    if (!cell_of_slot || t->memory.is_short)
        return -1;
    for (uint32_t i = 0; i < m->nodes; i++)
        t->cell_of[i] = group ? group[i] : i;
    t->cells = number_anew(t->cell_of, m->nodes, names, m->nodes + m->sites);
    for (uint32_t s = 0; s < m->slots; s++)
        cell_of_slot[s] = t->cell_of[m->node_of[s]];
    topomap_list_groups(cell_of_slot, m->slots, t->cells, t->first, t->slot);
    return 0;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* Ranks group by group; all groups are of one size. */
static int sort_ranks(together *t, topomap_error *err)
{
    uint32_t ranks = t->problem->ranks;
    const uint32_t *group = t->options->together;
    uint32_t *first = topomap_arena_alloc(&t->memory, (size_t)ranks + 2, sizeof *first, err);

    t->rank = topomap_arena_alloc(&t->memory, ranks, sizeof *t->rank, err);
    t->piece_of = topomap_arena_alloc(&t->memory, ranks, sizeof *t->piece_of, err);
    if (t->memory.is_short)
        return -1;
    for (uint32_t r = 0; r < ranks; r++)
        if (group[r] >= ranks)
            return topomap_error_set(err, TOPOMAP_EUSAGE, "group %u of rank %u; there are %u ranks",
                                     group[r], r, ranks);
    topomap_list_groups(group, ranks, ranks, first, t->rank);
    t->size = first[group[0] + 1] - first[group[0]];
    for (uint32_t g = 0; g < ranks; g++)
        if (first[g + 1] > first[g] && first[g + 1] - first[g] != t->size)
            return topomap_error_set(err, TOPOMAP_EUSAGE,
                                     "groups of %u and of %u ranks: they are to be of one size",
                                     t->size, first[g + 1] - first[g]);
    return 0;
}

static uint32_t places_of(const together *t, uint32_t piece)
{
    uint32_t places = 0;

    for (uint32_t c = 0; c < t->cells; c++)
        places += (t->first[c + 1] - t->first[c]) / piece;
    return places;
}

/* The largest pieces for which the cells have places enough; 1 always fits. */
static int cut_pieces(together *t, topomap_error *err)
{
    uint32_t ranks = t->problem->ranks, next = 0;

    for (t->piece = t->size; t->piece > 1; t->piece--)
        if (t->size % t->piece == 0 && places_of(t, t->piece) >= ranks / t->piece)
            break;
    t->places = places_of(t, t->piece);
    t->place = topomap_arena_alloc(&t->memory, (size_t)t->places + 1, sizeof *t->place, err);
    if (!t->place)
        return -1;
    for (uint32_t i = 0; i < ranks; i++)
        t->piece_of[t->rank[i]] = i / t->piece;
    for (uint32_t c = 0; c < t->cells; c++)
        for (uint32_t s = t->first[c]; s + t->piece <= t->first[c + 1]; s += t->piece)
            t->place[next++] = s;
    return 0;
}

/* ---- The machine of places ------------------------------------------------------------------- */

/* Between the cells of a tree's level, or of leaf switches. */
static int add_outside(const together *t, const uint32_t *node, uint32_t *group, uint32_t *names,
                       topomap_machine *view, topomap_error *err)
{
    const topomap_machine *m = t->problem->machine;

    if (m->kind == TOPOMAP_MACHINE_MATRIX) {
        for (uint32_t c = 0; c < t->cells; c++)
            group[c] = m->site_of[node[c]];
        return topomap_machine_set_matrix(view, m->kind_name, m->sites, group, m->site_cost,
                                          m->site_hops, err);
    }
    for (uint32_t l = 0; l < m->outer_levels; l++) {
        for (uint32_t c = 0; c < t->cells; c++)
            group[c] = m->outer[l].group[node[c]];
        if (number_anew(group, t->cells, names, m->nodes) == t->cells && l + 1 < m->outer_levels)
            continue; /* of one cell each */
        if (topomap_machine_add_outer(view, m->outer[l].name, m->outer[l].cost, m->outer[l].hops,
                                      group, err) != 0)
            return -1;
    }
    return 0;
}

/* Cells of several nodes: a machine of its own, whose nodes are the cells. */
static int cells_machine(together *t, topomap_machine **view, topomap_error *err)
{
    const topomap_machine *m = t->problem->machine;
    size_t room = (size_t)m->nodes + t->places;
    uint32_t *node = topomap_arena_alloc(&t->memory, room, sizeof *node, err);
    uint32_t *group = topomap_arena_alloc(&t->memory, room, sizeof *group, err);
    uint32_t *names = topomap_arena_alloc(&t->memory, room, sizeof *names, err);
    double cost = 0;

    if (t->memory.is_short)
        return -1;
    for (uint32_t c = 0; c < t->cells; c++)
        group[c] = (t->first[c + 1] - t->first[c]) / t->piece;
    if (topomap_machine_frame(t->cells, group, NULL, view, err) != 0)
        return -1;
    for (uint32_t i = m->nodes; i--;)
        node[t->cell_of[i]] = i; /* the first one */
    for (uint32_t i = 0; i < m->nodes; i++) {
        uint32_t first = node[t->cell_of[i]];

        if (i != first && topomap_node_slots(m, i) && topomap_node_slots(m, first)) {
            double apart = topomap_slot_distance(m, m->slot_first[first], m->slot_first[i]);

            cost = apart > cost ? apart : cost;
        }
    }
    if (topomap_machine_add_inner(*view, "cell", cost, (*view)->node_of, err) != 0 ||
        add_outside(t, node, group, names, *view, err) != 0)
        return -1;
    return topomap_machine_finish(*view, err);
}

/* Cells that are nodes: what is between them is borrowed. */
static int nodes_view(together *t, topomap_machine *view, topomap_error *err)
{
    const topomap_machine *m = t->problem->machine;
    uint32_t *node = topomap_arena_alloc(&t->memory, t->places, sizeof *node, err);
    uint32_t *first = topomap_arena_alloc(&t->memory, (size_t)m->nodes + 1, sizeof *first, err);

    if (t->memory.is_short)
        return -1;
    for (uint32_t i = 0, next = 0; i < m->nodes; i++) {
        first[i + 1] = next + topomap_node_slots(m, i) / t->piece;
        while (next < first[i + 1])
            node[next++] = i;
    }
    topomap_machine_of_nodes(m, first, node, view);
    return 0;
}

/* ---- Placements ------------------------------------------------------------------------------ */

/* Is every piece in one cell? */
static int keeps(const together *t, const uint32_t *slot_of)
{
    const uint32_t *node_of = t->problem->machine->node_of;

    for (uint32_t i = 0; i < t->problem->ranks; i++) {
        uint32_t lead = t->rank[i / t->piece * t->piece];

        if (t->cell_of[node_of[slot_of[t->rank[i]]]] != t->cell_of[node_of[slot_of[lead]]])
            return 0;
    }
    return 1;
}

/* Pieces on places, their ranks in order. \param place_of  [pieces]; NULL: one after the other */
static void spread(together *t, const uint32_t *place_of)
{
    memset(t->trial, 0xff, t->problem->weights.vertices * sizeof *t->trial);
    for (uint32_t i = 0; i < t->problem->ranks; i++) {
        uint32_t piece = i / t->piece, place = place_of ? place_of[piece] : piece;

        t->trial[t->rank[i]] = t->slot[t->place[place] + i % t->piece];
    }
    topomap_problem_fill(t->problem, t->trial);
}

static int finish(together *t, const char *name, double started, topomap_error *err)
{
    char all[sizeof t->kept.mapping->algorithm];
    double before = topomap_clock_cpu();

    if (((t->cells < t->problem->machine->nodes || !t->problem->inter_only) &&
         topomap_portfolio_swap_inside(t->problem, t->cells, t->first, t->slot, MOST_PAIRS,
                                       t->trial, err)) ||
        (t->problem->inter_only && topomap_problem_sort_inside(t->problem, t->trial, err)))
        return -1;
    t->problem->found.phase_seconds[TOPOMAP_PHASE_REFINE] += topomap_clock_cpu() - before;
    snprintf(all, sizeof all, "together %.40s", name);
    return topomap_portfolio_try(&t->kept, all, t->trial, started, err);
}

/* The graph between pieces is mapped to the places. */
static int map_pieces(together *t, const topomap_machine *view, topomap_mapping **found,
                      topomap_error *err)
{
    topomap_map_options options = *t->options;

    options.together = NULL;
    options.pin = 0;
    options.balance = 0;
    if (!view->network && view->kind != TOPOMAP_MACHINE_TORUS)
        options.objective = TOPOMAP_OBJECTIVE_J;
    return topomap_portfolio_map_blocks(&t->kept, t->piece_of, t->problem->ranks / t->piece, view,
                                        options, found, err);
}

static int try_baseline(together *t, topomap_error *err)
{
    return keeps(t, t->problem->start)
               ? topomap_portfolio_try(&t->kept, topomap_start_name(t->options), t->problem->start,
                                       topomap_clock_cpu(), err)
               : 0;
}

static int try_all(together *t, topomap_error *err)
{
    double started = topomap_clock_cpu();
    TOPOMAP_MACHINE_FREED topomap_machine *cells = NULL;
    topomap_machine borrowed;
    TOPOMAP_MAPPING_FREED topomap_mapping *found = NULL;

    if (make_cells(t, err) || sort_ranks(t, err) || cut_pieces(t, err) || try_baseline(t, err))
        return -1;
    t->kept.mapping->together = t->piece;
    spread(t, NULL);
    if (finish(t, "block", started, err))
        return -1;
    started = topomap_clock_cpu();
    if ((t->cells < t->problem->machine->nodes ? cells_machine(t, &cells, err)
                                               : nodes_view(t, &borrowed, err)) ||
        map_pieces(t, cells ? cells : &borrowed, &found, err))
        return -1;
    spread(t, found->slot_of_rank);
    return finish(t, found->algorithm, started, err);
}

int topomap_together_has_level(const topomap_machine *machine, const char *level)
{
    return strcmp(level, "node") == 0 || groups_of_nodes(machine, level, NULL);
}

static uint32_t gcd(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

uint32_t topomap_together_common(const topomap_machine *machine, const char *level, uint32_t ranks)
{
    const uint32_t *of = groups_of_nodes(machine, level, NULL);
    uint32_t most = machine->nodes + machine->sites, common = ranks;
    topomap_error ignored;
    TOPOMAP_FREED uint32_t *slots = of ? topomap_alloc(most, sizeof *slots, &ignored) : NULL;

    for (uint32_t node = 0; slots && node < machine->nodes; node++)
        slots[of[node]] += topomap_node_slots(machine, node);
    for (uint32_t cell = 0; slots && cell < most; cell++)
        common = gcd(common, slots[cell]);
    return slots ? common : 0;
}

int topomap_together_keeps(const topomap_machine *machine, const char *level, const uint32_t *group,
                           uint32_t ranks, uint32_t piece, const uint32_t *slot_of)
{
    const uint32_t *of = groups_of_nodes(machine, level, NULL);
    topomap_error ignored;
    uint32_t *seen = topomap_alloc(ranks, 2 * sizeof *seen, &ignored), keeps = seen != NULL;

    for (uint32_t r = 0; keeps && r < ranks; r++) {
        uint32_t node = machine->node_of[slot_of[r]], cell = of ? of[node] : node;
        uint32_t *at = seen + (size_t)group[r] * 2; /* how many so far, and where the piece is */

        if (at[0]++ % piece == 0)
            at[1] = cell;
        keeps = at[1] == cell;
    }
    free(seen);
    return (int)keeps;
}

int topomap_together_run(topomap_problem *problem, const topomap_map_options *options,
                         topomap_mapping *mapping, topomap_error *err)
{
    together t = {.problem = problem,
                  .options = options,
                  .kept = {.problem = problem, .options = options, .mapping = mapping}};
    int status;

    mapping->congestion_model = problem->objective ? problem->objective->model : NULL;
    t.trial = topomap_arena_alloc(&t.memory, problem->weights.vertices, sizeof *t.trial, err);
    status = t.trial ? try_all(&t, err) : -1;
    topomap_arena_clear(&t.memory);
    return status;
}
