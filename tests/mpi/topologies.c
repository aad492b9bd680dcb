/* SPDX-License-Identifier: BSD-3-Clause */
/* topologies WHAT [SIZE...]: makes one topology with reorder, checks that its neighbours are those
 * that were asked for, sends a message along every edge, and prints lines that a test reads. The
 * node of each process is its item of TOPOMAP_REORDER_NODES, else Slurm's.
 *
 *   across OLD NEW    edges (by weight) between nodes without reorder, and as the processes are now
 *   moved N           processes whose rank changed
 *   ok
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int world_rank, world_size, wrong;

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            printf("rank %d line %d: not so: %s\n", world_rank, __LINE__, #what);                  \
            wrong = 1;                                                                             \
        }                                                                                          \
    } while (0)

static int *node; /* [world_size] the first rank of MPI_COMM_WORLD on the same node */

/* Nodes are those of the list, or Slurm's. */
static void find_nodes(void)
{
    const char *item = getenv("TOPOMAP_REORDER_NODES"), *slurm = getenv("SLURMD_NODENAME");
    char own[64] = "", *all = calloc((size_t)world_size, sizeof own);

    for (int r = 0; r < world_rank && item; r++)
        item = (item = strchr(item, ',')) ? item + 1 : NULL;
    if (getenv("TOPOMAP_REORDER_NODES"))
        snprintf(own, sizeof own, "%.*s", item ? (int)strcspn(item, "/,") : 0, item ? item : "");
    else
        snprintf(own, sizeof own, "%s", slurm ? slurm : "");
    MPI_Allgather(own, sizeof own, MPI_CHAR, all, sizeof own, MPI_CHAR, MPI_COMM_WORLD);
    node = calloc((size_t)world_size, sizeof *node);
    for (int r = 0; r < world_size; r++)
        while (strcmp(all + sizeof own * (size_t)node[r], all + sizeof own * (size_t)r) != 0)
            node[r]++;
    free(all);
}

/* world[size of comm]: the rank in MPI_COMM_WORLD of each process. */
static int *world_ranks(MPI_Comm comm)
{
    int size, *own, *world;
    MPI_Group group, all;

    MPI_Comm_size(comm, &size);
    own = malloc((size_t)size * sizeof *own);
    world = malloc((size_t)size * sizeof *world);
    for (int i = 0; i < size; i++)
        own[i] = i;
    MPI_Comm_group(comm, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_translate_ranks(group, size, own, all, world);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    free(own);
    return world;
}

/* A message to each of `out` with its weight, from each of `in`; what is across nodes. */
static void exchange(MPI_Comm comm, int in, const int *from, int out, const int *to,
                     const int *weight)
{
    int rank, sum[3] = {0}, all[3], moved, *world = world_ranks(comm);
    int *got = calloc((size_t)in + 1, sizeof *got);
    MPI_Request *request = malloc((size_t)(in + out + 1) * sizeof *request);

    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < in; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, from[i], 5, comm, &request[i]);
    for (int i = 0; i < out; i++)
        MPI_Isend(&rank, 1, MPI_INT, to[i], 5, comm, &request[in + i]);
    MPI_Waitall(in + out, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < in; i++)
        CHECK(got[i] == from[i]);
    for (int i = 0; i < out; i++) {
        sum[0] += node[rank] != node[to[i]] ? weight ? weight[i] : 1 : 0;
        sum[1] += node[world[rank]] != node[world[to[i]]] ? weight ? weight[i] : 1 : 0;
    }
    moved = world[rank] != rank;
    sum[2] = moved;
    MPI_Reduce(sum, all, 3, MPI_INT, MPI_SUM, 0, comm);
    if (rank == 0)
        printf("across %d %d\nmoved %d\n", all[0], all[1], all[2]);
    free(got);
    free(world);
    free(request);
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* ---- Distributed graphs --------------------------------------------------------------------- */

/* What vertex v sends to: the other vertices of v % parts heavily, the next one lightly. */
static int edges_of(int v, int n, int parts, int *to, int *weight)
{
    int count = 0, next = (v + 1) % n;

    for (int u = v % parts; u < n; u += parts)
        if (u != v) {
            to[count] = u;
            weight[count++] = 100 + u % 3;
        }
    if (next % parts != v % parts) {
        to[count] = next;
        weight[count++] = 1;
    }
    return count;
}

/* The other way round: who sends to v. */
static int edges_to(int v, int n, int parts, int *from, int *weight)
{
    int *to = malloc(2 * (size_t)n * sizeof *to), count = 0;

    for (int u = 0; u < n; u++)
        for (int i = edges_of(u, n, parts, to, to + n); i-- > 0;)
            if (to[i] == v) {
                from[count] = u;
                weight[count++] = to[n + i];
            }
    free(to);
    return count;
}

/* Neighbours and weights of this process in the new communicator are its new rank's. */
static void check_graph(MPI_Comm graph, int parts, int weighted, int ordered)
{
    int n = world_size, rank, in, out, has, *list = calloc(8 * (size_t)n, sizeof *list), k;
    int *from = list, *from_w = list + n, *to = list + 2 * n, *to_w = list + 3 * n;
    int *want = list + 4 * n, *want_w = list + 5 * n;

    MPI_Comm_rank(graph, &rank);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &has);
    CHECK(has == weighted);
    k = edges_of(rank, n, parts, want, want_w);
    CHECK(k == out);
    CHECK(edges_to(rank, n, parts, list + 6 * n, list + 7 * n) == in);
    MPI_Dist_graph_neighbors(graph, in, from, weighted ? from_w : MPI_UNWEIGHTED, out, to,
                             weighted ? to_w : MPI_UNWEIGHTED);
    for (int i = 0; i < out && k == out; i++) {
        int j = 0;

        while (j < k && want[j] != to[i])
            j++;
        CHECK(j < k && (!ordered || j == i) && (!weighted || want_w[j] == to_w[i]));
    }
    exchange(graph, in, from, out, to, weighted ? to_w : NULL);
    free(list);
}

