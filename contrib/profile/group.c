/* SPDX-License-Identifier: BSD-3-Clause */
#include "group.h"

int profile_enter(MPI_Comm comm, profile_group *g)
{
    int inter = 0;

    *g = (profile_group){.comm = comm};
    return PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS &&
           PMPI_Comm_rank(comm, &g->rank) == MPI_SUCCESS &&
           PMPI_Comm_size(comm, &g->size) == MPI_SUCCESS &&
           (!inter || PMPI_Comm_remote_size(comm, &g->remote) == MPI_SUCCESS) &&
           (g->size > 1 || g->remote);
}

void profile_to(const profile_group *g, int64_t rank, uint64_t bytes, uint64_t messages)
{
    int place = (int)(((rank % g->size) + g->size) % g->size);

    if (g->remote)
        profile_add_local(g->comm, place, bytes, messages);
    else
        profile_add(g->comm, place, bytes, messages);
}

void profile_across(const profile_group *g, int rank, uint64_t bytes)
{
    profile_add(g->comm, rank, bytes, 1);
}

void profile_speak(const profile_group *g, uint64_t bytes)
{
    if (g->rank == 0)
        profile_across(g, 0, bytes);
}

int profile_is_power(int n)
{
    return (n & (n - 1)) == 0;
}

int profile_largest_power(int n)
{
    int power = 1;

    while (power <= n / 2)
        power *= 2;
    return power;
}

/* ---- Trees: places count from the root --------------------------------------------------- */

static int from_root(const profile_group *g, int root)
{
    return (g->rank - root + g->size) % g->size;
}

/* In a binomial tree: what hangs below place v begins with v itself and is so many places long. */
static int subtree(const profile_group *g, int v)
{
    int size = v ? v & -v : g->size;

    return size < g->size - v ? size : g->size - v;
}

/* The tree's levels have 1, 2, 4, ... places; the children of a level of n are n and 2 n further
 * on. */
static int level_of(int v)
{
    return profile_largest_power(v + 1);
}

static int binary_parent(int v)
{
    int above = level_of(v) / 2;

    return v - above <= 2 * above - 2 ? v - above : v - 2 * above;
}

/* By the lowest digit to base 4 that is not 0. */
static int lowest_digit(int v)
{
    int mask = 1;

    while (v && v % (4 * mask) == 0)
        mask *= 4;
    return mask;
}

typedef void down(const profile_group *g, int root, int v, uint64_t bytes);

static void child(const profile_group *g, int root, int64_t v, uint64_t bytes)
{
    if (v < g->size)
        profile_to(g, root + v, bytes, 1);
}

static void down_linear(const profile_group *g, int root, int v, uint64_t bytes)
{
    for (int i = 1; v == 0 && i < g->size; i++)
        child(g, root, i, bytes);
}

static void down_chain(const profile_group *g, int root, int v, uint64_t bytes)
{
    child(g, root, v + 1, bytes);
}

static void down_binary(const profile_group *g, int root, int v, uint64_t bytes)
{
    child(g, root, v + level_of(v), bytes);
    child(g, root, v + 2 * (int64_t)level_of(v), bytes);
}

static void down_binomial(const profile_group *g, int root, int v, uint64_t bytes)
{
    int own = v ? v & -v : 2 * profile_largest_power(g->size - 1);

    for (int step = own / 2; step > 0; step /= 2)
        child(g, root, v + step, bytes);
}

static void down_high(const profile_group *g, int root, int v, uint64_t bytes)
{
    for (int64_t step = v ? 2 * (int64_t)profile_largest_power(v) : 1; v + step < g->size;
         step *= 2)
        child(g, root, v + step, bytes);
}

static void down_knomial(const profile_group *g, int root, int v, uint64_t bytes)
{
    int64_t most = v ? lowest_digit(v) : g->size;

    for (int64_t step = 1; step < most; step *= 4)
        for (int i = 1; i < 4; i++)
            child(g, root, v + i * step, bytes);
}

static void down_ring(const profile_group *g, int root, int v, uint64_t bytes)
{
    uint64_t block = bytes / (uint64_t)g->size;

    (void)v;
    profile_deal(g, BINOMIAL, root, block);
    profile_ring(g, block * (uint64_t)(g->size - 1), 1);
}

