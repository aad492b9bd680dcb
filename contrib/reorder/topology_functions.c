/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's topology functions with reorder: the new communicator has better ranks, or those that it
 * would have without. Where the arguments are wrong MPI's own function says so. */
#include "config.h"
#include "contrib/reorder/reorder.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define API __attribute__((visibility("default")))

/* ---- Before and after ----------------------------------------------------------------------- */

static int is_intracommunicator(MPI_Comm comm)
{
    int inter = 1;

    return comm != MPI_COMM_NULL && PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && !inter;
}

static void say_why(MPI_Comm comm, const reorder_settings *settings, const char *what,
                    const char *why)
{
    int rank;

    PMPI_Comm_rank(comm, &rank);
    if (rank == 0)
        reorder_say(settings, "%s: ranks stay: %s", what, why);
}

/* Once, whether somebody asked for lines or not: who has preloaded this waits for a gain. */
static void say_program(MPI_Comm comm, const reorder_program *known)
{
    static int said;
    int rank;

    PMPI_Comm_rank(comm, &rank);
    if (rank == 0 && !said)
        fprintf(stderr, "topomap: the ranks of %s stay: %s\n", known->name, known->why);
    said = 1;
}

/* Is the profiler recording this process's messages? */
static int is_profiled(void)
{
    int (*is_on)(void);

    *(void **)&is_on = dlsym(RTLD_DEFAULT, "topomap_profile_is_on");
    return is_on && is_on();
}

/* Where ranks are to stay on some process they stay on all.
 *
 * A profile is of processes in the launcher's order of tasks: with other ranks in a communicator it
 * would be of this run's nodes, and a launch that goes by it would place another program. What a
 * launch has placed by its traffic is not changed by what a topology says of it, which knows no
 * bytes. */
static int all_may(MPI_Comm comm, const char *what, const reorder_settings *settings)
{
    const reorder_program *known = reorder_program_known();
    const char *why = NULL;

    if (!reorder_agree(comm, !settings->counts))
        return 1; /* they stay anyway */
    if (!reorder_agree(comm, !known)) {
        if (known)
            say_program(comm, known);
        return 0;
    }
    if (!reorder_agree(comm, !is_profiled()))
        why = "a profile is made of this run";
    else if (!reorder_agree(comm, !settings->placed))
        why = "topomap has placed them at the launch";
    if (why)
        say_why(comm, settings, what, why);
    return !why;
}

/* Whether all processes want this and have what it takes. */
static int all_want(MPI_Comm comm, const char *what, int own)
{
    reorder_settings settings;

    reorder_settings_read(&settings);
    return reorder_agree(comm, own && !settings.off) && all_may(comm, what, &settings);
}

static void say_failure(MPI_Comm comm, const char *what, const topomap_error *err)
{
    reorder_settings settings;

    reorder_settings_read(&settings);
    say_why(comm, &settings, what, err->text);
}

/* Fills newrank, for the graph of arcs; 1 where some process has another rank. \param distributed
 * every process has its own arcs; else rank 0 has all of them */
static int search(MPI_Comm comm, const char *what, const reorder_arcs *arcs, int distributed,
                  uint32_t ranks, int *newrank)
{
    reorder_plan plan = {.what = what};
    REORDER_TARGET_FREED topomap_mpi_target *target = NULL;
    topomap_graph *graph = NULL;
    topomap_error err;
    reorder_settings settings;
    int status = 0;

    reorder_settings_read(&settings);
    plan.counts = !reorder_agree(comm, !settings.counts);
    if (reorder_target_default(comm, &target, &err) != 0 ||
        (distributed ? reorder_arcs_gather(&target->team, arcs, ranks, &graph, &err) != 0
                     : !reorder_agree(target->team.all,
                                      target->team.rank ||
                                          reorder_arcs_graph(arcs, ranks, &graph, &err) == 0)))
        say_failure(comm, what, &err);
    else
        status = reorder_place(target, graph, ranks, &plan, newrank, &err);
    topomap_graph_free(graph);
    return status > 0 && !plan.counts;
}

