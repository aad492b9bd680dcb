/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a communicator's processes run, as a machine whose slots are those processes. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "contrib/reorder/reorder.h"
#include "machine/shape.h"
#include "topology-db/db.h"
#include "util/alloc.h"

/* ---- Between nodes ------------------------------------------------------------------------- */

int reorder_between_flat(const topomap_mpi_target *target, void *data, uint32_t nodes,
                         char *const *names, const uint32_t *slots, topomap_machine **machine,
                         topomap_error *err)
{
    TOPOMAP_FREED uint32_t *group = topomap_alloc(nodes, sizeof *group, err);

    (void)target;
    return !group || topomap_machine_frame(nodes, slots, names, machine, err) != 0
               ? -1
               : topomap_machine_add_outer(*machine, "cluster", *(double *)data, 2, group, err);
}

/* A FIFO of that name must not hold the program. */
static int open_database(const reorder_settings *settings, topomap_db **db, topomap_error *err)
{
    struct stat found;

    if (stat(settings->db, &found) != 0 || !S_ISREG(found.st_mode))
        return topomap_error_set(err, TOPOMAP_EINPUT, "%.300s: no topology database", settings->db);
    return topomap_db_open(settings->db, db, err);
}

/* What the insides of nodes cost in the database's unit: measured, or the order of closeness. */
static int read_costs(topomap_db *db, topomap_mpi_costs *costs, topomap_error *err)
{
    const char *name;

    for (size_t i = 0; (name = topomap_shape_level(i)); i++) {
        snprintf(costs->level[i].name, sizeof costs->level[i].name, "%s", name);
        if (topomap_db_inside_cost(db, name, &costs->level[i].cost, err))
            return -1;
        costs->levels = (int)i + 1;
    }
    return 0;
}

int reorder_between_database(const topomap_mpi_target *target, void *data, uint32_t nodes,
                             char *const *names, const uint32_t *slots, topomap_machine **machine,
                             topomap_error *err)
{
    topomap_names list = {nodes, (char **)names};
    topomap_db_allocation allocation = {.size = sizeof allocation, .nodes = &list, .tasks = slots};
    topomap_db *db = NULL;
    topomap_error why;
    double flat = 2 * 10;
    topomap_mpi_costs *costs = data;
    int result = nodes > 1 ? open_database(&target->settings, &db, &why) : -1;

    if (!result)
        result = read_costs(db, costs, &why) ||
                 topomap_db_machine_between(db, &allocation, machine, &why);
    topomap_db_close(db);
    if (!result)
        return 0;
    costs->levels = 0;
    if (nodes > 1 && target->settings.db_named)
        reorder_say(&target->settings, "%s: all nodes count as equally far", why.text);
    return reorder_between_flat(target, &flat, nodes, names, slots, machine, err);
}

/* ---- Inside nodes -------------------------------------------------------------------------- */

/* What its levels cost, all nodes' together. */
struct levels {
    const topomap_mpi_costs *given;
    double scale;
    const reorder_inside *inside;
    uint32_t nodes;
    double *cost; /* [nodes * REORDER_LEVELS] */
};

static double given_cost(const topomap_mpi_costs *given, const char *name)
{
    for (int l = 0; l < given->levels; l++)
        if (strcmp(given->level[l].name, name) == 0)
            return given->level[l].cost;
    return 0;
}

/* A level that was not measured costs what the next inner one does. */
static double level_cost(const struct levels *levels, const char *name)
{
    if (levels->given && levels->given->levels)
        return given_cost(levels->given, name);
    return topomap_shape_cost(name) * levels->scale;
}

/* The whole node's: at least what its levels cost. */
static double node_cost(const struct levels *levels)
{
    double cost = level_cost(levels, "node");

    for (int l = 0; cost <= 0 && levels->given && l < levels->given->levels; l++)
        if (levels->given->level[l].cost > cost)
            cost = levels->given->level[l].cost;
    return cost;
}

static void fill_costs(struct levels *levels)
{
    for (uint32_t i = 0; i < levels->nodes; i++) {
        double inner = 0;

        for (uint32_t l = 0; l < levels->inside[i].levels; l++) {
            double own = level_cost(levels, levels->inside[i].level[l]);

            levels->cost[i * REORDER_LEVELS + l] = inner = own > inner ? own : inner;
        }
    }
}

/* The next larger cost below the node's own; 0 where there is none. */
static double next_cost(const struct levels *levels, double after, double node)
{
    double best = 0;

    for (uint32_t i = 0; i < levels->nodes; i++)
        for (uint32_t l = 0; l < levels->inside[i].levels; l++) {
            double cost = levels->cost[i * REORDER_LEVELS + l];

            if (cost > after && cost < node && (!best || cost < best))
                best = cost;
        }
    return best;
}

