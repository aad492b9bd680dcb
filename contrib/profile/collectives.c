/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective is recorded as the messages that this process sends in a usual algorithm for it.
 * Both MPIs can choose others (by node, by network, by tuning files); the ones here are those of
 * Thakur, Rabenseifner, Gropp (2005), with each MPI's own sizes at which it changes over: */
#include "profile.h"

#ifdef OPEN_MPI
/* ompi/mca/coll/tuned/coll_tuned_decision_fixed.c, up to 4.0: later ones also ask for the number
 * of processes. */
enum {
    BCAST_SHORT = 2048, /* binomial tree; then a tree too, in segments */
    BCAST_LONG = 370728,
    BCAST_FEW = 1,
    ALLREDUCE_SHORT = 10000,
    REDUCE_SHORT = INT32_MAX, /* trees, whatever the size */
    ALLGATHER_SHORT = 50000,
    ALLGATHER_LONG = 50000,
    ALLTOALL_SHORT = 200,
    ALLTOALL_FEW = 13,
    REDUCE_SCATTER_LONG = 12288,
    RINGS = 1, /* long ones go round a ring, or down a chain */
};
#else
/* MPIR_CVAR_..._MSG_SIZE and _MIN_PROCS of MPICH 4.0, as MPI_T tells them. */
enum {
    BCAST_SHORT = 12288,
    BCAST_LONG = 524288,
    BCAST_FEW = 8, /* binomial below, whatever the size */
    ALLREDUCE_SHORT = 2049,
    REDUCE_SHORT = 2049,
    ALLGATHER_SHORT = 81920,
    ALLGATHER_LONG = 524288,
    ALLTOALL_SHORT = 257,
    ALLTOALL_FEW = 8,
    REDUCE_SCATTER_LONG = 524288,
    RINGS = 0,
};
#endif

/* Between two groups, this process's own; then `remote` is the size of the other. */
typedef struct group {
    MPI_Comm comm;
    int rank, size, remote;
} group;

/* 0 where there is nothing to send. */
static int enter(MPI_Comm comm, group *g)
{
    int inter = 0;

    *g = (group){.comm = comm};
    return PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS &&
           PMPI_Comm_rank(comm, &g->rank) == MPI_SUCCESS &&
           PMPI_Comm_size(comm, &g->size) == MPI_SUCCESS &&
           (!inter || PMPI_Comm_remote_size(comm, &g->remote) == MPI_SUCCESS) &&
           (g->size > 1 || g->remote);
}

/* Inside the group. */
static void to(const group *g, int64_t rank, uint64_t bytes, uint64_t messages)
{
    int place = (int)(((rank % g->size) + g->size) % g->size);

    if (g->remote)
        profile_add_local(g->comm, place, bytes, messages);
    else
        profile_add(g->comm, place, bytes, messages);
}

/* Whom every process may send to, by number. */
static int partners(const group *g)
{
    return g->remote ? g->remote : g->size;
}

static int is_self(const group *g, int i)
{
    return !g->remote && i == g->rank;
}

/* To one of the other group. */
static void across(const group *g, int rank, uint64_t bytes)
{
    profile_add(g->comm, rank, bytes, 1);
}

static int power_of_two(int n)
{
    return (n & (n - 1)) == 0;
}

static int largest_power(int n)
{
    int power = 1;

    while (power <= n / 2)
        power *= 2;
    return power;
}

/* Place in a tree whose root is `root`; what hangs below place v begins with v itself and is
 * subtree() places long. */
static int from_root(const group *g, int root)
{
    return (g->rank - root + g->size) % g->size;
}

static int subtree(const group *g, int v)
{
    int size = v ? v & -v : g->size;

    return size < g->size - v ? size : g->size - v;
}

/* Down a binomial tree: everything, or to each child what its subtree needs. */
static void tree_down(const group *g, int root, uint64_t all, uint64_t block)
{
    int v = from_root(g, root), own = v ? v & -v : 2 * largest_power(g->size - 1);

    for (int step = own / 2; step > 0; step /= 2)
        if (v + step < g->size)
            to(g, (int64_t)root + v + step, all ? all : block * (uint64_t)subtree(g, v + step), 1);
}

