/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective is recorded as the messages that this process sends in a usual algorithm for it:
 * those of Thakur, Rabenseifner, Gropp (2005) and of Open MPI, by the rules of each MPI (rules.c).
 * Both can choose others, by node, by network, by tuning files. */
#include "group.h"

typedef profile_group group;

#define RULES(name) (profile_own_rules->name)
#define CHOOSE(name, g, bytes) profile_choose(RULES(name), (g)->size, bytes)

/* Whom every process may send to, by number. */
static int partners(const group *g)
{
    return g->remote ? g->remote : g->size;
}

static int is_self(const group *g, int i)
{
    return !g->remote && i == g->rank;
}

void profile_barrier(MPI_Comm comm)
{
    group g;

    if (!profile_enter(comm, &g))
        return;
    if (g.remote)
        profile_speak(&g, 0);
    for (int64_t step = 1; step < g.size; step *= 2)
        profile_to(&g, g.rank + step, 0, 1);
}

/* ---- From a root, to a root -------------------------------------------------------------- */

void profile_bcast(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    uint64_t bytes = profile_bytes(count, type);
    group g;

    if (!profile_enter(comm, &g))
        return;
    if (!g.remote)
        profile_down(&g, CHOOSE(bcast, &g, bytes), root, bytes);
    else if (root == MPI_ROOT)
        profile_across(&g, 0, bytes);
    else if (root >= 0)
        profile_down(&g, BINOMIAL, 0, bytes);
}

void profile_reduce(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    uint64_t bytes = profile_bytes(count, type);
    enum profile_way way;
    group g;

    if (!profile_enter(comm, &g) || (g.remote && root < 0))
        return;
    way = CHOOSE(reduce, &g, bytes);
    if (g.remote || (way == HALVING && count < profile_largest_power(g.size)))
        way = BINOMIAL;
    if (way == HALVING) {
        profile_exchange(&g, HALVING, bytes, 0);
        profile_collect(&g, BINOMIAL, root, bytes / (uint64_t)g.size);
        return;
    }
    profile_up(&g, way, g.remote ? 0 : root, bytes);
    if (g.remote && g.rank == 0)
        profile_across(&g, root, bytes);
}

void profile_gather(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    uint64_t block = profile_bytes(count, type);
    group g;

    if (!profile_enter(comm, &g) || (g.remote && root < 0))
        return;
    profile_collect(&g, g.remote ? BINOMIAL : CHOOSE(gather, &g, block), g.remote ? 0 : root,
                    block);
    if (g.remote && g.rank == 0)
        profile_across(&g, root, block * (uint64_t)g.size);
}

void profile_gatherv(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    group g;

    if (!profile_enter(comm, &g))
        return;
    if (g.remote && root >= 0)
        profile_across(&g, root, profile_bytes(count, type));
    else if (!g.remote && g.rank != root)
        profile_to(&g, root, profile_bytes(count, type), 1);
}

void profile_scatter(MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                     MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    uint64_t block;
    group g;

    if (!profile_enter(comm, &g))
        return;
    if (g.remote && root == MPI_ROOT)
        profile_across(&g, 0, profile_bytes(sendcount, sendtype) * (uint64_t)g.remote);
    if (g.remote && root < 0)
        return;
    block =
        is_self(&g, root) ? profile_bytes(sendcount, sendtype) : profile_bytes(recvcount, recvtype);
    profile_deal(&g, g.remote ? BINOMIAL : CHOOSE(scatter, &g, block), g.remote ? 0 : root, block);
}

void profile_scatterv(profile_array counts, MPI_Datatype type, int root, MPI_Comm comm)
{
    group g;

    if (!profile_enter(comm, &g) || (g.remote ? root != MPI_ROOT : g.rank != root))
        return;
    for (int i = 0; i < partners(&g); i++)
        if (i != root) /* between groups it is none of these */
            profile_add(comm, i, profile_bytes(1, type) * profile_count_at(counts, i), 1);
}

/* ---- Among all --------------------------------------------------------------------------- */

/* Rings and halves need as many elements as processes. */
void profile_allreduce(MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    uint64_t bytes = profile_bytes(count, type);
    enum profile_way way;
    group g;

    if (!profile_enter(comm, &g))
        return;
    way = CHOOSE(allreduce, &g, bytes);
    if (g.remote) {
        profile_up(&g, BINOMIAL, 0, bytes);
        profile_speak(&g, bytes);
        profile_down(&g, BINOMIAL, 0, bytes);
    } else if (way == THROUGH_ROOT) {
        profile_up(&g, CHOOSE(reduce, &g, bytes), 0, bytes);
        profile_down(&g, CHOOSE(bcast, &g, bytes), 0, bytes);
    } else if (way == DOUBLING || count < g.size)
        profile_exchange(&g, DOUBLING, bytes, 0);
    else if (way == RING)
        profile_ring(&g, bytes / (uint64_t)g.size * 2 * (uint64_t)(g.size - 1), 2);
    else
        profile_exchange(&g, HALVING, bytes, 1);
}

