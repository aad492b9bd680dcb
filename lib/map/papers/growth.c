/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/papers/papers.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/keyed.h"

/* One step from the parent in each dimension in which the child lies clearly apart from it. */
static void step_from(const topomap_mesh *mesh, uint32_t parent, uint32_t child,
                      const double *position, uint32_t *coord)
{
    const double *a = position + (size_t)parent * mesh->axes;
    const double *b = position + (size_t)child * mesh->axes;

    for (uint32_t k = 0; k < mesh->axes; k++) {
        double apart = (b[k] - a[k]) * mesh->extent[k];
        uint32_t *c = &coord[mesh->axis[k]], low = mesh->low[k];

        if (apart >= 0.5 && *c < low + mesh->extent[k] - 1)
            ++*c;
        else if (apart <= -0.5 && *c > low)
            --*c;
    }
}

static void put_child(topomap_mesh *mesh, uint32_t parent, uint32_t child, const double *position)
{
    uint32_t coord[TOPOMAP_MACHINE_DIMS];

    topomap_mesh_where(mesh, parent, coord);
    if (position)
        step_from(mesh, parent, child, position, coord);
    topomap_mesh_put_near(mesh, child, coord);
}

static void put_root(topomap_mesh *mesh, uint32_t rank, const double *position)
{
    static const uint32_t corner[TOPOMAP_MACHINE_DIMS];

    if (position)
        topomap_mesh_put_part(mesh, rank, position + (size_t)rank * mesh->axes);
    else
        topomap_mesh_put(mesh, rank, corner);
}

int topomap_growth_breadth(topomap_mesh *mesh, const uint32_t *seed, uint32_t seeds,
                           const double *position, topomap_error *err)
{
    const topomap_weights *w = &mesh->problem->weights;
    uint32_t ranks = mesh->problem->ranks, head = 0, tail = 0, next = 0;
    TOPOMAP_FREED uint32_t *queue = topomap_alloc(ranks, sizeof *queue, err);

    if (!queue)
        return -1;
    for (uint32_t i = 0; i < seeds; i++)
        queue[tail++] = seed[i];
    for (;;) {
        while (head < tail) {
            uint32_t u = queue[head++];

            for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
                if (mesh->slot_of[w->target[e]] == UINT32_MAX) {
                    put_child(mesh, u, w->target[e], position);
                    queue[tail++] = w->target[e];
                }
        }
        while (next < ranks && mesh->slot_of[next] != UINT32_MAX)
            next++;
        if (next == ranks)
            break;
        put_root(mesh, next, position);
        queue[tail++] = next;
    }
    return 0;
}

/* Ranks by how many of their neighbours are placed, the most first. An entry is stale once its rank
 * is placed or has a newer one. */
typedef struct heap {
    topomap_heap ranks;
    uint32_t *placed; /* [ranks] neighbours that are placed */
} heap;

static topomap_keyed entry(uint64_t neighbours, uint32_t rank)
{
    return (topomap_keyed){.key = -(int64_t)neighbours, .a = rank};
}

/* u is placed: its neighbours have one placed neighbour more. */
static int announce(topomap_mesh *mesh, heap *h, uint32_t u, topomap_error *err)
{
    const topomap_weights *w = &mesh->problem->weights;

    for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++) {
        uint32_t v = w->target[e];

        h->placed[v]++;
        if (mesh->slot_of[v] == UINT32_MAX &&
            topomap_heap_push(&h->ranks, entry(h->placed[v], v), err) != 0)
            return -1;
    }
    return 0;
}

/* NAMD's rule for an object with two partners: inside the box they span, on the processor with the
 * most room, then outwards. */
static void put_between(topomap_mesh *mesh, uint32_t rank)
{
    const topomap_weights *w = &mesh->problem->weights;
    uint32_t partner[2] = {UINT32_MAX, UINT32_MAX}, a[TOPOMAP_MACHINE_DIMS],
             b[TOPOMAP_MACHINE_DIMS];
    uint64_t weight[2] = {0, 0};

    for (uint64_t e = w->offset[rank]; e < w->offset[rank + 1]; e++) {
        if (mesh->slot_of[w->target[e]] == UINT32_MAX)
            continue;
        if (w->weight[e] > weight[0]) {
            weight[1] = weight[0];
            partner[1] = partner[0];
            weight[0] = w->weight[e];
            partner[0] = w->target[e];
        } else if (w->weight[e] > weight[1]) {
            weight[1] = w->weight[e];
            partner[1] = w->target[e];
        }
    }
    topomap_mesh_where(mesh, partner[0], a);
    topomap_mesh_where(mesh, partner[1] == UINT32_MAX ? partner[0] : partner[1], b);
    mesh->slot_of[rank] = topomap_cells_next_between(&mesh->cells, a, b);
}

static void put_next(topomap_mesh *mesh, uint32_t rank, uint32_t placed, int between)
{
    uint32_t coord[TOPOMAP_MACHINE_DIMS];

    if (between && placed > 0) {
        put_between(mesh, rank);
        return;
    }
    if (topomap_mesh_centroid(mesh, rank, coord) == 0)
        topomap_mesh_middle(mesh, coord);
    topomap_mesh_put_near(mesh, rank, coord);
}

static int grow(topomap_mesh *mesh, heap *h, const topomap_keyed *root, int between,
                topomap_error *err)
{
    uint32_t ranks = mesh->problem->ranks, next = 0;

    for (uint32_t r = 0; r < ranks; r++)
        if (mesh->slot_of[r] != UINT32_MAX && announce(mesh, h, r, err) != 0)
            return -1;
    for (;;) {
        uint32_t rank;

        if (h->ranks.count > 0)
            rank = topomap_heap_pop(&h->ranks).a;
        else if (next < ranks)
            rank = root[next++].a;
        else
            return 0;
        if (mesh->slot_of[rank] != UINT32_MAX)
            continue;
        put_next(mesh, rank, h->placed[rank], between);
        if (announce(mesh, h, rank, err) != 0)
            return -1;
    }
}

static void heap_clear(heap *h)
{
    free(h->ranks.at);
    free(h->placed);
}

int topomap_growth_heap(topomap_mesh *mesh, int between, topomap_error *err)
{
    const topomap_weights *w = &mesh->problem->weights;
    uint32_t ranks = mesh->problem->ranks;
    TOPOMAP_CLEANUP(heap_clear) heap h = {0};
    TOPOMAP_FREED topomap_keyed *root = topomap_alloc(ranks, sizeof *root, err);

    h.placed = topomap_alloc(ranks, sizeof *h.placed, err);
    if (!root || !h.placed)
        return -1;
    for (uint32_t r = 0; r < ranks; r++)
        root[r] = entry(w->offset[r + 1] - w->offset[r], r);
    qsort(root, ranks, sizeof *root, topomap_keyed_order);
    return grow(mesh, &h, root, between, err);
}
