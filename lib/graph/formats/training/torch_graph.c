/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <string.h>

#include "graph/formats/io.h"
#include "graph/formats/training/torch.h"

enum { MOST_PAIRS = 1 << 24 /* of all calls to each rank of a group */, WORD = 64 };

/* How the bytes of a call go: see nccl_log.c. `own`: the rank of its inputs is the caller's. */
enum way { RING, EACH, ROOT, NOBODY };
static const struct op {
    const char *name; /* without _ */
    enum way way;
    double times; /* of (n-1)/n of its input */
    int shards;   /* the input is an nth: (n-1) of it */
    int own;
} ops[] = {
    {"allreduce", RING, 2, 0, 1}, {"allgather", RING, 1, 1, 1}, {"reducescatter", RING, 1, 0, 1},
    {"alltoall", EACH, 1, 0, 1},  {"broadcast", RING, 1, 0, 0}, {"reduce", RING, 1, 0, 0},
    {"gather", ROOT, 1, 0, 0},    {"send", ROOT, 1, 0, 0},      {"scatter", NOBODY, 0, 0, 0},
};
enum { OPS = sizeof ops / sizeof *ops };

/* The kind of a call whose name may be `_allgather_base`, `all_gather_into_tensor_coalesced`. */
int topomap_torch_op(const char *name)
{
    char plain[WORD];
    size_t used = 0;

    for (; *name && used < WORD - 1; name++)
        if (*name != '_')
            plain[used++] = (char)tolower((unsigned char)*name);
    plain[used] = '\0';
    for (int i = 0; i < OPS; i++)
        if (strstr(plain, ops[i].name))
            return i;
    return -1;
}

/* ---- The graph ------------------------------------------------------------------------------- */

/* A group's ith rank; TOPOMAP_TORCH_NONE where there is none. */
static int64_t rank_at(const topomap_torch *in, const struct topomap_torch_group *group, uint64_t i)
{
    uint64_t rank = group->start + i * group->stride;

    if (i >= group->size)
        return TOPOMAP_TORCH_NONE;
    if (group->listed)
        return in->rank[group->first + i];
    return rank < TOPOMAP_GRAPH_RANKS ? (int64_t)rank : TOPOMAP_TORCH_NONE;
}

/* The rank whose trace it is, by what its collectives say, or TOPOMAP_TORCH_NONE. */
static int own_rank(const topomap_torch *in, int64_t *own, topomap_error *err)
{
    uint64_t said;

    *own = TOPOMAP_TORCH_NONE;
    if (topomap_graph_option_text(in->source, "rank")) {
        if (topomap_graph_option_number(in->source, "rank", 0, TOPOMAP_GRAPH_RANKS - 1, 0, &said,
                                        err))
            return -1;
        *own = (int64_t)said;
        return 0;
    }
    for (size_t i = 0; i < in->calls; i++) {
        const struct topomap_torch_call *call = &in->call[i];
        int64_t rank = ops[call->op].own && call->rank >= 0
                           ? rank_at(in, &in->group[call->group], (uint64_t)call->rank)
                           : TOPOMAP_TORCH_NONE;

        if (rank < 0)
            continue;
        if (*own >= 0 && rank != *own)
            return topomap_json_fail(&in->json, err,
                                     "calls of rank %lld and of rank %lld; --option rank=N says "
                                     "whose trace it is",
                                     (long long)*own, (long long)rank);
        *own = rank;
    }
    if (*own < 0)
        return topomap_json_fail(&in->json, err,
                                 "no collective tells whose trace it is; --option rank=N does");
    return 0;
}

static int send(topomap_arcs *arcs, int64_t from, int64_t to, double bytes, topomap_error *err)
{
    if (to < 0 || from == to || bytes < 1)
        return 0;
    if (!(bytes < 0x1p62))
        return topomap_error_set(err, TOPOMAP_EINPUT, "the sum of bytes reaches 2^63");
    return topomap_arcs_add(arcs, (uint32_t)from, (uint32_t)to, (uint64_t)(bytes + 0.5), 1, err);
}

static int send_each(const topomap_torch *in, const struct topomap_torch_call *call, int64_t own,
                     topomap_arcs *arcs, topomap_error *err)
{
    const struct topomap_torch_group *group = &in->group[call->group];
    double all = 0;

    for (size_t i = 0; i < call->splits; i++)
        all += in->split[call->split + i];
    for (size_t i = 0; i < group->size && i < TOPOMAP_GRAPH_RANKS; i++) {
        double part = 1.0 / (double)group->size;

        if (call->splits == group->size && all > 0)
            part = in->split[call->split + i] / all;
        if (send(arcs, own, rank_at(in, group, i), call->bytes * part, err))
            return -1;
    }
    return 0;
}

