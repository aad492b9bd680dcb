/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the ranks of a launcher would go by themselves. */
#include <stdlib.h>

#include "cli/run/run.h"
#include "topomap/hosts.h"
#include "util/alloc.h"

/* How many ranks each node has, `slots` before. */
static void share(uint32_t *slots, size_t nodes, uint64_t ranks, int one_each)
{
    uint64_t first = 0, left = ranks;

    for (size_t i = 0; one_each && i < nodes; i++)
        first += slots[i] > 0;
    for (size_t i = 0; i < nodes; i++) {
        /* What the nodes behind this one have at least. */
        uint64_t others = one_each && slots[i] ? --first : first;
        uint64_t most = left > others ? left - others : left > 0;

        slots[i] = slots[i] < most ? slots[i] : (uint32_t)most;
        left -= slots[i];
    }
}

static int fill(const topomap_names *names, uint32_t *slots, uint32_t ranks, int one_each,
                run_allocation *a, topomap_error *err)
{
    uint64_t room = 0, wanted;
    const char *comma = "";
    size_t size;
    FILE *nodes, *tasks;
    int failed;

    for (size_t i = 0; i < names->count; i++)
        room += slots[i];
    wanted = ranks ? ranks : room;
    if (wanted > room || room > UINT32_MAX)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%u ranks are more than the %llu tasks that the nodes have", ranks,
                                 (unsigned long long)room);
    a->ranks = (uint32_t)wanted;
    share(slots, names->count, wanted, one_each);
    nodes = open_memstream(&a->nodes, &size);
    tasks = open_memstream(&a->tasks, &size);
    for (size_t i = 0; nodes && tasks && i < names->count; i++) {
        if (!slots[i])
            continue;
        fprintf(nodes, "%s%s", comma, names->name[i]);
        fprintf(tasks, "%s%u", comma, slots[i]);
        comma = ",";
    }
    failed = !nodes || !tasks || ferror(nodes) || ferror(tasks);
    if (nodes)
        failed |= fclose(nodes) != 0;
    if (tasks)
        failed |= fclose(tasks) != 0;
    return failed ? topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory") : 0;
}

static int spread(const char *hosts, const char *counts, uint32_t ranks, int one_each,
                  run_allocation *a, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_names_clear) topomap_names names = {0};
    TOPOMAP_FREED uint32_t *slots = NULL;

    if (topomap_hostlist_expand(hosts, 0, &names, err) != 0 ||
        !(slots = topomap_alloc(names.count, sizeof *slots, err)) ||
        topomap_counts_parse(counts, names.count, slots, err) != 0)
        return -1;
    return fill(&names, slots, ranks, one_each, a, err);
}

static const char *first_of(const char *a, const char *b)
{
    const char *value = getenv(a);

    return value && *value ? value : getenv(b);
}

int run_allocation_find(const cli_call *call, const run_asked *asked, int one_each,
                        run_allocation *a, char why[CLI_WHY])
{
    const char *hosts = call->options.nodes, *counts = call->options.tasks_per_node;
    topomap_error err;

    *a = (run_allocation){.job = NULL};
    if (!hosts) {
        hosts = first_of("SLURM_JOB_NODELIST", "SLURM_NODELIST");
        a->job = first_of("SLURM_JOB_ID", "SLURM_JOBID");
        if (!counts)
            counts = first_of("SLURM_TASKS_PER_NODE", "SLURM_JOB_CPUS_PER_NODE");
    }
    if (!hosts || !counts) {
        snprintf(why, CLI_WHY, "%s",
                 hosts ? "--nodes wants --tasks-per-node, too"
                       : "this is no allocation of Slurm's, and --nodes names none");
        return -1;
    }
    if (spread(hosts, counts, asked->ranks, one_each, a, &err) == 0)
        return 0;
    snprintf(why, CLI_WHY, "%.*s", CLI_WHY - 1, err.text);
    run_allocation_clear(a);
    return -1;
}

void run_allocation_clear(run_allocation *a)
{
    free(a->nodes);
    free(a->tasks);
    *a = (run_allocation){.job = NULL};
}
