/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "graph/formats/io.h"
#include "graph/formats/training/nccl.h"
#include "util/alloc.h"

void topomap_nccl_clear(topomap_nccl *log)
{
    free(log->comm);
    free(log->member);
    free(log->session);
    free(log->arc);
    free(log->send);
    free(log->label);
    topomap_known_clear(&log->devices);
}

/* Whose rank is which. */
struct job {
    topomap_nccl *log;
    uint32_t world; /* the communicator whose ranks are the job's; or NONE */
    uint32_t *rank; /* [log->devices.count] of the job */
    uint64_t ranks;
    topomap_arcs arcs;
    size_t left_out; /* connections and sends whose ends are not known */
};

/* ---- Order ----------------------------------------------------------------------------------- */

TOPOMAP_COMPARE(compare_members, struct topomap_nccl_member, TOPOMAP_ORDER(x->comm, y->comm),
                TOPOMAP_ORDER(x->rank, y->rank))

/* By communicator (kept in `session` from here on), kind, sender, channel, receiver. */
TOPOMAP_COMPARE(compare_senders, struct topomap_nccl_arc,
                TOPOMAP_ORDER(x->session, y->session) ?: TOPOMAP_ORDER(x->how, y->how),
                TOPOMAP_ORDER(x->from, y->from))
TOPOMAP_COMPARE(compare_arcs, struct topomap_nccl_arc, compare_senders(x, y),
                TOPOMAP_ORDER(x->channel, y->channel) ?: TOPOMAP_ORDER(x->to, y->to))

/* Arcs of known communicators, each once, in order: a ring is told by each of its ranks, and by
 * rank 0. */
static void arcs_sort(struct job *job)
{
    topomap_nccl *log = job->log;
    size_t kept = 0;

    for (size_t i = 0; i < log->arcs; i++) {
        struct topomap_nccl_arc arc = log->arc[i];

        arc.session = log->session[arc.session];
        if (arc.session == TOPOMAP_NCCL_NONE || log->comm[arc.session].shared ||
            arc.from >= log->comm[arc.session].size || arc.to >= log->comm[arc.session].size)
            job->left_out++;
        else if (arc.from != arc.to)
            log->arc[kept++] = arc;
    }
    log->arcs = kept;
    TOPOMAP_SORT(log->arc, kept, compare_arcs);
    kept = 0;
    for (size_t i = 0; i < log->arcs; i++)
        if (!kept || compare_arcs(&log->arc[kept - 1], &log->arc[i]) != 0)
            log->arc[kept++] = log->arc[i];
    log->arcs = kept;
}

/* ---- Ranks of the job ------------------------------------------------------------------------ */

/* Only lines of rings and trees are here: they are of one communicator. */
static int take_as_one(topomap_nccl *log, topomap_error *err)
{
    uint32_t size = 0;

    for (size_t i = 0; i < log->arcs; i++) {
        uint32_t larger = log->arc[i].from > log->arc[i].to ? log->arc[i].from : log->arc[i].to;

        size = larger + 1 > size ? larger + 1 : size;
    }
    if (TOPOMAP_APPEND(log->comm, log->comms, log->comm_capacity, err,
                       (struct topomap_nccl_comm){.size = size}))
        return -1;
    for (size_t i = 0; i < log->sessions; i++)
        log->session[i] = 0;
    return 0;
}

/* The largest communicator that has every GPU of the log. */
static int find_world(struct job *job, topomap_error *err)
{
    topomap_nccl *log = job->log;
    TOPOMAP_FREED size_t *members = topomap_alloc(log->comms, sizeof *members, err);

    if (!members)
        return -1;
    for (size_t i = 0; i < log->members; i++)
        members[log->member[i].comm]++;
    for (uint32_t c = 0; c < log->comms; c++)
        if (!log->comm[c].shared && members[c] == log->devices.count &&
            log->comm[c].size > job->ranks) {
            job->world = c;
            job->ranks = log->comm[c].size;
        }
    for (size_t i = 0; i < log->members; i++)
        if (log->member[i].comm == job->world)
            job->rank[log->member[i].device] = log->member[i].rank;
    return 0;
}

