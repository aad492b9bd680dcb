/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of nodes in the order that Slurm 26.05 lays block steps out in (slurm_step_layout.c,
 * _task_layout_topo): its topology plugins' topology_p_get_rank, of the job's nodes
 * (select/cons_tres/job_test.c), from which steps take theirs (stepmgr.c). The unit counts first,
 * the place in it second; a node that the topology does not have ranks 0. 16 bits are for the place
 * (TOPO_RANK_ID_SHIFT, src/interfaces/topology.h). */
#include <stdlib.h>
#include <string.h>

#include "topology-db/query/query.h"
#include "util/alloc.h"

enum { PLACE_BITS = 16 };

/* What a ranking looks at. */
struct ranking {
    const struct slurm_order_unit *unit;
    size_t units;
    const struct slurm_place *place;
    size_t count;
    uint64_t *rank;
};

static const struct slurm_order_unit *unit_of(const struct ranking *r, size_t node)
{
    return r->place[node].unit == UINT32_MAX ? NULL : &r->unit[r->place[node].unit];
}

/* Leaf switches count from 1 (topology_tree.c). */
static int rank_tree(const struct ranking *r, topomap_error *err)
{
    (void)err;
    for (size_t i = 0; i < r->count; i++)
        if (unit_of(r, i))
            r->rank[i] = (uint64_t)(unit_of(r, i)->index + 1) << PLACE_BITS;
    return 0;
}

/* Blocks count from 0 (topology_block.c): nodes of no block are among the first block's. */
static int rank_block(const struct ranking *r, topomap_error *err)
{
    (void)err;
    for (size_t i = 0; i < r->count; i++)
        if (unit_of(r, i))
            r->rank[i] = (uint64_t)unit_of(r, i)->index << PLACE_BITS;
    return 0;
}

/* Where nodes are at both ends of the file's list, a ring begins behind its first gap
 * (topology_ring.c, _get_segment_start). */
static uint32_t ring_start(const uint8_t *taken, uint32_t size)
{
    uint32_t at = 1;

    if (!size || !taken[0] || !taken[size - 1])
        return 0;
    while (at < size && taken[at])
        at++;
    while (at < size && !taken[at])
        at++;
    return at < size ? at : 0;
}

/* Rings count from 0. */
static int rank_one_ring(const struct ranking *r, uint32_t unit, topomap_error *err)
{
    uint32_t size = r->unit[unit].nodes, start;
    TOPOMAP_FREED uint8_t *taken = topomap_alloc(size + 1u, 1, err);

    if (!taken)
        return -1;
    for (size_t i = 0; i < r->count; i++)
        if (r->place[i].unit == unit && r->place[i].position < size)
            taken[r->place[i].position] = 1;
    start = ring_start(taken, size);
    for (size_t i = 0; i < r->count; i++)
        if (r->place[i].unit == unit && size)
            r->rank[i] = ((uint64_t)r->unit[unit].index << PLACE_BITS) +
                         (r->place[i].position + size - start) % size;
    return 0;
}

static int rank_ring(const struct ranking *r, topomap_error *err)
{
    int result = 0;

    for (uint32_t unit = 0; !result && unit < r->units; unit++)
        result = rank_one_ring(r, unit, err);
    return result;
}

/* The arc of a circle of \p size places that holds all taken ones (topology_torus3d.c,
 * _min_wrap_span): the shortest, of several the one that does not go round, else the one behind
 * the first gap. But one that does not go round is also kept where its gaps are one place more, all
 * together, than what is left outside it. */
static void find_arc(const uint8_t *taken, uint32_t size, uint32_t *start, uint32_t *span)
{
    uint32_t first = 0, last = size - 1, count = 0, widest, before;

    while (first < last && !taken[first])
        first++;
    while (last > first && !taken[last])
        last--;
    for (uint32_t at = first; at <= last; at++)
        count += taken[at];
    *start = before = first;
    *span = last - first + 1;
    if (2 * (last - first) < size + count)
        return;
    widest = size - *span;
    for (uint32_t at = first + 1; at <= last; at++)
        if (taken[at]) {
            if (at - before - 1 > widest) {
                widest = at - before - 1;
                *start = at;
            }
            before = at;
        }
    *span = size - widest;
}

static uint32_t bits_of(uint32_t span)
{
    uint32_t bits = 0;

    for (span--; span; span >>= 1)
        bits++;
    return bits;
}

