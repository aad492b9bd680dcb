/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/split/split.h"

#include <string.h>

#include "machine/machine.h"
#include "util/alloc.h"

enum { ORIENT_PARTS = 64 }; /* beyond, the table of parts and places is too dear */

typedef struct orientation {
    topomap_arena memory;
    uint32_t parts;
    uint32_t *place_slot; /* [parts] stand-in of each place */
    double *outside;      /* [parts * parts] cost of part i's outside traffic at place j */
    double *between;      /* [parts * parts] weight between parts */
    uint32_t *place_of;   /* [parts] */
} orientation;

static int prepare(orientation *o, const topomap_split *split, const uint32_t *slots,
                   topomap_error *err)
{
    size_t parts = split->parts;

    o->parts = split->parts;
    o->place_slot = topomap_arena_alloc(&o->memory, parts, sizeof *o->place_slot, err);
    o->place_of = topomap_arena_alloc(&o->memory, parts, sizeof *o->place_of, err);
    o->outside = topomap_arena_alloc(&o->memory, parts * parts, sizeof *o->outside, err);
    o->between = topomap_arena_alloc(&o->memory, parts * parts, sizeof *o->between, err);
    if (o->memory.is_short)
        return -1;
    for (uint32_t i = 0, lo = 0; i < parts; lo += split->size[i++]) {
        o->place_slot[i] = slots[lo + split->size[i] / 2];
        o->place_of[i] = i;
    }
    return 0;
}

static void price(orientation *o, const topomap_problem *problem, const topomap_split *split,
                  const uint32_t *vertices, const uint32_t *stand_in, const uint32_t *part_of)
{
    const topomap_weights *w = &problem->weights;

    for (uint32_t i = 0, at = 0; i < o->parts; i++)
        for (uint32_t k = 0; k < split->size[i]; k++, at++) {
            uint32_t u = vertices[at];

            for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++) {
                uint32_t v = w->target[e];

                if (part_of[v] != UINT32_MAX) {
                    o->between[(size_t)i * o->parts + part_of[v]] += (double)w->weight[e];
                    continue;
                }
                for (uint32_t j = 0; j < o->parts; j++)
                    o->outside[(size_t)i * o->parts + j] +=
                        (double)w->weight[e] *
                        topomap_slot_distance(problem->machine, o->place_slot[j], stand_in[v]);
            }
        }
}

static double gain(const orientation *o, const topomap_machine *m, uint32_t a, uint32_t b)
{
    uint32_t pa = o->place_of[a], pb = o->place_of[b];
    size_t n = o->parts;
    double delta = o->outside[a * n + pa] + o->outside[b * n + pb] - o->outside[a * n + pb] -
                   o->outside[b * n + pa];

    for (uint32_t c = 0; c < o->parts; c++) {
        double difference = o->between[a * n + c] - o->between[b * n + c];

        if (c == a || c == b || difference == 0.0)
            continue;
        delta += difference *
                 (topomap_slot_distance(m, o->place_slot[pa], o->place_slot[o->place_of[c]]) -
                  topomap_slot_distance(m, o->place_slot[pb], o->place_slot[o->place_of[c]]));
    }
    return delta;
}

static int improve(orientation *o, const topomap_split *split, const topomap_machine *m)
{
    int changed = 0;

    for (int again = 1, round = 0; again && round < 10; round++) {
        again = 0;
        for (uint32_t a = 0; a < o->parts; a++)
            for (uint32_t b = a + 1; b < o->parts; b++) {
                if (split->size[a] != split->size[b] || gain(o, m, a, b) <= 1e-9)
                    continue;
                TOPOMAP_SWAP(o->place_of[a], o->place_of[b]);
                again = changed = 1;
            }
    }
    return changed;
}

static int rearrange(const orientation *o, const topomap_split *split, uint32_t *vertices,
                     uint32_t count, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *start = topomap_alloc(o->parts, sizeof *start, err);
    TOPOMAP_FREED uint32_t *fresh = topomap_alloc(count, sizeof *fresh, err);

    if (!start || !fresh)
        return -1;
    for (uint32_t i = 1; i < o->parts; i++)
        start[i] = start[i - 1] + split->size[i - 1];
    for (uint32_t i = 0; i < o->parts; i++)
        memcpy(fresh + start[o->place_of[i]], vertices + start[i], split->size[i] * sizeof *fresh);
    memcpy(vertices, fresh, count * sizeof *fresh);
    return 0;
}

int topomap_orient(const topomap_problem *problem, const topomap_split *split,
                   const uint32_t *slots, uint32_t *vertices, const uint32_t *stand_in,
                   topomap_error *err)
{
    orientation o = {0};
    uint32_t *part_of, count = 0;
    int status = -1;

    if (split->parts > ORIENT_PARTS)
        return 0;
    for (uint32_t i = 0; i < split->parts; i++)
        count += split->size[i];
    part_of = problem->work.scratch;
    for (uint32_t i = 0, at = 0; i < split->parts; i++)
        for (uint32_t k = 0; k < split->size[i]; k++)
            part_of[vertices[at++]] = i;
    if (prepare(&o, split, slots, err) == 0) {
        price(&o, problem, split, vertices, stand_in, part_of);
        status =
            improve(&o, split, problem->machine) ? rearrange(&o, split, vertices, count, err) : 0;
    }
    for (uint32_t i = 0; i < count; i++)
        part_of[vertices[i]] = UINT32_MAX;
    topomap_arena_clear(&o.memory);
    return status;
}
