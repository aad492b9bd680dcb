/* SPDX-License-Identifier: BSD-3-Clause */
/* The mapping in two stages, as in Lindgren (KTH), Alg. 4: nodes on rank 0, the cores of each node
 * on its first process, all at once; rank 0 gathers, and decides whether anything was gained. */
#include "config.h"
#include "contrib/reorder/reorder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "util/alloc.h"

/* One node's task: its ranks by number from 0, its slots, its levels but the node itself. The
 * levels' costs, the groups, and the arcs follow. */
struct task {
    uint64_t ranks, slots, levels, arcs;
};

/* On rank 0. */
struct search {
    const topomap_mpi_target *target;
    const topomap_graph *graph;
    const reorder_plan *plan;
    uint32_t ranks;
    uint32_t *start;   /* [ranks] slots */
    uint32_t *slot_of; /* [slots] of ranks, then of the vertices without one */
    uint32_t *rank_at; /* [slots] the other way round */
    double before, after;
    topomap_arena arrays;
};

static void search_clear(struct search *s)
{
    topomap_arena_clear(&s->arrays);
}

/* ---- Nodes --------------------------------------------------------------------------------- */

static int rank_of_process(const struct search *s, int process)
{
    return s->plan->start ? s->plan->start[process] : process;
}

static int fill_start(struct search *s, topomap_error *err)
{
    const topomap_machine *m = s->target->machine;

    s->start = topomap_arena_alloc(&s->arrays, s->ranks, sizeof *s->start, err);
    s->slot_of = topomap_arena_alloc(&s->arrays, m->slots, sizeof *s->slot_of, err);
    s->rank_at = topomap_arena_alloc(&s->arrays, m->slots, sizeof *s->rank_at, err);
    if (s->arrays.is_short)
        return -1;
    for (int p = 0; p < s->target->team.size; p++)
        if (rank_of_process(s, p) < (int)s->ranks)
            s->start[rank_of_process(s, p)] = s->target->slot_of[p];
    return 0;
}

/* The ranks of each node in ascending order, then vertices without one. */
static int sort_inside(struct search *s, const uint32_t *slot_of, topomap_error *err)
{
    const topomap_machine *m = s->target->machine;
    TOPOMAP_FREED uint32_t *next = topomap_alloc(m->nodes, sizeof *next, err);

    if (!next)
        return -1;
    memcpy(next, m->slot_first, m->nodes * sizeof *next);
    for (uint32_t v = 0; v < m->slots; v++) {
        s->slot_of[v] = next[m->node_of[slot_of[v]]]++;
        s->rank_at[s->slot_of[v]] = v;
    }
    return 0;
}

/* The insides of nodes are left out: all of a node's slots are alike to this stage. */
static int map_nodes(struct search *s, topomap_error *err)
{
    const topomap_map_options options = {.size = sizeof options,
                                         .algorithm = s->plan->node_stage,
                                         .effort = TOPOMAP_FAST,
                                         .seed = 1,
                                         .seconds = s->target->settings.seconds,
                                         .inter_only = 1,
                                         .start = s->start};
    topomap_machine flat = *s->target->machine;
    topomap_mapping *mapping;
    int result;

    flat.inner[0] = flat.inner[flat.inner_levels - 1];
    flat.inner_levels = 1;
    if (topomap_map(s->graph, &flat, &options, &mapping, err) != 0)
        return -1;
    result = sort_inside(s, mapping->slot_of_rank, err);
    topomap_mapping_free(mapping);
    return result;
}

/* ---- Cores: what rank 0 hands out ------------------------------------------------------------ */

static uint32_t node_of_rank(const struct search *s, uint32_t rank)
{
    return s->target->machine->node_of[s->slot_of[rank]];
}

/* Slots of a node are in the order of their ranks after the node stage, so that a rank's number in
 * its node is its slot's. */
static uint32_t number_in_node(const struct search *s, uint32_t rank)
{
    const topomap_machine *m = s->target->machine;

    return s->slot_of[rank] - m->slot_first[m->node_of[s->slot_of[rank]]];
}

