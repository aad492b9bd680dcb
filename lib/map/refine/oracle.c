/* SPDX-License-Identifier: BSD-3-Clause */
/* Distances by comparing group numbers, without a matrix: VieM, section 3.4. */
#include <stdlib.h>

#include "machine/closeness.h"
#include "map/problem.h"
#include "map/refine/refine.h"
#include "util/alloc.h"

int topomap_oracle_init(topomap_oracle *oracle, const topomap_machine *machine, topomap_error *err)
{
    topomap_closeness close;
    int bits;

    *oracle = (topomap_oracle){.machine = machine};
    if (machine->kind != TOPOMAP_MACHINE_TREE)
        return 0;
    if (topomap_closeness_init(&close, machine, TOPOMAP_CLOSE_SLOTS, 0, err))
        return -1;
    bits = close.how == TOPOMAP_CLOSE_BITS;
    if (bits) {
        oracle->code = topomap_alloc(machine->slots, sizeof *oracle->code, err);
        for (uint32_t i = 0; oracle->code && i < close.places; i++)
            oracle->code[close.slot[i]] = close.code[i];
        for (uint32_t bit = 1; bit < TOPOMAP_ORACLE_BITS; bit++)
            oracle->cost[bit] = topomap_nesting_at(machine, close.level_of[bit])->cost;
    }
    topomap_closeness_clear(&close);
    return bits && !oracle->code ? -1 : 0;
}

void topomap_oracle_clear(topomap_oracle *oracle)
{
    free(oracle->code);
    oracle->code = NULL;
}