void profile_scan(MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    uint64_t bytes = profile_bytes(count, type);
    group g;

    if (!profile_enter(comm, &g))
        return;
    if (RULES(scan) == CHAIN)
        profile_down(&g, CHAIN, 0, bytes);
    for (int step = 1; RULES(scan) == DOUBLING && step < g.size; step *= 2)
        if ((g.rank ^ step) < g.size)
            profile_to(&g, g.rank ^ step, bytes, 1);
}

/* The blocks of `n` processes from `first` on, round the end; without counts all are `each` bytes.
 */
static uint64_t blocks(const group *g, profile_array counts, uint64_t each, int first, int n)
{
    uint64_t sum = 0;

    if (!counts.at)
        return each * (uint64_t)n;
    for (int i = 0; i < n; i++)
        sum += each * profile_count_at(counts, (first + i) % g->size);
    return sum;
}

/* To either side in turn: the own block at first, then the two that came last. */
static void with_neighbors(const group *g, uint64_t total)
{
    uint64_t each = total / (uint64_t)g->size, more = (uint64_t)g->size / 2 - 1;
    int first = g->rank % 2 ? -1 : 1;

    profile_to(g, g->rank + first, each * (1 + more / 2 * 2), 1 + more / 2);
    if (more)
        profile_to(g, g->rank - first, each * ((more + 1) / 2 * 2), (more + 1) / 2);
}

/* By doubling, or as Bruck does it. */
static void in_steps(const group *g, profile_array counts, uint64_t each, int doubling)
{
    for (int step = 1; step < g->size; step *= 2) {
        int n = step < g->size - step ? step : g->size - step;

        if (doubling)
            profile_to(g, g->rank ^ step, blocks(g, counts, each, g->rank & ~(step - 1), step), 1);
        else
            profile_to(g, (int64_t)g->rank - step, blocks(g, counts, each, g->rank, n), 1);
    }
}

/* Everybody gets everybody's block. */
static void gather_everywhere(const group *g, const profile_rule *rules, profile_array counts,
                              uint64_t each)
{
    uint64_t total = blocks(g, counts, each, 0, g->size);
    enum profile_way way =
        profile_choose(rules, g->size, RULES(gathers_by_block) ? total / (uint64_t)g->size : total);

    if (way == RING || (way == NEIGHBOR && g->size % 2)) {
        profile_ring(g, total - blocks(g, counts, each, (g->rank + 1) % g->size, 1), 1);
    } else if (way == NEIGHBOR) {
        with_neighbors(g, total);
    } else if (way == THROUGH_ROOT) {
        profile_up(g, LINEAR, 0, blocks(g, counts, each, g->rank, 1));
        profile_down(g, CHOOSE(bcast, g, total), 0, total);
    } else {
        in_steps(g, counts, each, way == DOUBLING && profile_is_power(g->size));
    }
}

/* Between groups: what the own one sends, and what the other does. */
static void gather_across(const group *g, uint64_t own, uint64_t theirs)
{
    profile_collect(g, BINOMIAL, 0, own);
    profile_speak(g, own * (uint64_t)g->size);
    profile_down(g, BINOMIAL, 0, theirs);
}

void profile_allgather(MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm)
{
    uint64_t block = profile_bytes(recvcount, recvtype);
    group g;

    if (!profile_enter(comm, &g))
        return;
    if (g.remote)
        gather_across(&g, profile_bytes(sendcount, sendtype), block * (uint64_t)g.remote);
    else
        gather_everywhere(&g, RULES(allgather), (profile_array){0}, block);
}

/* Between groups a process does not know its group's other blocks: all count as long as its own. */
void profile_allgatherv(MPI_Count sendcount, MPI_Datatype sendtype, profile_array counts,
                        MPI_Datatype recvtype, MPI_Comm comm)
{
    uint64_t theirs = 0;
    group g;

    if (!profile_enter(comm, &g))
        return;
    for (int i = 0; i < g.remote; i++)
        theirs += profile_bytes(1, recvtype) * profile_count_at(counts, i);
    if (g.remote)
        gather_across(&g, profile_bytes(sendcount, sendtype), theirs);
    else
        gather_everywhere(&g, RULES(allgatherv), counts, profile_bytes(1, recvtype));
}

