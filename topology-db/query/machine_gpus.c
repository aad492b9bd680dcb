/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine of an allocation whose slots are GPUs. */
#include <stdlib.h>

#include "machine/spec.h"
#include "topology-db/query/query.h"
#include "util/alloc.h"

/* Two slots of one GPU; an NVLink is 1 (machine/devices.h), and two of them lead through a domain's
 * switches. */
static const double on_one_gpu = 0.5, in_domain = 2;

struct gpus {
    topomap_db *db;
    const uint32_t *gpu; /* [slots] */
    topomap_machine *machine;
    topomap_db_device_classes classes;
    topomap_device_levels *levels; /* [classes] */
    uint32_t **place;              /* [classes][gpus] where a GPU is in the levels' order */
    uint32_t **rail;               /* [classes][gpus] */
    uint32_t *rails;               /* [classes] */
    uint32_t *leaves;              /* [nodes] switches that a node's NICs hang on */
};

static void gpus_clear(struct gpus *g)
{
    for (uint32_t c = 0; c < g->classes.classes; c++) {
        if (g->levels)
            topomap_device_levels_clear(&g->levels[c]);
        if (g->place)
            free(g->place[c]);
        if (g->rail)
            free(g->rail[c]);
    }
    free(g->levels);
    free(g->place);
    free(g->rail);
    free(g->rails);
    free(g->leaves);
    topomap_db_device_classes_clear(&g->classes);
    topomap_machine_free(g->machine);
}

/* ---- What is known ------------------------------------------------------------------------- */

static int look_at_class(struct gpus *g, uint32_t c, topomap_error *err)
{
    const topomap_devices *d = &g->classes.class[c];

    if (!d->gpus)
        return 0;
    g->place[c] = topomap_alloc(d->gpus, sizeof **g->place, err);
    g->rail[c] = topomap_alloc(d->gpus, sizeof **g->rail, err);
    if (!g->place[c] || !g->rail[c] || topomap_devices_levels(d, NULL, 0, &g->levels[c], err))
        return -1;
    for (uint32_t i = 0; i < d->gpus; i++)
        g->place[c][g->levels[c].order[i]] = i;
    g->rails[c] = topomap_devices_rails(d, g->rail[c], err);
    return g->rails[c] ? 0 : -1;
}

static int look_at_classes(struct gpus *g, topomap_error *err)
{
    uint32_t classes = g->classes.classes;

    g->levels = topomap_alloc(classes, sizeof *g->levels, err);
    g->place = topomap_alloc(classes, sizeof *g->place, err);
    g->rail = topomap_alloc(classes, sizeof *g->rail, err);
    g->rails = topomap_alloc(classes, sizeof *g->rails, err);
    if (!g->levels || !g->place || !g->rail || !g->rails)
        return -1;
    for (uint32_t c = 0; c < classes; c++)
        if (look_at_class(g, c, err))
            return -1;
    return 0;
}

static int count_leaves(struct gpus *g, const topomap_names *nodes, topomap_error *err)
{
    DB_FINDER finder = {0};
    TOPOMAP_FREED struct db_hanging *on = NULL;
    size_t room = 0, count;

    g->leaves = topomap_alloc(g->machine->nodes, sizeof *g->leaves, err);
    if (!g->leaves || db_finder_open(g->db, &finder, err))
        return -1;
    for (uint32_t i = 0; i < g->machine->nodes; i++) {
        struct db_place place;

        if (db_finder_find(&finder, nodes->name[i], &place, err) ||
            db_finder_switches(&finder, 0, place.host, &on, &room, &count, err))
            return -1;
        g->leaves[i] = (uint32_t)count;
    }
    return 0;
}

/* A slot's GPU must be one that its node has, as far as that is known. */
static int check_slots(const struct gpus *g, topomap_error *err)
{
    const topomap_machine *m = g->machine;

    for (uint32_t s = 0; s < m->slots; s++) {
        uint32_t c = g->classes.class_of[m->node_of[s]];

        if (c == TOPOMAP_DB_NO_DEVICES || !g->classes.class[c].gpus)
            continue;
        if (g->gpu[s] >= g->classes.class[c].gpus)
            return topomap_error_set(err, TOPOMAP_EUSAGE, "node '%s' has %u GPUs, and no GPU %u",
                                     m->node_name[m->node_of[s]], g->classes.class[c].gpus,
                                     g->gpu[s]);
        if (s && m->node_of[s] == m->node_of[s - 1] &&
            g->place[c][g->gpu[s]] < g->place[c][g->gpu[s - 1]])
            return topomap_error_set(err, TOPOMAP_EUSAGE,
                                     "node '%s': GPU %u stands behind GPU %u, which is not the "
                                     "order in which they are joined",
                                     m->node_name[m->node_of[s]], g->gpu[s], g->gpu[s - 1]);
    }
    return 0;
}

/* ---- Inside nodes -------------------------------------------------------------------------- */

/* The next higher cost of a level of some class; 0: there is none. */
static double next_cost(const struct gpus *g, double after)
{
    double next = 0;

    for (uint32_t c = 0; c < g->classes.classes; c++)
        for (uint32_t l = 0; l < g->levels[c].levels; l++)
            if (g->levels[c].level[l].cost > after &&
                (next == 0 || g->levels[c].level[l].cost < next))
                next = g->levels[c].level[l].cost;
    return next;
}