/* ---- Cartesian and graph -------------------------------------------------------------------- */

/* The number of ranks; 0 where the arguments are not what MPI takes. */
static int grid_ranks(MPI_Comm comm, int ndims, const int *dims, const int *periods)
{
    long long ranks = 1;
    int size;

    if (ndims < 1 || !dims || !periods || PMPI_Comm_size(comm, &size) != MPI_SUCCESS)
        return 0;
    for (int d = 0; d < ndims; d++) {
        if (dims[d] < 1)
            return 0;
        ranks *= dims[d];
        if (ranks > size)
            return 0;
    }
    return (int)ranks;
}

/* The processes of the new communicator, in their new order. */
static int split(MPI_Comm comm, int newrank, MPI_Comm *ordered)
{
    return PMPI_Comm_split(comm, newrank == MPI_UNDEFINED ? MPI_UNDEFINED : 0,
                           newrank == MPI_UNDEFINED ? 0 : newrank, ordered);
}

/* A Cartesian or a graph communicator that is wanted. */
struct shape {
    const char *what;
    int ranks;
    int (*arcs)(const struct shape *shape, reorder_arcs *arcs);
    int (*make)(const struct shape *shape, MPI_Comm comm, MPI_Comm *result);
    int count;
    const int *first, *second; /* dims and periods, or index and edges */
};

/* As a communicator of all of them, or, where nothing is gained, as MPI makes it without reorder.
 */
static int make(MPI_Comm comm, const struct shape *shape, MPI_Comm *result)
{
    TOPOMAP_CLEANUP(reorder_arcs_clear) reorder_arcs arcs = {0};
    MPI_Comm ordered;
    int rank = 0, newrank, status;

    PMPI_Comm_rank(comm, &rank);
    if (rank == 0 && shape->arcs(shape, &arcs) != 0)
        arcs.count = 0; /* then nothing is gained */
    if (!search(comm, shape->what, &arcs, 0, (uint32_t)shape->ranks, &newrank))
        return shape->make(shape, comm, result);
    status = split(comm, newrank, &ordered);
    if (status != MPI_SUCCESS)
        return status;
    *result = MPI_COMM_NULL;
    if (ordered == MPI_COMM_NULL)
        return MPI_SUCCESS;
    status = shape->make(shape, ordered, result);
    PMPI_Comm_free(&ordered);
    return status;
}

static int grid_arcs(const struct shape *grid, reorder_arcs *arcs)
{
    return reorder_arcs_of_grid(grid->count, grid->first, grid->second, arcs);
}

static int make_grid(const struct shape *grid, MPI_Comm comm, MPI_Comm *result)
{
    return PMPI_Cart_create(comm, grid->count, grid->first, grid->second, 0, result);
}

API int MPI_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[],
                        int reorder, MPI_Comm *result)
{
    struct shape grid = {"MPI_Cart_create", 0, grid_arcs, make_grid, ndims, dims, periods};

    if (!reorder || !is_intracommunicator(comm) || !result ||
        !(grid.ranks = grid_ranks(comm, ndims, dims, periods)) || !all_want(comm, grid.what, 1))
        return PMPI_Cart_create(comm, ndims, dims, periods, reorder, result);
    return make(comm, &grid, result);
}

static int is_graph(MPI_Comm comm, int nnodes, const int *index, const int *edges)
{
    int size, before = 0;

    if (nnodes < 1 || !index || PMPI_Comm_size(comm, &size) != MPI_SUCCESS || nnodes > size)
        return 0;
    for (int i = 0; i < nnodes; before = index[i++])
        if (index[i] < before || (index[i] > 0 && !edges))
            return 0;
    for (int e = 0; e < before; e++)
        if (edges[e] < 0 || edges[e] >= nnodes)
            return 0;
    return 1;
}

static int graph_arcs(const struct shape *graph, reorder_arcs *arcs)
{
    for (int u = 0, e = 0; u < graph->count; u++)
        for (; e < graph->first[u]; e++)
            if (reorder_arcs_add(arcs, u, graph->second[e], 1) != 0)
                return -1;
    return 0;
}

