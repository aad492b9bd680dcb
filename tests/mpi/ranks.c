/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks WHAT: the calls of libtopomap-mpi, checked. The ranks of MPI_COMM_WORLD are on the nodes
 * that TOPOMAP_REORDER_NODES says, n0, n1, ...; rank r talks most to those that are r modulo the
 * number of nodes, and a little to the next of those. Prints "across OLD NEW", then "ok". */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <topomap/topomap-mpi.h>

static int rank, size, nodes, wrong, *node;
static topomap_error err;

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            printf("rank %d line %d: not so: %s (%s)\n", rank, __LINE__, #what, err.text);         \
            wrong = 1;                                                                             \
        }                                                                                          \
    } while (0)

static void read_nodes(void)
{
    const char *item = getenv("TOPOMAP_REORDER_NODES");

    node = calloc((size_t)size, sizeof *node);
    for (int r = 0; r < size && item; r++) {
        node[r] = atoi(item + 1);
        nodes = node[r] >= nodes ? node[r] + 1 : nodes;
        item = strchr(item, ',');
        item = item ? item + 1 : NULL;
    }
}

static int edges_of(int v, int *to, int *weight)
{
    int count = 0, next = (v + 1) % size;

    for (int u = v % nodes; u < size; u += nodes)
        if (u != v) {
            to[count] = u;
            weight[count++] = 100;
        }
    if (next % nodes != v % nodes) {
        to[count] = next;
        weight[count++] = 1 + v % 3;
    }
    return count;
}

static MPI_Comm make_graph(void)
{
    int *to = calloc(2 * (size_t)size, sizeof *to), degree = edges_of(rank, to, to + size);
    MPI_Comm graph;

    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, to, to + size, MPI_INFO_NULL, 0,
                          &graph);
    free(to);
    return graph;
}

/* Bytes times hops on a ring of nodes (ring) or between nodes, when process p has new[p]. */
static long cost(const int *new, int ring)
{
    int *to = calloc(2 * (size_t)size, sizeof *to),
        *process = calloc((size_t)size, sizeof *process);
    long sum = 0;

    for (int p = 0; p < size; p++)
        process[new[p]] = p;
    for (int v = 0; v < size; v++)
        for (int i = edges_of(v, to, to + size); i-- > 0;) {
            int a = node[process[v]], b = node[process[to[i]]], way = abs(a - b);

            way = way > nodes - way ? nodes - way : way;
            sum += (long)to[size + i] * (ring ? way : a != b);
        }
    free(to);
    free(process);
    return sum;
}

/* new[size] of all processes, a permutation; not worse than the old ranks. */
static int *gathered(int newrank, int ring)
{
    int *new = calloc(3 * (size_t)size, sizeof *new), *seen = new + size, *old = new + 2 * size;

    MPI_Allgather(&newrank, 1, MPI_INT, new, 1, MPI_INT, MPI_COMM_WORLD);
    for (int p = 0; p < size; p++) {
        old[p] = p;
        CHECK(new[p] >= 0 && new[p] < size && !seen[new[p]]++);
    }
    CHECK(cost(new, ring) <= cost(old, ring));
    if (rank == 0)
        printf("across %ld %ld\n", cost(old, ring), cost(new, ring));
    return new;
}

static void once(int (*call)(MPI_Comm, int *), int expected)
{
    MPI_Comm graph = make_graph();
    int newrank = -7;

    CHECK(call(graph, &newrank) == expected);
    CHECK(expected == 0 || newrank == rank);
    free(gathered(newrank, 0));
    MPI_Comm_free(&graph);
    CHECK(call(MPI_COMM_WORLD, &newrank) == -1 && newrank == rank); /* no topology */
}

/* Edges of a ring of all ranks that are between nodes, when process p has new[p]. */
static int ring_across(const int *new)
{
    int *process = calloc((size_t)size, sizeof *process), count = 0;

    for (int p = 0; p < size; p++)
        process[new[p]] = p;
    for (int v = 0; v < size; v++)
        count += node[process[v]] != node[process[(v + 1) % size]];
    free(process);
    return count;
}

/* A ring as a Cartesian and as a graph communicator: the best is one edge from node to node. */
static void rings(void)
{
    int *index = calloc((size_t)size, sizeof *index), wrap = 1, newrank;
    int *edges = calloc(2 * (size_t)size, sizeof *edges), *new = calloc((size_t)size, sizeof *new);
    MPI_Comm ring[2];

    for (int v = 0; v < size; v++) {
        index[v] = 2 * v + 2;
        edges[2 * v] = (v + 1) % size;
        edges[2 * v + 1] = (v + size - 1) % size;
    }
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &wrap, 0, &ring[0]);
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &ring[1]);
    for (int i = 0; i < 2; i++) {
        CHECK(topomap_mpi_rank_map(ring[i], &newrank) == 0);
        MPI_Allgather(&newrank, 1, MPI_INT, new, 1, MPI_INT, MPI_COMM_WORLD);
        CHECK(ring_across(new) == nodes);
        MPI_Comm_free(&ring[i]);
    }
    free(index);
    free(edges);
    free(new);
}