/* The widest axis gives bits up, of several the first, until all fit; \p shift is what each gave.
 */
static void fit_bits(const uint32_t span[3], uint32_t bits[3], uint32_t shift[3])
{
    for (int axis = 0; axis < 3; axis++) {
        bits[axis] = bits_of(span[axis]);
        shift[axis] = 0;
    }
    while (bits[0] + bits[1] + bits[2] > PLACE_BITS) {
        int widest = bits[0] >= bits[1] && bits[0] >= bits[2] ? 0 : bits[1] >= bits[2] ? 1 : 2;

        bits[widest]--;
        shift[widest]++;
    }
}

/* Morton's: the axes' bits in turn, x the lowest. */
static uint32_t interleave(const uint32_t at[3], const uint32_t bits[3])
{
    uint32_t result = 0, place = 0;

    for (uint32_t bit = 0; bit < PLACE_BITS; bit++)
        for (int axis = 0; axis < 3; axis++)
            if (bit < bits[axis])
                result |= (at[axis] >> bit & 1) << place++;
    return result;
}

static uint32_t coordinate(const struct slurm_order_unit *torus, uint32_t position, int axis)
{
    uint32_t below = axis == 0 ? 1 : axis == 1 ? torus->dim[0] : torus->dim[0] * torus->dim[1];

    return position / below % torus->dim[axis];
}

/* Of a torus that the job has wholly, coordinates count as they are. */
static int find_box(const struct ranking *r, uint32_t unit, uint32_t start[3], uint32_t span[3],
                    topomap_error *err)
{
    const struct slurm_order_unit *torus = &r->unit[unit];
    uint32_t nodes = 0;

    for (size_t i = 0; i < r->count; i++)
        nodes += r->place[i].unit == unit;
    for (int axis = 0; axis < 3; axis++) {
        uint8_t *taken = topomap_alloc(torus->dim[axis], 1, err);

        if (!taken)
            return -1;
        for (size_t i = 0; i < r->count; i++)
            if (r->place[i].unit == unit)
                taken[coordinate(torus, r->place[i].position, axis)] = 1;
        start[axis] = 0;
        span[axis] = torus->dim[axis];
        if (nodes < torus->nodes)
            find_arc(taken, torus->dim[axis], &start[axis], &span[axis]);
        free(taken);
    }
    return 0;
}

/* Toruses count from 1. */
static int rank_one_torus(const struct ranking *r, uint32_t unit, topomap_error *err)
{
    const struct slurm_order_unit *torus = &r->unit[unit];
    uint32_t start[3], span[3], bits[3], shift[3];

    if (!torus->dim[0] || !torus->dim[1] || !torus->dim[2])
        return 0;
    if (find_box(r, unit, start, span, err))
        return -1;
    fit_bits(span, bits, shift);
    for (size_t i = 0; i < r->count; i++) {
        uint32_t at[3];

        if (r->place[i].unit != unit)
            continue;
        for (int axis = 0; axis < 3; axis++)
            at[axis] =
                (coordinate(torus, r->place[i].position, axis) + torus->dim[axis] - start[axis]) %
                    torus->dim[axis] >>
                shift[axis];
        r->rank[i] = (uint64_t)(torus->index + 1) << PLACE_BITS | interleave(at, bits);
    }
    return 0;
}

static int rank_torus(const struct ranking *r, topomap_error *err)
{
    TOPOMAP_FREED uint8_t *used = topomap_alloc(r->units + 1, 1, err);
    int result = used ? 0 : -1;

    for (size_t i = 0; !result && i < r->count; i++)
        if (unit_of(r, i))
            used[r->place[i].unit] = 1;
    for (uint32_t unit = 0; !result && unit < r->units; unit++)
        if (used[unit])
            result = rank_one_torus(r, unit, err);
    return result;
}

int slurm_ranks(const char *kind, const struct slurm_order_unit *unit, size_t units,
                const struct slurm_place *place, size_t count, uint64_t *rank, topomap_error *err)
{
    static const struct {
        const char *kind;
        int (*rank)(const struct ranking *r, topomap_error *err);
    } kinds[] = {
        {"tree", rank_tree}, {"block", rank_block}, {"ring", rank_ring}, {"torus3d", rank_torus}};
    const struct ranking r = {unit, units, place, count, rank};

    memset(rank, 0, count * sizeof *rank);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].kind, kind) == 0)
            return kinds[i].rank(&r, err);
    return 0; /* flat */
}
