/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes, groups and ranks: who is where, and what it costs. */

#include "cli/cli.h"
#include "cli/page/page.h"
#include "graph/graph.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "util/alloc.h"
#include "util/sorted.h"

json_t *page_ranges(const uint32_t *number, uint32_t count)
{
    TOPOMAP_FREED char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    topomap_ranges_print(out, number, count, 3);
    return fclose(out) == 0 ? json_string(text) : NULL;
}

json_t *page_node_name(const page_job *job, uint32_t node)
{
    const char *name = topomap_machine_node_name(job->machine, node);
    char number[32];

    snprintf(number, sizeof number, "node %u", node);
    return cli_json_text(name ? name : number);
}

/* ---- Rows of the table of nodes: nodes, or parts of a large machine ---- */

typedef struct unit_table {
    uint32_t count;
    uint32_t *of;     /* [nodes of the machine] */
    uint32_t *first;  /* [count] the lowest of its nodes */
    uint32_t *nodes;  /* [count] how many it has */
    const char *what; /* "node", "site", "nodes": static; or the level's name, the machine's */
} unit_table;

/* Numbers groups by their first nodes. \return how many there are; more than \p most: not all have
 * a number */
static uint32_t number(const uint32_t *group, uint32_t nodes, uint32_t most, uint32_t *known,
                       uint32_t *of)
{
    uint32_t count = 0;

    for (uint32_t n = 0; n < nodes; n++)
        known[n] = UINT32_MAX;
    for (uint32_t n = 0; n < nodes; n++) {
        if (known[group[n]] == UINT32_MAX) {
            known[group[n]] = count++;
            if (count > most)
                return count;
        }
        of[n] = known[group[n]];
    }
    return count;
}

/* The innermost grouping of nodes that is coarse enough; its count, or 0. */
static uint32_t by_machine(const topomap_machine *m, uint32_t most, uint32_t *known,
                           unit_table *units)
{
    if (m->kind == TOPOMAP_MACHINE_TREE)
        for (uint32_t l = 0; l < m->outer_levels; l++) {
            uint32_t count = number(m->outer[l].group, m->nodes, most, known, units->of);

            units->what = m->outer[l].name;
            if (count <= most && count > 1)
                return count;
        }
    /* Sites may be more than nodes only where some are empty. */
    if (m->kind == TOPOMAP_MACHINE_MATRIX && m->sites <= m->nodes) {
        uint32_t count = number(m->site_of, m->nodes, most, known, units->of);

        units->what = "site";
        if (count <= most && count > 1)
            return count;
    }
    return 0;
}

/* Nodes, where they are \p most at most; else the smallest groups that the machine has of them, if
 *  these are so few; else nodes one after the other, equally many. Numbered by their first nodes.
 *  \param arrays  owns the arrays of \p units */
static int units_make(const topomap_machine *m, uint32_t most, topomap_arena *arrays,
                      unit_table *units, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *known = topomap_alloc(m->nodes, sizeof *known, err);
    uint32_t each = m->nodes / most + (m->nodes % most != 0);

    *units = (unit_table){.what = "node"};
    units->of = topomap_arena_alloc(arrays, m->nodes, sizeof *units->of, err);
    units->first = topomap_arena_alloc(arrays, most, sizeof *units->first, err);
    units->nodes = topomap_arena_alloc(arrays, most, sizeof *units->nodes, err);
    if (!known || arrays->is_short)
        return -1;
    if (m->nodes > most)
        units->count = by_machine(m, most, known, units);
    if (units->count == 0) {
        for (uint32_t n = 0; n < m->nodes; n++)
            units->of[n] = n / each;
        units->count = (m->nodes - 1) / each + 1;
        units->what = each > 1 ? "nodes" : "node";
    }
    for (uint32_t n = m->nodes; n-- > 0;) {
        units->first[units->of[n]] = n;
        units->nodes[units->of[n]]++;
    }
    return 0;
}

/* ---- Nodes ------------------------------------------------------------------------------- */

/* What a node's ranks send and receive inside of it and outside, and their shares of J. */
enum { INSIDE, OUTSIDE, COST, SUMS };

typedef struct nodes {
    unit_table units;
    uint32_t *first[2], *rank[2]; /* ranks of each unit, ascending: first[u] to first[u + 1] */
    double *sum[2][SUMS];         /* [units] */
    topomap_arena arrays;
} nodes;

