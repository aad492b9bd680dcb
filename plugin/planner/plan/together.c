/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/together.h"

#include <stdlib.h>
#include <string.h>

#include "graph/patterns/training.h"
#include "machine/machine.h"
#include "map/auto/portfolio.h"
#include "util/alloc.h"
#include "util/text.h"

/* ---- keep= ----------------------------------------------------------------------------------- */

/* GROUP[:LEVEL]; level: room for 24. */
static void read_keep(const char *text, char kind[8], char *level)
{
    size_t length = strcspn(text, ":");

    snprintf(kind, 8, "%.*s", (int)(length < 7 ? length : 7), text);
    snprintf(level, 24, "%.23s", text[length] ? text + length + 1 : "node");
}

/* Who is in which group of the pattern; it is left out where that cannot be told. */
static int open_groups(const char *keep, const topomap_graph *graph, const topomap_machine *machine,
                       planner_together *together, topomap_error *err)
{
    uint32_t ranks = topomap_graph_ranks(graph), *group = topomap_alloc(ranks, sizeof *group, err);
    uint32_t groups;
    topomap_error why;
    char kind[8];

    if (!group)
        return -1;
    read_keep(keep, kind, together->level);
    if (topomap_training_groups_of(graph, kind, group, &groups, &together->size, &why) != 0) {
        free(group);
        snprintf(together->line, sizeof together->line, "keep=%.40s is not kept: %.200s", keep,
                 why.text);
        return why.code == TOPOMAP_ESYSTEM ? topomap_error_set(err, why.code, "%s", why.text) : 0;
    }
    if (!topomap_together_has_level(machine, together->level)) {
        snprintf(together->line, sizeof together->line,
                 "keep=%.40s: nothing here is called %.23s; groups are kept on nodes", keep,
                 together->level);
        snprintf(together->level, sizeof together->level, "node");
    }
    together->group = group;
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

/* RANK:first or RANK:NODE. */
static void open_pin(const char *text, uint32_t ranks, const topomap_machine *machine,
                     planner_together *together, topomap_map_options *options)
{
    const char *at = text, *why = "takes RANK:first or RANK:NODE";
    uint64_t rank;
    uint32_t node = 0;
    int status = topomap_text_number(&at, &rank) || *at++ != ':' || !*at;

    if (!status && rank >= ranks) {
        why = "the graph has fewer ranks";
        status = -1;
    } else if (!status && strcmp(at, "first") != 0) {
        status = node_named(machine, at, &node);
        why = "none of the nodes has that name";
    }
    while (!status && strcmp(at, "first") == 0 && node + 1 < machine->nodes &&
           machine->slot_first[node] == machine->slot_first[node + 1])
        node++; /* one without tasks */
    if (!status) {
        options->pin = 1;
        options->pin_rank = (uint32_t)rank;
        options->pin_node = node;
        return;
    }
    topomap_text_append(together->line, sizeof together->line, "%spin=%.60s is left out: %s",
                        *together->line ? "; " : "", text, why);
}

/* ---- Both ------------------------------------------------------------------------------------ */

int planner_together_open(const topomap_request *asked, const topomap_graph *graph,
                          const topomap_machine *machine, planner_together *together,
                          topomap_map_options *options, topomap_error *err)
{
    *together = (planner_together){0};
    if (options->contiguous && (asked->keep || asked->pin)) {
        snprintf(together->line, sizeof together->line,
                 "contiguous: keep= and pin= are left out beside it");
        return 0;
    }
    if (asked->keep && open_groups(asked->keep, graph, machine, together, err) != 0)
        return -1;
    if (asked->pin)
        open_pin(asked->pin, topomap_graph_ranks(graph), machine, together, options);
    options->together = together->group;
    options->together_level = together->level;
    return 0;
}

void planner_together_settle(planner_together *together, topomap_map_options *options,
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

int planner_together_holds(const planner_together *together, const topomap_map_options *options,
                           const topomap_mapping *mapping, const topomap_machine *machine,
                           const uint32_t *slot_of)
{
    if (options->pin && machine->node_of[slot_of[options->pin_rank]] != options->pin_node)
        return 0;
    return !together->group || topomap_together_keeps(machine, together->level, together->group,
                                                      mapping->ranks, mapping->together, slot_of);
}

void planner_together_clear(planner_together *together)
{
    free(together->group);
    together->group = NULL;
}