static int make_graph(const struct shape *graph, MPI_Comm comm, MPI_Comm *result)
{
    return PMPI_Graph_create(comm, graph->count, graph->first, graph->second, 0, result);
}

API int MPI_Graph_create(MPI_Comm comm, int nnodes, const int index[], const int edges[],
                         int reorder, MPI_Comm *result)
{
    const struct shape graph = {
        "MPI_Graph_create", nnodes, graph_arcs, make_graph, nnodes, index, edges};

    if (!reorder || !is_intracommunicator(comm) || !result ||
        !is_graph(comm, nnodes, index, edges) || !all_want(comm, graph.what, 1))
        return PMPI_Graph_create(comm, nnodes, index, edges, reorder, result);
    return make(comm, &graph, result);
}

/* ---- Distributed graphs --------------------------------------------------------------------- */

static int is_weighted(const int *weights)
{
    return weights && weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY;
}

static int weight_at(const int *weights, int i)
{
    return is_weighted(weights) ? weights[i] : 1;
}

/* Adds edges from or to a rank; -1 where MPI would refuse them, or without memory. */
static int add_edges(reorder_arcs *arcs, int size, int from, int count, const int *to,
                     const int *weights)
{
    if (count < 0 || (count > 0 && (!to || from < 0 || from >= size || !weights ||
                                    weights == MPI_WEIGHTS_EMPTY)))
        return -1;
    for (int i = 0; i < count; i++)
        if (to[i] < 0 || to[i] >= size || weight_at(weights, i) < 0 ||
            reorder_arcs_add(arcs, from, to[i], weight_at(weights, i)) != 0)
            return -1;
    return 0;
}

/* \return 1 and an ordered communicator; 0: ranks stay; -1: MPI's own function is to be asked */
static int order(MPI_Comm comm, const char *what, reorder_arcs *arcs, int ok, MPI_Comm *ordered)
{
    int size, newrank, gained;

    ok = all_want(comm, what, ok);
    PMPI_Comm_size(comm, &size);
    gained = ok && search(comm, what, arcs, 1, (uint32_t)size, &newrank);
    free(arcs->arc);
    if (!gained)
        return ok ? 0 : -1;
    return split(comm, newrank, ordered) == MPI_SUCCESS ? 1 : 0;
}

API int MPI_Dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[],
                              const int destinations[], const int weights[], MPI_Info info,
                              int reorder, MPI_Comm *result)
{
    reorder_arcs arcs = {0};
    MPI_Comm ordered;
    int size = 0, at = 0, ok, status;

    if (!reorder || !is_intracommunicator(comm) || !result)
        return PMPI_Dist_graph_create(comm, n, sources, degrees, destinations, weights, info,
                                      reorder, result);
    PMPI_Comm_size(comm, &size);
    ok = n >= 0 && (n == 0 || (sources && degrees));
    for (int i = 0; ok && i < n; at += degrees[i++])
        ok = degrees[i] >= 0 && degrees[i] <= INT_MAX - at &&
             add_edges(&arcs, size, sources[i], degrees[i], destinations + at,
                       is_weighted(weights) ? weights + at : weights) == 0;
    status = order(comm, "MPI_Dist_graph_create", &arcs, ok, &ordered);
    if (status <= 0)
        return PMPI_Dist_graph_create(comm, n, sources, degrees, destinations, weights, info,
                                      status < 0 ? reorder : 0, result);
    /* Edges name ranks of the new communicator, whoever declares them. */
    status = PMPI_Dist_graph_create(ordered, n, sources, degrees, destinations, weights, info, 0,
                                    result);
    PMPI_Comm_free(&ordered);
    return status;
}

/* What a rank declares about its neighbours: sent to the process that has this rank now. */
struct neighbors {
    int in, out, in_weighted, out_weighted;
};
enum { HEADER = 4 };

static size_t list_length(const struct neighbors *n)
{
    return 2 * ((size_t)n->in + (size_t)n->out);
}

