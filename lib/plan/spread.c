/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/plan.h"

#include <stdlib.h>

#include "graph/graph.h"
#include "machine/machine.h"
#include "util/alloc.h"

/* Of each level above nodes, what a node is in; NULL: itself. */
struct levels {
    uint32_t count;
    const char *name[TOPOMAP_SPREAD_LEVELS];
    const uint32_t *group[TOPOMAP_SPREAD_LEVELS];
};

static void levels_of(const topomap_machine *m, struct levels *levels)
{
    *levels = (struct levels){.count = 1, .name = {"node"}};
    if (m->kind == TOPOMAP_MACHINE_MATRIX && m->sites > 1 && m->sites < m->nodes) {
        levels->name[1] = "leaf";
        levels->group[1] = m->site_of;
        levels->count = 2;
    }
    /* The last level of a tree is everything. */
    for (uint32_t l = 0; m->kind == TOPOMAP_MACHINE_TREE && l + 1 < m->outer_levels &&
                         levels->count < TOPOMAP_SPREAD_LEVELS;
         l++) {
        levels->name[levels->count] = m->outer[l].name;
        levels->group[levels->count++] = m->outer[l].group;
    }
    for (uint32_t i = 0; i < m->asides && levels->count < TOPOMAP_SPREAD_LEVELS; i++) {
        levels->name[levels->count] = m->aside[i].name;
        levels->group[levels->count++] = m->aside[i].group;
    }
}

/* Ranks in the order of their groups. */
struct member {
    uint32_t group, part;
};

TOPOMAP_COMPARE(compare, struct member, TOPOMAP_ORDER(x->group, y->group),
                TOPOMAP_ORDER(x->part, y->part))

static void measure(const topomap_machine *m, const uint32_t *slot_of, const uint32_t *group_of,
                    uint32_t ranks, const uint32_t *level, struct member *member,
                    topomap_spread_kind *kind, topomap_spread_level *out)
{
    uint64_t parts = 0;
    uint32_t here = 0;

    for (uint32_t r = 0; r < ranks; r++) {
        uint32_t node = m->node_of[slot_of[r]];

        member[r] = (struct member){group_of[r], level ? level[node] : node};
    }
    qsort(member, ranks, sizeof *member, compare);
    for (uint32_t r = 0; r < ranks; r++) {
        here = r && member[r].group == member[r - 1].group ? here : 0;
        if (!here || member[r].part != member[r - 1].part) {
            here++;
            parts++;
        }
        out->most = here > out->most ? here : out->most;
    }
    out->mean = (double)parts / kind->groups;
}

int topomap_spread_measure(const topomap_graph *graph, const topomap_machine *machine,
                           const uint32_t *slot_of, topomap_spread *spread, topomap_error *err)
{
    uint32_t ranks = topomap_graph_ranks(graph);
    TOPOMAP_FREED uint32_t *group = topomap_alloc(ranks, sizeof *group, err);
    TOPOMAP_FREED struct member *member = topomap_alloc(ranks, sizeof *member, err);
    struct levels levels;
    topomap_error why;

    *spread = (topomap_spread){0};
    if (!group || !member)
        return -1;
    levels_of(machine, &levels);
    spread->levels = levels.count;
    for (size_t k = 0; topomap_graph_group_kind(k); k++) {
        topomap_spread_kind *kind = &spread->kind[spread->kinds];

        *kind = (topomap_spread_kind){.name = topomap_graph_group_kind(k)};
        if (topomap_graph_groups(graph, kind->name, group, &kind->groups, &kind->size, &why))
            break; /* no such graph: of the other kinds neither */
        if (kind->size < 2)
            continue;
        for (uint32_t l = 0; l < levels.count; l++) {
            kind->level[l].name = levels.name[l];
            measure(machine, slot_of, group, ranks, levels.group[l], member, kind, &kind->level[l]);
        }
        spread->kinds++;
    }
    return 0;
}

void topomap_spread_print(FILE *out, const topomap_spread *before, const char *before_name,
                          const topomap_spread *after)
{
    char what[60];

    if (before->kinds)
        fprintf(out, after ? "  %-24s %16s %16s\n" : "  %-24s %16s\n", "groups, mean (most)",
                before_name, "topomap");
    for (uint32_t k = 0; k < before->kinds; k++)
        for (uint32_t l = 0; l < before->levels; l++) {
            const topomap_spread_level *one = &before->kind[k].level[l];

            snprintf(what, sizeof what, "%s of %u: %ss", before->kind[k].name, before->kind[k].size,
                     one->name);
            fprintf(out, "  %-24s %9.2f (%4u)", what, one->mean, one->most);
            if (after)
                fprintf(out, " %9.2f (%4u)", after->kind[k].level[l].mean,
                        after->kind[k].level[l].most);
            fputc('\n', out);
        }
}
