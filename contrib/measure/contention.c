/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of all processes at once, each to a process on a node as many hops away. */
#include <stdlib.h>

#include "measure.h"
#include "util/random.h"

void measure_match(const struct measure_job *job, uint64_t seed, const uint16_t *hops,
                   uint32_t distance, uint32_t *partner)
{
    topomap_random random = {seed};

    for (uint32_t i = 0; i < job->nodes; i++)
        partner[i] = UINT32_MAX;
    for (uint32_t i = 0; i < job->nodes; i++) {
        uint32_t from = topomap_random_below(&random, job->nodes);

        if (partner[i] != UINT32_MAX)
            continue;
        for (uint32_t k = 0; partner[i] == UINT32_MAX && k < job->nodes; k++) {
            uint32_t j = (from + k) % job->nodes;

            if (j != i && partner[j] == UINT32_MAX &&
                hops[(size_t)i * job->nodes + j] == distance) {
                partner[i] = j;
                partner[j] = i;
            }
        }
    }
}

/* The rank with the same number on the other node, or -1. */
static int rank_there(const struct measure_job *job, uint32_t node, uint32_t local)
{
    for (int r = job->first[node]; r < job->ranks; r++)
        if (job->node[r] == node && job->local[r] == local)
            return r;
    return -1;
}

int measure_contention(const struct measure_options *options, const struct measure_job *job,
                       const uint32_t *partner, uint32_t hops, struct measure_rows *rows,
                       topomap_error *err)
{
    uint32_t own = job->node[job->rank];
    int other =
        partner[own] == UINT32_MAX ? -1 : rank_there(job, partner[own], job->local[job->rank]);
    int failed = 0;

    for (int s = 0; s < options->sizes; s++) {
        double us;

        measure_wait();
        if (other < 0)
            continue;
        us = measure_pingpong(options, job, other, options->size[s]);
        if (!failed && job->rank < other)
            failed = measure_add(rows, MEASURE_CONTENTION, own, partner[own], hops,
                                 options->size[s], us, err);
    }
    measure_wait();
    return measure_agree(failed, err);
}
