/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "machine/machine.h"
#include "map/auto/portfolio.h"
#include "util/alloc.h"
#include "util/text.h"

/* ---- keep= ----------------------------------------------------------------------------------- */

static const topomap_db_device_classes *devices_of(const planner_inputs *in)
{
    return in->gpus.all.nodes ? &in->gpus.all : &in->gpus.known;
}

/* Nodes of one NVLink domain; who is in none is one of his own. */
static int add_domains(planner_inputs *in, uint32_t *group, topomap_error *err)
{
    const topomap_db_device_classes *all = devices_of(in);
    uint32_t next = all->domains;

    if (!all->nodes || !all->domains)
        return 0;
    for (uint32_t node = 0; node < all->nodes; node++)
        group[node] = all->domain_of[node] == TOPOMAP_DB_NO_DEVICES ? next++ : all->domain_of[node];
    return topomap_machine_add_aside(in->machine, "domain", group, err);
}

/* Slurm gives so many nodes of each domain (block) at a time; its host list has them in order. */
static int add_segments(planner_inputs *in, uint32_t *group, topomap_error *err)
{
    const topomap_db_device_classes *all = devices_of(in);
    uint32_t nodes = in->machine->nodes, segments = 0;
    TOPOMAP_FREED uint32_t *met = topomap_alloc((size_t)nodes + 1, sizeof *met, err);
    TOPOMAP_FREED uint32_t *last = topomap_alloc((size_t)nodes + 1, sizeof *last, err);

    if (!met || !last)
        return -1;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t domain = all->nodes ? all->domain_of[node] : TOPOMAP_DB_NO_DEVICES;

        domain = domain == TOPOMAP_DB_NO_DEVICES ? nodes : domain;
        if (met[domain]++ % in->request->asked.segment == 0)
            last[domain] = segments++;
        group[node] = last[domain];
    }
    return topomap_machine_add_aside(in->machine, "segment", group, err);
}

int planner_constraints_asides(planner_inputs *in, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *group = NULL;

    if (!in->request->asked.keep && !devices_of(in)->domains)
        return 0;
    group = topomap_alloc(in->machine->nodes, sizeof *group, err);
    if (!group || add_domains(in, group, err) != 0)
        return -1;
    return in->request->asked.keep && in->request->asked.segment ? add_segments(in, group, err) : 0;
}

/* GROUP[:LEVEL]; level: room for 24. Experts talk to all of their group: over NVLink where they
 * can. */
static void read_keep(const char *text, const topomap_machine *machine, char kind[8], char *level)
{
    size_t length = strcspn(text, ":");
    int wide = length == 2 && strncmp(text, "ep", 2) == 0;

    snprintf(kind, 8, "%.*s", (int)(length < 7 ? length : 7), text);
    if (text[length])
        snprintf(level, 24, "%.23s", text + length + 1);
    else
        snprintf(level, 24, "%s",
                 wide && topomap_together_has_level(machine, "domain") ? "domain" : "node");
}

/* Tasks that stand for GPUs of one group are together, too. \param count  [tasks], zero \return how
 * many tasks are in each, or 0: they are not as many everywhere */
static uint32_t join_tasks(const uint32_t *of_gpu, uint32_t ranks, uint32_t each, uint32_t *task_of,
                           uint32_t *count)
{
    uint32_t tasks = ranks / each, changed = 1;

    for (uint32_t t = 0; t < tasks; t++)
        task_of[t] = t;
    while (changed) { /* labels fall until each is the least of its own */
        changed = 0;
        for (uint32_t r = 0; r < ranks; r++) {
            uint32_t *own = &task_of[r / each], *other = &task_of[of_gpu[r] / each];
            uint32_t least = *own < *other ? *own : *other;

            changed |= *own != *other;
            *own = *other = least;
        }
    }
    for (uint32_t t = 0; t < tasks; t++)
        count[task_of[t]]++;
    for (uint32_t t = 0; t < tasks; t++)
        if (count[task_of[t]] != count[task_of[0]])
            return 0;
    return count[task_of[0]];
}

/* Groups of the graph of GPUs, as groups of tasks: numbers of their first ranks in place of any. */
static int fold_groups(const planner_constraints_fold *fold, const char *kind, uint32_t *group,
                       uint32_t *size, topomap_error *why)
{
    uint32_t ranks = topomap_graph_ranks(fold->graph), groups;
    TOPOMAP_FREED uint32_t *of = topomap_alloc(ranks, 3 * sizeof *of, why);
    uint32_t *first = of ? of + ranks : NULL;

    if (!of || topomap_graph_groups(fold->graph, kind, of, &groups, size, why) != 0)
        return -1;
    for (uint32_t r = ranks; r--;)
        first[of[r]] = r;
    for (uint32_t r = 0; r < ranks; r++)
        of[r] = first[of[r]];
    *size = join_tasks(of, ranks, fold->each, group, first + ranks);
    return *size
               ? 0
               : topomap_error_set(why, TOPOMAP_EUSAGE, "its groups take tasks of several numbers");
}

/* Consecutive ranks, as many as all groups of nodes have places for. */
static int part_groups(const topomap_machine *machine, const char *level, uint32_t ranks,
                       uint32_t *group, uint32_t *size, topomap_error *why)
{
    *size = topomap_together_common(machine, level, ranks);
    if (!*size)
        return topomap_error_set(why, TOPOMAP_EUSAGE,
                                 strcmp(level, "segment") == 0
                                     ? "the job says no --segment"
                                     : "no NVLink domain of these nodes is known");
    for (uint32_t r = 0; r < ranks; r++)
        group[r] = r / *size;
    return 0;
}

