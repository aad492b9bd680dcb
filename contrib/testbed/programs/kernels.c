/* SPDX-License-Identifier: BSD-3-Clause */
/* kernels [OPTIONS] KERNEL:ORDER...            times the communication of MPI kernels, one after
 * the other kernels --graph-only RANKS FILE [OPTIONS] KERNEL:ORDER   only writes the graph; needs
 * no MPI launch
 *
 * KERNEL is halo2d, halo3d, cg, fft or spmv; ORDER is natural, or shuffled: then a rank's place on
 * the grid is a seeded shuffle.
 *
 *   --bytes N        bytes that a rank sends in an iteration, about (default 65536)
 *   --iterations N   of a kernel in one time (default 4)
 *   --repeat N       times of each kernel (default 5)
 *   --seed N         of the shuffle (default 1)
 *   --graph FILE     rank 0 writes the graph of the first KERNEL: u,v,bytes,messages of one
 * iteration
 *   --phase N        with --graph-only: of the Nth phase alone; exit status 2 where there are fewer
 *   --places FILE    rank 0 writes the node of each rank, one a line
 *
 * Rank 0 prints a line a KERNEL:ORDER with the seconds of an iteration on the slowest rank: least,
 * median, all. Every message is checked once, before anything is timed. Exit status: 0, 1 when a
 * message was wrong, 2 for bad usage, 4 otherwise.
 */
#define _GNU_SOURCE
#include "exchange.h"
#include "finish.h"
#include "options.h"

#include <string.h>
#include <time.h>

enum { REPEAT_MOST = 100, NAME = 64 };

struct settings {
    int bytes, iterations, repeat, seed, graph_only, phase;
    const char *graph, *places;
};

static bool parse_arguments(int argc, char **argv, struct settings *settings)
{
    const struct option_row options[] = {
        {"bytes", read_number, &settings->bytes, 1 << 30},
        {"iterations", read_number, &settings->iterations, 1 << 20},
        {"repeat", read_number, &settings->repeat, REPEAT_MOST},
        {"seed", read_number, &settings->seed, 1 << 30},
        {"graph", read_text, &settings->graph, 0},
        {"places", read_text, &settings->places, 0},
        {"phase", read_number, &settings->phase, 1000},
        {"graph-only", read_number, &settings->graph_only, PATTERN_RANKS},
    };

    *settings = (struct settings){.bytes = 65536, .iterations = 4, .repeat = 5, .seed = 1};
    return parse_options(argc, argv, options, sizeof options / sizeof *options) && optind < argc;
}

/* A wait that leaves the processor to the others: there are more ranks than processors, and what is
 * to be timed is the network. */
static void wait_all(int requests, MPI_Request *request, MPI_Status *finished)
{
    static const struct timespec nap = {0, 1000000};
    int done = 0;

    for (;;) {
        MPI_Testall(requests, request, &done, finished);
        if (done)
            return;
        nanosleep(&nap, NULL);
    }
}

static void meet(void)
{
    MPI_Request request;
    MPI_Status finished;

    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    wait_all(1, &request, &finished);
}

static int check(const struct part *part)
{
    part_fill(part, 0);
    part_exchange(part, wait_all);
    return part_wrong(part, 0);
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void report(const char *name, int ranks, const struct settings *settings,
                   const double *seconds)
{
    double sorted[REPEAT_MOST];
    int n = settings->repeat;

    memcpy(sorted, seconds, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_times);
    printf("%s ranks %d least %.4f median %.4f all", name, ranks, sorted[0],
           n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2);
    for (int i = 0; i < n; i++)
        printf(" %.4f", seconds[i]);
    putchar('\n');
    fflush(stdout);
}

/* All times of one kernel; wrong messages of all ranks on rank 0. */
static int run_kernel(const struct settings *settings, const char *name,
                      const struct pattern *pattern, int rank)
{
    struct part part;
    double seconds[REPEAT_MOST];
    int wrong, all_wrong = 0;

    if (!part_make(&part, pattern, rank)) {
        fprintf(stderr, "kernels: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
    wrong = check(&part);
    for (int r = 0; r < settings->repeat; r++) {
        double begin, mine;

        meet();
        begin = MPI_Wtime();
        for (int i = 0; i < settings->iterations; i++)
            part_exchange(&part, wait_all);
        mine = (MPI_Wtime() - begin) / settings->iterations;
        meet();
        MPI_Reduce(&mine, &seconds[r], 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    }
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    part_free(&part);
    if (rank == 0 && all_wrong)
        fprintf(stderr, "kernels: %s: %d wrong messages\n", name, all_wrong);
    if (rank == 0 && !all_wrong)
        report(name, pattern->ranks, settings, seconds);
    return all_wrong ? 1 : 0;
}

static int write_places(const char *path, int rank, int ranks)
{
    const char *node = getenv("SLURMD_NODENAME");
    char own[NAME] = "-", *all = rank == 0 ? malloc((size_t)ranks * NAME) : NULL;
    FILE *file;

    snprintf(own, sizeof own, "%s", node ? node : "-");
    MPI_Gather(own, NAME, MPI_CHAR, all, NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank != 0)
        return 0;
    file = all ? fopen(path, "w") : NULL;
    for (int r = 0; file && r < ranks; r++)
        fprintf(file, "%s\n", all + (size_t)r * NAME);
    free(all);
    if (!file || fclose(file) != 0) {
        perror(path);
        return 4;
    }
    return 0;
}

static int run(const struct settings *settings, int kernels, char **kernel)
{
    int rank, ranks, status = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (settings->places)
        status = write_places(settings->places, rank, ranks);
    for (int k = 0; k < kernels && status == 0; k++) {
        struct pattern pattern;

        /* Alike on all ranks, so all leave together. */
        if (pattern_make(&pattern, kernel[k], ranks, settings->bytes, (uint64_t)settings->seed) !=
            0) {
            if (rank == 0)
                fprintf(stderr, "kernels: %s is no KERNEL:ORDER\n%s", kernel[k], pattern_help);
            return 2;
        }
        if (rank == 0 && k == 0 && settings->graph)
            status = pattern_write(&pattern, settings->graph, 0, 1);
        status |= run_kernel(settings, kernel[k], &pattern, rank);
        MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
        pattern_free(&pattern);
    }
    return status;
}

static int graph_only(const struct settings *settings, const char *path, const char *name)
{
    struct pattern pattern;
    int status;

    if (pattern_make(&pattern, name, settings->graph_only, settings->bytes,
                     (uint64_t)settings->seed) != 0) {
        fprintf(stderr, "kernels: %s is no KERNEL:ORDER\n%s", name, pattern_help);
        return 2;
    }
    status =
        settings->phase > pattern.phases ? 2 : pattern_write(&pattern, path, settings->phase, 1);
    pattern_free(&pattern);
    return status;
}

int main(int argc, char **argv)
{
    struct settings settings;

    if (!parse_arguments(argc, argv, &settings) || (settings.graph_only && argc - optind != 2)) {
        fprintf(stderr,
                "usage: kernels [--bytes N] [--iterations N] [--repeat N] [--seed N] "
                "[--graph FILE] [--places FILE] KERNEL:natural|shuffled...\n"
                "       kernels --graph-only RANKS FILE [--bytes N] [--seed N] [--phase N] "
                "KERNEL:ORDER\n%s",
                pattern_help);
        return 2;
    }
    if (settings.graph_only)
        return graph_only(&settings, argv[optind], argv[optind + 1]);
    MPI_Init(&argc, &argv);
    return finish_at_once(run(&settings, argc - optind, argv + optind));
}
