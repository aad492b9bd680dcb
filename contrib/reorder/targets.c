/* SPDX-License-Identifier: BSD-3-Clause */
/* The public calls that measure, and targets made of what was measured: Lindgren (KTH), methods 1
 * and 2. */
#include "config.h"
#include <stdlib.h>
#include <string.h>

#include "contrib/reorder/measure.h"
#include "util/alloc.h"

void topomap_mpi_target_free(topomap_mpi_target *target)
{
    reorder_target_free(target);
}

int topomap_mpi_target_make(MPI_Comm comm, topomap_mpi_target **target, topomap_error *err)
{
    return reorder_target_default(comm, target, err);
}

double topomap_mpi_target_distance(const topomap_mpi_target *target, int a, int b)
{
    if (!target->machine || a < 0 || b < 0 || a >= target->team.size || b >= target->team.size)
        return -1;
    return topomap_machine_distance(target->machine, target->slot_of[a], target->slot_of[b]);
}

/* ---- Inside nodes --------------------------------------------------------------------------- */

/* One pair of processes of a node for each level, the node itself last; a == b: there is none. */
struct pairs {
    int levels;
    char name[REORDER_LEVELS + 1][16];
    int a[REORDER_LEVELS + 1], b[REORDER_LEVELS + 1]; /* ranks in target->team.all */
};

static uint32_t innermost(const reorder_inside *inside, uint32_t p, uint32_t q)
{
    uint32_t l = 0;

    while (l < inside->levels &&
           reorder_inside_row(inside, l + 1)[p] != reorder_inside_row(inside, l + 1)[q])
        l++;
    return l;
}

/* Of neighbouring slots, those that meet at each level. */
static void choose_pairs(const reorder_inside *inside, struct pairs *pairs)
{
    *pairs = (struct pairs){.levels = (int)inside->levels + 1};
    for (uint32_t l = 0; l <= inside->levels; l++)
        snprintf(pairs->name[l], sizeof pairs->name[l], "%s",
                 l < inside->levels ? inside->level[l] : "node");
    for (uint32_t s = inside->slots; s-- > 1;) {
        uint32_t l = innermost(inside, s - 1, s);

        pairs->a[l] = (int)inside->row[s - 1];
        pairs->b[l] = (int)inside->row[s];
    }
}

/* Adds a node's costs, level by level in their order of closeness. */
static void add_costs(topomap_mpi_costs *sum, int *count, const topomap_mpi_costs *one)
{
    for (int i = 0; i < one->levels; i++) {
        int at = 0;

        while (at < sum->levels && strcmp(sum->level[at].name, one->level[i].name) != 0)
            at++;
        if (at == sum->levels) {
            if (at == (int)(sizeof sum->level / sizeof *sum->level))
                continue;
            for (; at && topomap_shape_cost(sum->level[at - 1].name) >
                             topomap_shape_cost(one->level[i].name);
                 at--) {
                sum->level[at] = sum->level[at - 1];
                count[at] = count[at - 1];
            }
            sum->level[at] = one->level[i];
            count[at] = 1;
            sum->levels++;
        } else {
            sum->level[at].cost += one->level[i].cost;
            count[at]++;
        }
    }
}

/* Rank 0 has the means. */
static void mean_costs(const topomap_mpi_costs *all, int nodes, topomap_mpi_costs *mean)
{
    int count[sizeof mean->level / sizeof *mean->level];

    *mean = (topomap_mpi_costs){0};
    for (int i = 0; i < nodes; i++)
        add_costs(mean, count, &all[i]);
    for (int l = 0; l < mean->levels; l++)
        mean->level[l].cost /= count[l];
}

/* Nodes at once, each its pairs one after the other. */
static void measure_node(const topomap_mpi_target *t, int rounds, topomap_mpi_costs *costs)
{
    double time[REORDER_LEVELS + 1] = {0}, sum[REORDER_LEVELS + 1] = {0};
    struct pairs pairs;

    if (!t->team.node_rank)
        choose_pairs(&t->inside, &pairs);
    PMPI_Bcast(&pairs, sizeof pairs, MPI_BYTE, 0, t->team.node);
    for (int l = 0; l < pairs.levels; l++) {
        int first = t->team.rank == pairs.a[l], second = t->team.rank == pairs.b[l];

        PMPI_Barrier(t->team.node);
        if (first != second) {
            double own =
                reorder_measure_pair(t->team.all, first ? pairs.b[l] : pairs.a[l], first, rounds);

            time[l] = first ? own : 0;
        }
    }
    PMPI_Reduce(time, sum, pairs.levels, MPI_DOUBLE, MPI_SUM, 0, t->team.node);
    *costs = (topomap_mpi_costs){0};
    for (int l = 0; !t->team.node_rank && l < pairs.levels; l++)
        if (pairs.a[l] != pairs.b[l]) {
            memcpy(costs->level[costs->levels].name, pairs.name[l], sizeof pairs.name[l]);
            costs->level[costs->levels++].cost = sum[l];
        }
}