static void tree_up(const group *g, int root, uint64_t all, uint64_t block)
{
    int v = from_root(g, root);

    if (v)
        to(g, (int64_t)root + v - (v & -v), all ? all : block * (uint64_t)subtree(g, v), 1);
}

/* The groups' first processes speak for them, as in both MPIs: to the other group's first goes what
 * the own group brings together, and what comes is handed on inside. */
static void speak(const group *g, uint64_t bytes)
{
    if (g->rank == 0)
        across(g, 0, bytes);
}

/* How exchange() goes: everything at each step; a half, a quarter, ... there; or there and back. */
enum way { WHOLE, HALVES, HALVES_AND_BACK };

/* Exchanges among the largest power of two of processes. Of the others, each hands its data to a
 * neighbour first, and gets the result last where everybody gets it. */
static void exchange(const group *g, uint64_t bytes, enum way way)
{
    int power = largest_power(g->size), over = g->size - power, place;

    if (g->rank < 2 * over && g->rank % 2 == 0) {
        to(g, g->rank + 1, bytes, 1);
        return;
    }
    place = g->rank < 2 * over ? g->rank / 2 : g->rank - over;
    for (int step = 1; step < power; step *= 2) {
        int other = place ^ step;
        uint64_t half = bytes / (2 * (uint64_t)step);

        to(g, other < over ? 2 * other + 1 : other + over,
           way == WHOLE    ? bytes
           : way == HALVES ? half
                           : 2 * half,
           way == HALVES_AND_BACK ? 2 : 1);
    }
    if (g->rank < 2 * over && way != HALVES)
        to(g, g->rank - 1, bytes, 1);
}

static void ring(const group *g, uint64_t bytes, int rounds)
{
    to(g, g->rank + 1, bytes, (uint64_t)rounds * (uint64_t)(g->size - 1));
}

/* The blocks of `n` processes from `first` on, round the end. */
static uint64_t blocks(const group *g, profile_array counts, uint64_t each, int first, int n)
{
    uint64_t sum = 0;

    if (!counts.at)
        return each * (uint64_t)n;
    for (int i = 0; i < n; i++)
        sum += each * profile_count_at(counts, (first + i) % g->size);
    return sum;
}

/* Everybody gets everybody's block; without counts all blocks are `each` bytes. */
static void gather_everywhere(const group *g, profile_array counts, uint64_t each)
{
    uint64_t total = blocks(g, counts, each, 0, g->size);
    int doubling = power_of_two(g->size);

    if (total >= (doubling ? ALLGATHER_LONG : ALLGATHER_SHORT)) {
        ring(g, total - blocks(g, counts, each, (g->rank + 1) % g->size, 1), 1);
        return;
    }
    for (int step = 1; step < g->size; step *= 2) {
        int n = step < g->size - step ? step : g->size - step;

        if (doubling)
            to(g, g->rank ^ step, blocks(g, counts, each, g->rank & ~(step - 1), step), 1);
        else /* Bruck */
            to(g, (int64_t)g->rank - step, blocks(g, counts, each, g->rank, n), 1);
    }
}

void profile_barrier(MPI_Comm comm)
{
    group g;

    if (!enter(comm, &g))
        return;
    if (g.remote)
        speak(&g, 0);
    for (int64_t step = 1; step < g.size; step *= 2)
        to(&g, g.rank + step, 0, 1);
}

void profile_bcast(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    uint64_t bytes = profile_bytes(count, type), block;
    group g;

    if (!enter(comm, &g))
        return;
    if (g.remote) {
        if (root == MPI_ROOT)
            across(&g, 0, bytes);
        else if (root >= 0)
            tree_down(&g, 0, bytes, 0);
    } else if (bytes < BCAST_SHORT || g.size < BCAST_FEW || (RINGS && bytes < BCAST_LONG)) {
        tree_down(&g, root, bytes, 0);
    } else if (RINGS) {
        if (from_root(&g, root) < g.size - 1)
            to(&g, g.rank + 1, bytes, 1);
    } else {
        block = bytes / (uint64_t)g.size;
        tree_down(&g, root, 0, block);
        if (bytes < BCAST_LONG && power_of_two(g.size))
            for (int step = 1; step < g.size; step *= 2)
                to(&g, g.rank ^ step, block * (uint64_t)step, 1);
        else
            ring(&g, block * (uint64_t)(g.size - 1), 1);
    }
}

