/* SPDX-License-Identifier: BSD-3-Clause */
/* Communication graphs from meshes: Schulz & Traeff (VieM), section 4. The mesh is divided into as
 * many blocks as there are ranks, and rank i gets block i. RB bisects, floor(p/2) and ceil(p/2)
 * blocks at a time; RMS divides along the machine's hierarchy, so that rank order is a good mapping
 * on it. */
#include <stdlib.h>
#include <string.h>

#include "map/split/split.h"
#include "partition/partition.h"
#include "util/alloc.h"

/* Blocks first..first+count, and the vertices at the positions that are theirs. */
typedef struct run {
    uint32_t first, count, where;
} run;

typedef struct model {
    const topomap_graph *mesh;
    uint32_t parts;
    uint32_t *id;               /* [parts] block numbers by position */
    uint32_t *vertices;         /* [mesh->ranks] by position */
    topomap_splitter *splitter; /* NULL: bisect */
    topomap_partitioner partitioner;
    topomap_split split;
    run *stack;
    size_t depth, capacity, capacity_sizes;
    uint32_t *sizes; /* vertices of each part of the split */
} model;

/* Where the vertices of a block begin; blocks differ by one vertex at most. */
static uint32_t begin(const model *m, uint32_t block)
{
    return (uint32_t)((uint64_t)m->mesh->ranks * block / m->parts);
}

static int split_run(model *m, const run *r, topomap_error *err)
{
    m->split.parts = 0;
    if (!m->splitter) {
        if (topomap_split_add(&m->split, r->count / 2, 0, err) != 0)
            return -1;
        return topomap_split_add(&m->split, r->count - r->count / 2, 0, err);
    }
    if (m->splitter->split(m->splitter->data, r->where, m->id + r->first, r->count, &m->split,
                           err) != 0)
        return -1;
    if (m->split.parts > 1)
        return 0;
    /* Slots that are all alike: one block each. */
    m->split.parts = 0;
    for (uint32_t i = 0; i < r->count; i++)
        if (topomap_split_add(&m->split, 1, 0, err) != 0)
            return -1;
    return 0;
}

static int divide_run(model *m, const run *r, topomap_error *err)
{
    uint32_t first = r->first;

    if (split_run(m, r, err) != 0 ||
        topomap_grow(&m->sizes, &m->capacity_sizes, m->split.parts, sizeof *m->sizes, err) != 0 ||
        topomap_grow(&m->stack, &m->capacity, m->depth + m->split.parts, sizeof *m->stack, err) !=
            0)
        return -1;
    for (uint32_t i = 0; i < m->split.parts; first += m->split.size[i++]) {
        m->sizes[i] = begin(m, first + m->split.size[i]) - begin(m, first);
        if (m->split.size[i] > 1)
            m->stack[m->depth++] = (run){first, m->split.size[i], m->split.where[i]};
    }
    return topomap_partition(&m->partitioner, m->vertices + begin(m, r->first),
                             begin(m, r->first + r->count) - begin(m, r->first), m->split.parts,
                             m->sizes, err);
}

static int divide(model *m, topomap_error *err)
{
    if (topomap_grow(&m->stack, &m->capacity, 1, sizeof *m->stack, err) != 0)
        return -1;
    if (m->parts > 1)
        m->stack[m->depth++] = (run){0, m->parts, m->splitter ? m->splitter->root : 0};
    while (m->depth) {
        run r = m->stack[--m->depth];

        if (divide_run(m, &r, err) != 0)
            return -1;
    }
    return 0;
}

static int number_blocks(const model *m, topomap_graph **out, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *block_of = topomap_alloc(m->mesh->ranks, sizeof *block_of, err);

    if (!block_of)
        return -1;
    for (uint32_t b = 0; b < m->parts; b++)
        for (uint32_t i = begin(m, b); i < begin(m, b + 1); i++)
            block_of[m->vertices[i]] = m->id[b];
    return topomap_graph_blocks(m->mesh, block_of, m->parts, out, err);
}

static int make(model *m, uint64_t seed, topomap_graph **out, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights weights = {0};
    TOPOMAP_FREED uint32_t *id = m->id = topomap_alloc(m->parts, sizeof *id, err);
    TOPOMAP_FREED uint32_t *vertices = topomap_alloc(m->mesh->ranks, sizeof *vertices, err);
    int status;

    if (!id || !vertices || topomap_weights_new(m->mesh, m->mesh->ranks, &weights, err) ||
        topomap_partitioner_init(&m->partitioner, &weights, 1, (uint32_t)seed, err))
        return -1;
    m->vertices = vertices;
    topomap_identity(id, m->parts);
    topomap_identity(vertices, m->mesh->ranks);
    status = divide(m, err) || number_blocks(m, out, err) ? -1 : 0;
    topomap_partitioner_clear(&m->partitioner);
    free(m->stack);
    free(m->sizes);
    topomap_split_clear(&m->split);
    return status;
}

int topomap_graph_partition(const topomap_graph *mesh, uint32_t parts, const char *method,
                            const topomap_machine *machine, uint64_t seed, topomap_graph **graph,
                            topomap_error *err)
{
    model m = {.mesh = mesh, .parts = parts};
    TOPOMAP_CLEANUP(topomap_tree_splitter_close) topomap_splitter splitter = {0};

    if (strcmp(method, "rb") != 0 && strcmp(method, "rms") != 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "method '%.40s': expected rb or rms", method);
    if (parts == 0 || parts > mesh->ranks)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "%u parts of a mesh of %u vertices: expected 1 to %u", parts,
                                 mesh->ranks, mesh->ranks);
    if (machine && machine->slots != parts)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "the machine has %u slots, not one for each of %u parts",
                                 machine->slots, parts);
    if (strcmp(method, "rb") == 0)
        return make(&m, seed, graph, err);
    if (!machine)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "rms divides along a machine: name one");
    if (topomap_tree_splitter_open(machine, &splitter, err) != 0)
        return -1;
    m.splitter = &splitter;
    return make(&m, seed, graph, err);
}