static void adjacent(int parts, int weighted)
{
    int n = world_size, *list = calloc(4 * (size_t)n, sizeof *list), in, out;
    MPI_Comm graph;

    in = edges_to(world_rank, n, parts, list, list + n);
    out = edges_of(world_rank, n, parts, list + 2 * n, list + 3 * n);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, list, weighted ? list + n : MPI_UNWEIGHTED,
                                   out, list + 2 * n, weighted ? list + 3 * n : MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 1, &graph);
    check_graph(graph, parts, weighted, 1);
    MPI_Comm_free(&graph);
    free(list);
}

/* Rank r declares the edges of vertex n - 1 - r, the last rank those of two, rank 0 none at all. */
static void declared_by_others(int parts, int weighted)
{
    int n = world_size, k = 0, at = 0, sources[2], degrees[2];
    int *list = calloc(4 * (size_t)n, sizeof *list), *weight = list + 2 * n;
    MPI_Comm graph;

    for (int v = 0; v < n; v++)
        if ((v == n - 1 ? n - 1 : n - 1 - v) == world_rank) {
            sources[k] = v;
            degrees[k] = edges_of(v, n, parts, list + at, weight + at);
            at += degrees[k++];
        }
    MPI_Dist_graph_create(MPI_COMM_WORLD, k, sources, degrees, list,
                          !weighted ? MPI_UNWEIGHTED
                          : at      ? weight
                                    : MPI_WEIGHTS_EMPTY,
                          MPI_INFO_NULL, 1, &graph);
    check_graph(graph, parts, weighted, 0);
    MPI_Comm_free(&graph);
    free(list);
}

/* ---- Graphs and grids ------------------------------------------------------------------------ */

