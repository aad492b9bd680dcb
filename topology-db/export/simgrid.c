/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine as a platform of SimGrid (simgrid.org, "Describing your platform with XML",
 * DTD 4.1). */
#include "topology-db/export/export.h"

#include <string.h>

#include "fabric/shapes.h"
#include "machine/machine.h"
#include "fabric/network.h"
#include "util/alloc.h"
#include "util/text.h"
#include "xml/markup.h"
#include "metric/metric.h"

enum { NODES_MOST = 4096 }; /* with routes written out */

struct platform {
    FILE *out;
    const topomap_machine *machine;
    const topomap_network *network;
    const topomap_time_costs *costs;
    double rate;        /* of capacity 1 */
    uint32_t *distance; /* [vertices] hops to the present destination, where there are no routes */
    uint32_t *queue;    /* [vertices] */
};

static void put_host(const struct platform *p, const char *key, uint32_t node)
{
    const char *name = topomap_machine_node_name(p->machine, node);

    fprintf(p->out, " %s=\"", key);
    if (name)
        topomap_markup_put(p->out, name);
    else
        fprintf(p->out, "node%u", node);
    fputc('"', p->out);
}

/* ---- SimGrid's own zones ------------------------------------------------------------------- */

/* Hosts are numbered as the zone numbers them. */
static void put_cluster(const struct platform *p, const char *kind, const char *shape)
{
    fprintf(p->out,
            "<cluster id=\"fabric\" prefix=\"node\" suffix=\"\" radical=\"0-%u\" speed=\"1Gf\" "
            "bw=\"%.15gBps\" lat=\"%.15gs\" loopback_bw=\"%.15gBps\" loopback_lat=\"0s\" "
            "sharing_policy=\"SPLITDUPLEX\" topology=\"%s\" topo_parameters=\"%s\"/>\n",
            p->machine->nodes - 1, p->rate, p->costs->hop_latency, p->costs->memory_rate, kind,
            shape);
}

static int put_torus(const struct platform *p)
{
    const topomap_machine *m = p->machine;
    char shape[128] = "";
    uint64_t routers = 1;

    for (uint32_t d = 0; d < m->dims; d++) {
        routers *= m->dim[d];
        if (!m->wrap[d] || m->dim[d] < 3)
            return 0;
        topomap_text_append(shape, sizeof shape, "%s%u", d ? "," : "", m->dim[d]);
    }
    if (routers != m->nodes || m->node_name)
        return 0;
    for (uint32_t i = 0; i < m->nodes; i++)
        if (p->network->vertex_of[i] != i)
            return 0;
    put_cluster(p, "TORUS", shape);
    return 1;
}

static void put_row(char *text, size_t size, const uint32_t *row, uint32_t levels)
{
    for (uint32_t l = 1; l <= levels; l++)
        topomap_text_append(text, size, "%s%u", l > 1 ? "," : ";", row[l] ? row[l] : 1);
}

static int put_fattree(const struct platform *p)
{
    const uint32_t *host;
    const topomap_fattree *t = topomap_fattree_of(p->network, &host);
    char shape[256];
    uint64_t hosts = 1;

    if (!t || p->machine->node_name)
        return 0;
    for (uint32_t l = 1; l <= t->levels; l++)
        hosts *= t->m[l];
    for (uint32_t i = 0; hosts == p->machine->nodes && i < p->machine->nodes; i++)
        if (host[i] != i)
            return 0;
    if (hosts != p->machine->nodes)
        return 0;
    snprintf(shape, sizeof shape, "%u", t->levels);
    put_row(shape, sizeof shape, t->m, t->levels);
    put_row(shape, sizeof shape, t->w, t->levels);
    put_row(shape, sizeof shape, t->p, t->levels);
    put_cluster(p, "FAT_TREE", shape);
    return 1;
}

/* ---- All routes ------------------------------------------------------------------------------ */

static void put_links(const struct platform *p)
{
    const topomap_network *n = p->network;

    for (uint32_t i = 0; i < p->machine->nodes; i++) {
        fputs("<host", p->out);
        put_host(p, "id", i);
        fputs(" speed=\"1Gf\"/>\n", p->out);
    }
    fprintf(p->out,
            "<link id=\"memory\" bandwidth=\"%.15gBps\" latency=\"0s\" "
            "sharing_policy=\"FATPIPE\"/>\n",
            p->costs->memory_rate);
    for (uint32_t link = 0; link < n->links; link++)
        fprintf(p->out, "<link id=\"%u\" bandwidth=\"%.15gBps\" latency=\"%.15gs\"/>\n", link,
                n->capacity[link] * p->rate, p->costs->hop_latency);
}

/* Hops from every vertex to one, breadth first; cables lead both ways. */
static void find_distances(const struct platform *p, uint32_t to)
{
    const topomap_network *n = p->network;
    uint32_t found = 1;

    memset(p->distance, 0xff, n->vertices * sizeof *p->distance);
    p->distance[to] = 0;
    p->queue[0] = to;
    for (uint32_t i = 0; i < found; i++) {
        uint32_t v = p->queue[i];

        for (uint32_t link = n->first[v]; link < n->first[v + 1]; link++)
            if (p->distance[n->head[link]] == UINT32_MAX) {
                p->distance[n->head[link]] = p->distance[v] + 1;
                p->queue[found++] = n->head[link];
            }
    }
}