void profile_reduce(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    uint64_t bytes = profile_bytes(count, type);
    int power;
    group g;

    if (!enter(comm, &g))
        return;
    if (g.remote) {
        if (root >= 0)
            tree_up(&g, 0, bytes, 0);
        if (root >= 0 && g.rank == 0)
            across(&g, root, bytes);
        return;
    }
    power = largest_power(g.size);
    if (bytes < REDUCE_SHORT || count < power) {
        tree_up(&g, root, bytes, 0);
        return;
    }
    exchange(&g, bytes, HALVES);
    tree_up(&g, root, 0, bytes / (uint64_t)g.size);
}

void profile_allreduce(MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    uint64_t bytes = profile_bytes(count, type);
    group g;

    if (!enter(comm, &g))
        return;
    if (g.remote) {
        tree_up(&g, 0, bytes, 0);
        speak(&g, bytes);
        tree_down(&g, 0, bytes, 0);
    } else if (bytes < ALLREDUCE_SHORT || count < g.size)
        exchange(&g, bytes, WHOLE);
    else if (RINGS)
        ring(&g, bytes / (uint64_t)g.size * 2 * (uint64_t)(g.size - 1), 2);
    else
        exchange(&g, bytes, HALVES_AND_BACK);
}

void profile_scan(MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    uint64_t bytes = profile_bytes(count, type);
    group g;

    if (!enter(comm, &g))
        return;
    for (int step = 1; step < g.size; step *= 2)
        if ((g.rank ^ step) < g.size)
            to(&g, g.rank ^ step, bytes, 1);
}

void profile_gather(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    uint64_t block = profile_bytes(count, type);
    group g;

    if (!enter(comm, &g) || (g.remote && root < 0))
        return;
    tree_up(&g, g.remote ? 0 : root, 0, block);
    if (g.remote && g.rank == 0)
        across(&g, root, block * (uint64_t)g.size);
}

void profile_gatherv(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    group g;

    if (!enter(comm, &g))
        return;
    if (g.remote && root >= 0)
        across(&g, root, profile_bytes(count, type));
    else if (!g.remote && g.rank != root)
        to(&g, root, profile_bytes(count, type), 1);
}

void profile_scatter(MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                     MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    group g;

    if (!enter(comm, &g))
        return;
    if (g.remote && root == MPI_ROOT)
        across(&g, 0, profile_bytes(sendcount, sendtype) * (uint64_t)g.remote);
    else if (!g.remote || root >= 0)
        tree_down(&g, g.remote ? 0 : root, 0,
                  !g.remote && g.rank == root ? profile_bytes(sendcount, sendtype)
                                              : profile_bytes(recvcount, recvtype));
}

void profile_scatterv(profile_array counts, MPI_Datatype type, int root, MPI_Comm comm)
{
    group g;

    if (!enter(comm, &g) || (g.remote ? root != MPI_ROOT : g.rank != root))
        return;
    for (int i = 0; i < partners(&g); i++)
        if (i != root) /* between groups it is none of these */
            profile_add(comm, i, profile_bytes(1, type) * profile_count_at(counts, i), 1);
}

/* Between groups: what the own one sends, and what the other does. */
static void gather_across(const group *g, uint64_t own, uint64_t theirs)
{
    tree_up(g, 0, 0, own);
    speak(g, own * (uint64_t)g->size);
    tree_down(g, 0, theirs, 0);
}

void profile_allgather(MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm)
{
    uint64_t block = profile_bytes(recvcount, recvtype);
    group g;

    if (!enter(comm, &g))
        return;
    if (g.remote)
        gather_across(&g, profile_bytes(sendcount, sendtype), block * (uint64_t)g.remote);
    else
        gather_everywhere(&g, (profile_array){0}, block);
}