/* Where a rank is in a group; not below its size where it is not there. */
static size_t place_of(const topomap_torch *in, struct topomap_torch_group *group, int64_t rank)
{
    size_t at = 0;

    if (group->own)
        return group->own - 1;
    if (!group->listed && group->stride && (uint64_t)rank >= group->start)
        at = ((size_t)rank - group->start) / group->stride;
    while (group->listed && at < group->size && rank_at(in, group, at) != rank)
        at++;
    if (rank_at(in, group, at) != rank)
        at = group->size;
    group->own = at + 1;
    return at;
}

static int call_arcs(const topomap_torch *in, const struct topomap_torch_call *call, int64_t own,
                     topomap_arcs *arcs, topomap_error *err)
{
    struct topomap_torch_group *group = &in->group[call->group];
    const struct op *op = &ops[call->op];
    double size = (double)group->size, share = op->shards ? size - 1 : (size - 1) / size;
    size_t at;

    if (op->way == ROOT)
        return call->rank < 0
                   ? 0
                   : send(arcs, own, rank_at(in, group, (uint64_t)call->rank), call->bytes, err);
    if (op->way == EACH)
        return send_each(in, call, own, arcs, err);
    at = place_of(in, group, own);
    if (op->way != RING || at >= group->size)
        return 0;
    return send(arcs, own, rank_at(in, group, (at + 1) % group->size),
                op->times * share * call->bytes, err);
}

/* How many ranks the groups have, and that all-to-alls have no more pairs than can be kept. */
static int ranks_count(const topomap_torch *in, int64_t own, uint64_t *ranks, topomap_error *err)
{
    double pairs = 0;
    topomap_error why;

    *ranks = 0;
    for (size_t g = 0; g < in->names.count; g++) {
        const struct topomap_torch_group *group = &in->group[g];
        int64_t last = group->size ? rank_at(in, group, group->size - 1) : TOPOMAP_TORCH_NONE;

        for (size_t i = 0; group->listed && i < group->size; i++)
            last = in->rank[group->first + i] > last ? in->rank[group->first + i] : last;
        *ranks = last >= (int64_t)*ranks ? (uint64_t)last + 1 : *ranks;
    }
    if (own >= (int64_t)*ranks)
        return topomap_json_fail(&in->json, err, "rank %lld, but its groups have %llu ranks",
                                 (long long)own, (unsigned long long)*ranks);
    for (size_t i = 0; i < in->calls; i++)
        if (ops[in->call[i].op].way == EACH)
            pairs += (double)in->group[in->call[i].group].size;
    if (pairs > MOST_PAIRS)
        return topomap_json_fail(&in->json, err, "all-to-alls of more than %d pairs in all",
                                 MOST_PAIRS);
    if (topomap_graph_plausible(*ranks, in->ranks + in->calls, &why))
        return topomap_json_fail(&in->json, err, "%s", why.text);
    return 0;
}

int topomap_torch_graph(topomap_torch *in, topomap_graph **graph, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_arcs_clear) topomap_arcs arcs = {.has_messages = 1};
    TOPOMAP_GRAPH_FREED topomap_graph *made = NULL;
    uint64_t ranks = 0;
    int64_t own;
    topomap_error why;

    if (!in->calls)
        return topomap_json_fail(&in->json, err,
                                 "none of its %zu nodes is a call of torch.distributed with its "
                                 "size (record_param_comms, PyTorch 2.4 and later)",
                                 in->nodes);
    if (own_rank(in, &own, err) || ranks_count(in, own, &ranks, err))
        return -1;
    for (size_t i = 0; i < in->calls; i++)
        if (call_arcs(in, &in->call[i], own, &arcs, &why))
            return why.code == TOPOMAP_EINPUT ? topomap_json_fail(&in->json, err, "%s", why.text)
                                              : topomap_error_set(err, why.code, "%s", why.text);
    if (topomap_arcs_take(&arcs, (uint32_t)ranks, &made, err) ||
        topomap_graph_set_text(&made->source, err, "PyTorch's execution trace of rank %lld",
                               (long long)own) ||
        topomap_graph_set_text(
            &made->note, err, "what rank %lld sends; `graph merge` joins the traces of all ranks%s",
            (long long)own, in->strange ? " (calls of unknown kinds or types are left out)" : ""))
        return -1;
    *graph = topomap_take(&made);
    return 0;
}