static void copy_side(int *to, int count, const int *ranks, const int *weights)
{
    for (int i = 0; i < count; i++) {
        to[i] = ranks[i];
        to[count + i] = weight_at(weights, i);
    }
}

/* In the ordered communicator, whose ranks are those of the old one that vertices had. Each process
 * sends to one and receives from one. \return the new list, or NULL on all processes */
static int *exchange(MPI_Comm ordered, int old, const struct neighbors *mine, int *own,
                     struct neighbors *theirs)
{
    MPI_Request request[2];
    MPI_Status status;
    int *list, ok;

    PMPI_Isend(mine, HEADER, MPI_INT, old, 0, ordered, &request[0]);
    PMPI_Recv(theirs, HEADER, MPI_INT, MPI_ANY_SOURCE, 0, ordered, &status);
    PMPI_Wait(&request[0], MPI_STATUS_IGNORE);
    list = malloc((list_length(theirs) + 1) * sizeof *list);
    ok = reorder_agree(ordered, own && list && list_length(mine) <= INT_MAX);
    if (!ok) {
        free(list);
        return NULL;
    }
    PMPI_Isend(own, (int)list_length(mine), MPI_INT, old, 1, ordered, &request[1]);
    PMPI_Recv(list, (int)list_length(theirs), MPI_INT, status.MPI_SOURCE, 1, ordered,
              MPI_STATUS_IGNORE);
    PMPI_Wait(&request[1], MPI_STATUS_IGNORE);
    return list;
}

static const int *weights_of(int weighted, int count, const int *at)
{
    return !weighted ? MPI_UNWEIGHTED : count ? at : MPI_WEIGHTS_EMPTY;
}

API int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[],
                                       const int sourceweights[], int outdegree,
                                       const int destinations[], const int destweights[],
                                       MPI_Info info, int reorder, MPI_Comm *result)
{
    struct neighbors mine = {indegree, outdegree, sourceweights != MPI_UNWEIGHTED,
                             destweights != MPI_UNWEIGHTED},
                     theirs;
    reorder_arcs arcs = {0};
    MPI_Comm ordered;
    TOPOMAP_FREED int *own = NULL, *list = NULL;
    int size = 0, rank = 0, status;

    if (!reorder || !is_intracommunicator(comm) || !result)
        return PMPI_Dist_graph_create_adjacent(comm, indegree, sources, sourceweights, outdegree,
                                               destinations, destweights, info, reorder, result);
    PMPI_Comm_size(comm, &size);
    PMPI_Comm_rank(comm, &rank);
    /* The sources are checked alone: each edge is some process's destination, too. */
    status = add_edges(&arcs, size, rank, indegree, sources, sourceweights);
    arcs.count = 0;
    if (status == 0)
        status = add_edges(&arcs, size, rank, outdegree, destinations, destweights);
    status = order(comm, "MPI_Dist_graph_create_adjacent", &arcs, status == 0, &ordered);
    if (status <= 0)
        return PMPI_Dist_graph_create_adjacent(comm, indegree, sources, sourceweights, outdegree,
                                               destinations, destweights, info,
                                               status < 0 ? reorder : 0, result);
    own = malloc((list_length(&mine) + 1) * sizeof *own);
    if (own) {
        copy_side(own, indegree, sources, sourceweights);
        copy_side(own + 2 * (size_t)indegree, outdegree, destinations, destweights);
    }
    list = exchange(ordered, rank, &mine, own, &theirs);
    if (list) {
        const int *out = list + 2 * (size_t)theirs.in;

        status = PMPI_Dist_graph_create_adjacent(
            ordered, theirs.in, list, weights_of(theirs.in_weighted, theirs.in, list + theirs.in),
            theirs.out, out, weights_of(theirs.out_weighted, theirs.out, out + theirs.out), info, 0,
            result);
    } else
        status = PMPI_Dist_graph_create_adjacent(comm, indegree, sources, sourceweights, outdegree,
                                                 destinations, destweights, info, 0, result);
    PMPI_Comm_free(&ordered);
    return status;
}