void profile_alltoall(MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                      MPI_Datatype recvtype, MPI_Comm comm)
{
    uint64_t block = profile_bytes(recvcount, recvtype), moved;
    group g;

    if (!profile_enter(comm, &g))
        return;
    if (g.remote) {
        for (int i = 0; i < g.remote; i++)
            profile_across(&g, i, profile_bytes(sendcount, sendtype));
        return;
    }
    if (CHOOSE(alltoall, &g, block) == PAIRS) {
        for (int i = 1; i < g.size; i++)
            profile_to(&g, (int64_t)g.rank + i, block, 1);
        return;
    }
    for (int step = 1; step < g.size; step *= 2) { /* Bruck */
        moved = 0;
        for (int i = step; i < g.size; i++)
            moved += (i & step) != 0;
        profile_to(&g, (int64_t)g.rank + step, block * moved, 1);
    }
}

/* To each of the others so many elements of the type that is said for it, or of `type`. */
static void to_others(MPI_Comm comm, profile_array counts, MPI_Datatype type, profile_array types)
{
    group g;

    if (!profile_enter(comm, &g))
        return;
    for (int i = 0; i < partners(&g); i++) {
        uint64_t count = profile_count_at(counts, i);

        if (!is_self(&g, i) && count)
            profile_add(comm, i,
                        profile_bytes(1, types.at ? profile_type_at(types, i) : type) * count, 1);
    }
}

void profile_alltoallv(const void *sendbuf, profile_array sendcounts, MPI_Datatype sendtype,
                       profile_array recvcounts, MPI_Datatype recvtype, MPI_Comm comm)
{
    int in_place = sendbuf == MPI_IN_PLACE;

    to_others(comm, in_place ? recvcounts : sendcounts, in_place ? recvtype : sendtype,
              (profile_array){0});
}

void profile_alltoallw(const void *sendbuf, profile_array sendcounts, profile_array sendtypes,
                       profile_array recvcounts, profile_array recvtypes, MPI_Comm comm)
{
    int in_place = sendbuf == MPI_IN_PLACE;

    to_others(comm, in_place ? recvcounts : sendcounts, MPI_BYTE, in_place ? recvtypes : sendtypes);
}

/* To each its part of a sum; \p by: the bytes that the rules go by. */
static void scatter_reduced(const group *g, const profile_rule *rules, uint64_t by,
                            profile_array counts, uint64_t each)
{
    uint64_t total = blocks(g, counts, each, 0, g->size);
    enum profile_way way = g->remote ? THROUGH_ROOT : profile_choose(rules, g->size, by);

    if (g->remote) { /* what is scattered counts in even parts */
        profile_up(g, BINOMIAL, 0, total);
        profile_speak(g, total);
        profile_deal(g, BINOMIAL, 0, total / (uint64_t)g->size);
    } else if (way == THROUGH_ROOT) {
        profile_up(g, CHOOSE(reduce, g, total), 0, total);
        for (int i = 1; g->rank == 0 && i < g->size; i++)
            profile_to(g, i, blocks(g, counts, each, i, 1), 1);
    } else if (way == RING) {
        profile_ring(g, total - blocks(g, counts, each, g->rank, 1), 1);
    } else if (way == PAIRS) {
        for (int i = 1; i < g->size; i++)
            profile_to(g, (int64_t)g->rank + i, blocks(g, counts, each, (g->rank + i) % g->size, 1),
                       1);
    } else {
        profile_exchange(g, way, total, 0);
        if (g->rank % 2 && g->rank < 2 * (g->size - profile_largest_power(g->size)))
            profile_to(g, g->rank - 1, blocks(g, counts, each, g->rank - 1, 1), 1);
    }
}

void profile_reduce_scatter(profile_array counts, MPI_Datatype type, MPI_Comm comm)
{
    uint64_t each = profile_bytes(1, type);
    group g;

    if (profile_enter(comm, &g))
        scatter_reduced(&g, RULES(reduce_scatter), blocks(&g, counts, each, 0, g.size), counts,
                        each);
}

void profile_reduce_scatter_block(MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    uint64_t each = profile_bytes(count, type);
    group g;

    if (profile_enter(comm, &g))
        scatter_reduced(&g, RULES(reduce_scatter_block),
                        RULES(scatters_by_block) ? each : each * (uint64_t)g.size,
                        (profile_array){0}, each);
}
