/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/closeness.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/sorted.h"

enum {
    VALUES = 256,
    NEAR = 24, /* nodes in a list */
};

/* ---- Tori: a byte for each difference of coordinates -------------------------------------------
 */

static uint32_t field_of(const topomap_machine *m, uint32_t d)
{
    return topomap_closeness_bit(m->dim[d] - 1, 0) + 1;
}

static uint32_t all_fields(const topomap_machine *m)
{
    uint32_t bits = 0;

    for (uint32_t d = 0; d < m->dims; d++)
        bits += field_of(m, d);
    return bits;
}

static uint32_t packed(const topomap_machine *m, uint32_t node)
{
    uint32_t code = 0;

    for (uint32_t d = m->dims; d-- > 0;)
        code = code << field_of(m, d) | m->coord[(size_t)node * m->dims + d];
    return code;
}

/* Byte 0 is left for a node itself. No field is ever borrowed from: `middle` has the top bit of
 * each, and a coordinate fits below it. */
static void fill_differences(topomap_closeness *c)
{
    const topomap_machine *m = c->machine;
    uint32_t size = 1;

    c->pair[0] = 1;
    for (uint32_t d = 0; d < m->dims; d++) {
        uint32_t values = (uint32_t)1 << field_of(m, d), middle = values / 2;

        c->middle |= middle * size;
        for (uint32_t f = values; f-- > 0;) {
            uint32_t gap = f > middle ? f - middle : middle - f;

            if (m->wrap[d] && gap < m->dim[d] && gap > m->dim[d] - gap)
                gap = m->dim[d] - gap;
            for (uint32_t i = 0; i < size; i++)
                c->pair[(size_t)f * size + i] = (uint8_t)(c->pair[i] + gap);
        }
        size *= values;
    }
    for (uint32_t v = 1; v < VALUES; v++)
        c->by_index[v] = (float)(m->base + m->hop_cost * (v - 1));
}

/* As site_table(). */
static int torus_table(topomap_closeness *c, topomap_error *err)
{
    const topomap_machine *m = c->machine;
    uint32_t bits = all_fields(m);

    if (m->max_hops - m->base_hops + 1 >= VALUES || bits >= 32 ||
        ((uint64_t)1 << bits) > (uint64_t)c->table_nodes * c->table_nodes)
        return 1;
    c->pair = topomap_alloc((size_t)1 << bits, 1, err);
    if (!c->pair)
        return -1;
    fill_differences(c);
    c->how = TOPOMAP_CLOSE_TORUS;
    return 0;
}

/* ---- Matrices: a byte for each pair of sites ---------------------------------------------------
 */

TOPOMAP_COMPARE(ascending, float, TOPOMAP_ORDER(*x, *y), 0)

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

/* Returns 1 where a table cannot hold the matrix, or would be too large. */
static int site_table(topomap_closeness *c, topomap_error *err)
{
    const topomap_machine *m = c->machine;
    size_t pairs = (size_t)m->sites * m->sites;
    float value[VALUES];
    uint32_t count;

    if (m->kind != TOPOMAP_MACHINE_MATRIX || m->sites > c->table_nodes)
        return 1;
    count = values_of(m, value);
    if (count == 0)
        return 1;
    c->pair = topomap_alloc(pairs, 1, err);
    if (!c->pair)
        return -1;
    memcpy(c->by_index + 1, value, count * sizeof *value);
    for (size_t i = 0; i < pairs; i++)
        c->pair[i] = (uint8_t)(1 + index_of(value, count, m->site_cost[i]));
    return 0;
}

/* ---- Codes -------------------------------------------------------------------------------------
 */

static uint32_t site_code(const topomap_closeness *c, uint32_t node)
{
    return c->how == TOPOMAP_CLOSE_TORUS ? packed(c->machine, node) : c->machine->site_of[node];
}

typedef struct at_site {
    uint32_t site, node;
} at_site;

TOPOMAP_COMPARE(by_site, at_site, TOPOMAP_ORDER(x->site, y->site), TOPOMAP_ORDER(x->node, y->node))

/* Nodes of one site are told apart by a number below the site's.
 * \param code  [nodes] of nodes: all but what is inside of them
 * \param list  [nodes] scratch
 * \return the bits of that number */
