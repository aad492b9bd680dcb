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
#include "finish.h"
#include "options.h"
#include "patterns.h"

#include <string.h>
#include <time.h>

enum { REPEAT_MOST = 100, NAME = 64 };

struct settings {
    int bytes, iterations, repeat, seed, graph_only, phase;
    const char *graph, *places;
};

static bool parse_option(int option, void *to)
{
    struct settings *settings = to;

    switch (option) {
    case 'b':
        return parse_number(optarg, 1 << 30, &settings->bytes);
    case 'i':
        return parse_number(optarg, 1 << 20, &settings->iterations);
    case 'r':
        return parse_number(optarg, REPEAT_MOST, &settings->repeat);
    case 's':
        return parse_number(optarg, 1 << 30, &settings->seed);
    case 'g':
        settings->graph = optarg;
        return true;
    case 'p':
        settings->places = optarg;
        return true;
    case 'P':
        return parse_number(optarg, 1000, &settings->phase);
    case 'G':
        return parse_number(optarg, PATTERN_RANKS, &settings->graph_only);
    default:
        return false;
    }
}

static bool parse_arguments(int argc, char **argv, struct settings *settings)
{
    static const struct option options[] = {
        {"bytes", required_argument, NULL, 'b'},
        {"iterations", required_argument, NULL, 'i'},
        {"repeat", required_argument, NULL, 'r'},
        {"seed", required_argument, NULL, 's'},
        {"graph", required_argument, NULL, 'g'},
        {"places", required_argument, NULL, 'p'},
        {"phase", required_argument, NULL, 'P'},
        {"graph-only", required_argument, NULL, 'G'},
        {NULL, 0, NULL, 0},
    };

    *settings = (struct settings){.bytes = 65536, .iterations = 4, .repeat = 5, .seed = 1};
    return parse_options(argc, argv, options, parse_option, settings) && optind < argc;
}

/* One rank's part of a pattern. */
struct part {
    const struct message **in, **out; /* [ins], [outs], by phase */
    int ins, outs;
    unsigned char *buffer; /* of all messages, in behind each other, then out */
    MPI_Request *request;
    MPI_Status *status; /* MPICH's MPI_STATUSES_IGNORE makes gcc 12 warn */
};

static void part_free(struct part *part)
{
    free(part->in);
    free(part->out);
    free(part->buffer);
    free(part->request);
    free(part->status);
}

static bool part_make(struct part *part, const struct pattern *pattern, int rank)
{
    size_t bytes = 1;

    *part = (struct part){0};
    part->in = malloc((pattern->messages + 1) * sizeof(const struct message *));
    part->out = malloc((pattern->messages + 1) * sizeof(const struct message *));
    if (!part->in || !part->out)
        return false;
    for (size_t m = 0; m < pattern->messages; m++) {
        const struct message *message = &pattern->message[m];

        if (message->to == rank)
            part->in[part->ins++] = message;
        if (message->from == rank)
            part->out[part->outs++] = message;
        if (message->to == rank || message->from == rank)
            bytes += (size_t)message->bytes;
    }
    part->buffer = calloc(bytes, 1);
    part->request = malloc((size_t)(part->ins + part->outs + 1) * sizeof *part->request);
    part->status = malloc((size_t)(part->ins + part->outs + 1) * sizeof *part->status);
    return part->buffer && part->request && part->status;
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

static void iterate(const struct part *part, int phases)
{
    unsigned char *at = part->buffer;
    int in = 0, out = 0;
    unsigned char *out_at = part->buffer;

    for (int i = 0; i < part->ins; i++)
        out_at += part->in[i]->bytes;
    for (int phase = 0; phase < phases; phase++) {
        int requests = 0;

        for (; in < part->ins && part->in[in]->phase == phase; at += part->in[in++]->bytes)
            MPI_Irecv(at, part->in[in]->bytes, MPI_BYTE, part->in[in]->from, phase, MPI_COMM_WORLD,
                      &part->request[requests++]);
        for (; out < part->outs && part->out[out]->phase == phase;
             out_at += part->out[out++]->bytes)
            MPI_Isend(out_at, part->out[out]->bytes, MPI_BYTE, part->out[out]->to, phase,
                      MPI_COMM_WORLD, &part->request[requests++]);
        wait_all(requests, part->request, part->status);
    }
}

/* No two messages of an iteration are alike. */
static unsigned char content(const struct message *message, int byte)
{
    uint64_t seed = ((uint64_t)message->from << 40) ^ ((uint64_t)message->to << 20) ^
                    ((uint64_t)message->phase << 60) ^ (uint64_t)(byte >> 3);

    return (unsigned char)(splitmix64(&seed) >> (8 * (byte & 7)));
}

static int check(struct part *part, int phases)
{
    unsigned char *at = part->buffer;
    int wrong = 0;

    for (int i = 0; i < part->ins; i++)
        at += part->in[i]->bytes;
    for (int o = 0; o < part->outs; at += part->out[o++]->bytes)
        for (int b = 0; b < part->out[o]->bytes; b++)
            at[b] = content(part->out[o], b);
    iterate(part, phases);
    at = part->buffer;
    for (int i = 0; i < part->ins; at += part->in[i++]->bytes) {
        int bad = 0;

        for (int b = 0; b < part->in[i]->bytes; b++)
            bad |= at[b] != content(part->in[i], b);
        wrong += bad;
    }
    return wrong;
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

static int write_graph(const struct pattern *pattern, const char *path, int phase)
{
    FILE *file = fopen(path, "w");
    int failed = file ? pattern_write(pattern, file, phase) : -1;

    if (file && fclose(file) != 0)
        failed = -1;
    if (failed)
        perror(path);
    return failed ? 4 : 0;
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
    wrong = check(&part, pattern->phases);
    for (int r = 0; r < settings->repeat; r++) {
        double begin, mine;

        meet();
        begin = MPI_Wtime();
        for (int i = 0; i < settings->iterations; i++)
            iterate(&part, pattern->phases);
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
            status = write_graph(&pattern, settings->graph, 0);
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
    status = settings->phase > pattern.phases ? 2 : write_graph(&pattern, path, settings->phase);
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
