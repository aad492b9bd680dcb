/* SPDX-License-Identifier: BSD-3-Clause */
/* One note for all jobs, since a user has few keys (/proc/sys/kernel/keys/maxkeys, 200) and has
 * others to keep. Where the kernel has none, or a container may not use them, each step waits for
 * its own deadline. */
#include "config.h"
#include "plugin/common/child.h"
#include "plugin/srun/srun.h"

#include <stdlib.h>

/* The newest jobs of a user; who has more at once that are late waits again in some. */
enum { JOBS = 64 };

static const char name[] = "topomap:late";

/* A job's number is its cluster's; where that has two slurm.conf files, they are two clusters. A
 * job that is requeued keeps its number, and has another start's chances. */
static uint64_t hash_of(uint32_t job)
{
    static const char *const which[] = {"SLURM_CLUSTER_NAME", "SLURM_CONF", "SLURM_RESTART_COUNT"};
    uint64_t hash = 14695981039346656037u; /* FNV-1a */

    for (size_t i = 0; i < sizeof which / sizeof *which; i++)
        for (const char *c = getenv(which[i]); c && *c; c++)
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    return (hash ^ job) * 1099511628211u;
}

/* \return how many there are, newest first */
static size_t read_jobs(uint64_t jobs[JOBS])
{
    return plugin_keyring_read(name, jobs, JOBS * sizeof *jobs) / sizeof *jobs;
}

void plugin_breaker_trip(uint32_t job)
{
    uint64_t jobs[JOBS + 1];
    size_t count = read_jobs(jobs + 1) + 1;

    if (!job)
        return;
    jobs[0] = hash_of(job);
    if (count > JOBS)
        count = JOBS;
    plugin_keyring_write(name, jobs, count * sizeof *jobs);
}

int plugin_breaker_is_tripped(uint32_t job)
{
    uint64_t jobs[JOBS], hash = hash_of(job);
    size_t count = read_jobs(jobs);

    for (size_t i = 0; job && i < count; i++)
        if (jobs[i] == hash)
            return 1;
    return 0;
}