static uint32_t number_nodes(const topomap_closeness *c, uint32_t *code, at_site *list)
{
    uint32_t nodes = c->machine->nodes, most = 0, number = 0, bits;

    for (uint32_t a = 0; a < nodes; a++)
        list[a] = (at_site){site_code(c, a), a};
    qsort(list, nodes, sizeof *list, by_site);
    for (uint32_t i = 0; i < nodes; i++) {
        number = i > 0 && list[i].site == list[i - 1].site ? number + 1 : 0;
        code[list[i].node] = number;
        most = number > most ? number : most;
    }
    bits = topomap_closeness_bit(most, 0);
    for (uint32_t i = 0; i < nodes; i++)
        code[list[i].node] |= list[i].site << bits;
    return bits;
}

/* Returns 1 where codes have too few bits. */
static int write_places(topomap_closeness *c, int level, topomap_error *err)
{
    const topomap_machine *m = c->machine;
    TOPOMAP_FREED uint32_t *code = topomap_alloc(m->nodes, sizeof *code, err);
    TOPOMAP_FREED at_site *list = topomap_alloc(m->nodes, sizeof *list, err);
    uint32_t inside, top;

    if (!code || !list)
        return -1;
    if (level >= 0 || m->inner_levels == 1) /* the node is all that counts */
        c->node_bits = 0;
    inside = ((uint32_t)1 << c->node_bits) - 1;
    c->site_bits = c->node_bits + number_nodes(c, code, list);
    top = c->how == TOPOMAP_CLOSE_TORUS ? all_fields(m) : topomap_closeness_bit(m->sites, 0);
    c->by_index[0] = (float)m->inner[m->inner_levels - 1].cost; /* in one node */
    if (c->site_bits + top > TOPOMAP_CLOSE_CODE_BITS)
        return 1;
    for (uint32_t i = 0; i < c->places; i++)
        c->code[i] = code[m->node_of[c->slot[c->first[i]]]] << c->node_bits | (c->code[i] & inside);
    return 0;
}

/* ---- Near nodes --------------------------------------------------------------------------------
 */

/* A byte for each node, 0 for the node itself. \p site as site_code() has them. */
static void row_of(const topomap_closeness *c, uint32_t a, const uint32_t *site, uint8_t *row)
{
    const topomap_machine *m = c->machine;
    const uint8_t *pair = c->pair + (size_t)site[a] * m->sites;

    if (c->how == TOPOMAP_CLOSE_TORUS)
        for (uint32_t b = 0; b < m->nodes; b++)
            row[b] = c->pair[site[a] + c->middle - site[b]];
    else
        for (uint32_t b = 0; b < m->nodes; b++)
            row[b] = pair[site[b]];
    row[a] = 0;
}

/* The nodes of the lowest bytes of a row, in the order of the bytes. */
static void nearest(topomap_closeness *c, uint32_t a, const uint8_t *pair, uint32_t *list)
{
    const topomap_machine *m = c->machine;
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
    TOPOMAP_FREED uint32_t *site = topomap_alloc(nodes, sizeof *site, err);
    TOPOMAP_FREED uint8_t *row = topomap_alloc(nodes, 1, err);

    c->near_first = topomap_alloc((size_t)nodes + 1, sizeof *c->near_first, err);
    c->near_node = topomap_alloc((size_t)nodes * each, sizeof *c->near_node, err);
    if (!site || !row || !c->near_first || !c->near_node)
        return -1;
    for (uint32_t a = 0; a < nodes; a++)
        site[a] = site_code(c, a);
    for (uint32_t a = 0; a < nodes; a++) {
        row_of(c, a, site, row);
        c->near_first[a + 1] = c->near_first[a] + each;
        nearest(c, a, row, c->near_node + (size_t)a * each);
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

/* Without a table, codes are slots. */
static int do_without(topomap_closeness *c, topomap_error *err)
{
    free(c->pair);
    c->pair = NULL;
    c->how = TOPOMAP_CLOSE_ANY;
    for (uint32_t i = 0; i < c->places; i++)
        c->code[i] = c->slot[c->first[i]];
    if (c->machine->kind == TOPOMAP_MACHINE_TREE)
        return 0;
    return find_nodes(c, err) != 0 ? -1 : near_by_links(c, err);
}

int topomap_closeness_tabulate(topomap_closeness *c, int level, topomap_error *err)
{
    const topomap_machine *m = c->machine;
    int status = 1;

    if (c->how != TOPOMAP_CLOSE_ANY)
        status = m->kind == TOPOMAP_MACHINE_TORUS ? torus_table(c, err) : site_table(c, err);
    if (status == 0)
        status = write_places(c, level, err);
    if (status != 0)
        return status < 0 ? -1 : do_without(c, err);
    if (find_nodes(c, err) != 0)
        return -1;
    /* Rows of all nodes cost the square of their number. */
    return m->nodes <= c->table_nodes ? near_by_table(c, err) : near_by_links(c, err);
}