/* 0 where each GPU has a label of its own. */
static int take_labels(struct job *job, topomap_error *err)
{
    size_t devices = job->log->devices.count;
    TOPOMAP_FREED uint64_t *sorted = topomap_alloc(devices, sizeof *sorted, err);
    int alike = 0;

    if (!sorted)
        return -1;
    memcpy(sorted, job->log->label, devices * sizeof *sorted);
    qsort(sorted, devices, sizeof *sorted, topomap_by_u64);
    for (size_t i = 0; i < devices; i++)
        alike |= !sorted[i] || (i && sorted[i] == sorted[i - 1]);
    job->ranks = sorted[devices - 1];
    for (size_t i = 0; !alike && i < devices; i++)
        job->rank[i] = (uint32_t)job->log->label[i] - 1;
    return alike;
}

static int find_ranks(const topomap_input *input, struct job *job, topomap_error *err)
{
    topomap_nccl *log = job->log;
    int alike;

    job->rank = topomap_alloc(log->devices.count, sizeof *job->rank, err);
    if (!job->rank || (!log->comms && take_as_one(log, err)) || find_world(job, err))
        return -1;
    if (job->world != TOPOMAP_NCCL_NONE)
        return 0;
    alike = take_labels(job, err);
    if (alike > 0)
        topomap_error_set(err, TOPOMAP_EINPUT,
                          "%s: no communicator in this log has all of its %zu GPUs, so that their "
                          "ranks are not known; log a run that begins with one of all ranks, or "
                          "label its lines (srun --label)",
                          topomap_input_path(input), log->devices.count);
    return alike ? -1 : 0;
}

/* The job's rank of a communicator's; NONE where it is not in the log. */
static uint32_t job_rank(const struct job *job, uint32_t comm, uint32_t rank)
{
    const struct topomap_nccl_member key = {.comm = comm, .rank = rank}, *found;

    if (comm == job->world)
        return rank;
    found = job->log->members
                ? bsearch(&key, job->log->member, job->log->members, sizeof key, compare_members)
                : NULL;
    return found ? job->rank[found->device] : TOPOMAP_NCCL_NONE;
}

/* ---- Arcs ------------------------------------------------------------------------------------ */

static int add(struct job *job, uint32_t comm, uint32_t from, uint32_t to, double bytes,
               topomap_error *err)
{
    uint32_t u = job_rank(job, comm, from), v = job_rank(job, comm, to);

    if (u == TOPOMAP_NCCL_NONE || v == TOPOMAP_NCCL_NONE) {
        job->left_out++;
        return 0;
    }
    if (!(bytes < 0x1p62))
        return topomap_error_set(err, TOPOMAP_EINPUT, "the sum of bytes reaches 2^63");
    return u == v || bytes <= 0
               ? 0
               : topomap_arcs_add(&job->arcs, u, v, (uint64_t)(bytes + 0.5), 0, err);
}

/* A member's ring bytes, over its channels alike; to the next rank where no line tells the ring. */
static int add_rings(struct job *job, const struct topomap_nccl_member *member, topomap_error *err)
{
    const topomap_nccl *log = job->log;
    const struct topomap_nccl_arc key = {.session = member->comm,
                                         .how = TOPOMAP_NCCL_RING,
                                         .from = member->rank},
                                  *first, *end;

    first = log->arcs ? bsearch(&key, log->arc, log->arcs, sizeof key, compare_senders) : NULL;
    if (!first)
        return add(job, member->comm, member->rank,
                   (member->rank + 1) % log->comm[member->comm].size, member->ring, err);
    for (end = first + 1; end < log->arc + log->arcs && !compare_senders(end, &key);)
        end++;
    while (first > log->arc && !compare_senders(first - 1, &key))
        first--;
    for (const struct topomap_nccl_arc *arc = first; arc < end; arc++)
        if (add(job, member->comm, member->rank, arc->to, member->ring / (double)(end - first),
                err))
            return -1;
    return 0;
}

