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
#include "finish.h"
#include "grid.h"
#include "options.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    const char *size, *graph;
    bool graph_only;
    int bytes, iterations;
    enum grid_order order;
    uint64_t seed;
};

static bool parse_order(const char *text, enum grid_order *order)
{
    *order = strcmp(text, "row") == 0 ? GRID_ROW : GRID_SHUFFLE;
    return *order == GRID_ROW || strcmp(text, "shuffle") == 0;
}

static bool parse_seed(const char *text, uint64_t *seed)
{
    char *end;

    *seed = strtoull(text, &end, 10);
    return end != text && *end == '\0';
}

static bool parse_option(int option, void *to)
{
    struct settings *settings = to;

    switch (option) {
    case 'b':
        return parse_number(optarg, 1 << 30, &settings->bytes);
    case 'i':
        return parse_number(optarg, 1 << 30, &settings->iterations);
    case 'o':
        return parse_order(optarg, &settings->order);
    case 's':
        return parse_seed(optarg, &settings->seed);
    case 'g':
        settings->graph = optarg;
        return true;
    case 'G':
        settings->graph_only = true;
        return true;
    default:
        return false;
    }
}

static bool parse_arguments(int argc, char **argv, struct settings *settings)
{
    static const struct option options[] = {
        {"bytes", required_argument, NULL, 'b'},
        {"iterations", required_argument, NULL, 'i'},
        {"order", required_argument, NULL, 'o'},
        {"seed", required_argument, NULL, 's'},
        {"graph", required_argument, NULL, 'g'},
        {"graph-only", no_argument, NULL, 'G'},
        {NULL, 0, NULL, 0},
    };

    *settings =
        (struct settings){.bytes = 65536, .iterations = 20, .order = GRID_SHUFFLE, .seed = 1};
    if (!parse_options(argc, argv, options, parse_option, settings) ||
        argc - optind != (settings->graph_only ? 2 : 1))
        return false;
    settings->size = argv[optind];
    if (settings->graph_only)
        settings->graph = argv[optind + 1];
    return true;
}

/* What `sender` writes to its neighbour in `direction`: no two messages of a run are alike. */
static void fill(unsigned char *buffer, size_t bytes, int sender, int direction, int iteration)
{
    uint64_t word =
        ((uint64_t)sender << 34) ^ ((uint64_t)direction << 32) ^ (uint64_t)(iteration + 1);

    for (size_t at = 0; at < bytes; at += sizeof(word)) {
        size_t length = bytes - at < sizeof(word) ? bytes - at : sizeof(word);

        memcpy(buffer + at, &word, length);
        word += UINT64_C(0x9e3779b97f4a7c15);
    }
}

struct halo {
    int rank, bytes;
    int neighbour[GRID_NEIGHBOURS];
    unsigned char *send[GRID_NEIGHBOURS], *receive[GRID_NEIGHBOURS], *expected;
};

static bool halo_make(struct halo *halo, const struct grid *grid, int rank, int bytes)
{
    size_t size = (size_t)bytes;
    unsigned char *memory = malloc(size * (2 * GRID_NEIGHBOURS + 1));

    if (!memory)
        return false;
    halo->rank = rank;
    halo->bytes = bytes;
    halo->expected = memory;
    grid_neighbours(grid, rank, halo->neighbour);
    for (size_t d = 0; d < GRID_NEIGHBOURS; d++) {
        halo->send[d] = memory + (2 * d + 1) * size;
        halo->receive[d] = memory + (2 * d + 2) * size;
    }
    return true;
}

/* One exchange; the message's direction is its tag. Directions come in opposite pairs, 0-1 and
 * 2-3. Returns the seconds from the first request to the last completion. */
static double exchange(struct halo *halo)
{
    MPI_Request request[2 * GRID_NEIGHBOURS];
    MPI_Status finished[2 * GRID_NEIGHBOURS];
    int requests = 0;
    double start = MPI_Wtime();

    for (int d = 0; d < GRID_NEIGHBOURS; d++)
        if (halo->neighbour[d] >= 0)
            MPI_Irecv(halo->receive[d], halo->bytes, MPI_BYTE, halo->neighbour[d], d ^ 1,
                      MPI_COMM_WORLD, &request[requests++]);
    for (int d = 0; d < GRID_NEIGHBOURS; d++)
        if (halo->neighbour[d] >= 0)
            MPI_Isend(halo->send[d], halo->bytes, MPI_BYTE, halo->neighbour[d], d, MPI_COMM_WORLD,
                      &request[requests++]);
    MPI_Waitall(requests, request, finished);
    return MPI_Wtime() - start;
}

static int count_wrong(struct halo *halo, int iteration)
{
    int wrong = 0;

    for (int d = 0; d < GRID_NEIGHBOURS; d++) {
        if (halo->neighbour[d] < 0)
            continue;
        fill(halo->expected, (size_t)halo->bytes, halo->neighbour[d], d ^ 1, iteration);
        wrong += memcmp(halo->expected, halo->receive[d], (size_t)halo->bytes) != 0;
    }
    return wrong;
}

/* Runs the exchanges; returns the number of wrong messages on all ranks (on rank 0). */
static int run(const struct settings *settings, const struct grid *grid, int rank)
{
    struct halo halo;
    double mine = 0, slowest = 0;
    int wrong = 0, all_wrong = 0;

    if (!halo_make(&halo, grid, rank, settings->bytes)) {
        fprintf(stderr, "halo: no memory for messages of %d bytes\n", settings->bytes);
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < settings->iterations; i++) {
        for (int d = 0; d < GRID_NEIGHBOURS; d++)
            fill(halo.send[d], (size_t)halo.bytes, rank, d, i);
        mine += exchange(&halo);
        wrong += count_wrong(&halo, i);
    }
    free(halo.expected);
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("halo %s: %d iterations of %d bytes, %.3f ms an iteration on the slowest rank, "
               "%d wrong messages\n",
               settings->size, settings->iterations, settings->bytes,
               slowest / settings->iterations * 1e3, all_wrong);
    return all_wrong;
}

static int write_graph(const struct settings *settings, const struct grid *grid)
{
    if (grid_write_graph(grid, settings->graph, (uint64_t)settings->bytes,
                         (uint64_t)settings->iterations) == 0)
        return 0;
    perror(settings->graph);
    return 4;
}

static int run_ranks(const struct settings *settings, const struct grid *grid)
{
    int rank, ranks, wrong, status = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != grid->columns * grid->rows) {
        if (rank == 0)
            fprintf(stderr, "halo: %s needs %d ranks, there are %d\n", settings->size,
                    grid->columns * grid->rows, ranks);
        return 2;
    }
    if (settings->graph && rank == 0)
        status = write_graph(settings, grid);
    wrong = run(settings, grid, rank);
    return wrong > 0 ? 1 : status;
}

int main(int argc, char **argv)
{
    struct settings settings;
    struct grid grid;
    int status;

    if (!parse_arguments(argc, argv, &settings) ||
        grid_make(&grid, settings.size, settings.order, settings.seed) != 0) {
        fputs("usage: halo PXxPY [--bytes N] [--iterations N] [--order row|shuffle] [--seed N] "
              "[--graph FILE]\n       halo --graph-only PXxPY FILE [the same]\n",
              stderr);
        return 2;
    }
    if (settings.graph_only) {
        status = write_graph(&settings, &grid);
    } else {
        MPI_Init(&argc, &argv);
        status = finish(run_ranks(&settings, &grid));
    }
    grid_free(&grid);
    return status;
}
