/* SPDX-License-Identifier: BSD-3-Clause */
/* Adapters out of ports, where a dump has the GUIDs of ports only. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/import/ib/ib.h"
#include "util/alloc.h"

enum { MANY = 255 }; /* the GUID has several port numbers: it is a node's own */

struct member {
    uint64_t node;    /* its node GUID, 0 where it is not known */
    const char *text; /* then its description, which names a host and an adapter */
    uint64_t guid;
    uint32_t index;
    uint8_t port;
};

static int by_group(const struct member *x, const struct member *y)
{
    return TOPOMAP_ORDER(x->node, y->node) ?: (x->node ? 0 : strcmp(x->text, y->text));
}

TOPOMAP_COMPARE(by_member, struct member, by_group(x, y),
                TOPOMAP_ORDER(x->port, y->port) ?: TOPOMAP_ORDER(x->guid, y->guid))

static void see_port(uint8_t *port, uint8_t number)
{
    *port = !*port || *port == number ? number : MANY;
}

/* Which port each adapter's GUID is of. */
static uint8_t *find_ports(const struct ib_fabric *fabric, topomap_error *err)
{
    uint8_t *port = topomap_alloc(fabric->vertices, 1, err);

    if (!port)
        return NULL;
    for (size_t i = 0; i < fabric->ends; i++) {
        see_port(&port[fabric->end[i].vertex], fabric->end[i].port);
        see_port(&port[fabric->end[i].remote], fabric->end[i].remote_port);
    }
    for (size_t i = 0; i < fabric->idles; i++)
        see_port(&port[fabric->idle[i].vertex], fabric->idle[i].port);
    return port;
}

/* Makers count a port's GUID from its node's, or (a single port) use the node's for it. */
static uint64_t find_node(const uint64_t *nodes, size_t count, uint64_t guid, uint8_t port)
{
    uint64_t counted = guid - port;

    if (!count)
        return 0;
    if (bsearch(&guid, nodes, count, sizeof *nodes, topomap_by_u64))
        return guid;
    return port != MANY && bsearch(&counted, nodes, count, sizeof *nodes, topomap_by_u64) ? counted
                                                                                          : 0;
}

static size_t find_members(const struct ib_fabric *fabric, const uint64_t *nodes, size_t count,
                           const uint8_t *port, struct member *member)
{
    size_t members = 0;
    char word[256];

    for (uint32_t i = 0; i < fabric->vertices; i++) {
        const struct ib_vertex *vertex = &fabric->vertex[i];
        const char *text = vertex->text == UINT32_MAX ? "" : ib_text(fabric, i);
        uint64_t node;

        if (vertex->kind != IB_ADAPTER && vertex->kind != IB_AGGREGATION)
            continue;
        node = find_node(nodes, count, vertex->guid, port[i]);
        if (!node && (port[i] == MANY || !ib_host_name(text, word, sizeof word) ||
                      !ib_adapter_name(text, word, sizeof word)))
            continue;
        member[members++] = (struct member){node, text, vertex->guid, i, port[i]};
    }
    TOPOMAP_SORT(member, members, by_member);
    return members;
}

/* Descriptions are labels: two ports of one number are of two adapters. */
static int is_one_adapter(const struct member *member, size_t count)
{
    for (size_t i = 1; !member->node && i < count; i++)
        if (member[i].port == member[i - 1].port)
            return 0;
    return 1;
}

static void find_owners(struct ib_fabric *fabric, const struct member *member, size_t members,
                        uint32_t *owner)
{
    size_t end;

    for (uint32_t i = 0; i < fabric->vertices; i++)
        owner[i] = i;
    for (size_t i = 0; i < members; i = end) {
        for (end = i + 1; end < members && by_group(&member[i], &member[end]) == 0;)
            end++;
        if (!is_one_adapter(&member[i], end - i))
            continue;
        for (size_t k = i; k < end; k++) {
            owner[member[k].index] = member[i].index;
            if (fabric->vertex[member[k].index].recorded)
                fabric->vertex[member[i].index].recorded = 1;
            if (fabric->last == member[k].guid)
                fabric->last = member[i].node ? member[i].node : member[i].guid;
        }
        if (member[i].node)
            fabric->vertex[member[i].index].guid = member[i].node;
    }
}

/* Moves what is of a vertex to its owner and closes the gaps. */
static void move(struct ib_fabric *fabric, uint32_t *owner)
{
    uint32_t kept = 0;

    /* An owner may come after what it owns: number the owners first. */
    for (uint32_t i = 0; i < fabric->vertices; i++)
        if (owner[i] == i) {
            fabric->vertex[kept] = fabric->vertex[i];
            owner[i] = kept++ | UINT32_C(1) << 31;
        }
    for (uint32_t i = 0; i < fabric->vertices; i++)
        if (!(owner[i] >> 31))
            owner[i] = owner[owner[i]];
    for (uint32_t i = 0; i < fabric->vertices; i++)
        owner[i] &= INT32_MAX;
    ib_renumber(fabric, owner);
    fabric->vertices = kept;
}

int ib_merge_adapters(struct ib_fabric *fabric, uint64_t *nodes, size_t count, topomap_error *err)
{
    TOPOMAP_FREED uint8_t *port = find_ports(fabric, err);
    TOPOMAP_FREED struct member *member = topomap_alloc(fabric->vertices, sizeof *member, err);
    TOPOMAP_FREED uint32_t *owner = topomap_alloc(fabric->vertices, sizeof *owner, err);

    if (!port || !member || !owner)
        return -1;
    TOPOMAP_SORT(nodes, count, topomap_by_u64);
    find_owners(fabric, member, find_members(fabric, nodes, count, port, member), owner);
    move(fabric, owner);
    return 0;
}