static int add_calls(struct job *job, topomap_error *err)
{
    const topomap_nccl *log = job->log;

    for (size_t i = 0, first = 0; i < log->members; i++) {
        const struct topomap_nccl_member *member = &log->member[i];

        if (member->comm != log->member[first].comm)
            first = i;
        if (log->comm[member->comm].shared) {
            job->left_out += member->ring > 0 || member->each > 0;
            continue;
        }
        if (member->ring > 0 && add_rings(job, member, err))
            return -1;
        for (size_t k = first;
             member->each > 0 && k < log->members && log->member[k].comm == member->comm; k++)
            if (add(job, member->comm, member->rank, log->member[k].rank, member->each, err))
                return -1;
    }
    return 0;
}

/* Before members are sorted, as sends have their index. */
static int add_sends(struct job *job, const struct topomap_nccl_member *unsorted,
                     topomap_error *err)
{
    for (size_t i = 0; i < job->log->sends; i++) {
        const struct topomap_nccl_send *send = &job->log->send[i];
        const struct topomap_nccl_member *member = &unsorted[send->member];

        if (job->log->comm[member->comm].shared)
            job->left_out++;
        else if (add(job, member->comm, member->rank, send->to, send->bytes, err))
            return -1;
    }
    return 0;
}

static int add_units(struct job *job, topomap_error *err)
{
    for (size_t i = 0; i < job->log->arcs; i++) {
        const struct topomap_nccl_arc *arc = &job->log->arc[i];

        if (add(job, arc->session, arc->from, arc->to, 1, err))
            return -1;
    }
    return 0;
}

static void job_clear(struct job *job)
{
    topomap_arcs_clear(&job->arcs);
    free(job->rank);
}

static int add_all(struct job *job, int *measured, topomap_error *err)
{
    topomap_nccl *log = job->log;
    TOPOMAP_FREED struct topomap_nccl_member *unsorted =
        topomap_alloc(log->members, sizeof *unsorted, err);

    if (!unsorted)
        return -1;
    if (log->members) {
        memcpy(unsorted, log->member, log->members * sizeof *unsorted);
        qsort(log->member, log->members, sizeof *log->member, compare_members);
    }
    *measured = log->sends > 0;
    for (size_t i = 0; i < log->members; i++)
        *measured |= log->member[i].ring > 0 || log->member[i].each > 0;
    if (!*measured)
        return add_units(job, err);
    return add_sends(job, unsorted, err) || add_calls(job, err) ? -1 : 0;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static int note(const struct job *job, int measured, topomap_graph *graph, topomap_error *err)
{
    char left[100] = "";

    if (job->left_out)
        snprintf(left, sizeof left,
                 "; %zu connections or calls are left out, whose ranks the log "
                 "does not tell",
                 job->left_out);
    if (measured && !*left)
        return 0;
    return topomap_graph_set_text(&graph->note, err, "%s%s",
                                  measured ? "bytes of NCCL's calls"
                                           : "the log has no bytes (NCCL_DEBUG_SUBSYS=INIT,GRAPH,"
                                             "COLL writes calls): each connection of each ring and "
                                             "tree counts 1",
                                  left);
}

int topomap_nccl_graph(const topomap_input *input, topomap_nccl *log, topomap_graph **graph,
                       topomap_error *err)
{
    TOPOMAP_CLEANUP(job_clear) struct job job = {.log = log, .world = TOPOMAP_NCCL_NONE};
    TOPOMAP_GRAPH_FREED topomap_graph *made = NULL;
    topomap_error why;
    int measured = 0;

    if (!log->arcs && !log->members)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: no ring, tree or communicator of NCCL is in it; "
                                 "NCCL_DEBUG=INFO writes them, with NCCL_DEBUG_SUBSYS=INIT,GRAPH,"
                                 "COLL also the bytes",
                                 topomap_input_path(input));
    if (find_ranks(input, &job, err))
        return -1;
    arcs_sort(&job);
    if (add_all(&job, &measured, &why))
        return topomap_lines_blame(input, &why, err);
    if (!job.arcs.count)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: no two of the %llu ranks exchange anything",
                                 topomap_input_path(input), (unsigned long long)job.ranks);
    if (topomap_lines_plausible(input, job.ranks, job.arcs.count, err) ||
        topomap_arcs_take(&job.arcs, (uint32_t)job.ranks, &made, err) ||
        note(&job, measured, made, err) ||
        topomap_graph_set_text(&made->source, err, "log of NCCL"))
        return -1;
    *graph = topomap_take(&made);
    return 0;
}
