/* SPDX-License-Identifier: BSD-3-Clause */
/* random COUNT: topologies with reorder that nobody would draw: of parts of MPI_COMM_WORLD in any
 * order, with loops, edges that are there twice, weights of 0, ranks without edges, dimensions of
 * one and two, fewer ranks than processes. Each has to be what was asked for, with no more between
 * nodes (TOPOMAP_REORDER_NODES) than before. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, EDGES = 4 * MOST };

static int node[MOST]; /* of each process, by the first one there */
static int wrong, better;
static unsigned long long state;

static int below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (unsigned)n);
}

/* The same on all processes. */
static struct {
    int size, weighted, edges, from[EDGES], to[EDGES], weight[EDGES];
    int process[MOST]; /* of each rank, in MPI_COMM_WORLD */
} graph;

static void make_graph(MPI_Comm comm)
{
    int self;

    PMPI_Comm_rank(MPI_COMM_WORLD, &self);
    MPI_Comm_size(comm, &graph.size);
    MPI_Allgather(&self, 1, MPI_INT, graph.process, 1, MPI_INT, comm);
    graph.weighted = below(2);
    graph.edges = below(4 * graph.size + 1);
    for (int e = 0; e < graph.edges; e++) {
        graph.from[e] = below(graph.size);
        graph.to[e] = below(4) ? below(graph.size) : graph.from[e];
        graph.weight[e] = graph.weighted ? below(6) * 1000 : 1;
    }
}

static void check(int good, int round, const char *what)
{
    wrong |= !good;
    if (!good)
        printf("round %d: %s\n", round, what);
}

/* Fills the partners of a rank, and their weights; \return how many */
static int side_of(int rank, const int *own, const int *other, int *partner, int *weight)
{
    int count = 0;

    for (int e = 0; e < graph.edges; e++)
        if (own[e] == rank) {
            partner[count] = other[e];
            weight[count++] = graph.weight[e];
        }
    return count;
}

static int *weights_of(int count, int *weight)
{
    return !graph.weighted ? MPI_UNWEIGHTED : count ? weight : MPI_WEIGHTS_EMPTY;
}

static void make_adjacent(MPI_Comm comm, MPI_Comm *made)
{
    int rank, in[EDGES], in_weight[EDGES], out[EDGES], out_weight[EDGES], ins, outs;

    MPI_Comm_rank(comm, &rank);
    ins = side_of(rank, graph.to, graph.from, in, in_weight);
    outs = side_of(rank, graph.from, graph.to, out, out_weight);
    MPI_Dist_graph_create_adjacent(comm, ins, in, weights_of(ins, in_weight), outs, out,
                                   weights_of(outs, out_weight), MPI_INFO_NULL, 1, made);
}

/* One process declares all edges, each by itself. */
static void make_declared(MPI_Comm comm, MPI_Comm *made)
{
    int rank, one[EDGES], declares = below(graph.size), count;

    MPI_Comm_rank(comm, &rank);
    for (int e = 0; e < EDGES; e++)
        one[e] = 1;
    count = rank == declares ? graph.edges : 0;
    MPI_Dist_graph_create(comm, count, graph.from, one, graph.to, weights_of(count, graph.weight),
                          MPI_INFO_NULL, 1, made);
}

/* The sum over partners tells lists apart, whatever their order. */
static long long sum_of(int count, const int *partner, const int *weight)
{
    long long sum = 0;

    for (int i = 0; i < count; i++)
        sum += (1 + (graph.weighted ? weight[i] : 0)) * (1LL << 3 * partner[i] % 40);
    return sum;
}

static long long across(const int *process)
{
    long long sum = 0;

    for (int e = 0; e < graph.edges; e++)
        sum += node[process[graph.from[e]]] != node[process[graph.to[e]]] ? graph.weight[e] : 0;
    return sum;
}

static void check_distributed(MPI_Comm made, int round)
{
    int rank, self, ins, outs, weighted, partner[2 * EDGES], weight[2 * EDGES], count;
    int want[EDGES], want_weight[EDGES], process[MOST];

    MPI_Comm_rank(made, &rank);
    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    MPI_Dist_graph_neighbors_count(made, &ins, &outs, &weighted);
    check(!weighted == !graph.weighted, round, "weighted, or not");
    MPI_Dist_graph_neighbors(made, ins, partner, graph.weighted ? weight : MPI_UNWEIGHTED, outs,
                             partner + ins, graph.weighted ? weight + ins : MPI_UNWEIGHTED);
    count = side_of(rank, graph.to, graph.from, want, want_weight);
    check(count == ins && sum_of(ins, partner, weight) == sum_of(count, want, want_weight), round,
          "sources");
    count = side_of(rank, graph.from, graph.to, want, want_weight);
    check(count == outs &&
              sum_of(outs, partner + ins, weight + ins) == sum_of(count, want, want_weight),
          round, "destinations");
    MPI_Allgather(&self, 1, MPI_INT, process, 1, MPI_INT, made);
    check(across(process) <= across(graph.process), round, "more between nodes");
    better += across(process) < across(graph.process);
}