static void down_doubling(const profile_group *g, int root, int v, uint64_t bytes)
{
    uint64_t block = bytes / (uint64_t)g->size;

    if (!profile_is_power(g->size)) {
        down_ring(g, root, v, bytes);
        return;
    }
    profile_deal(g, BINOMIAL, root, block);
    for (int step = 1; step < g->size; step *= 2)
        profile_to(g, g->rank ^ step, block * (uint64_t)step, 1);
}

void profile_down(const profile_group *g, enum profile_way way, int root, uint64_t bytes)
{
    static down *const downs[] = {[LINEAR] = down_linear,
                                  [CHAIN] = down_chain,
                                  [BINARY] = down_binary,
                                  [BINOMIAL] = down_binomial,
                                  [BINOMIAL_HIGH] = down_high,
                                  [KNOMIAL] = down_knomial,
                                  [SCATTER_DOUBLING] = down_doubling,
                                  [SCATTER_RING] = down_ring};

    downs[way](g, root, from_root(g, root), bytes);
}

void profile_up(const profile_group *g, enum profile_way way, int root, uint64_t bytes)
{
    int v = from_root(g, root);
    int parent = way == LINEAR   ? 0
                 : way == CHAIN  ? v - 1
                 : way == BINARY ? binary_parent(v)
                                 : v - (v & -v);

    if (v)
        profile_to(g, (int64_t)root + parent, bytes, 1);
}

void profile_deal(const profile_group *g, enum profile_way way, int root, uint64_t block)
{
    int v = from_root(g, root), own = v ? v & -v : 2 * profile_largest_power(g->size - 1);

    if (way == LINEAR) {
        down_linear(g, root, v, block);
        return;
    }
    for (int step = own / 2; step > 0; step /= 2)
        if (v + step < g->size)
            child(g, root, v + step, block * (uint64_t)subtree(g, v + step));
}

void profile_collect(const profile_group *g, enum profile_way way, int root, uint64_t block)
{
    profile_up(g, way, root,
               way == LINEAR ? block : block * (uint64_t)subtree(g, from_root(g, root)));
}

/* ---- Among all --------------------------------------------------------------------------- */

/* What a step so far away takes. */
static uint64_t part(enum profile_way way, uint64_t bytes, int step, int power)
{
    if (way == HALVING)
        return bytes / (2 * (uint64_t)step);
    return way == HALVING_FAR ? bytes * (uint64_t)step / (uint64_t)power : bytes;
}

/* What a process beyond the power of two and the one that takes it over send each other. */
static void take_over(const profile_group *g, int stays, int evens, int returns, uint64_t bytes)
{
    int other = g->rank % 2 ? g->rank - 1 : g->rank + 1;

    if (evens) /* halves of their data; then one sends the other its sum, and gets the result */
        profile_to(g, other, stays ? bytes / 2 + bytes : bytes, 2);
    else if (!stays || returns)
        profile_to(g, other, bytes, 1);
}

/* Among the largest power of two of processes. Of the others, each hands its data to a neighbour
 * first, and gets the result last where everybody gets it. */
void profile_exchange(const profile_group *g, enum profile_way way, uint64_t bytes, int back)
{
    int power = profile_largest_power(g->size), over = g->size - power, place;
    int evens = back && profile_own_rules->evens_stay;

    if (g->rank < 2 * over) {
        int stays = g->rank % 2 != evens;

        take_over(g, stays, evens, back || way == DOUBLING, bytes);
        if (!stays)
            return;
    }
    place = g->rank < 2 * over ? g->rank / 2 : g->rank - over;
    for (int step = 1; step < power; step *= 2) {
        int other = place ^ step;

        profile_to(g, other < over ? 2 * other + !evens : other + over,
                   part(way, bytes, step, power) * (back ? 2 : 1), back ? 2 : 1);
    }
}

void profile_ring(const profile_group *g, uint64_t bytes, int rounds)
{
    profile_to(g, g->rank + 1, bytes, (uint64_t)rounds * (uint64_t)(g->size - 1));
}
