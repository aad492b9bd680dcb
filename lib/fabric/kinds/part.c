/* SPDX-License-Identifier: BSD-3-Clause */
/* A connected part of the switches and the verdict on its kind: functions that all kinds use. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/kinds/kinds.h"
#include "util/alloc.h"
#include "util/sorted.h"

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
