/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "cli/page/units.h"
#include "machine/machine.h"
#include "util/alloc.h"

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
                           page_units *units)
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

int page_units_make(const topomap_machine *m, uint32_t most, page_units *units, topomap_error *err)
{
    uint32_t *known = topomap_alloc(m->nodes, sizeof *known, err);
    uint32_t each = m->nodes / most + (m->nodes % most != 0);

    *units = (page_units){.what = "node"};
    units->of = topomap_alloc(m->nodes, sizeof *units->of, err);
    units->first = topomap_alloc(most, sizeof *units->first, err);
    units->nodes = topomap_alloc(most, sizeof *units->nodes, err);
    if (!known || !units->of || !units->first || !units->nodes) {
        free(known);
        return -1;
    }
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
    free(known);
    return 0;
}

void page_units_clear(page_units *units)
{
    free(units->of);
    free(units->first);
    free(units->nodes);
    *units = (page_units){.count = 0};
}
