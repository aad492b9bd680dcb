/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/kinds/kinds.h"

#include <inttypes.h>

/* The first that says yes. A tree is told by its levels, a torus by its squares, a dragonfly by its
 * groups: no graph is two of these but small ones (a ring of 4 with hosts on two opposite switches
 * is two leaves and two spines). */
static topomap_kind_test *const kinds[] = {
    topomap_is_tree,
    topomap_is_torus,
    topomap_is_dragonfly,
    topomap_is_dragonfly_plus,
};

int topomap_part_judge(topomap_part *part, topomap_verdict *verdict, topomap_error *err)
{
    topomap_verdict none = {.topology = "irregular", .confidence = 1};

    topomap_verdict_say(&none, "%u switches, %" PRIu64 " joined pairs", part->switches.count,
                        part->pairs);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int is;

        *verdict = (topomap_verdict){0};
        is = kinds[i](part, verdict, err);
        if (is)
            return is < 0 ? -1 : 0;
        if (*verdict->evidence)
            topomap_verdict_say(&none, "; %s", verdict->evidence);
    }
    *verdict = none;
    return 0;
}
