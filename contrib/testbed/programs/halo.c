/* SPDX-License-Identifier: BSD-3-Clause */
/* halo PXxPY [OPTIONS]                    a 2D halo exchange on PX * PY MPI ranks
 * halo --graph-only PXxPY FILE [OPTIONS]  only write the communication graph; needs no MPI launch
 *
 *   --bytes N        bytes in each message (default 65536)
 *   --iterations N   exchanges with all neighbours (default 20)
 *   --order ORDER    shuffle (default): the grid position of a rank is a seeded shuffle, so that a
 *                    block of consecutive ranks talks all over the machine; row: rank order
 *   --seed N         of the shuffle (default 1)
 *   --graph FILE     rank 0 writes the communication graph too: u,v,bytes,messages of the whole run
 *
 * Every message is checked after it has arrived. Rank 0 prints the time of one exchange on the
 * slowest rank. Exit status: 0, 1 when a message was wrong, 2 for bad usage.
 */
#define _GNU_SOURCE
#include "exchange.h"
#include "finish.h"
#include "options.h"

#include <stdlib.h>
#include <string.h>

struct settings {
    const char *size, *graph;
    bool graph_only, shuffled;
    int bytes, iterations;
    uint64_t seed;
};

static bool read_order(const char *text, int most, void *shuffled)
{
    (void)most;
    *(bool *)shuffled = strcmp(text, "row") != 0;
    return strcmp(text, "row") == 0 || strcmp(text, "shuffle") == 0;
}

static bool read_seed(const char *text, int most, void *seed)
{
    char *end;

    (void)most;
    *(uint64_t *)seed = strtoull(text, &end, 10);
    return end != text && *end == '\0';
}

static bool parse_arguments(int argc, char **argv, struct settings *settings)
{
    const struct option_row options[] = {
        {"bytes", read_number, &settings->bytes, 1 << 30},
        {"iterations", read_number, &settings->iterations, 1 << 30},
        {"order", read_order, &settings->shuffled, 0},
        {"seed", read_seed, &settings->seed, 0},
        {"graph", read_text, &settings->graph, 0},
        {"graph-only", NULL, &settings->graph_only, 0},
    };

    *settings = (struct settings){.bytes = 65536, .iterations = 20, .shuffled = true, .seed = 1};
    if (!parse_options(argc, argv, options, sizeof options / sizeof *options) ||
        argc - optind != (settings->graph_only ? 2 : 1))
        return false;
    settings->size = argv[optind];
    if (settings->graph_only)
        settings->graph = argv[optind + 1];
    return true;
}

static void wait_all(int requests, MPI_Request *request, MPI_Status *finished)
{
    MPI_Waitall(requests, request, finished);
}

/* Runs the exchanges; returns the number of wrong messages on all ranks (on rank 0). */
static int run(const struct settings *settings, const struct pattern *pattern, int rank)
{
    struct part part;
    double mine = 0, slowest = 0;
    int wrong = 0, all_wrong = 0;

    if (!part_make(&part, pattern, rank)) {
        fprintf(stderr, "halo: no memory for messages of %d bytes\n", settings->bytes);
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < settings->iterations; i++) {
        double start;

        part_fill(&part, i);
        start = MPI_Wtime();
        part_exchange(&part, wait_all);
        mine += MPI_Wtime() - start;
        wrong += part_wrong(&part, i);
    }
    part_free(&part);
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("halo %s: %d iterations of %d bytes, %.3f ms an iteration on the slowest rank, "
               "%d wrong messages\n",
               settings->size, settings->iterations, settings->bytes,
               slowest / settings->iterations * 1e3, all_wrong);
    return all_wrong;
}

static int run_ranks(const struct settings *settings, const struct pattern *pattern)
{
    int rank, ranks, wrong, status = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != pattern->ranks) {
        if (rank == 0)
            fprintf(stderr, "halo: %s needs %d ranks, there are %d\n", settings->size,
                    pattern->ranks, ranks);
        return 2;
    }
    if (settings->graph && rank == 0)
        status = pattern_write(pattern, settings->graph, 0, settings->iterations);
    wrong = run(settings, pattern, rank);
    return wrong > 0 ? 1 : status;
}

int main(int argc, char **argv)
{
    struct settings settings;
    struct pattern pattern;
    int status;

    if (!parse_arguments(argc, argv, &settings) ||
        pattern_grid(&pattern, settings.size, settings.shuffled, settings.bytes, settings.seed) !=
            0) {
        fputs("usage: halo PXxPY [--bytes N] [--iterations N] [--order row|shuffle] [--seed N] "
              "[--graph FILE]\n       halo --graph-only PXxPY FILE [the same]\n",
              stderr);
        return 2;
    }
    if (settings.graph_only) {
        status = pattern_write(&pattern, settings.graph, 0, settings.iterations);
    } else {
        MPI_Init(&argc, &argv);
        status = finish(run_ranks(&settings, &pattern));
    }
    pattern_free(&pattern);
    return status;
}
