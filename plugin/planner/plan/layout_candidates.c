/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "machine/closeness.h"
#include "machine/machine.h"
#include "util/alloc.h"

enum {
    KINDS = 4,
    SITES_MOST = 2048, /* of which a launch works out the hierarchy: a few milliseconds */
};

/* ---- Nodes along the fabric ---------------------------------------------------------------- */

/* Nodes of one group side by side, groups by their number, in a group as they were. */
static int sort_by_group(const uint32_t *group, uint32_t nodes, uint32_t *sequence,
                         topomap_error *err)
{
    uint32_t most = 0;
    TOPOMAP_FREED uint32_t *before = topomap_alloc(nodes, sizeof *before, err), *next = NULL;

    if (!before)
        return -1;
    memcpy(before, sequence, nodes * sizeof *before);
    for (uint32_t i = 0; i < nodes; i++)
        most = group[i] > most ? group[i] : most;
    next = topomap_alloc((size_t)most + 2, sizeof *next, err);
    if (!next)
        return -1;
    for (uint32_t i = 0; i < nodes; i++)
        next[group[i] + 1]++;
    for (uint32_t g = 0; g < most; g++)
        next[g + 1] += next[g];
    for (uint32_t i = 0; i < nodes; i++)
        sequence[next[group[before[i]]]++] = before[i];
    return 0;
}

/* Of a torus: as the nodes are. */
static int by_groups(const topomap_machine *m, uint32_t *sequence, topomap_error *err)
{
    topomap_nesting made[TOPOMAP_MACHINE_LEVELS];
    const topomap_nesting *level = m->outer;
    uint32_t levels = 0;
    int status = 0;

    if (m->kind == TOPOMAP_MACHINE_TREE)
        levels = m->outer_levels;
    else if (m->kind == TOPOMAP_MACHINE_MATRIX && m->sites <= SITES_MOST) {
        status = topomap_machine_clusters(m, made, TOPOMAP_MACHINE_LEVELS, &levels, err);
        level = made;
    }
    for (uint32_t i = 0; i < m->nodes; i++)
        sequence[i] = i;
    for (uint32_t l = 0; status == 0 && l < levels; l++)
        status = sort_by_group(level[l].group, m->nodes, sequence, err);
    if (level == made)
        topomap_machine_clusters_clear(made, levels);
    return status;
}

/* ---- Layouts ------------------------------------------------------------------------------- */

/* Where the next one is to be written. */
static uint32_t *add(planner_layouts *layouts, const char *name, uint32_t slots)
{
    uint32_t *slot_of = layouts->slot_of + layouts->count * slots;

    layouts->row[layouts->count++] = (topomap_layout){name, slot_of};
    return slot_of;
}

/* \param sequence  NULL: as the nodes are */
static void fill(const topomap_machine *m, const uint32_t *sequence, uint32_t *slot_of)
{
    uint32_t task = 0;

    for (uint32_t k = 0; k < m->nodes; k++) {
        uint32_t node = sequence ? sequence[k] : k;

        for (uint32_t s = m->slot_first[node]; s < m->slot_first[node + 1]; s++)
            slot_of[task++] = s;
    }
}

/* \param next  [nodes] scratch */
static void deal(const topomap_machine *m, uint32_t at_a_time, uint32_t *next, uint32_t *slot_of)
{
    uint32_t task = 0;

    for (uint32_t i = 0; i < m->nodes; i++)
        next[i] = m->slot_first[i];
    while (task < m->slots)
        for (uint32_t i = 0; i < m->nodes; i++)
            for (uint32_t k = 0; k < at_a_time && next[i] < m->slot_first[i + 1]; k++)
                slot_of[task++] = next[i]++;
}

static uint32_t half_of_the_fullest(const topomap_machine *m)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < m->nodes; i++)
        if (m->slot_first[i + 1] - m->slot_first[i] > most)
            most = m->slot_first[i + 1] - m->slot_first[i];
    return most > 4 ? most / 2 : 2;
}

static int make(const topomap_machine *m, const uint32_t *sequence, planner_layouts *made,
                topomap_error *err)
{
    enum { NAME = sizeof "plane=4294967295" };
    TOPOMAP_FREED uint32_t *order = topomap_alloc(m->nodes, sizeof *order, err);
    uint32_t plane = half_of_the_fullest(m);

    made->row = topomap_alloc(KINDS, sizeof *made->row, err);
    made->slot_of = topomap_alloc((size_t)KINDS * m->slots, sizeof *made->slot_of, err);
    made->plane = topomap_alloc(NAME, 1, err);
    if (!order || !made->row || !made->slot_of || !made->plane)
        return -1;
    snprintf(made->plane, NAME, "plane=%u", plane);
    fill(m, NULL, add(made, "block", m->slots));
    deal(m, 1, order, add(made, "cyclic", m->slots));
    deal(m, plane, order, add(made, made->plane, m->slots));
    if (!sequence && by_groups(m, order, err))
        return -1;
    fill(m, sequence ? sequence : order, add(made, "topology", m->slots));
    return 0;
}

int planner_layouts_make(const topomap_machine *machine, const uint32_t *sequence,
                         planner_layouts *layouts, topomap_error *err)
{
    *layouts = (planner_layouts){0};
    if (machine->nodes < 2 || make(machine, sequence, layouts, err) == 0)
        return 0;
    planner_layouts_clear(layouts);
    return -1;
}

/* Zero where the database does not tell. */
static int ask_sequence(const planner_request *request, topomap_db *db, uint32_t *sequence)
{
    TOPOMAP_CLEANUP(topomap_names_clear) topomap_names job = {0};
    topomap_error why;
    const char *list = request->asked.job_nodes;

    return (list && topomap_hostlist_expand(list, 0, &job, &why) == 0 &&
            topomap_db_slurm_sequence(db, NULL, &request->nodes, &job, sequence, NULL, &why) ==
                0) ||
           topomap_db_slurm_sequence(db, NULL, &request->nodes, NULL, sequence, NULL, &why) == 0;
}

int planner_layouts_of_step(const planner_request *request, topomap_db *db,
                            const topomap_machine *machine, planner_layouts *layouts,
                            topomap_error *err)
{
    TOPOMAP_FREED uint32_t *sequence = topomap_alloc(machine->nodes, sizeof *sequence, err);
    int is_told = sequence && machine->nodes > 1 && ask_sequence(request, db, sequence);

    return sequence ? planner_layouts_make(machine, is_told ? sequence : NULL, layouts, err) : -1;
}

void planner_layouts_clear(planner_layouts *layouts)
{
    free(layouts->row);
    free(layouts->slot_of);
    free(layouts->plane);
    *layouts = (planner_layouts){0};
}
