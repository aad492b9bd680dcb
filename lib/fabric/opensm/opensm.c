/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of engines, and a subnet for them, made from a fabric. */
#include "fabric/opensm/subnet.h"

#include <string.h>

#include "util/sorted.h"
#include "util/text.h"

const topomap_opensm_engine *topomap_opensm_engine_at(size_t i)
{
    static const topomap_opensm_engine *const rows[] = {
        &topomap_opensm_minhop,
        &topomap_opensm_updn,
        &topomap_opensm_ftree,
        &topomap_opensm_dor,
    };

    return i < sizeof rows / sizeof *rows ? rows[i] : NULL;
}

static const topomap_opensm_engine *find_engine(const char *name, topomap_error *err)
{
    const topomap_opensm_engine *row;
    char names[160] = "";

    for (size_t i = 0; (row = topomap_opensm_engine_at(i)) != NULL; i++) {
        if (strcmp(row->name, name) == 0)
            return row;
        topomap_text_append(names, sizeof names, "%s%s", i ? ", " : "", row->name);
    }
    topomap_error_set(err, TOPOMAP_EUSAGE, "unknown routing engine '%s'; OpenSM's are: %s", name,
                      names);
    return NULL;
}

/* ---- Switches and cables ----------------------------------------------------------------- */

/* State that is needed only while a subnet is made. */
struct loader {
    topomap_opensm_subnet *subnet;
    const topomap_lft_fabric *fabric;
    int64_t id;
    uint32_t *switch_of; /* [vertices] index of the switch, or OPENSM_NONE */
    uint32_t *port_of;   /* [cables] index of the switch's port, or OPENSM_NONE */
    uint8_t *is_used;    /* [TOPOMAP_LIDS] the LID belongs to a port */
};

TOPOMAP_COMPARE(in_map_order, topomap_opensm_switch,
                TOPOMAP_ORDER(__builtin_bswap64(x->guid), __builtin_bswap64(y->guid)),
                TOPOMAP_ORDER(x->vertex, y->vertex))

/* Returns the same cable, seen from its other end; NULL if the cable is not used for routes. */
static const topomap_cable *other_end(const struct loader *loader, const topomap_cable *cable)
{
    const topomap_lft_fabric *fabric = loader->fabric;
    const topomap_cable *back = topomap_lft_cable(fabric, cable->peer, cable->peer_port);

    if (!back || back->peer != cable->at || back->peer_port != cable->port ||
        cable->at == cable->peer || topomap_lft_cable(fabric, cable->at, cable->port) != cable)
        return NULL;
    if (cable->port == 0 || cable->port == TOPOMAP_NO_PORT || cable->peer_port == 0 ||
        cable->peer_port == TOPOMAP_NO_PORT || fabric->vertex[cable->peer].subnet != loader->id)
        return NULL;
    return back;
}

/* Marks `lids` LIDs from `lid` on as used, and raises those of the subnet to hold them. Returns 0,
 * or -1 with `err` set if one of them is no unicast LID or is used already. */
static int take_lids(struct loader *loader, uint32_t lid, uint32_t lids, topomap_error *err)
{
    if (lid + lids > TOPOMAP_LIDS)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "LID 0x%x is no unicast LID; these are 0x1 to 0x%x",
                                 lid + lids - 1, TOPOMAP_LIDS - 1);
    for (uint32_t i = lid; i < lid + lids; i++) {
        if (loader->is_used[i])
            return topomap_error_set(err, TOPOMAP_EINPUT, "LID 0x%x belongs to two ports", i);
        loader->is_used[i] = 1;
    }
    if (lid + lids > loader->subnet->lids)
        loader->subnet->lids = lid + lids;
    return 0;
}

static int load_switches(struct loader *loader, topomap_error *err)
{
    topomap_opensm_subnet *subnet = loader->subnet;
    const topomap_lft_vertex *vertex = loader->fabric->vertex;

    for (uint32_t v = 0; v < loader->fabric->count; v++) {
        loader->switch_of[v] = OPENSM_NONE;
        if (vertex[v].kind == IB_SWITCH && vertex[v].subnet == loader->id)
            subnet->node[subnet->count++] =
                (topomap_opensm_switch){.guid = vertex[v].guid, .vertex = v, .lid = vertex[v].lid};
    }
    TOPOMAP_SORT(subnet->node, subnet->count, in_map_order);
    for (uint32_t i = 0; i < subnet->count; i++) {
        loader->switch_of[subnet->node[i].vertex] = i;
        if (subnet->node[i].lid && take_lids(loader, subnet->node[i].lid, 1, err))
            return -1;
    }
    return 0;
}

static void load_ports(struct loader *loader)
{
    topomap_opensm_subnet *subnet = loader->subnet;
    const topomap_lft_fabric *fabric = loader->fabric;

    for (uint32_t i = 0; i < subnet->count; i++) {
        topomap_opensm_switch *node = &subnet->node[i];

        node->first = subnet->ports;
        for (uint32_t c = fabric->vertex[node->vertex].cables;
             c < fabric->vertex[node->vertex + 1].cables; c++) {
            uint32_t peer = loader->switch_of[fabric->cable[c].peer];

            if (!other_end(loader, &fabric->cable[c]))
                continue;
            loader->port_of[c] = subnet->ports;
            node->host_cables += peer == OPENSM_NONE;
            subnet->port[subnet->ports++] =
                (topomap_opensm_port){peer, OPENSM_NONE, OPENSM_NONE, fabric->cable[c].port, 0};
        }
    }
    subnet->node[subnet->count].first = subnet->ports;
}

