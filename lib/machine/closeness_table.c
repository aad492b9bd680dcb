/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/closeness_table.h"

#include <stdlib.h>
#include <string.h>

#include "machine/vicinity.h"
#include "util/alloc.h"

enum {
    VALUES = 256,
    NEAR = 24, /* nodes in a list */
};

/* Hops of a torus, dimension by dimension: row[c] is how far coordinate c is. */
static void torus_row(const topomap_machine *m, uint32_t a, uint8_t *const *row)
{
    for (uint32_t d = 0; d < m->dims; d++) {
        uint32_t own = m->coord[(size_t)a * m->dims + d];

        for (uint32_t c = 0; c < m->dim[d]; c++) {
            uint32_t gap = c > own ? c - own : own - c;

            if (m->wrap[d] && gap > m->dim[d] - gap)
                gap = m->dim[d] - gap;
            row[d][c] = (uint8_t)gap;
        }
    }
}

static int torus_pairs(topomap_closeness *c, topomap_error *err)
{
    const topomap_machine *m = c->machine;
    uint8_t *row[TOPOMAP_MACHINE_DIMS] = {0}, *memory;
    size_t length = 0;

    for (uint32_t d = 0; d < m->dims; d++)
        length += m->dim[d];
    memory = topomap_alloc(length, 1, err);
    if (!memory)
        return -1;
    for (uint32_t d = 0, at = 0; d < m->dims; at += m->dim[d++])
        row[d] = memory + at;
    for (uint32_t a = 0; a < m->nodes; a++) {
        uint8_t *pair = c->pair + (size_t)a * m->nodes;
        const uint16_t *coord = m->coord;

        torus_row(m, a, row);
        for (uint32_t b = 0; b < m->nodes; b++, coord += m->dims)
            for (uint32_t d = 0; d < m->dims; d++)
                pair[b] = (uint8_t)(pair[b] + row[d][coord[d]]);
        for (uint32_t b = 0; b < m->nodes; b++)
            pair[b]++; /* 0 is the node itself */
    }
    for (uint32_t v = 1; v < VALUES; v++)
        c->by_index[v] = (float)(m->base + m->hop_cost * (v - 1));
    free(memory);
    return 0;
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static uint32_t index_of(const float *value, uint32_t count, float wanted)
{
    uint32_t lo = 0, hi = count;

    while (lo < hi) {
        uint32_t middle = (lo + hi) / 2;

        if (value[middle] < wanted)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* The different distances between sites, ascending; 0 where they are too many. */
static uint32_t values_of(const topomap_machine *m, float *value)
{
    uint32_t count = 0;

    for (size_t i = 0; i < (size_t)m->sites * m->sites; i++) {
        uint32_t at = index_of(value, count, m->site_cost[i]);

        if (at < count && value[at] == m->site_cost[i])
            continue;
        if (count == VALUES - 1)
            return 0;
        value[count++] = m->site_cost[i];
        qsort(value, count, sizeof *value, ascending);
    }
    return count;
}

/* Returns 1 where the table cannot hold the matrix. */
static int matrix_pairs(topomap_closeness *c)
{
    const topomap_machine *m = c->machine;
    float value[VALUES];
    uint32_t count = values_of(m, value);

    if (count == 0)
        return 1;
    memcpy(c->by_index + 1, value, count * sizeof *value);
    for (uint32_t a = 0; a < m->nodes; a++) {
        uint8_t *pair = c->pair + (size_t)a * m->nodes;

        for (uint32_t b = 0; b < m->nodes; b++)
            pair[b] =
                (uint8_t)(1 +
                          index_of(value, count,
                                   m->site_cost[(size_t)m->site_of[a] * m->sites + m->site_of[b]]));
    }
    return 0;
}

static int fill_pairs(topomap_closeness *c, topomap_error *err)
{
    const topomap_machine *m = c->machine;
    int status = 1;

    if (m->nodes > TOPOMAP_CLOSE_NODES || m->nodes > c->table_nodes ||
        (m->kind == TOPOMAP_MACHINE_TORUS && m->max_hops - m->base_hops + 1 >= VALUES))
        return 1;
    c->pair = topomap_alloc((size_t)m->nodes * m->nodes, 1, err);
    if (!c->pair)
        return -1;
    if (m->kind == TOPOMAP_MACHINE_TORUS)
        status = torus_pairs(c, err);
    else if (m->kind == TOPOMAP_MACHINE_MATRIX)
        status = matrix_pairs(c);
    for (uint32_t a = 0; status == 0 && a < m->nodes; a++)
        c->pair[(size_t)a * m->nodes + a] = 0;
    c->by_index[0] = (float)m->inner[m->inner_levels - 1].cost;
    return status;
}

/* The nodes of the lowest bytes of a row, in the order of the bytes. */
static void nearest(topomap_closeness *c, uint32_t a, uint32_t *list)
{
    const topomap_machine *m = c->machine;
    const uint8_t *pair = c->pair + (size_t)a * m->nodes;
    uint32_t count[VALUES + 1] = {0}, limit = c->near_first[a + 1] - c->near_first[a], last = 1;

    for (uint32_t b = 0; b < m->nodes; b++)
        count[pair[b] + 1]++;
    count[0] = count[1] = 0;
    for (uint32_t v = 1; v < VALUES; v++) {
        count[v + 1] += count[v];
        if (count[v] < limit)
            last = v;
    }
    for (uint32_t k = 0, b = a; k < m->nodes; k++, b = b + 1 < m->nodes ? b + 1 : 0)
        if (pair[b] && pair[b] <= last && count[pair[b]] < limit)
            list[count[pair[b]]++] = b;
}

static int near_by_table(topomap_closeness *c, topomap_error *err)
{
    uint32_t nodes = c->machine->nodes, each = nodes - 1 < NEAR ? nodes - 1 : NEAR;

    c->near_first = topomap_alloc((size_t)nodes + 1, sizeof *c->near_first, err);
    c->near_node = topomap_alloc((size_t)nodes * each, sizeof *c->near_node, err);
    if (!c->near_first || !c->near_node)
        return -1;
    for (uint32_t a = 0; a < nodes; a++) {
        c->near_first[a + 1] = c->near_first[a] + each;
        nearest(c, a, c->near_node + (size_t)a * each);
    }
    return 0;
}

static int near_by_links(topomap_closeness *c, topomap_error *err)
{
    topomap_vicinity vicinity = {0};

    if (topomap_vicinity_build(c->machine, NEAR, &vicinity, err) != 0)
        return -1;
    c->near_first = vicinity.first;
    c->near_node = vicinity.node;
    return 0;
}

static int find_nodes(topomap_closeness *c, topomap_error *err)
{
    const topomap_machine *m = c->machine;

    c->node_first = topomap_alloc((size_t)m->nodes + 1, sizeof *c->node_first, err);
    if (!c->node_first)
        return -1;
    for (uint32_t i = 0; i < c->places; i++)
        c->node_first[m->node_of[c->slot[c->first[i]]] + 1]++;
    for (uint32_t a = 0; a < m->nodes; a++)
        c->node_first[a + 1] += c->node_first[a];
    return 0;
}

int topomap_closeness_tabulate(topomap_closeness *c, int level, topomap_error *err)
{
    const topomap_machine *m = c->machine;
    int status = c->how == TOPOMAP_CLOSE_ANY ? 1 : fill_pairs(c, err);

    if (status < 0)
        return -1;
    if (status > 0) {
        c->how = TOPOMAP_CLOSE_ANY;
        for (uint32_t i = 0; i < c->places; i++)
            c->code[i] = c->slot[c->first[i]];
        if (m->kind == TOPOMAP_MACHINE_TREE)
            return 0;
        return find_nodes(c, err) != 0 ? -1 : near_by_links(c, err);
    }
    if (find_nodes(c, err) != 0)
        return -1;
    if (level >= 0 || m->inner_levels == 1) { /* the node is all that counts */
        for (uint32_t i = 0; i < c->places; i++)
            c->code[i] = m->node_of[c->slot[c->first[i]]];
        c->node_bits = 0;
        return near_by_table(c, err);
    }
    for (uint32_t i = 0; i < c->places; i++)
        c->code[i] = (m->node_of[c->slot[i]] << c->node_bits) |
                     (c->code[i] & (((uint32_t)1 << c->node_bits) - 1));
    return near_by_table(c, err);
}