/* A ring of n in the order 0, 2, 4, ..., 1, 3, 5, ... */
static void ring(int n)
{
    int *order = malloc((size_t)n * sizeof *order), *index = malloc((size_t)n * sizeof *index);
    int *edges = malloc(2 * (size_t)n * sizeof *edges), *place = malloc((size_t)n * sizeof *place);
    int size, rank, count, list[2], want[2], rest;
    MPI_Comm graph;

    for (int i = 0; i < n; i++)
        order[i] = 2 * i < n ? 2 * i : 2 * (i - (n + 1) / 2) + 1;
    for (int i = 0; i < n; i++)
        place[order[i]] = i;
    for (int v = 0; v < n; v++) {
        edges[2 * v] = order[(place[v] + 1) % n];
        edges[2 * v + 1] = order[(place[v] + n - 1) % n];
        index[v] = 2 * v + 2;
    }
    MPI_Graph_create(MPI_COMM_WORLD, n, index, edges, 1, &graph);
    rest = graph == MPI_COMM_NULL;
    MPI_Allreduce(MPI_IN_PLACE, &rest, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(rest == world_size - n);
    if (graph != MPI_COMM_NULL) {
        MPI_Comm_size(graph, &size);
        MPI_Comm_rank(graph, &rank);
        MPI_Graph_neighbors_count(graph, rank, &count);
        CHECK(size == n && count == 2);
        MPI_Graph_neighbors(graph, rank, 2, list);
        memcpy(want, edges + 2 * rank, sizeof want);
        CHECK(memcmp(list, want, sizeof want) == 0);
        exchange(graph, 2, list, 2, list, NULL);
        MPI_Comm_free(&graph);
    }
    free(order);
    free(index);
    free(edges);
    free(place);
}

static void grid(int dims, char **text)
{
    int size[4], wraps[4], got[4], got_wraps[4], at[4], n = 1, rank, rest, k = 0, list[8];
    MPI_Comm cart;

    for (int d = 0; d < dims; d++) {
        size[d] = atoi(text[d]);
        wraps[d] = strchr(text[d], 'w') != NULL;
        n *= size[d];
    }
    MPI_Cart_create(MPI_COMM_WORLD, dims, size, wraps, 1, &cart);
    rest = cart == MPI_COMM_NULL;
    MPI_Allreduce(MPI_IN_PLACE, &rest, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(rest == world_size - n);
    if (cart == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(cart, &rank);
    MPI_Cart_get(cart, dims, got, got_wraps, at);
    for (int d = dims, r = rank; d-- > 0; r /= size[d])
        CHECK(got[d] == size[d] && !got_wraps[d] == !wraps[d] && at[d] == r % size[d]);
    for (int d = 0, stride = n; d < dims; d++) {
        int side[2];

        stride /= size[d];
        MPI_Cart_shift(cart, d, 1, &side[0], &side[1]);
        CHECK(side[1] == (at[d] + 1 < size[d] ? rank + stride
                          : wraps[d]          ? rank - at[d] * stride
                                              : MPI_PROC_NULL));
        for (int i = 0; i < 2; i++)
            if (side[i] != MPI_PROC_NULL)
                list[k++] = side[i];
    }
    qsort(list, (size_t)k, sizeof *list, compare);
    exchange(cart, k, list, k, list, NULL);
    MPI_Comm_free(&cart);
}

/* ---- What MPI refuses ------------------------------------------------------------------------ */

static void refused(void)
{
    int dims[1] = {world_size + 1}, wraps[1] = {0}, n = world_size + 1;
    int *index = calloc((size_t)n, sizeof *index), edge = 0;
    MPI_Comm comm;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, wraps, 1, &comm) != MPI_SUCCESS);
    CHECK(MPI_Graph_create(MPI_COMM_WORLD, n, index, &edge, 1, &comm) != MPI_SUCCESS);
    free(index);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    find_nodes();
    if (strcmp(what, "adjacent") == 0)
        adjacent(atoi(argv[2]), argc > 3);
    else if (strcmp(what, "declared") == 0)
        declared_by_others(atoi(argv[2]), argc > 3);
    else if (strcmp(what, "ring") == 0)
        ring(atoi(argv[2]));
    else if (strcmp(what, "grid") == 0)
        grid(argc - 2, argv + 2);
    else if (strcmp(what, "refused") == 0)
        refused();
    else
        CHECK(!"a known word");
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (world_rank == 0 && !all)
        puts("ok");
    free(node);
    MPI_Finalize();
    return all;
}