/* Whether two slots of a node are together at this cost. */
static int together(const struct gpus *g, uint32_t a, uint32_t b, double cost, const char **name)
{
    uint32_t c = g->classes.class_of[g->machine->node_of[a]];
    const topomap_device_levels *levels;

    if (c == TOPOMAP_DB_NO_DEVICES || !g->classes.class[c].gpus)
        return 0;
    if (g->gpu[a] == g->gpu[b])
        return 1;
    levels = &g->levels[c];
    for (uint32_t l = levels->levels; l-- > 0;)
        if (levels->level[l].cost <= cost) {
            if (levels->level[l].cost == cost)
                *name = levels->level[l].name;
            return levels->level[l].group[g->place[c][g->gpu[a]]] ==
                   levels->level[l].group[g->place[c][g->gpu[b]]];
        }
    return 0;
}

/* Levels of all classes are put together by their costs, as node_levels.c does with cores. The
 * costliest is the node's. */
static int add_inner(struct gpus *g, topomap_error *err)
{
    topomap_machine *m = g->machine;
    TOPOMAP_FREED uint32_t *group = topomap_alloc(m->slots, sizeof *group, err);
    double node = topomap_near_cost(TOPOMAP_NEAR_NODE), most = 0;
    int result = group ? 0 : -1;

    for (double cost = next_cost(g, 0); cost; cost = next_cost(g, cost))
        most = cost;
    for (double cost = on_one_gpu; !result && cost && cost < most; cost = next_cost(g, cost)) {
        const char *name = "gpu";
        int any = 0;

        for (uint32_t s = 0; s < m->slots; s++) {
            int same =
                s && m->node_of[s] == m->node_of[s - 1] && together(g, s - 1, s, cost, &name);

            group[s] = s ? group[s - 1] + !same : 0;
            any |= same;
        }
        if (any)
            result = topomap_machine_add_inner(m, name, cost, group, err);
    }
    return result ? -1
                  : topomap_machine_add_inner(m, "node", most > 0 ? most : node, m->node_of, err);
}

/* ---- Between nodes ------------------------------------------------------------------------- */

/* Whether NVLink joins all GPUs of all nodes, so that bytes can change rails inside them. */
static int joined(const struct gpus *g)
{
    for (uint32_t c = 0; c < g->classes.classes; c++) {
        const topomap_devices *d = &g->classes.class[c];

        for (uint32_t i = 0; i < d->gpus; i++)
            for (uint32_t j = 0; j < i; j++)
                if (!topomap_devices_linked(d, i, j))
                    return 0;
    }
    return 1;
}

/* On leaves of a rail each, where nodes are near each other on their own rails: two hops. Another
 * rail is an NVLink more, or two hops, over a spine; from farther nodes all ways lead over spines.
 */
static int add_rails(struct gpus *g, topomap_error *err)
{
    topomap_machine *m = g->machine;
    size_t cells = (size_t)m->sites * m->sites;
    TOPOMAP_FREED uint32_t *rail_of = topomap_alloc(m->slots, sizeof *rail_of, err);
    TOPOMAP_FREED float *cross = topomap_alloc(cells, sizeof *cross, err);
    double extra = joined(g) ? 1 : DB_TENTHS(2 * TOPOMAP_HOP);
    int result = rail_of && cross ? 0 : -1;

    for (uint32_t s = 0; !result && s < m->slots; s++) {
        uint32_t node = m->node_of[s], c = g->classes.class_of[node];

        if (c != TOPOMAP_DB_NO_DEVICES && g->classes.class[c].gpus)
            rail_of[s] = g->rail[c][g->gpu[s]] *
                         (g->leaves[node] < g->rails[c] ? g->leaves[node] : g->rails[c]) /
                         g->rails[c];
    }
    for (size_t i = 0; !result && i < cells; i++)
        cross[i] = m->site_hops && m->site_hops[i] == 2 ? (float)extra : 0;
    if (!result)
        result = topomap_machine_set_rails(m, rail_of, cross, NULL, err);
    return result;
}

static int add_between(struct gpus *g, topomap_error *err)
{
    topomap_machine *m = g->machine;

    if (m->kind != TOPOMAP_MACHINE_MATRIX)
        return 0;
    if (add_rails(g, err))
        return -1;
    return g->classes.domains
               ? topomap_machine_set_domains(m, g->classes.domain_of, in_domain, 1, err)
               : 0;
}

int topomap_db_machine_gpus(topomap_db *db, const topomap_db_allocation *allocation,
                            const uint32_t *gpu, topomap_machine **machine, topomap_error *err)
{
    TOPOMAP_CLEANUP(gpus_clear) struct gpus g = {.db = db, .gpu = gpu};
    topomap_db_allocation known;

    if (db_allocation_copy(&known, allocation, err) ||
        topomap_db_devices_of(db, known.nodes, &g.classes, err) ||
        topomap_db_machine_between(db, allocation, &g.machine, err) || look_at_classes(&g, err) ||
        count_leaves(&g, known.nodes, err) || check_slots(&g, err) || add_inner(&g, err) ||
        add_between(&g, err) || topomap_machine_finish(g.machine, err))
        return -1;
    *machine = g.machine;
    g.machine = NULL;
    return 0;
}
