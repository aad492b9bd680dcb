/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes, groups and ranks: who is where, and what it costs. */
#include "cli/page/page.h"

#include <stdlib.h>

#include "cli/json.h"
#include "graph/graph.h"
#include "plan/plan.h"
#include "plan/spread.h"
#include "util/alloc.h"
#include "util/ranges.h"

json_t *page_ranges(const uint32_t *number, uint32_t count)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    json_t *made = NULL;

    if (!out)
        return NULL;
    topomap_ranges_print(out, number, count, 3);
    if (fclose(out) == 0)
        made = json_string(text);
    free(text);
    return made;
}

json_t *page_node_name(const page_job *job, uint32_t node)
{
    const char *name = topomap_machine_node_name(job->machine, node);
    char number[32];

    snprintf(number, sizeof number, "node %u", node);
    return cli_json_text(name ? name : number);
}

/* ---- Nodes ------------------------------------------------------------------------------- */

/* Bytes that leave or reach a node. \param out  [nodes] */
static void count_out(const page_job *job, const topomap_weights *weights, const uint32_t *slot_of,
                      double *out)
{
    for (uint32_t rank = 0; rank < topomap_graph_ranks(job->graph); rank++) {
        uint32_t node = topomap_machine_node_of(job->machine, slot_of[rank]);

        for (uint64_t e = weights->offset[rank]; e < weights->offset[rank + 1]; e++)
            if (topomap_machine_node_of(job->machine, slot_of[weights->target[e]]) != node)
                out[node] += (double)weights->weight[e];
    }
}

/* Ranks of each node, ascending: first[n] to first[n + 1] of rank. */
static void deal(const page_job *job, const uint32_t *slot_of, uint32_t *first, uint32_t *rank)
{
    uint32_t nodes = topomap_machine_nodes(job->machine);

    for (uint32_t n = 0; n <= nodes; n++)
        first[n] = 0;
    for (uint32_t r = 0; r < job->ranks; r++)
        first[topomap_machine_node_of(job->machine, slot_of[r]) + 1]++;
    for (uint32_t n = 0; n < nodes; n++)
        first[n + 1] += first[n];
    for (uint32_t r = 0; r < job->ranks; r++)
        rank[first[topomap_machine_node_of(job->machine, slot_of[r])]++] = r;
    for (uint32_t n = nodes; n > 0; n--)
        first[n] = first[n - 1];
    first[0] = 0;
}

typedef struct nodes {
    uint32_t *first[2], *rank[2];
    double *out[2];
} nodes;

static int fill(const page_job *job, nodes *n, topomap_error *err)
{
    uint32_t count = topomap_machine_nodes(job->machine);
    topomap_weights weights = {0};
    int status = topomap_weights_new(job->graph, topomap_graph_ranks(job->graph), &weights, err);

    for (int i = 0; i < 2 && status == 0; i++) {
        n->first[i] = topomap_alloc((size_t)count + 1, sizeof *n->first[i], err);
        n->rank[i] = topomap_alloc(job->ranks, sizeof *n->rank[i], err);
        n->out[i] = topomap_alloc(count, sizeof *n->out[i], err);
        status = n->first[i] && n->rank[i] && n->out[i] ? 0 : -1;
        if (status != 0)
            break;
        deal(job, job->slot[i], n->first[i], n->rank[i]);
        count_out(job, &weights, job->slot[i], n->out[i]);
    }
    topomap_weights_clear(&weights);
    return status;
}

json_t *page_nodes(const page_job *job, topomap_error *err)
{
    nodes n = {.first = {NULL}};
    json_t *list = fill(job, &n, err) == 0 ? json_array() : NULL;

    for (uint32_t node = 0; list && node < topomap_machine_nodes(job->machine); node++) {
        json_t *ranks[2];

        for (int i = 0; i < 2; i++)
            ranks[i] =
                page_ranges(n.rank[i] + n.first[i][node], n.first[i][node + 1] - n.first[i][node]);
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:f, s:f}", "name",
                                              page_node_name(job, node), "before", ranks[0],
                                              "after", ranks[1], "out_before", n.out[0][node],
                                              "out_after", n.out[1][node]));
    }
    for (int i = 0; i < 2; i++) {
        free(n.first[i]);
        free(n.rank[i]);
        free(n.out[i]);
    }
    return list;
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
    json_array_append_new(row, has_nic ? json_string(plan->nic_name[plan->nic[at]]) : json_null());
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
    topomap_weights weights = {0};
    const topomap_plan *plan = job->plan[1];
    uint32_t *at;
    json_t *list;

    if (job->ranks > PAGE_RANKS)
        return json_null();
    at = topomap_alloc(plan->tasks, sizeof *at, err);
    if (!at ||
        topomap_weights_new(job->graph, topomap_graph_ranks(job->graph), &weights, err) != 0) {
        free(at);
        return NULL;
    }
    for (uint32_t i = 0; i < plan->tasks; i++)
        at[plan->task[i]] = i;
    list = json_array();
    for (uint32_t rank = 0; rank < job->ranks; rank++)
        json_array_append_new(list, rank_row(job, &weights, rank, at[rank]));
    topomap_weights_clear(&weights);
    free(at);
    return list;
}