static size_t arcs_inside(const struct search *s, uint32_t node, reorder_arc *arc)
{
    const topomap_machine *m = s->target->machine;
    const topomap_graph *g = s->graph;
    size_t count = 0;

    for (uint32_t slot = m->slot_first[node]; slot < m->slot_first[node + 1]; slot++) {
        uint32_t u = s->rank_at[slot];

        for (uint64_t e = u < s->ranks ? g->offset[u] : 0; u < s->ranks && e < g->offset[u + 1];
             e++)
            if (node_of_rank(s, g->target[e]) == node) {
                if (arc)
                    arc[count] = (reorder_arc){number_in_node(s, u),
                                               number_in_node(s, g->target[e]), g->bytes[e]};
                count++;
            }
    }
    return count;
}

/* Does the order of ranks inside this node matter? */
static int has_inside(const topomap_machine *m, uint32_t node)
{
    for (uint32_t l = 0; l + 1 < m->inner_levels; l++)
        for (uint32_t s = m->slot_first[node] + 1; s < m->slot_first[node + 1]; s++)
            if (m->inner[l].group[s] == m->inner[l].group[s - 1])
                return 1;
    return 0;
}

static void describe(const struct search *s, uint32_t node, struct task *task)
{
    const topomap_machine *m = s->target->machine;

    *task = (struct task){.slots = m->slot_first[node + 1] - m->slot_first[node]};
    for (uint32_t slot = m->slot_first[node]; slot < m->slot_first[node + 1]; slot++)
        task->ranks += s->rank_at[slot] < s->ranks;
    if (!has_inside(m, node))
        return;
    task->levels = m->inner_levels - 1;
    task->arcs = arcs_inside(s, node, NULL);
}

static size_t task_bytes(const struct task *task)
{
    return task->levels * sizeof(double) + task->arcs * sizeof(reorder_arc) +
           task->levels * task->slots * sizeof(uint32_t);
}

static void fill_task(const struct search *s, uint32_t node, const struct task *task, char *at)
{
    const topomap_machine *m = s->target->machine;

    for (uint32_t l = 0; l < task->levels; l++, at += sizeof(double))
        memcpy(at, &m->inner[l].cost, sizeof(double));
    if (task->levels)
        arcs_inside(s, node, (reorder_arc *)at);
    at += task->arcs * sizeof(reorder_arc);
    for (uint32_t l = 0; l < task->levels; l++, at += task->slots * sizeof(uint32_t))
        memcpy(at, m->inner[l].group + m->slot_first[node], task->slots * sizeof(uint32_t));
}

/* ---- Cores: what a node's first process does ------------------------------------------------- */

static int make_node(const struct task *task, const char *bytes, topomap_machine **machine,
                     topomap_graph **graph, topomap_error *err)
{
    uint32_t slots = (uint32_t)task->slots;
    const reorder_arc *arc = (const reorder_arc *)(bytes + task->levels * sizeof(double));
    const reorder_arcs arcs = {(reorder_arc *)arc, task->arcs, 0};
    const uint32_t *groups = (const uint32_t *)(arc + task->arcs);
    TOPOMAP_FREED uint32_t *group = topomap_alloc(slots, sizeof *group, err);
    double top = 0;
    int result = group ? topomap_machine_frame(1, &slots, NULL, machine, err) : -1;

    for (uint32_t l = 0; !result && l < task->levels; l++, groups += slots) {
        memcpy(&top, bytes + l * sizeof(double), sizeof top);
        for (uint32_t i = 0; i < slots; i++)
            group[i] = groups[i] - groups[0];
        result = topomap_machine_add_inner(*machine, "inside", top, group, err);
    }
    if (group)
        memset(group, 0, slots * sizeof *group);
    /* What lies beyond the last level costs more; how much more is the same for every order. */
    if (!result)
        result = topomap_machine_add_inner(*machine, "node", 1.5 * top, group, err) ||
                 topomap_machine_finish(*machine, err) ||
                 reorder_arcs_graph(&arcs, (uint32_t)task->ranks, graph, err);
    return result;
}