static int check_rounds(MPI_Comm comm, int rounds, topomap_error *err)
{
    if (reorder_agree(comm, rounds > 0))
        return 0;
    return topomap_error_set(err, TOPOMAP_EUSAGE, "at least one round trip is measured");
}

/* What the measurements need: who is where. */
static int open_flat(MPI_Comm comm, topomap_mpi_target **target, topomap_error *err)
{
    double far = 1;

    return reorder_target_make(comm, reorder_between_flat, &far, NULL, 0.1, target, err);
}

int topomap_mpi_inside_measure(MPI_Comm comm, int rounds, topomap_mpi_costs *costs,
                               topomap_error *err)
{
    REORDER_TARGET_FREED topomap_mpi_target *t = NULL;
    topomap_mpi_costs own;
    TOPOMAP_FREED void *all = NULL;
    size_t nodes = 0;
    int ok = 1;

    if (check_rounds(comm, rounds, err) != 0 || open_flat(comm, &t, err) != 0)
        return -1;
    measure_node(t, rounds, &own);
    if (t->team.leaders != MPI_COMM_NULL)
        ok = reorder_gather(t->team.leaders, &own, 1, sizeof own, &all, &nodes) == 0;
    if (ok && t->team.rank == 0)
        mean_costs(all, (int)nodes, &own);
    ok = reorder_agree(t->team.all, ok);
    if (!ok)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "no memory on rank 0");
    PMPI_Bcast(&own, sizeof own, MPI_BYTE, 0, t->team.all);
    *costs = own;
    return 0;
}

/* ---- Grids of hops -------------------------------------------------------------------------- */

/* On rank 0: the leaders' coordinates. */
struct lattice {
    topomap_mpi_grid grid;
    int *at; /* [nodes * 8] */
    double base, hop;
};

static void lattice_clear(struct lattice *lattice)
{
    free(lattice->at);
}

static int is_grid(const topomap_mpi_grid *grid)
{
    if (grid->dims < 1 || grid->dims > 8)
        return 0;
    for (int d = 0; d < grid->dims; d++)
        if (grid->size[d] < 1 || grid->size[d] > UINT16_MAX || grid->at[d] < 0 ||
            grid->at[d] >= grid->size[d])
            return 0;
    return 1;
}

static int gather_grid(const topomap_mpi_target *t, const topomap_mpi_grid *grid,
                       struct lattice *lattice, topomap_error *err)
{
    int same[2 + 2 * 8], least[2 + 2 * 8], ok = grid && is_grid(grid);
    void *all = NULL;
    size_t total;

    topomap_error_set(err, TOPOMAP_EUSAGE,
                      "a grid has 1 to 8 dimensions, and every node a place in it");
    if (!reorder_agree(t->team.all, ok))
        return -1;
    memset(same, 0, sizeof same);
    same[0] = grid->dims;
    memcpy(same + 2, grid->size, (size_t)grid->dims * sizeof(int));
    PMPI_Allreduce(same, least, 2 + 2 * 8, MPI_INT, MPI_MIN, t->team.all);
    if (!reorder_agree(t->team.all, memcmp(same, least, sizeof same) == 0))
        return topomap_error_set(err, TOPOMAP_EUSAGE, "processes disagree about the grid's size");
    lattice->grid = *grid;
    if (t->team.leaders != MPI_COMM_NULL)
        ok = reorder_gather(t->team.leaders, grid->at, 8, sizeof *grid->at, &all, &total) == 0;
    lattice->at = all;
    return reorder_agree(t->team.all, ok)
               ? 0
               : topomap_error_set(err, TOPOMAP_ESYSTEM, "no memory on rank 0");
}