/* Refinement of a mapping, then of what came of it, then of one that is none. */
static void refine(void)
{
    MPI_Comm graph = make_graph(), half;
    topomap_mpi_target *target, *other;
    int newrank = size - 1 - rank, before, *first, *second,
        *start = calloc((size_t)size, sizeof *start);

    for (int p = 0; p < size; p++)
        start[p] = size - 1 - p;
    CHECK(topomap_mpi_target_make(MPI_COMM_WORLD, &target, &err) == 0);
    CHECK(topomap_mpi_process_refine(graph, target, &newrank, &err) == 0);
    first = gathered(newrank, 0);
    CHECK(cost(first, 0) < cost(start, 0));
    CHECK(topomap_mpi_process_refine(graph, target, &newrank, &err) == 0);
    second = gathered(newrank, 0);
    CHECK(cost(second, 0) <= cost(first, 0));
    before = newrank = rank / 2;
    CHECK(topomap_mpi_process_refine(graph, target, &newrank, &err) == -1);
    CHECK(newrank == before && err.code == TOPOMAP_EUSAGE);
    CHECK(topomap_mpi_process_map(MPI_COMM_WORLD, target, &newrank, &err) == -1);
    CHECK(newrank == rank && err.code != TOPOMAP_OK);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    CHECK(topomap_mpi_target_make(half, &other, &err) == 0); /* two at once */
    topomap_mpi_target_free(other);
    topomap_mpi_target_free(target);
    free(first);
    free(second);
    free(start);
    MPI_Comm_free(&half);
    MPI_Comm_free(&graph);
}

static void inside(void)
{
    topomap_mpi_costs costs;
    topomap_mpi_target *target;
    double far;

    CHECK(topomap_mpi_inside_measure(MPI_COMM_WORLD, 0, &costs, &err) == -1);
    CHECK(topomap_mpi_inside_measure(MPI_COMM_WORLD, 20, &costs, &err) == 0);
    for (int l = 0; l < costs.levels; l++) {
        CHECK(costs.level[l].cost > 0 && costs.level[l].cost < 1e10);
        if (rank == 0)
            printf("level %s\n", costs.level[l].name);
    }
    for (int l = 0; l < costs.levels; l++)
        costs.level[l].cost = l + 1; /* what was measured on a busy machine is in no order */
    CHECK(topomap_mpi_target_make_local(MPI_COMM_WORLD, &costs, 50, &target, &err) == 0);
    far = topomap_mpi_target_distance(target, 0, size - 1);
    CHECK(rank ? far == -1 : far == (node[0] == node[size - 1] ? costs.levels : 50));
    if (rank == 0)
        for (int p = 1; p < size && node[p] == node[0]; p++)
            printf("distance %g\n", topomap_mpi_target_distance(target, 0, p));
    topomap_mpi_target_free(target);
    costs.level[0].cost = -1;
    CHECK(topomap_mpi_target_make_local(MPI_COMM_WORLD, &costs, 50, &target, &err) == -1);
}

/* Nodes on a ring, in the order 0, 2, 1, 3 where there are four. */
static void manhattan(void)
{
    topomap_mpi_grid grid = {1, {nodes}, {1}, {node[rank]}};
    topomap_mpi_fit fit = {0};
    topomap_mpi_target *target;
    MPI_Comm graph = make_graph();
    int newrank;

    CHECK(topomap_mpi_hop_measure(MPI_COMM_WORLD, 20, &grid, &fit, &err) == 0);
    CHECK(fit.nodes == nodes - 1 && isfinite(fit.base) && isfinite(fit.hop) && fit.sigma >= 0);
    CHECK(topomap_mpi_hop_measure(MPI_COMM_WORLD, 20, NULL, &fit, &err) == -1); /* no database */
    fit = (topomap_mpi_fit){100, 10, 0, 0};
    CHECK(topomap_mpi_target_make_manhattan(MPI_COMM_WORLD, &grid, &fit, NULL, &target, &err) == 0);
    for (int p = 1; p < size && rank == 0; p++) {
        int way = node[p] > nodes - node[p] ? nodes - node[p] : node[p];

        CHECK(topomap_mpi_target_distance(target, 0, p) == (way ? 100 + 10 * way : 60));
    }
    CHECK(topomap_mpi_process_map(graph, target, &newrank, &err) == 0);
    free(gathered(newrank, 1));
    topomap_mpi_target_free(target);
    grid.at[0] = rank == size - 1 ? nodes : 0;
    CHECK(topomap_mpi_target_make_manhattan(MPI_COMM_WORLD, &grid, &fit, NULL, &target, &err) ==
          -1);
    MPI_Comm_free(&graph);
}

static void all_to_all(void)
{
    topomap_mpi_target *target;
    MPI_Comm graph = make_graph();
    int newrank;

    CHECK(topomap_mpi_target_make_all_to_all(MPI_COMM_WORLD, 20, NULL, &target, &err) == 0);
    for (int p = 0; p < size && rank == 0; p++)
        for (int q = 0; q < p; q++) {
            double there = topomap_mpi_target_distance(target, p, q);

            CHECK(there > 0 && there == topomap_mpi_target_distance(target, q, p));
        }
    CHECK(topomap_mpi_process_map(graph, target, &newrank, &err) == 0);
    free(gathered(newrank, 0));
    topomap_mpi_target_free(target);
    MPI_Comm_free(&graph);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    read_nodes();
    if (strcmp(what, "map") == 0)
        once(topomap_mpi_rank_map, 0);
    else if (strcmp(what, "tree") == 0)
        once(topomap_mpi_rank_map_tree, 0);
    else if (strcmp(what, "bipart") == 0)
        once(topomap_mpi_rank_map_bipart, getenv("TOPOMAP_DB") ? 0 : -1);
    else if (strcmp(what, "rings") == 0)
        rings();
    else if (strcmp(what, "refine") == 0)
        refine();
    else if (strcmp(what, "inside") == 0)
        inside();
    else if (strcmp(what, "manhattan") == 0)
        manhattan();
    else if (strcmp(what, "all-to-all") == 0)
        all_to_all();
    else
        CHECK(!"a known word");
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && !all)
        puts("ok");
    free(node);
    MPI_Finalize();
    return all;
}