/* Fills number[ranks] of slots; where anything fails, in their order. */
static void map_cores(const struct task *task, const char *bytes, const reorder_plan *plan,
                      double seconds, uint32_t *number)
{
    const topomap_map_options options = {.size = sizeof options,
                                         .algorithm = plan->core_stage,
                                         .effort = TOPOMAP_FAST,
                                         .seed = 1,
                                         .seconds = seconds};
    topomap_machine *machine = NULL;
    topomap_graph *graph = NULL;
    topomap_mapping *mapping = NULL;
    topomap_error err;

    for (uint32_t i = 0; i < task->ranks; i++)
        number[i] = i;
    if (task->arcs && make_node(task, bytes, &machine, &graph, &err) == 0 &&
        topomap_map(graph, machine, &options, &mapping, &err) == 0)
        memcpy(number, mapping->slot_of_rank, task->ranks * sizeof *number);
    topomap_mapping_free(mapping);
    topomap_graph_free(graph);
    topomap_machine_free(machine);
}

/* Rank 0 sends each node its part; \p own is its own. */
static int hand_out(const struct search *s, const struct task *tasks, int nodes, char *own)
{
    int ok = 1;

    if (tasks[0].arcs)
        fill_task(s, 0, &tasks[0], own);
    for (int i = 1; i < nodes; i++) {
        size_t size = tasks[i].arcs ? task_bytes(&tasks[i]) : 0;
        TOPOMAP_FREED char *bytes = size ? malloc(size) : NULL;

        if (!size)
            continue;
        if (bytes)
            fill_task(s, (uint32_t)i, &tasks[i], bytes);
        /* Without memory an empty message: the node does nothing then. */
        ok &= PMPI_Send(bytes, bytes ? (int)size : 0, MPI_BYTE, i, 0, s->target->team.leaders) ==
              MPI_SUCCESS;
    }
    return ok ? 0 : -1;
}

/* The slots of each node's ranks, whose numbers in the node were 0, 1, ..., where the node has
 * been asked; \p number has all that such nodes say, one behind the other. */
static void take_numbers(struct search *s, const struct task *tasks, int nodes,
                         const uint32_t *number)
{
    for (int node = 0; node < nodes; node++) {
        uint32_t first = s->target->machine->slot_first[node];

        for (uint64_t i = 0; tasks[node].arcs && i < tasks[node].ranks; i++)
            s->slot_of[s->rank_at[first + i]] = first + *number++;
    }
}

/* Leaders; s on rank 0 only. */
static void core_stage(const topomap_mpi_target *target, const reorder_plan *plan, struct search *s,
                       struct task *tasks, int nodes)
{
    MPI_Comm leaders = target->team.leaders;
    struct task task = {0};
    TOPOMAP_FREED void *numbers = NULL;
    TOPOMAP_FREED uint32_t *number = NULL;
    TOPOMAP_FREED char *bytes = NULL;
    size_t size, count;
    int ok, handed = 1;

    if (PMPI_Scatter(tasks, sizeof task, MPI_BYTE, &task, sizeof task, MPI_BYTE, 0, leaders) !=
        MPI_SUCCESS)
        return;
    size = task.arcs ? task_bytes(&task) : 0;
    bytes = calloc(size + 1, 1);
    number = malloc((task.slots + 1) * sizeof *number);
    ok = reorder_agree(leaders, bytes && number && size <= INT_MAX);
    if (ok && s)
        handed = hand_out(s, tasks, nodes, bytes) == 0;
    else if (ok && size) {
        MPI_Status status;
        int got = 0;

        PMPI_Recv(bytes, (int)size, MPI_BYTE, 0, 0, leaders, &status);
        PMPI_Get_count(&status, MPI_BYTE, &got);
        task.arcs = got ? task.arcs : 0;
    }
    if (ok) {
        map_cores(&task, bytes, plan, target->settings.seconds, number);
        ok = reorder_gather(leaders, number, size ? task.ranks : 0, sizeof *number, &numbers,
                            &count) == 0;
    }
    if (ok && handed && s)
        take_numbers(s, tasks, nodes, numbers);
}

/* ---- All ----------------------------------------------------------------------------------- */

static int cost_of(const struct search *s, const uint32_t *slot_of, double *J, topomap_error *err)
{
    topomap_cost cost;

    if (topomap_cost_evaluate(s->graph, s->target->machine, slot_of, &cost, err) != 0)
        return -1;
    *J = cost.J;
    topomap_cost_clear(&cost);
    return 0;
}