static int grid_hops(const struct lattice *lattice, int node)
{
    int sum = 0;

    for (int d = 0; d < lattice->grid.dims; d++) {
        int way = abs(lattice->at[8 * node + d] - lattice->at[d]);

        if (lattice->grid.wraps[d] && lattice->grid.size[d] - way < way)
            way = lattice->grid.size[d] - way;
        sum += way;
    }
    return sum;
}

static int between_grid(const topomap_mpi_target *target, void *data, uint32_t nodes,
                        char *const *names, const uint32_t *slots, topomap_machine **machine,
                        topomap_error *err)
{
    const struct lattice *l = data;
    uint32_t dims = (uint32_t)l->grid.dims, size[8];
    TOPOMAP_FREED uint16_t *coord = topomap_alloc((size_t)nodes * dims, sizeof *coord, err);
    uint8_t wrap[8];

    (void)target;
    if (!coord || topomap_machine_frame(nodes, slots, names, machine, err) != 0)
        return -1;
    for (uint32_t d = 0; d < dims; d++) {
        size[d] = (uint32_t)l->grid.size[d];
        wrap[d] = l->grid.wraps[d] != 0;
        for (uint32_t i = 0; i < nodes; i++)
            coord[i * dims + d] = (uint16_t)l->at[8 * i + d];
    }
    return topomap_machine_set_torus(*machine, dims, size, wrap, coord, l->base, l->hop, 0, err);
}

/* On rank 0: hops[nodes] from its node. */
static int find_hops(const topomap_mpi_target *t, const struct lattice *lattice, double *hops)
{
    const topomap_machine *m = t->machine;

    if (!lattice && strcmp(topomap_machine_kind(m), "tree") == 0)
        return -1;
    for (uint32_t i = 0; i < m->nodes; i++)
        hops[i] = lattice ? (uint32_t)grid_hops(lattice, (int)i)
                          : topomap_machine_hops(m, m->slot_first[0], m->slot_first[i]);
    return 0;
}

static int measure_hops(const topomap_mpi_target *t, const struct lattice *lattice, int rounds,
                        topomap_mpi_fit *fit, topomap_error *err)
{
    size_t nodes = t->team.rank == 0 ? t->machine->nodes : 0;
    TOPOMAP_FREED double *time = malloc((2 * nodes + 1) * sizeof *time);
    int ok = time && (t->team.rank || (nodes > 1 && find_hops(t, lattice, time + nodes) == 0));

    ok = reorder_agree(t->team.all, ok);
    if (ok && t->team.leaders != MPI_COMM_NULL)
        reorder_measure_star(t->team.leaders, rounds, time);
    if (ok && t->team.rank == 0)
        reorder_measure_fit(time + nodes + 1, time + 1, (int)nodes - 1, fit);
    if (ok)
        PMPI_Bcast(fit, sizeof *fit, MPI_BYTE, 0, t->team.all);
    return ok ? 0
              : topomap_error_set(err, TOPOMAP_EUSAGE,
                                  "one node, or nobody knows how many hops nodes are apart: give "
                                  "a grid, or a database (TOPOMAP_DB)");
}

int topomap_mpi_hop_measure(MPI_Comm comm, int rounds, const topomap_mpi_grid *grid,
                            topomap_mpi_fit *fit, topomap_error *err)
{
    TOPOMAP_CLEANUP(lattice_clear) struct lattice lattice = {.at = NULL};
    REORDER_TARGET_FREED topomap_mpi_target *t = NULL;
    int own = grid != NULL, any = 0;

    if (check_rounds(comm, rounds, err) != 0)
        return -1;
    PMPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, comm);
    if ((any ? open_flat(comm, &t, err) : reorder_target_default(comm, &t, err)) != 0)
        return -1;
    if (any && gather_grid(t, grid, &lattice, err) != 0)
        return -1;
    return measure_hops(t, any ? &lattice : NULL, rounds, fit, err);
}

/* ---- Targets -------------------------------------------------------------------------------- */

static int check_costs(MPI_Comm comm, const topomap_mpi_costs *inside, double other,
                       topomap_error *err)
{
    int ok =
        other >= 0 && other < 1e300 && (!inside || (inside->levels > 0 && inside->levels <= 20));

    for (int l = 0; ok && inside && l < inside->levels; l++)
        ok = inside->level[l].cost > 0 && inside->level[l].cost < 1e300;
    return reorder_agree(comm, ok)
               ? 0
               : topomap_error_set(err, TOPOMAP_EUSAGE, "costs are positive numbers");
}

