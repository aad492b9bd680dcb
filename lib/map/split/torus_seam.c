/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/split/split.h"

#include <string.h>

#include "util/alloc.h"

int topomap_torus_seam_open(topomap_torus_seam *turn, const topomap_machine *machine, int sees_wrap,
                            topomap_error *err)
{
    *turn = (topomap_torus_seam){.machine = machine, .sees_wrap = sees_wrap};
    turn->seen = topomap_alloc(UINT16_MAX + 1, 1, err);
    return turn->seen ? 0 : -1;
}

static uint32_t node_at(const uint32_t *items, uint32_t i, const uint32_t *node_of)
{
    return node_of ? node_of[items[i]] : items[i];
}

/* The coordinate after the largest run of coordinates without a node. */
static uint32_t after_gap(topomap_torus_seam *turn, const uint32_t *items, uint32_t count,
                          const uint32_t *node_of, uint32_t d)
{
    const topomap_machine *m = turn->machine;
    uint32_t length = m->dim[d], best = 0, longest = 0, run = 0;

    memset(turn->seen, 0, length);
    for (uint32_t i = 0; i < count; i++)
        turn->seen[m->coord[(size_t)node_at(items, i, node_of) * m->dims + d]] = 1;
    for (uint32_t i = 0; i < 2 * length; i++) { /* twice round, for the run across the seam */
        if (!turn->seen[i % length]) {
            run++;
            continue;
        }
        if (run > longest) {
            longest = run;
            best = i % length;
        }
        run = 0;
    }
    return best;
}

void topomap_torus_seam_towards(topomap_torus_seam *turn, const uint32_t *items, uint32_t count,
                                const uint32_t *node_of)
{
    const topomap_machine *m = turn->machine;
    uint32_t longest = 0;

    for (uint32_t d = 0; d < m->dims; d++) {
        uint32_t low = UINT32_MAX, high = 0;

        turn->origin[d] =
            turn->sees_wrap && m->wrap[d] ? after_gap(turn, items, count, node_of, d) : 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t c = topomap_torus_seam_at(turn, node_at(items, i, node_of), d);

            low = c < low ? c : low;
            high = c > high ? c : high;
        }
        if (high - low + 1 > longest) {
            longest = high - low + 1;
            turn->cut = d;
        }
    }
}

int topomap_torus_seam_order(const topomap_torus_seam *turn, uint32_t p, uint32_t q)
{
    uint32_t x = topomap_torus_seam_at(turn, p, turn->cut),
             y = topomap_torus_seam_at(turn, q, turn->cut);

    for (uint32_t d = 0; x == y && d < turn->machine->dims; d++) {
        x = topomap_torus_seam_at(turn, p, d);
        y = topomap_torus_seam_at(turn, q, d);
    }
    return x != y ? (x > y) - (x < y) : (p > q) - (p < q);
}