static int find_groups(const char *keep, const topomap_graph *graph,
                       const planner_constraints_fold *fold, const topomap_machine *machine,
                       planner_constraints *together, uint32_t *group, topomap_error *why)
{
    uint32_t ranks = topomap_graph_ranks(graph), groups;
    char kind[8];

    if (strcmp(keep, "domain") == 0 || strcmp(keep, "segment") == 0) {
        snprintf(together->level, sizeof together->level, "%s", keep);
        return part_groups(machine, keep, ranks, group, &together->size, why);
    }
    read_keep(keep, machine, kind, together->level);
    return fold->graph ? fold_groups(fold, kind, group, &together->size, why)
                       : topomap_graph_groups(graph, kind, group, &groups, &together->size, why);
}

/* Who is in which group of the pattern; it is left out where that cannot be told. */
static int open_groups(const char *keep, const topomap_graph *graph,
                       const planner_constraints_fold *fold, const topomap_machine *machine,
                       planner_constraints *together, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *group = topomap_alloc(topomap_graph_ranks(graph), sizeof *group, err);
    topomap_error why;

    if (!group)
        return -1;
    if (find_groups(keep, graph, fold, machine, together, group, &why) != 0) {
        snprintf(together->line, sizeof together->line, "keep=%.40s is not kept: %.200s", keep,
                 why.text);
        return why.code == TOPOMAP_ESYSTEM ? topomap_error_set(err, why.code, "%s", why.text) : 0;
    }
    if (together->size == 1) /* it is whatever is done, as tp is on one task a node */
        return 0;
    if (!topomap_together_has_level(machine, together->level)) {
        snprintf(together->line, sizeof together->line,
                 "keep=%.40s: nothing here is called %.23s; groups are kept on nodes", keep,
                 together->level);
        snprintf(together->level, sizeof together->level, "node");
    }
    together->group = topomap_take(&group);
    return 0;
}

/* ---- pin= ------------------------------------------------------------------------------------ */

static int node_named(const topomap_machine *m, const char *name, uint32_t *node)
{
    for (*node = 0; m->node_name && *node < m->nodes; ++*node)
        if (strcmp(m->node_name[*node], name) == 0)
            return 0;
    return -1;
}

const char *planner_pin_read(const char *text, uint32_t ranks, const topomap_machine *machine,
                             uint32_t *rank, uint32_t *node)
{
    const char *at = text;
    uint64_t number;

    *node = 0;
    if (topomap_text_number(&at, &number) || *at++ != ':' || !*at)
        return "takes RANK:first or RANK:NODE";
    if (number >= ranks)
        return "the graph has fewer ranks";
    *rank = (uint32_t)number;
    if (strcmp(at, "first") != 0)
        return node_named(machine, at, node) ? "none of the nodes has that name" : NULL;
    while (*node + 1 < machine->nodes &&
           machine->slot_first[*node] == machine->slot_first[*node + 1])
        ++*node; /* one without tasks */
    return NULL;
}

static void open_pin(const char *text, uint32_t ranks, const topomap_machine *machine,
                     planner_constraints *together, topomap_map_options *options)
{
    const char *why =
        planner_pin_read(text, ranks, machine, &options->pin_rank, &options->pin_node);

    options->pin = !why;
    if (why)
        topomap_text_append(together->line, sizeof together->line, "%spin=%.60s is left out: %s",
                            *together->line ? "; " : "", text, why);
}

/* ---- Both ------------------------------------------------------------------------------------ */

int planner_constraints_open(const topomap_request *asked, const topomap_graph *graph,
                             const planner_constraints_fold *fold, const topomap_machine *machine,
                             planner_constraints *together, topomap_map_options *options,
                             topomap_error *err)
{
    *together = (planner_constraints){0};
    if (options->contiguous && (asked->keep || asked->pin)) {
        snprintf(together->line, sizeof together->line,
                 "contiguous: keep= and pin= are left out beside it");
        return 0;
    }
    if (asked->keep && open_groups(asked->keep, graph, fold, machine, together, err) != 0)
        return -1;
    if (asked->pin)
        open_pin(asked->pin, topomap_graph_ranks(graph), machine, together, options);
    options->together = together->group;
    options->together_level = together->level;
    return 0;
}

void planner_constraints_check(planner_constraints *together, topomap_map_options *options,
                               const topomap_mapping *mapping, const topomap_machine *machine)
{
    if (options->pin &&
        machine->node_of[mapping->slot_of_rank[options->pin_rank]] != options->pin_node) {
        topomap_text_append(together->line, sizeof together->line,
                            "%srank %u is not pinned: its group has no place there",
                            *together->line ? "; " : "", options->pin_rank);
        options->pin = 0;
    }
    if (!together->group || mapping->together == together->size)
        return;
    topomap_text_append(together->line, sizeof together->line,
                        "%sgroups of %u ranks do not all fit, each on one %s: %s",
                        *together->line ? "; " : "", together->size, together->level,
                        mapping->together > 1 ? "pieces of " : "none is kept together");
    if (mapping->together > 1)
        topomap_text_append(together->line, sizeof together->line, "%u stay together",
                            mapping->together);
}

int planner_constraints_holds(const planner_constraints *together,
                              const topomap_map_options *options, const topomap_mapping *mapping,
                              const topomap_machine *machine, const uint32_t *slot_of)
{
    if (options->pin && machine->node_of[slot_of[options->pin_rank]] != options->pin_node)
        return 0;
    return !together->group || topomap_together_keeps(machine, together->level, together->group,
                                                      mapping->ranks, mapping->together, slot_of);
}

void planner_constraints_clear(planner_constraints *together)
{
    free(together->group);
    together->group = NULL;
}
