/* SPDX-License-Identifier: BSD-3-Clause */
/* Distances by comparing group numbers, without a matrix: VieM, section 3.4. */
#include <stdlib.h>
#include <string.h>

#include "machine/distance.h"
#include "map/refine/pairs.h"
#include "util/alloc.h"

static uint32_t bits_for(uint32_t count)
{
    uint32_t bits = 0;

    while (bits < 32 && ((uint64_t)1 << bits) < count)
        bits++;
    return bits;
}

/* What tells two slots apart at a level: the slot itself at the bottom, then its group. */
static uint32_t member(const topomap_machine *m, uint32_t level, uint32_t slot)
{
    if (level == 0)
        return slot;
    if (level < m->inner_levels)
        return m->inner[level - 1].group[slot];
    if (level == m->inner_levels)
        return m->node_of[slot];
    return m->outer[level - m->inner_levels - 1].group[m->node_of[slot]];
}

static double level_cost(const topomap_machine *m, uint32_t level)
{
    return level < m->inner_levels ? m->inner[level].cost : m->outer[level - m->inner_levels].cost;
}

typedef struct numbering {
    uint32_t *number; /* [ids] by member: its place in the group above */
    uint32_t *next;   /* [ids] by group above */
    uint8_t *seen;    /* [ids] by member */
} numbering;

/* Numbers the members of each group of the level; returns how many the largest group has. */
static uint32_t number_level(const topomap_machine *m, uint32_t level, uint32_t ids, numbering *n)
{
    uint32_t most = 1;

    memset(n->next, 0, ids * sizeof *n->next);
    memset(n->seen, 0, ids);
    for (uint32_t s = 0; s < m->slots; s++) {
        uint32_t id = member(m, level, s), above = member(m, level + 1, s);

        if (n->seen[id])
            continue;
        n->seen[id] = 1;
        n->number[id] = n->next[above]++;
        most = n->next[above] > most ? n->next[above] : most;
    }
    return most;
}

static int encode(topomap_oracle *oracle, uint32_t ids, numbering *n)
{
    const topomap_machine *m = oracle->machine;
    uint32_t used = 0;

    for (uint32_t level = 0; level < m->inner_levels + m->outer_levels; level++) {
        uint32_t width = bits_for(number_level(m, level, ids, n));

        if (used + width > TOPOMAP_PAIRS_CODE_BITS)
            return 0;
        for (uint32_t b = used; b < used + width; b++)
            oracle->cost[b] = level_cost(m, level);
        for (uint32_t s = 0; width && s < m->slots; s++)
            oracle->code[s] |= (uint64_t)n->number[member(m, level, s)] << used;
        used += width;
    }
    return 1;
}

int topomap_oracle_init(topomap_oracle *oracle, const topomap_machine *machine, topomap_error *err)
{
    /* Members are slots, groups of slots and nodes: nodes without slots make ids exceed slots. */
    uint32_t ids = machine->slots > machine->nodes ? machine->slots : machine->nodes;
    numbering n = {0};
    int status = -1;

    *oracle = (topomap_oracle){.machine = machine};
    if (machine->kind != TOPOMAP_MACHINE_TREE)
        return 0;
    oracle->code = topomap_alloc(machine->slots, sizeof *oracle->code, err);
    n.number = topomap_alloc(ids, sizeof *n.number, err);
    n.next = topomap_alloc(ids, sizeof *n.next, err);
    n.seen = topomap_alloc(ids, 1, err);
    if (oracle->code && n.number && n.next && n.seen) {
        status = 0;
        if (!encode(oracle, ids, &n)) {
            free(oracle->code);
            oracle->code = NULL;
        }
    }
    free(n.number);
    free(n.next);
    free(n.seen);
    if (status != 0)
        topomap_oracle_clear(oracle);
    return status;
}

void topomap_oracle_clear(topomap_oracle *oracle)
{
    free(oracle->code);
    oracle->code = NULL;
}
