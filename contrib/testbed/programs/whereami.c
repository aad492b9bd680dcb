/* SPDX-License-Identifier: BSD-3-Clause */
/* whereami: where each MPI rank really runs, one line a rank, in rank order, after a header:
 *
 *   # rank node localid cpus applied pmix_rank pmix_localrank pmix_node
 *
 * node and localid are Slurm's (SLURMD_NODENAME, SLURM_LOCALID), cpus the list that
 * sched_getaffinity gives, applied is TOPOMAP_APPLIED, and the last three are PMIx's own view when
 * the program was started through PMIx. `-` stands for what is not there.
 */
#define _GNU_SOURCE
#include "finish.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef HAVE_PMIX
#include <pmix.h>
#endif

enum { LINE = 4096, FIELD = 256, MOST_CPUS = 1 << 16 };

struct pmix_view {
    char rank[FIELD], local_rank[FIELD], node[FIELD];
};

#ifdef HAVE_PMIX
static void get_value(const pmix_proc_t *self, const char *key, char *text)
{
    pmix_value_t *value;

    if (PMIx_Get(self, key, NULL, 0, &value) != PMIX_SUCCESS)
        return;
    if (value->type == PMIX_STRING)
        snprintf(text, FIELD, "%s", value->data.string);
    else if (value->type == PMIX_UINT16)
        snprintf(text, FIELD, "%u", (unsigned)value->data.uint16);
    PMIX_VALUE_RELEASE(value);
}

static void get_pmix_view(struct pmix_view *view)
{
    pmix_proc_t self;

    if (!getenv("PMIX_NAMESPACE") || PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS)
        return;
    snprintf(view->rank, FIELD, "%u", (unsigned)self.rank);
    get_value(&self, PMIX_LOCAL_RANK, view->local_rank);
    get_value(&self, PMIX_HOSTNAME, view->node);
    PMIx_Finalize(NULL, 0);
}
#else
static void get_pmix_view(struct pmix_view *view)
{
    (void)view;
}
#endif

/* Writes the CPUs that this process may use as a list ("0-3,8"). */
static void get_cpus(char *text, size_t room)
{
    cpu_set_t *set = CPU_ALLOC(MOST_CPUS);
    size_t size = CPU_ALLOC_SIZE(MOST_CPUS), used = 0;

    snprintf(text, room, "-");
    if (!set || sched_getaffinity(0, size, set) != 0) {
        CPU_FREE(set);
        return;
    }
    for (int cpu = 0; cpu < MOST_CPUS && used < room; cpu++) {
        int first = cpu;

        if (!CPU_ISSET_S(cpu, size, set))
            continue;
        while (cpu + 1 < MOST_CPUS && CPU_ISSET_S(cpu + 1, size, set))
            cpu++;
        used += (size_t)snprintf(text + used, room - used, first == cpu ? "%s%d" : "%s%d-%d",
                                 used ? "," : "", first, cpu);
    }
    CPU_FREE(set);
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : "-";
}

int main(int argc, char **argv)
{
    struct pmix_view view = {"-", "-", "-"};
    char line[LINE], cpus[LINE / 2], *lines = NULL;
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    get_pmix_view(&view);
    get_cpus(cpus, sizeof(cpus));
    snprintf(line, LINE, "%d %.64s %.16s %s %.16s %s %s %s", rank, variable("SLURMD_NODENAME"),
             variable("SLURM_LOCALID"), cpus, variable("TOPOMAP_APPLIED"), view.rank,
             view.local_rank, view.node);
    if (rank == 0)
        lines = malloc((size_t)ranks * LINE);
    if (rank == 0 && !lines)
        MPI_Abort(MPI_COMM_WORLD, 4);
    MPI_Gather(line, LINE, MPI_CHAR, lines, LINE, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        puts("# rank node localid cpus applied pmix_rank pmix_localrank pmix_node");
        for (int r = 0; r < ranks; r++)
            puts(lines + (size_t)r * LINE);
    }
    free(lines);
    return finish(0);
}
