/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursive bisection of both graphs: Hoefler & Snir, ICS 2011, Alg. 2, section 3.2. H is cut in
 * two with its capacities as vertex weights (switches weigh nothing, fast links are cut last), G
 * into halves of the same sizes, and each half of G goes on with its half of H. Halves that METIS
 * left uneven are corrected by moving vertices of the least cumulative edge weight. Unlike dual
 * recursive bipartitioning, a half knows nothing of neighbours outside. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/problem.h"
#include "map/links/links.h"
#include "partition/partition.h"
#include "util/alloc.h"
#include "util/keyed.h"

typedef struct segment {
    uint32_t vertex, vertices, unit, units; /* runs of the two arrays below */
} segment;

typedef struct bisector {
    const topomap_hosts *hosts;
    topomap_arena memory;
    topomap_weights links; /* H, links weighted by capacity */
    topomap_partitioner on_h, on_g;
    uint32_t *room;          /* [network vertices] units that fit; 0: a switch */
    uint32_t *vertex, *unit; /* the two graphs' vertices, halves in a row */
    uint32_t *other;         /* [network vertices] scratch */
    uint8_t *side;           /* [network vertices] of the segment */
    topomap_keyed *ranked;   /* [places] hosts by the weight of their links */
    segment *todo;
    size_t count, capacity;
} bisector;

static int allocate(bisector *b, topomap_error *err)
{
    const topomap_hosts *h = b->hosts;
    uint32_t vertices = h->network->vertices;

    b->links.vertices = vertices;
    b->links.offset = topomap_alloc((size_t)vertices + 1, sizeof(uint64_t), err);
    b->links.target = topomap_alloc(h->network->links, sizeof(uint32_t), err);
    b->links.weight = topomap_alloc(h->network->links, sizeof(uint64_t), err);
    b->room = topomap_arena_alloc(&b->memory, vertices, sizeof *b->room, err);
    b->vertex = topomap_arena_alloc(&b->memory, vertices, sizeof *b->vertex, err);
    b->unit = topomap_arena_alloc(&b->memory, h->units, sizeof *b->unit, err);
    b->other = topomap_arena_alloc(&b->memory, vertices, sizeof *b->other, err);
    b->side = topomap_arena_alloc(&b->memory, vertices, 1, err);
    b->ranked = topomap_arena_alloc(&b->memory, h->places, sizeof *b->ranked, err);
    return b->links.offset && b->links.target && b->links.weight && !b->memory.is_short ? 0 : -1;
}

/* The slowest link weighs 1, and none more than a thousand. */
static void weigh_links(bisector *b)
{
    const topomap_network *n = b->hosts->network;
    double slowest = INFINITY;

    for (uint32_t l = 0; l < n->links; l++)
        slowest = n->capacity[l] < slowest ? n->capacity[l] : slowest;
    for (uint32_t l = 0; l < n->links; l++) {
        double weight = n->capacity[l] / slowest + 0.5;

        b->links.target[l] = n->head[l];
        b->links.weight[l] = weight > 1000 ? 1000 : (uint64_t)weight;
    }
    for (uint32_t v = 0; v <= n->vertices; v++)
        b->links.offset[v] = n->first[v];
    for (uint32_t i = 0; i < b->hosts->places; i++)
        b->room[b->hosts->vertex[i]] = b->hosts->room[i];
}

/* Moves hosts from the larger to the smaller half while that brings them closer: afterwards both
 * have a host, where there are two. */
static void even_out(bisector *b, const segment *s)
{
    const uint32_t *vertex = b->vertex + s->vertex;
    int64_t room[2] = {0, 0}, surplus;
    uint32_t hosts = 0;
    uint8_t larger;

    for (uint32_t i = 0; i < s->vertices; i++)
        room[b->side[i]] += b->room[vertex[i]];
    larger = room[1] > room[0];
    surplus = room[larger] - room[!larger];
    for (uint32_t i = 0; i < s->vertices; i++) {
        uint32_t v = vertex[i];

        if (b->side[i] != larger || b->room[v] == 0)
            continue;
        b->ranked[hosts] = (topomap_keyed){.a = i};
        for (uint64_t e = b->links.offset[v]; e < b->links.offset[v + 1]; e++)
            b->ranked[hosts].key += (int64_t)b->links.weight[e];
        hosts++;
    }
    if (surplus > 0 && hosts)
        qsort(b->ranked, hosts, sizeof *b->ranked, topomap_keyed_order);
    for (uint32_t i = 0; i < hosts && surplus > 0; i++) {
        int64_t own = b->room[vertex[b->ranked[i].a]];

        if (own >= surplus) /* it would be as far on the other side */
            continue;
        b->side[b->ranked[i].a] = !larger;
        surplus -= 2 * own;
    }
}

