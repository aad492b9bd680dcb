/* SPDX-License-Identifier: BSD-3-Clause */
/* The queries of Bhatele's Topology Manager: dimensions, rank to coordinates and back. */
#include "machine/machine.h"

uint32_t topomap_machine_dimensions(const topomap_machine *machine, uint32_t *dim, uint8_t *wrap)
{
    if (machine->kind != TOPOMAP_MACHINE_TORUS)
        return 0;
    for (uint32_t d = 0; d < machine->dims; d++) {
        if (dim)
            dim[d] = machine->dim[d];
        if (wrap)
            wrap[d] = machine->wrap[d];
    }
    return machine->dims;
}

int topomap_machine_coordinates(const topomap_machine *machine, uint32_t slot, uint32_t *coord,
                                topomap_error *err)
{
    if (machine->kind != TOPOMAP_MACHINE_TORUS)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "a %s has no coordinates",
                                 machine->kind_name);
    if (slot >= machine->slots)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "slot %u of %u", slot, machine->slots);
    for (uint32_t d = 0; d < machine->dims; d++)
        coord[d] = machine->coord[(size_t)machine->node_of[slot] * machine->dims + d];
    return 0;
}

uint32_t topomap_machine_slot_at(const topomap_machine *machine, const uint32_t *coord)
{
    for (uint32_t i = 0; machine->kind == TOPOMAP_MACHINE_TORUS && i < machine->nodes; i++) {
        uint32_t d = 0;

        while (d < machine->dims && machine->coord[(size_t)i * machine->dims + d] == coord[d])
            d++;
        if (d == machine->dims && machine->slot_first[i + 1] > machine->slot_first[i])
            return machine->slot_first[i];
    }
    return UINT32_MAX;
}
