/* SPDX-License-Identifier: BSD-3-Clause */
/* graph-read FILE RUNS: reads a graph file RUNS times in one process and prints the least CPU time
 * of one, in milliseconds, the file's size, the number of directed edges, and the peak of memory in
 * KiB beyond what the process had before. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "graph/graph.h"

static double cpu(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static long peak(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

int main(int argc, char **argv)
{
    int runs = argc == 3 ? atoi(argv[2]) : 0;
    long before = peak();
    double least = 1e300;
    topomap_graph *graph;
    topomap_error err;
    uint64_t arcs = 0;
    struct stat about;

    if (runs < 1 || stat(argv[1], &about)) {
        fputs("usage: graph-read FILE RUNS\n", stderr);
        return 2;
    }
    for (int i = 0; i < runs; i++) {
        double start = cpu();

        if (topomap_graph_read(argv[1], NULL, &graph, &err)) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        if (cpu() - start < least)
            least = cpu() - start;
        arcs = graph->arcs;
        topomap_graph_free(graph);
    }
    printf("%.3f %lld %llu %ld\n", least, (long long)about.st_size, (unsigned long long)arcs,
           peak() - before);
    return 0;
}