static int split(bisector *b, const segment *s, topomap_error *err)
{
    uint32_t *vertex = b->vertex + s->vertex, kept = 0, moved = 0, size[2] = {0, 0};

    if (topomap_bisect(&b->on_h, vertex, s->vertices, b->room, b->side, err))
        return -1;
    even_out(b, s);
    for (uint32_t i = 0; i < s->vertices; i++) {
        size[b->side[i]] += b->room[vertex[i]];
        if (b->side[i])
            b->other[moved++] = vertex[i];
        else
            vertex[kept++] = vertex[i];
    }
    memcpy(vertex + kept, b->other, moved * sizeof *vertex);
    if (topomap_partition(&b->on_g, b->unit + s->unit, s->units, 2, size, err) ||
        TOPOMAP_APPEND(b->todo, b->count, b->capacity, err,
                       (segment){s->vertex + kept, moved, s->unit + size[0], size[1]}))
        return -1;
    return TOPOMAP_APPEND(b->todo, b->count, b->capacity, err,
                          (segment){s->vertex, kept, s->unit, size[0]});
}

static int run(bisector *b, uint32_t *place_of, topomap_error *err)
{
    const topomap_hosts *h = b->hosts;

    if (TOPOMAP_APPEND(b->todo, b->count, b->capacity, err,
                       (segment){0, h->network->vertices, 0, h->units}))
        return -1;
    topomap_identity(b->vertex, h->network->vertices);
    topomap_identity(b->unit, h->units);
    while (b->count) {
        segment s = b->todo[--b->count];
        uint32_t hosts = 0, place = 0;

        for (uint32_t i = s.vertex; i < s.vertex + s.vertices; i++)
            if (b->room[b->vertex[i]]) {
                hosts++;
                place = h->place_of[b->vertex[i]];
            }
        if (hosts > 1 && split(b, &s, err))
            return -1;
        for (uint32_t i = s.unit; hosts == 1 && i < s.unit + s.units; i++)
            place_of[b->unit[i]] = place;
    }
    return 0;
}

static void bisector_clear(bisector *b)
{
    topomap_partitioner_clear(&b->on_h);
    topomap_partitioner_clear(&b->on_g);
    topomap_weights_clear(&b->links);
    topomap_arena_clear(&b->memory);
    free(b->todo);
}

static int map_bisect(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_hosts_clear) topomap_hosts hosts = {0};
    TOPOMAP_CLEANUP(bisector_clear) bisector b = {.hosts = &hosts};
    uint32_t seed = (uint32_t)problem->seed, *place_of;

    if (topomap_hosts_init(&hosts, problem, "bisect", err))
        return -1;
    place_of = topomap_arena_alloc(&b.memory, hosts.units, sizeof *place_of, err);
    if (!place_of || allocate(&b, err))
        return -1;
    weigh_links(&b);
    if (topomap_partitioner_init(&b.on_h, &b.links, 1, seed, err) ||
        topomap_partitioner_init(&b.on_g, &hosts.work, 1, seed, err))
        return -1;
    b.on_g.least_incident = 1;
    if (run(&b, place_of, err))
        return -1;
    return topomap_hosts_place(&hosts, place_of, slot_of, err);
}

const topomap_algorithm_impl topomap_algorithm_bisect = {
    .row =
        {"bisect", BY_HOEFLER ", Alg. 2, 3.2", "construct", FITS_LINKED,
         "recursive bisection of the network, switches included, and of the graph, half by half"},
    .run = map_bisect,
};