/* Of fewer ranks than there are processes. \return whether as many are left out as have to be */
static int leaves_out(MPI_Comm comm, MPI_Comm made, int ranks)
{
    int out = made == MPI_COMM_NULL, size;

    MPI_Comm_size(comm, &size);
    MPI_Allreduce(MPI_IN_PLACE, &out, 1, MPI_INT, MPI_SUM, comm);
    return out == size - ranks;
}

static void try_graph(MPI_Comm comm, int round)
{
    int ranks = 1 + below(graph.size), index[MOST], edges[EDGES], weight[EDGES], at = 0, rank,
        own[EDGES];
    int count;
    MPI_Comm made;

    for (int e = 0; e < graph.edges; e++)
        if (graph.from[e] >= ranks || graph.to[e] >= ranks)
            graph.from[e] = -1;
    for (int r = 0; r < ranks; r++)
        index[r] = at += side_of(r, graph.from, graph.to, edges + at, weight + at);
    MPI_Graph_create(comm, ranks, index, edges, 1, &made);
    check(leaves_out(comm, made, ranks), round, "graph: left out");
    if (made == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(made, &rank);
    at = rank ? index[rank - 1] : 0;
    MPI_Graph_neighbors_count(made, rank, &count);
    check(count == index[rank] - at, round, "graph: degree");
    MPI_Graph_neighbors(made, rank, count, own);
    check(!memcmp(own, edges + at, (size_t)count * sizeof *own), round, "graph: edges");
    MPI_Comm_free(&made);
}

static void try_grid(MPI_Comm comm, int round)
{
    int dims[3], wraps[3], got[3], got_wraps[3], at[3], n = 1 + below(3), ranks = 1, place = 0,
                                                        rank;
    MPI_Comm made;

    for (int d = 0; d < n; d++) {
        dims[d] = 1 + below(graph.size / ranks > 5 ? 5 : graph.size / ranks);
        wraps[d] = below(2);
        ranks *= dims[d];
    }
    MPI_Cart_create(comm, n, dims, wraps, 1, &made);
    check(leaves_out(comm, made, ranks), round, "grid: left out");
    if (made == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(made, &rank);
    MPI_Cart_get(made, n, got, got_wraps, at);
    for (int d = 0; d < n; d++) {
        place = place * dims[d] + at[d];
        check(got[d] == dims[d] && !got_wraps[d] == !wraps[d], round, "grid: dimensions");
    }
    check(place == rank, round, "grid: coordinates");
    MPI_Comm_free(&made);
}

static void try(MPI_Comm comm, int round)
{
    MPI_Comm made;
    int kind;

    make_graph(comm);
    kind = below(4);
    if (kind == 0) {
        try_graph(comm, round);
    } else if (kind == 1) {
        try_grid(comm, round);
    } else {
        (kind == 2 ? make_adjacent : make_declared)(comm, &made);
        check_distributed(made, round);
        MPI_Comm_free(&made);
    }
}

static void find_nodes(int size)
{
    const char *item[MOST], *at = getenv("TOPOMAP_REORDER_NODES");

    for (int r = 0; r < size; r++) {
        item[r] = at;
        at = strchr(at, ',') ? strchr(at, ',') + 1 : "";
        while (strcspn(item[node[r]], ",") != strcspn(item[r], ",") ||
               strncmp(item[node[r]], item[r], strcspn(item[r], ",")) != 0)
            node[r]++;
    }
}

int main(int argc, char **argv)
{
    int rank, size, any, results[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    find_nodes(size);
    for (int round = 0; round < atoi(argv[1]); round++) {
        MPI_Comm part;
        int in = 0, key = 0;

        state = (unsigned long long)round * 7919 + 13;
        for (int r = 0; r < size; r++) {
            int chosen = below(5) != 0, order = below(1000);

            in = r == rank ? chosen || rank == 0 : in;
            key = r == rank ? order : key;
        }
        MPI_Comm_split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, key, &part);
        if (part == MPI_COMM_NULL)
            continue;
        try(part, round);
        MPI_Comm_free(&part);
    }
    any = wrong;
    results[0] = better;
    results[1] = any;
    MPI_Allreduce(MPI_IN_PLACE, results, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && !results[1])
        printf("ok, %d better\n", results[0]);
    MPI_Finalize();
    return results[1];
}
