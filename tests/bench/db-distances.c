/* SPDX-License-Identifier: BSD-3-Clause */
/* db-distances DB HOSTLIST EVERY: opens a database as a launch does, takes every EVERY-th host of
 * the list, and gets the distances between all pairs of them. Prints the seconds of CPU from before
 * the open, the hosts, the sum of the hops, and the most memory in KiB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "topology-db/db.h"

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int fail(const topomap_error *err)
{
    fprintf(stderr, "db-distances: %s\n", err->text);
    return 1;
}

static int get_machine(const char *path, const topomap_names *nodes, topomap_machine **machine,
                       topomap_error *err)
{
    uint32_t *tasks = malloc(nodes->count * sizeof *tasks);
    topomap_db_allocation allocation = {.size = sizeof allocation,
                                        .nodes = nodes,
                                        .tasks = tasks,
                                        .cpus_per_task = 1,
                                        .bind = TOPOMAP_BIND_NONE};
    topomap_db *db;
    int result = -1;

    if (!tasks)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    for (size_t i = 0; i < nodes->count; i++)
        tasks[i] = 1;
    if (topomap_db_open(path, &db, err) == 0) {
        result = topomap_db_machine(db, &allocation, machine, NULL, err);
        topomap_db_close(db);
    }
    free(tasks);
    return result;
}

int main(int argc, char **argv)
{
    topomap_names all, some = {0};
    topomap_machine *machine;
    topomap_error err;
    struct rusage usage;
    uint64_t hops = 0;
    double begin, end;
    size_t every;

    if (argc != 4 || !(every = strtoul(argv[3], NULL, 10)))
        return fputs("usage: db-distances DB HOSTLIST EVERY\n", stderr), 2;
    if (topomap_hostlist_expand(argv[2], 0, &all, &err))
        return fail(&err);
    some.name = malloc(all.count * sizeof *some.name);
    if (!some.name)
        return 1;
    for (size_t i = 0; i < all.count; i += every)
        some.name[some.count++] = all.name[i];
    begin = cpu_seconds();
    if (get_machine(argv[1], &some, &machine, &err))
        return fail(&err);
    for (uint32_t p = 0; p < some.count; p++)
        for (uint32_t q = 0; q < p; q++)
            hops += topomap_machine_hops(machine, p, q);
    end = cpu_seconds();
    getrusage(RUSAGE_SELF, &usage);
    printf("%.6f %zu %llu %ld\n", end - begin, some.count, (unsigned long long)hops,
           usage.ru_maxrss);
    topomap_machine_free(machine);
    free(some.name);
    topomap_names_clear(&all);
    return 0;
}