static void add_up(const page_job *job, const topomap_weights *weights, const nodes *n, int which)
{
    const uint32_t *slot_of = job->slot[which];

    for (uint32_t rank = 0; rank < topomap_graph_ranks(job->graph); rank++) {
        uint32_t node = topomap_machine_node_of(job->machine, slot_of[rank]);
        uint32_t unit = n->units.of[node];

        for (uint64_t e = weights->offset[rank]; e < weights->offset[rank + 1]; e++) {
            uint32_t other = slot_of[weights->target[e]];
            int leaves = topomap_machine_node_of(job->machine, other) != node;

            n->sum[which][leaves ? OUTSIDE : INSIDE][unit] += (double)weights->weight[e];
            n->sum[which][COST][unit] +=
                (double)weights->weight[e] *
                topomap_machine_distance(job->machine, slot_of[rank], other);
        }
    }
}

static uint32_t unit_of(const page_job *job, const nodes *n, int which, uint32_t rank)
{
    return n->units.of[topomap_machine_node_of(job->machine, job->slot[which][rank])];
}

static void deal(const page_job *job, const nodes *n, int which)
{
    uint32_t units = n->units.count, *first = n->first[which];

    for (uint32_t r = 0; r < job->ranks; r++)
        first[unit_of(job, n, which, r) + 1]++;
    for (uint32_t u = 0; u < units; u++)
        first[u + 1] += first[u];
    for (uint32_t r = 0; r < job->ranks; r++)
        n->rank[which][first[unit_of(job, n, which, r)]++] = r;
    for (uint32_t u = units; u > 0; u--)
        first[u] = first[u - 1];
    first[0] = 0;
}

static int fill(const page_job *job, nodes *n, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights weights = {0};
    topomap_arena *a = &n->arrays;

    if (units_make(job->machine, PAGE_NODES, a, &n->units, err) != 0 ||
        topomap_weights_new(job->graph, topomap_graph_ranks(job->graph), &weights, err) != 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        n->first[i] = topomap_arena_alloc(a, (size_t)n->units.count + 1, sizeof *n->first[i], err);
        n->rank[i] = topomap_arena_alloc(a, job->ranks, sizeof *n->rank[i], err);
        for (int k = 0; k < SUMS; k++)
            n->sum[i][k] = topomap_arena_alloc(a, n->units.count, sizeof(double), err);
        if (a->is_short)
            return -1;
        deal(job, n, i);
        add_up(job, &weights, n, i);
    }
    return 0;
}

static json_t *unit_name(const page_job *job, const nodes *n, uint32_t unit)
{
    json_t *name = page_node_name(job, n->units.first[unit]), *longer;

    if (n->units.nodes[unit] == 1)
        return name;
    longer = json_sprintf("%s and %u more", json_string_value(name), n->units.nodes[unit] - 1);
    json_decref(name);
    return longer;
}

static json_t *unit_row(const page_job *job, const nodes *n, uint32_t unit)
{
    json_t *ranks[2], *row;

    for (int i = 0; i < 2; i++)
        ranks[i] =
            page_ranges(n->rank[i] + n->first[i][unit], n->first[i][unit + 1] - n->first[i][unit]);
    row =
        cli_json_object("name:o before:o after:o out_before:r out_after:r", unit_name(job, n, unit),
                        ranks[0], ranks[1], n->sum[0][OUTSIDE][unit], n->sum[1][OUTSIDE][unit]);
    if (row && job->ranks > PAGE_RANKS) /* what the table of ranks would have told */
        json_object_set_new(row, "sums",
                            json_pack("[f, f, f, f]", n->sum[0][INSIDE][unit],
                                      n->sum[1][INSIDE][unit], n->sum[0][COST][unit],
                                      n->sum[1][COST][unit]));
    return row;
}

static void nodes_clear(nodes *n)
{
    topomap_arena_clear(&n->arrays);
}

json_t *page_nodes(const page_job *job, topomap_error *err)
{
    TOPOMAP_CLEANUP(nodes_clear) nodes n = {.units = {0}};
    json_t *list;

    if (fill(job, &n, err) != 0)
        return NULL;
    list = json_array();
    for (uint32_t unit = 0; unit < n.units.count; unit++)
        json_array_append_new(list, unit_row(job, &n, unit));
    return cli_json_object("node:o unit:s", list, n.units.what);
}