/* Groups as wide as this cost: of each node, its outermost level that costs at most that. */
static void group_slots(const struct levels *levels, double cost, uint32_t *group)
{
    uint32_t slot = 0, next = 0;

    for (uint32_t i = 0; i < levels->nodes; i++) {
        const reorder_inside *inside = &levels->inside[i];
        const uint32_t *row;
        uint32_t l = 0;

        while (l < inside->levels && levels->cost[i * REORDER_LEVELS + l] <= cost)
            l++;
        row = reorder_inside_row(inside, l); /* of processes, which all differ, where l is 0 */
        for (uint32_t s = 0; s < inside->slots; s++) {
            next += s && row[s] != row[s - 1];
            group[slot++] = next;
        }
        next++;
    }
}

static int add_inside(struct levels *levels, topomap_machine *machine, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *group = topomap_alloc(machine->slots, sizeof *group, err);
    TOPOMAP_FREED double *costs =
        topomap_alloc((size_t)levels->nodes * REORDER_LEVELS, sizeof *costs, err);
    double node = node_cost(levels), cost = 0;
    char name[24];

    if (!group || !costs)
        return -1;
    levels->cost = costs;
    fill_costs(levels);
    for (int l = 0; (cost = next_cost(levels, cost, node)) > 0; l++) {
        group_slots(levels, cost, group);
        snprintf(name, sizeof name, "inside %d", l + 1);
        if (topomap_machine_add_inner(machine, name, cost, group, err) != 0)
            return -1;
    }
    return topomap_machine_add_inner(machine, "node", node, machine->node_of, err) != 0
               ? -1
               : topomap_machine_finish(machine, err);
}

/* ---- All ----------------------------------------------------------------------------------- */

static int number_slots(topomap_mpi_target *target, const reorder_inside *inside, uint32_t nodes,
                        topomap_error *err)
{
    size_t n = (size_t)target->team.size;
    uint32_t slot = 0;

    target->process_of = topomap_alloc(n, sizeof *target->process_of, err);
    target->slot_of = topomap_alloc(n, sizeof *target->slot_of, err);
    if (!target->process_of || !target->slot_of)
        return -1;
    for (uint32_t i = 0; i < nodes; i++)
        for (uint32_t s = 0; s < inside[i].slots; s++, slot++) {
            target->process_of[slot] = (int)inside[i].row[s];
            target->slot_of[inside[i].row[s]] = slot;
        }
    return 0;
}

/* On rank 0. */
static int build(topomap_mpi_target *target, struct levels *levels, reorder_between *between,
                 void *data, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *slots = topomap_alloc(levels->nodes, sizeof *slots, err);
    TOPOMAP_FREED char **names = topomap_alloc(levels->nodes, sizeof *names, err);

    if (!slots || !names)
        return -1;
    for (uint32_t i = 0; i < levels->nodes; i++) {
        slots[i] = levels->inside[i].slots;
        names[i] = (char *)levels->inside[i].name;
    }
    return between(target, data, levels->nodes, names, slots, &target->machine, err) != 0 ||
                   add_inside(levels, target->machine, err) != 0
               ? -1
               : number_slots(target, levels->inside, levels->nodes, err);
}

static int make(topomap_mpi_target *target, struct levels *levels, reorder_between *between,
                void *data, topomap_error *err)
{
    reorder_inside *insides = NULL;
    int ok =
        reorder_inside_collect(&target->team, &target->settings, &target->inside, err) == 0 &&
        reorder_inside_gather(&target->team, &target->inside, &insides, &levels->nodes, err) == 0;

    if (ok && target->team.rank == 0) {
        levels->inside = insides;
        ok = build(target, levels, between, data, err) == 0;
    }
    if (insides)
        free(insides->row);
    free(insides);
    return reorder_agree(target->team.all, ok) ? 0 : -1;
}

int reorder_target_make(MPI_Comm comm, reorder_between *between, void *data,
                        const topomap_mpi_costs *inside, double scale, topomap_mpi_target **target,
                        topomap_error *err)
{
    struct levels levels = {.given = inside, .scale = scale};
    topomap_mpi_target *made = calloc(1, sizeof *made);

    topomap_error_set(err, TOPOMAP_ESYSTEM, "another process failed");
    if (!reorder_agree(comm, made != NULL)) {
        free(made);
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "no memory on some process");
    }
    reorder_settings_read(&made->settings);
    if (reorder_team_open(comm, &made->settings, &made->team) != 0) {
        free(made);
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "MPI cannot split the communicator");
    }
    if (make(made, &levels, between, data, err) != 0) {
        reorder_target_free(made);
        return -1;
    }
    *target = made;
    return 0;
}

int reorder_target_default(MPI_Comm comm, topomap_mpi_target **target, topomap_error *err)
{
    topomap_mpi_costs costs = {0};

    return reorder_target_make(comm, reorder_between_database, &costs, &costs, 1, target, err);
}

void reorder_target_free(topomap_mpi_target *target)
{
    if (!target)
        return;
    reorder_team_close(&target->team);
    reorder_inside_clear(&target->inside);
    topomap_machine_free(target->machine);
    free(target->process_of);
    free(target->slot_of);
    free(target);
}
