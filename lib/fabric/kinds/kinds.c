/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/kinds/kinds.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/sorted.h"

/* The first that says yes. A tree is told by its levels, a torus by its squares, a dragonfly by its
 * groups: no graph is two of these but small ones (a ring of 4 with hosts on two opposite switches
 * is two leaves and two spines). */
static topomap_kind_test *const kinds[] = {
    topomap_is_tree,
    topomap_is_torus,
    topomap_is_dragonfly,
    topomap_is_dragonfly_plus,
};

void topomap_verdict_say(topomap_verdict *verdict, const char *format, ...)
{
    size_t used = strlen(verdict->evidence);
    va_list args;

    va_start(args, format);
    vsnprintf(verdict->evidence + used, sizeof verdict->evidence - used, format, args);
    va_end(args);
}

uint32_t topomap_most_frequent(uint32_t *number, size_t count)
{
    uint32_t best = 0;
    size_t most = 0, end;

    qsort(number, count, sizeof *number, topomap_by_u32);
    for (size_t i = 0; i < count; i = end) {
        for (end = i; end < count && number[end] == number[i]; end++)
            ;
        if (end - i > most) {
            most = end - i;
            best = number[i];
        }
    }
    return best;
}

/* ---- A part -------------------------------------------------------------------------------- */

int topomap_part_join(topomap_part *part, const topomap_trunk *trunk, const uint32_t *cables,
                      size_t count, topomap_error *err)
{
    if (topomap_switches_join(&part->switches, trunk, count, err))
        return -1;
    part->cables = topomap_alloc(count * 2, sizeof *part->cables, err);
    part->sockets = topomap_alloc(count * 2, sizeof *part->sockets, err);
    if (!part->cables || !part->sockets)
        return -1;
    part->pairs = count;
    for (size_t i = 0; i < count; i++) {
        part->cables[topomap_switches_link(&part->switches, trunk[i].a, trunk[i].b)] = cables[i];
        part->cables[topomap_switches_link(&part->switches, trunk[i].b, trunk[i].a)] = cables[i];
        part->all_cables += cables[i];
    }
    for (uint32_t i = 0; i < part->switches.count; i++)
        part->all_ports += part->ports[i];
    return 0;
}

void topomap_part_clear(topomap_part *part)
{
    topomap_switches_clear(&part->switches);
    free(part->ports);
    free(part->cables);
    free(part->sockets);
    free(part->level);
    free(part->place);
    free(part->group);
    memset(part, 0, sizeof *part);
}

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
