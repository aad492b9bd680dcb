/* SPDX-License-Identifier: BSD-3-Clause */
/* Which process is on which node, by MPI's processor names, or as --as-nodes says. */
#include <stdio.h>
#include <string.h>
#include <uthash.h>

#include "measure.h"
#include "util/alloc.h"
#include "util/hostlist.h"

struct known {
    uint32_t node;
    UT_hash_handle hh;
};

static int own_name(const struct measure_options *options, int rank, int ranks, char *name,
                    topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_names_clear) topomap_names names = {0};
    char host[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int length = 0;

    if (!options->as_nodes) {
        MPI_Get_processor_name(host, &length);
        snprintf(name, MEASURE_NAME, "%.*s", MEASURE_NAME - 1, host);
        return 0;
    }
    if (topomap_hostlist_expand(options->as_nodes, 0, &names, err))
        return -1;
    if (names.count != (size_t)ranks)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "--as-nodes has %zu names, and there are %d processes",
                                 names.count, ranks);
    snprintf(name, MEASURE_NAME, "%s", names.name[rank]);
    return 0;
}

/* Names of all ranks to nodes; a name that is new is the next node's. */
static int number_nodes(struct measure_job *job, char (*all)[MEASURE_NAME], topomap_error *err)
{
    TOPOMAP_FREED struct known *known = topomap_alloc((size_t)job->ranks, sizeof *known, err);
    TOPOMAP_FREED uint32_t *count = topomap_alloc((size_t)job->ranks, sizeof *count, err);
    struct known *by_name = NULL;

    if (!known || !count)
        return -1;
    for (int r = 0; r < job->ranks; r++) {
        size_t length = strlen(all[r]);
        struct known *one;

        HASH_FIND(hh, by_name, all[r], length, one);
        if (!one) {
            one = &known[job->nodes];
            one->node = job->nodes;
            job->first[job->nodes] = r;
            memcpy(job->name[job->nodes++], all[r], MEASURE_NAME);
            HASH_ADD_KEYPTR(hh, by_name, all[r], length, one);
        }
        job->node[r] = one->node;
        job->local[r] = count[one->node]++;
    }
    HASH_CLEAR(hh, by_name);
    return 0;
}

static int make(const struct measure_options *options, struct measure_job *job,
                char (**all)[MEASURE_NAME], topomap_error *err)
{
    size_t ranks = (size_t)job->ranks, most = 1;
    topomap_arena *a = &job->arrays;

    for (int i = 0; i < options->sizes; i++)
        most = options->size[i] > (double)most ? (size_t)options->size[i] : most;
    job->node = topomap_arena_alloc(a, ranks, sizeof *job->node, err);
    job->local = topomap_arena_alloc(a, ranks, sizeof *job->local, err);
    job->first = topomap_arena_alloc(a, ranks, sizeof *job->first, err);
    job->name = topomap_arena_alloc(a, ranks, sizeof *job->name, err);
    job->buffer[0] = topomap_arena_alloc(a, most, 1, err);
    job->buffer[1] = topomap_arena_alloc(a, most, 1, err);
    *all = topomap_alloc(ranks, sizeof **all, err);
    return a->is_short || !*all ? -1 : 0;
}

int measure_job_find(const struct measure_options *options, struct measure_job *job,
                     topomap_error *err)
{
    char own[MEASURE_NAME] = "";
    TOPOMAP_FREED char(*all)[MEASURE_NAME] = NULL;
    int failed;

    *job = (struct measure_job){0};
    MPI_Comm_rank(MPI_COMM_WORLD, &job->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job->ranks);
    failed = make(options, job, &all, err) || own_name(options, job->rank, job->ranks, own, err);
    if (measure_agree(failed, err))
        return -1;
    MPI_Allgather(own, MEASURE_NAME, MPI_CHAR, all, MEASURE_NAME, MPI_CHAR, MPI_COMM_WORLD);
    return measure_agree(number_nodes(job, all, err), err);
}

void measure_job_clear(struct measure_job *job)
{
    topomap_arena_clear(&job->arrays);
}

int measure_agree(int failed, topomap_error *err)
{
    int mine = failed ? 1 : 0, any, rank, worst, who;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!any)
        return 0;
    who = mine ? rank : INT32_MAX;
    MPI_Allreduce(&who, &worst, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Bcast(err, sizeof *err, MPI_BYTE, worst, MPI_COMM_WORLD);
    return -1;
}