/* Those of nodes that have ranks, by their numbers, where the table of nodes is of larger parts. */
json_t *page_names(const page_job *job, topomap_error *err)
{
    json_t *names;

    (void)err;
    if (topomap_machine_nodes(job->machine) <= PAGE_NODES || job->ranks > PAGE_RANKS)
        return json_null();
    names = json_object();
    for (int i = 0; i < 2; i++)
        for (uint32_t r = 0; r < job->ranks; r++) {
            uint32_t node = topomap_machine_node_of(job->machine, job->slot[i][r]);
            char number[16];

            snprintf(number, sizeof number, "%u", node);
            json_object_set_new(names, number, page_node_name(job, node));
        }
    return names;
}

/* ---- Groups ------------------------------------------------------------------------------ */

/* A row for each kind of group and each level that it is spread over. */
json_t *page_groups(const page_job *job, topomap_error *err)
{
    topomap_spread spread[2];
    json_t *list;

    for (int i = 0; i < 2; i++)
        if (topomap_spread_measure(job->graph, job->machine, job->slot[i], &spread[i], err) != 0)
            return NULL;
    list = json_array();
    for (uint32_t k = 0; k < spread[0].kinds; k++)
        for (uint32_t l = 0; l < spread[0].levels; l++) {
            const topomap_spread_kind *kind = &spread[0].kind[k];
            const topomap_spread_level *before = &kind->level[l],
                                       *after = &spread[1].kind[k].level[l];

            json_array_append_new(
                list, json_pack("[s, I, I, o, f, I, f, I]", kind->name, (json_int_t)kind->groups,
                                (json_int_t)kind->size, cli_json_text(before->name), before->mean,
                                (json_int_t)before->most, after->mean, (json_int_t)after->most));
        }
    return list;
}

/* ---- Ranks ------------------------------------------------------------------------------- */

/* Its GPU by Slurm's index on the node, and the NIC that this uses. */
static void add_devices(json_t *row, const topomap_plan *plan, uint32_t at)
{
    int has_gpu = plan->gpu[at] != UINT32_MAX, has_nic = has_gpu && plan->nic[at] != UINT32_MAX;

    json_array_append_new(row, has_gpu ? json_integer(plan->gpu[at]) : json_null());
    json_array_append_new(row, cli_json_text(has_nic ? plan->nic_name[plan->nic[at]] : NULL));
}

/* \param at  where it stands in the plan */
static json_t *rank_row(const page_job *job, const topomap_weights *weights, uint32_t rank,
                        uint32_t at)
{
    uint32_t node = topomap_machine_node_of(job->machine, job->slot[1][rank]), count;
    double bytes = 0, share[2] = {0, 0};
    const uint32_t *pu = NULL;
    json_t *row;

    if (rank < topomap_graph_ranks(job->graph))
        for (uint64_t e = weights->offset[rank]; e < weights->offset[rank + 1]; e++) {
            bytes += (double)weights->weight[e];
            for (int i = 0; i < 2; i++)
                share[i] += (double)weights->weight[e] *
                            topomap_machine_distance(job->machine, job->slot[i][rank],
                                                     job->slot[i][weights->target[e]]);
        }
    count = topomap_plan_cpus(job->plan[1], node, at, &pu);
    row = json_pack("[I, I, o, f, f, f]",
                    (json_int_t)topomap_machine_node_of(job->machine, job->slot[0][rank]),
                    (json_int_t)node, page_ranges(pu, count), bytes, share[0], share[1]);
    if (job->plan[1]->gpu)
        add_devices(row, job->plan[1], at);
    return row;
}

json_t *page_ranks(const page_job *job, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights weights = {0};
    const topomap_plan *plan = job->plan[1];
    TOPOMAP_FREED uint32_t *at = NULL;
    json_t *list;

    if (job->ranks > PAGE_RANKS)
        return json_null();
    at = topomap_alloc(plan->tasks, sizeof *at, err);
    if (!at || topomap_weights_new(job->graph, topomap_graph_ranks(job->graph), &weights, err) != 0)
        return NULL;
    for (uint32_t i = 0; i < plan->tasks; i++)
        at[plan->task[i]] = i;
    list = json_array();
    for (uint32_t rank = 0; rank < job->ranks; rank++)
        json_array_append_new(list, rank_row(job, &weights, rank, at[rank]));
    return list;
}