static uint32_t shortest_next(const struct platform *p, uint32_t at, uint32_t node)
{
    const topomap_network *n = p->network;
    uint32_t ways = 0, pick;

    for (uint32_t link = n->first[at]; link < n->first[at + 1]; link++)
        ways += p->distance[n->head[link]] + 1 == p->distance[at];
    if (!ways)
        return UINT32_MAX;
    pick = node % ways;
    for (uint32_t link = n->first[at];; link++)
        if (p->distance[n->head[link]] + 1 == p->distance[at] && pick-- == 0)
            return link;
}

static int put_route(const struct platform *p, uint32_t from, uint32_t to, topomap_error *err)
{
    const topomap_network *n = p->network;
    uint32_t at = n->vertex_of[from], end = n->vertex_of[to];

    fputs("<route", p->out);
    put_host(p, "src", from);
    put_host(p, "dst", to);
    fputs(" symmetrical=\"NO\">", p->out);
    if (at == end)
        fputs("<link_ctn id=\"memory\"/>", p->out);
    for (uint32_t steps = 0; at != end; steps++) {
        uint32_t link =
            topomap_network_routed(n) ? topomap_network_next(n, at, to) : shortest_next(p, at, to);

        if (link == UINT32_MAX || steps == n->vertices)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "no route from node %u to node %u of this network: they are "
                                     "not joined, or the routing tables do not lead there",
                                     from, to);
        fprintf(p->out, "<link_ctn id=\"%u\"/>", link);
        at = n->head[link];
    }
    fputs("</route>\n", p->out);
    return 0;
}

static int put_routes(struct platform *p, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena arena = {0};
    const topomap_network *n = p->network;

    if (p->machine->nodes > NODES_MOST)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "the routes between %u nodes are too many to be written out: at "
                                 "most %d nodes",
                                 p->machine->nodes, NODES_MOST);
    p->distance = topomap_arena_alloc(&arena, n->vertices, sizeof *p->distance, err);
    p->queue = topomap_arena_alloc(&arena, n->vertices, sizeof *p->queue, err);
    if (arena.is_short)
        return -1;
    fputs("<zone id=\"fabric\" routing=\"Full\">\n", p->out);
    put_links(p);
    for (uint32_t to = 0; to < p->machine->nodes; to++) {
        if (!topomap_network_routed(n))
            find_distances(p, n->vertex_of[to]);
        for (uint32_t from = 0; from < p->machine->nodes; from++)
            if (put_route(p, from, to, err))
                return -1;
    }
    fputs("</zone>\n", p->out);
    return 0;
}

/* Writes hosts named as the machine's nodes ("node5" where they have no names), and the links
 * between them. A whole torus and a whole fat tree are SimGrid's own zones, which route as
 * machine/network.h does; all others have each pair's route written out: by the tables or the rule
 * of the network where it has routes, else over one of the shortest paths, the alternatives shared
 * out by destination, as OpenSM's min-hop engine does. \param costs  rate (of cables of unknown
 * rate), hop_latency (of each link) and memory_rate (inside a node) are used. TOPOMAP_EUSAGE where
 * the machine's links are not known, or it has too many nodes to write all routes out. */
static int write_platform(FILE *out, const topomap_machine *machine,
                          const topomap_time_costs *costs, topomap_error *err)
{
    struct platform p = {
        .out = out, .machine = machine, .network = machine->network, .costs = costs};
    topomap_network *grid = NULL;
    int status = 0;

    if (!p.network) {
        if (topomap_network_grid(machine, &grid, err))
            return -1;
        p.network = grid;
    }
    p.rate = strcmp(p.network->unit, "s") == 0 ? 1.0 : costs->rate;
    fputs("<?xml version=\"1.0\"?>\n"
          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<!-- how to run it: topomap help db export -->\n"
          "<platform version=\"4.1\">\n",
          out);
    if (!(grid && put_torus(&p)) && !put_fattree(&p))
        status = put_routes(&p, err);
    fputs("</platform>\n", out);
    topomap_network_free(grid);
    return status;
}

/* ---- The exporter ----------------------------------------------------------------------- */

static int write_machine(FILE *out, const topomap_machine *machine, double latency,
                         topomap_error *err)
{
    topomap_time_costs costs = TOPOMAP_TIME_COSTS;

    costs.hop_latency = latency;
    costs.memory_rate = topomap_time_memory(machine, &costs);
    return write_platform(out, machine, &costs, err);
}

static int put_machine(struct db_export *x, const topomap_names *names, const uint32_t *tasks,
                       topomap_error *err)
{
    topomap_db_allocation allocation = {
        .size = sizeof allocation, .nodes = names, .tasks = tasks, .bind = TOPOMAP_BIND_NONE};
    topomap_machine *machine = NULL;
    int result = DB_STATUS(topomap_db_machine(x->db, &allocation, &machine, NULL, err) ||
                           topomap_db_machine_links(x->db, &allocation, NULL, machine, err) ||
                           write_machine(x->out, machine, x->latency, err));

    topomap_machine_free(machine);
    return result;
}

static int export_simgrid(struct db_export *x, topomap_error *err)
{
    TOPOMAP_FREED char **name = topomap_alloc(x->hosts, sizeof *name, err);
    TOPOMAP_FREED uint32_t *tasks = topomap_alloc(x->hosts, sizeof *tasks, err);
    topomap_names names = {0, name};

    if (!name || !tasks)
        return -1;
    for (uint32_t h = 0; h < x->hosts; h++)
        if (x->host[h].home != UINT32_MAX) {
            tasks[names.count] = 1;
            name[names.count++] = x->host[h].name;
        }
    return put_machine(x, &names, tasks, err);
}

const db_exporter db_export_simgrid = {
    .row = {"simgrid", "platform for SimGrid: hosts, links with rates, and their routes"},
    .run = export_simgrid,
    .links = 1,
    .run_machine = write_machine,
};