/* Rank 0 before the core stage. \return 0, or -1: nothing to hand out */
static int prepare(struct search *s, struct task **tasks, topomap_error *err)
{
    *tasks = topomap_alloc(s->target->machine->nodes, sizeof **tasks, err);
    if (!*tasks || fill_start(s, err) != 0 || cost_of(s, s->start, &s->before, err) != 0 ||
        map_nodes(s, err) != 0)
        return -1;
    for (uint32_t i = 0; i < s->target->machine->nodes; i++)
        describe(s, i, &(*tasks)[i]);
    return 0;
}

/* Rank 0 after it: ranks[processes] for all. \return whether anything was gained */
static int settle(struct search *s, int *ranks, topomap_error *err)
{
    const topomap_mpi_target *t = s->target;
    int gained = cost_of(s, s->slot_of, &s->after, err) == 0 && s->after < s->before;

    for (int p = 0; gained && p < t->team.size; p++)
        ranks[p] = MPI_UNDEFINED;
    for (uint32_t v = 0; gained && v < s->ranks; v++)
        ranks[t->process_of[s->slot_of[v]]] = (int)v;
    return gained;
}

static void report(const struct search *s, int status, const topomap_error *err)
{
    const topomap_machine *m = s->target->machine;

    if (status < 0)
        reorder_say(&s->target->settings, "%s: ranks stay: %s", s->plan->what, err->text);
    else if (status == 0)
        reorder_say(&s->target->settings, "%s: ranks stay: J of %u ranks on %u nodes (%s) is %.10g",
                    s->plan->what, s->ranks, m->nodes, m->kind_name, s->before);
    else
        reorder_say(&s->target->settings,
                    "%s: %u ranks on %u nodes (%s), J from %.10g to %.10g, %.1f %% lower%s",
                    s->plan->what, s->ranks, m->nodes, m->kind_name, s->before, s->after,
                    100 * (1 - s->after / s->before), s->plan->counts ? "; ranks stay" : "");
}

/* On leaders. \return as reorder_place(), on rank 0; elsewhere 0 */
static int search_all(const topomap_mpi_target *target, const reorder_plan *plan, struct search *s,
                      int *ranks, topomap_error *err)
{
    TOPOMAP_FREED struct task *tasks = NULL;
    int status = s ? prepare(s, &tasks, err) : 0, go = status == 0, nodes;

    PMPI_Comm_size(target->team.leaders, &nodes);
    PMPI_Bcast(&go, 1, MPI_INT, 0, target->team.leaders);
    if (go)
        core_stage(target, plan, s, tasks, nodes);
    return !s || status != 0 ? status : settle(s, ranks, err);
}

int reorder_place(const topomap_mpi_target *target, const topomap_graph *graph, uint32_t ranks,
                  const reorder_plan *plan, int *newrank, topomap_error *err)
{
    const reorder_team *team = &target->team;
    TOPOMAP_CLEANUP(search_clear)
    struct search s = {.target = target, .graph = graph, .plan = plan, .ranks = ranks};
    TOPOMAP_FREED int *all = team->rank == 0 ? malloc((size_t)team->size * sizeof *all) : NULL;
    int status = 0;

    topomap_error_set(err, TOPOMAP_ESYSTEM, "no memory on rank 0");
    if (!reorder_agree(team->all, team->rank || all))
        return -1;
    for (int p = 0; team->rank == 0 && p < team->size; p++) {
        int rank = rank_of_process(&s, p);

        all[p] = rank < (int)ranks ? rank : MPI_UNDEFINED;
    }
    if (team->leaders != MPI_COMM_NULL)
        status = search_all(target, plan, team->rank == 0 ? &s : NULL, all, err);
    if (team->rank == 0)
        report(&s, status, err);
    PMPI_Bcast(&status, 1, MPI_INT, 0, team->all);
    PMPI_Scatter(all, 1, MPI_INT, newrank, 1, MPI_INT, 0, team->all);
    if (status < 0 && team->rank != 0)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "rank 0 could not map the graph");
    return status;
}