/* Fills `back` of each port and joins_hosts of the subnet. */
static void join_ports(struct loader *loader)
{
    topomap_opensm_subnet *subnet = loader->subnet;
    const topomap_lft_fabric *fabric = loader->fabric;

    for (uint32_t c = 0; c < fabric->cables; c++) {
        const topomap_lft_vertex *at = &fabric->vertex[fabric->cable[c].at];
        const topomap_lft_vertex *peer = &fabric->vertex[fabric->cable[c].peer];

        if (loader->port_of[c] != OPENSM_NONE)
            subnet->port[loader->port_of[c]].back =
                loader->port_of[other_end(loader, &fabric->cable[c]) - fabric->cable];
        else if (at->subnet == loader->id && at->kind == IB_ADAPTER && peer->kind == IB_ADAPTER &&
                 other_end(loader, &fabric->cable[c]))
            subnet->joins_hosts = 1;
    }
}

static int load_ends(struct loader *loader, size_t ends, topomap_error *err)
{
    topomap_opensm_subnet *subnet = loader->subnet;
    const topomap_lft_fabric *fabric = loader->fabric;

    for (uint32_t e = 0; e < ends; e++) {
        const topomap_opensm_end *end = &subnet->end[e];
        const topomap_cable *cable = NULL, *back = NULL;
        uint32_t p;

        if (end->vertex < fabric->count && fabric->vertex[end->vertex].kind != IB_SWITCH)
            cable = topomap_lft_cable(fabric, end->vertex, end->port);
        if (cable)
            back = other_end(loader, cable);
        p = back ? loader->port_of[back - fabric->cable] : OPENSM_NONE;
        if (p == OPENSM_NONE || !end->lid || subnet->port[p].end != OPENSM_NONE)
            continue;
        if (end->lmc > 7)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "the LMC of LID 0x%x is %u; it can be at most 7", end->lid,
                                     end->lmc);
        if (take_lids(loader, end->lid, 1u << end->lmc, err))
            return -1;
        subnet->port[p].end = e;
        subnet->port[p].is_host = fabric->vertex[end->vertex].kind != IB_ROUTER;
        if (end->lmc > subnet->lmc)
            subnet->lmc = end->lmc;
    }
    return 0;
}

/* ---- Tables ------------------------------------------------------------------------------ */

static void clear_subnet(topomap_opensm_subnet *subnet)
{
    for (uint32_t i = 0; subnet->table && i < subnet->count; i++)
        free(subnet->table[i]);
    topomap_arena_clear(&subnet->arena);
}

static int make_tables(topomap_opensm_subnet *subnet, topomap_error *err)
{
    subnet->table = topomap_arena_alloc(&subnet->arena, subnet->count, sizeof *subnet->table, err);
    if (!subnet->table)
        return -1;
    for (uint32_t i = 0; i < subnet->count; i++) {
        subnet->table[i] = topomap_alloc(subnet->lids, 1, err);
        if (!subnet->table[i])
            return -1;
        memset(subnet->table[i], TOPOMAP_NO_PORT, subnet->lids);
    }
    return 0;
}

static int load_subnet(topomap_opensm_subnet *subnet, const topomap_lft_fabric *fabric, int64_t id,
                       size_t ends, topomap_error *err)
{
    topomap_arena *arena = &subnet->arena;
    struct loader loader = {subnet, fabric, id, NULL, NULL, NULL};

    if (ends >= UINT32_MAX)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "too many ports of hosts: %zu", ends);
    subnet->lids = 1;
    subnet->node = topomap_arena_alloc(arena, (size_t)fabric->count + 1, sizeof *subnet->node, err);
    subnet->port = topomap_arena_alloc(arena, fabric->cables, sizeof *subnet->port, err);
    loader.switch_of = topomap_arena_alloc(arena, fabric->count, sizeof *loader.switch_of, err);
    loader.port_of = topomap_arena_alloc(arena, fabric->cables, sizeof *loader.port_of, err);
    loader.is_used = topomap_arena_alloc(arena, TOPOMAP_LIDS, 1, err);
    if (arena->is_short)
        return -1;
    memset(loader.port_of, 0xff, fabric->cables * sizeof *loader.port_of);
    if (load_switches(&loader, err))
        return -1;
    load_ports(&loader);
    join_ports(&loader);
    return load_ends(&loader, ends, err) ? -1 : make_tables(subnet, err);
}

int topomap_opensm_route(topomap_lft_fabric *fabric, int64_t id, const topomap_opensm_end *end,
                         size_t ends, const char *engine, const char **used, topomap_error *err)
{
    TOPOMAP_CLEANUP(clear_subnet) topomap_opensm_subnet subnet = {.end = end};
    const topomap_opensm_engine *row = find_engine(engine, err);
    int refuses;

    if (!row || load_subnet(&subnet, fabric, id, ends, err))
        return -1;
    refuses = row->route(&subnet, err);
    if (refuses > 0) {
        row = topomap_opensm_engine_at(0);
        refuses = row->route(&subnet, err);
    }
    if (refuses)
        return -1;
    for (uint32_t i = 0; i < subnet.count; i++) {
        topomap_lft *lft = &fabric->lft[subnet.node[i].vertex];

        free(lft->port);
        *lft = (topomap_lft){topomap_take(&subnet.table[i]), subnet.lids, 1};
    }
    *used = row->name;
    return 0;
}