/* Between groups a process does not know its group's other blocks: all count as long as its own. */
void profile_allgatherv(MPI_Count sendcount, MPI_Datatype sendtype, profile_array counts,
                        MPI_Datatype recvtype, MPI_Comm comm)
{
    uint64_t theirs = 0;
    group g;

    if (!enter(comm, &g))
        return;
    for (int i = 0; i < g.remote; i++)
        theirs += profile_bytes(1, recvtype) * profile_count_at(counts, i);
    if (g.remote)
        gather_across(&g, profile_bytes(sendcount, sendtype), theirs);
    else
        gather_everywhere(&g, counts, profile_bytes(1, recvtype));
}

void profile_alltoall(MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                      MPI_Datatype recvtype, MPI_Comm comm)
{
    uint64_t block = profile_bytes(recvcount, recvtype), moved;
    group g;

    if (!enter(comm, &g))
        return;
    if (g.remote) {
        for (int i = 0; i < g.remote; i++)
            across(&g, i, profile_bytes(sendcount, sendtype));
        return;
    }
    if (block >= ALLTOALL_SHORT || g.size < ALLTOALL_FEW) {
        for (int i = 1; i < g.size; i++)
            to(&g, (int64_t)g.rank + i, block, 1);
        return;
    }
    for (int step = 1; step < g.size; step *= 2) { /* Bruck */
        moved = 0;
        for (int i = step; i < g.size; i++)
            moved += (i & step) != 0;
        to(&g, (int64_t)g.rank + step, block * moved, 1);
    }
}

void profile_alltoallv(const void *sendbuf, profile_array sendcounts, MPI_Datatype sendtype,
                       profile_array recvcounts, MPI_Datatype recvtype, MPI_Comm comm)
{
    int in_place = sendbuf == MPI_IN_PLACE;
    profile_array counts = in_place ? recvcounts : sendcounts;
    group g;

    if (!enter(comm, &g))
        return;
    for (int i = 0; i < partners(&g); i++) {
        uint64_t count = profile_count_at(counts, i);

        if (!is_self(&g, i) && count)
            profile_add(comm, i, profile_bytes(1, in_place ? recvtype : sendtype) * count, 1);
    }
}

void profile_alltoallw(const void *sendbuf, profile_array sendcounts, profile_array sendtypes,
                       profile_array recvcounts, profile_array recvtypes, MPI_Comm comm)
{
    int in_place = sendbuf == MPI_IN_PLACE;
    group g;

    if (!enter(comm, &g))
        return;
    for (int i = 0; i < partners(&g); i++) {
        uint64_t count = profile_count_at(in_place ? recvcounts : sendcounts, i);

        if (!is_self(&g, i) && count)
            profile_add(
                comm, i,
                profile_bytes(1, profile_type_at(in_place ? recvtypes : sendtypes, i)) * count, 1);
    }
}

/* Halving among a power of two of processes, or block by block to its owner. */
static void scatter_reduced(const group *g, profile_array counts, uint64_t each)
{
    uint64_t total = blocks(g, counts, each, 0, g->size);

    if (g->remote) { /* what is scattered counts in even parts */
        tree_up(g, 0, total, 0);
        speak(g, total);
        tree_down(g, 0, 0, total / (uint64_t)g->size);
        return;
    }
    if (total < REDUCE_SCATTER_LONG) {
        exchange(g, total, HALVES);
        return;
    }
    for (int i = 1; i < g->size; i++)
        to(g, (int64_t)g->rank + i, blocks(g, counts, each, (g->rank + i) % g->size, 1), 1);
}

void profile_reduce_scatter(profile_array counts, MPI_Datatype type, MPI_Comm comm)
{
    group g;

    if (enter(comm, &g))
        scatter_reduced(&g, counts, profile_bytes(1, type));
}

void profile_reduce_scatter_block(MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    group g;

    if (enter(comm, &g))
        scatter_reduced(&g, (profile_array){0}, profile_bytes(count, type));
}