static double dearest(const topomap_mpi_costs *inside)
{
    double most = 0;

    for (int l = 0; inside && l < inside->levels; l++)
        most = inside->level[l].cost > most ? inside->level[l].cost : most;
    return inside ? most : topomap_shape_cost("node");
}

int topomap_mpi_target_make_local(MPI_Comm comm, const topomap_mpi_costs *inside, double between,
                                  topomap_mpi_target **target, topomap_error *err)
{
    if (check_costs(comm, inside, between, err) != 0)
        return -1;
    if (between <= 0)
        between = dearest(inside) * 10 / 3;
    return reorder_target_make(comm, reorder_between_flat, &between, inside, 1, target, err);
}

int topomap_mpi_target_make_manhattan(MPI_Comm comm, const topomap_mpi_grid *grid,
                                      const topomap_mpi_fit *fit, const topomap_mpi_costs *inside,
                                      topomap_mpi_target **target, topomap_error *err)
{
    TOPOMAP_CLEANUP(lattice_clear) struct lattice lattice = {.base = fit->base, .hop = fit->hop};
    REORDER_TARGET_FREED topomap_mpi_target *flat = NULL;

    if (check_costs(comm, inside, fit->base + fit->hop, err) != 0 ||
        check_costs(comm, NULL, fit->base < fit->hop ? fit->base : fit->hop, err) != 0 ||
        open_flat(comm, &flat, err) != 0 || gather_grid(flat, grid, &lattice, err) != 0)
        return -1;
    return reorder_target_make(comm, between_grid, &lattice, inside, fit->base / 10, target, err);
}

/* On rank 0: a distance for each pair of nodes. */
static int between_pairs(const topomap_mpi_target *target, void *data, uint32_t nodes,
                         char *const *names, const uint32_t *slots, topomap_machine **machine,
                         topomap_error *err)
{
    const double *time = data;
    TOPOMAP_FREED uint32_t *site = topomap_alloc(nodes, sizeof *site, err);
    TOPOMAP_FREED float *cost = topomap_alloc((size_t)nodes * nodes, sizeof *cost, err);

    (void)target;
    if (!site || !cost || topomap_machine_frame(nodes, slots, names, machine, err) != 0)
        return -1;
    for (uint32_t i = 0; i < nodes; i++) {
        site[i] = i;
        for (uint32_t j = 0; j < nodes; j++)
            cost[(size_t)i * nodes + j] =
                (float)((time[(size_t)i * nodes + j] + time[(size_t)j * nodes + i]) / 2);
    }
    return topomap_machine_set_matrix(*machine, "matrix", nodes, site, cost, NULL, err);
}

/* Leaders: rows of all to rank 0. */
static int measure_pairs(const topomap_mpi_target *t, int rounds, double **all, double *least)
{
    void *rows = NULL;
    size_t pairs = 0;
    int nodes, ok;
    TOPOMAP_FREED double *row = NULL;

    PMPI_Comm_size(t->team.leaders, &nodes);
    row = malloc((size_t)nodes * sizeof *row);
    ok = reorder_agree(t->team.leaders, row != NULL);
    if (ok) {
        reorder_measure_row(t->team.leaders, rounds, row);
        ok = reorder_gather(t->team.leaders, row, (size_t)nodes, sizeof *row, &rows, &pairs) == 0;
    }
    *all = rows;
    *least = 0;
    for (size_t i = 0; ok && i < pairs; i++)
        if ((*all)[i] > 0 && (*least == 0 || (*all)[i] < *least))
            *least = (*all)[i];
    return ok ? 0 : -1;
}

int topomap_mpi_target_make_all_to_all(MPI_Comm comm, int rounds, const topomap_mpi_costs *inside,
                                       topomap_mpi_target **target, topomap_error *err)
{
    REORDER_TARGET_FREED topomap_mpi_target *flat = NULL;
    TOPOMAP_FREED double *all = NULL;
    double least = 0;
    int ok;

    if (check_costs(comm, inside, 0, err) != 0 || check_rounds(comm, rounds, err) != 0 ||
        open_flat(comm, &flat, err) != 0)
        return -1;
    ok = flat->team.leaders == MPI_COMM_NULL || measure_pairs(flat, rounds, &all, &least) == 0;
    if (!reorder_agree(flat->team.all, ok))
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "no memory for all pairs of nodes");
    return reorder_target_make(comm, between_pairs, all, inside, least > 0 ? least / 10 : 1, target,
                               err);
}
