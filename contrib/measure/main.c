/* SPDX-License-Identifier: BSD-3-Clause */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"
#include "util/alloc.h"
#include "util/full_io.h"

static const char usage[] =
    "usage: mpirun ... topomap-measure [OPTION...]\n"
    "Measures latency and bandwidth between the nodes of a job, and inside them; `topomap db\n"
    "calibrate` makes costs of what it writes. One process a node measures between nodes, two\n"
    "are needed inside; the contention test uses all.\n"
    "  -o, --output FILE      where to write (standard output)\n"
    "      --db DB            topology database: hops of each pair, and --contention\n"
    "      --sizes LIST       bytes of messages (0,8,64,512,4096,16384,65536,262144)\n"
    "      --trips N          round trips a batch, fewer for long messages (100)\n"
    "      --repeat N         batches, of which the median counts (5)\n"
    "      --rounds N         a sample: N rounds, in which each node has one partner\n"
    "      --pairs N          a sample: N pairs\n"
    "      --seed N           which ones (1)\n"
    "      --alone            one pair at a time: slower, and no links are shared\n"
    "      --contention HOPS  also all processes at once with one that many hops away; 2,4,6\n"
    "      --only WHAT        between (nodes) or inside, not both\n"
    "      --as-nodes HOSTLIST  each process counts as a node of its own, of that name\n"
    "  -h, --help\n";

enum { DB = 256, SIZES, TRIPS, REPEAT, ROUNDS, PAIRS, SEED, ALONE, CONTENTION, ONLY, AS_NODES };

static const struct option words[] = {
    {"output", 1, NULL, 'o'},    {"db", 1, NULL, DB},
    {"sizes", 1, NULL, SIZES},   {"trips", 1, NULL, TRIPS},
    {"repeat", 1, NULL, REPEAT}, {"rounds", 1, NULL, ROUNDS},
    {"pairs", 1, NULL, PAIRS},   {"seed", 1, NULL, SEED},
    {"alone", 0, NULL, ALONE},   {"contention", 1, NULL, CONTENTION},
    {"only", 1, NULL, ONLY},     {"as-nodes", 1, NULL, AS_NODES},
    {"help", 0, NULL, 'h'},      {NULL, 0, NULL, 0},
};

static int read_number(const char *text, double least, double most, double *number)
{
    char *end;

    *number = strtod(text, &end);
    return end == text || *end || !(*number >= least && *number <= most) ||
                   *number != (double)(uint64_t)*number
               ? -1
               : 0;
}

static int read_list(const char *text, double least, double most, int room, double *list,
                     int *count)
{
    char copy[1024], *keep;

    *count = 0;
    if (strlen(text) >= sizeof copy)
        return -1;
    strcpy(copy, text);
    for (char *word = strtok_r(copy, ",", &keep); word; word = strtok_r(NULL, ",", &keep))
        if (*count == room || read_number(word, least, most, &list[(*count)++]))
            return -1;
    return *count ? 0 : -1;
}

static int take_numbers(struct measure_options *o, int word, const char *value)
{
    double number;

    if (word == SIZES)
        return read_list(value, 0, 1 << 30, MEASURE_SIZES, o->size, &o->sizes);
    if (word == CONTENTION)
        return read_list(value, 0, 1000, MEASURE_DISTANCES, o->distance, &o->distances);
    if (read_number(value, word == SEED ? 0 : 1, word == REPEAT ? 1000 : 1e9, &number))
        return -1;
    if (word == TRIPS)
        o->trips = (int)number;
    else if (word == REPEAT)
        o->repeat = (int)number;
    else if (word == ROUNDS)
        o->rounds = (uint32_t)number;
    else if (word == PAIRS)
        o->pairs = (uint32_t)number;
    else
        o->seed = (uint64_t)number;
    return 0;
}

static int take_only(struct measure_options *o, const char *value)
{
    o->between = strcmp(value, "between") == 0;
    o->inside = strcmp(value, "inside") == 0;
    return o->between || o->inside ? 0 : -1;
}

/* 0, 1 where help was asked for, or -1: usage, said on rank 0. */
static int parse(int argc, char **argv, int rank, struct measure_options *o)
{
    int word, bad = 0;

    opterr = rank == 0;
    while ((word = getopt_long(argc, argv, "o:h", words, NULL)) >= 0) {
        if (word == 'h')
            return 1;
        if (word == '?')
            return -1;
        if (word == 'o')
            o->output = optarg;
        else if (word == DB)
            o->db = optarg;
        else if (word == AS_NODES)
            o->as_nodes = optarg;
        else if (word == ALONE)
            o->alone = 1;
        else
            bad = word == ONLY ? take_only(o, optarg) : take_numbers(o, word, optarg);
        if (bad && rank == 0)
            fprintf(stderr, "topomap-measure: '%s' is no value of that option\n", optarg);
        if (bad)
            return -1;
    }
    if (rank == 0 && optind < argc)
        fprintf(stderr, "topomap-measure: what is '%s'?\n", argv[optind]);
    if (rank == 0 && o->distances && !o->db)
        fprintf(stderr, "topomap-measure: --contention needs --db, which knows hops\n");
    return optind < argc || (o->distances && !o->db) ? -1 : 0;
}

static int run_contention(const struct measure_options *options, const struct measure_job *job,
                          const uint16_t *hops, struct measure_rows *rows, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *partner = malloc(job->nodes * sizeof *partner);
    int failed =
        partner ? 0 : topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: the partners");

    failed = measure_agree(failed, err);
    for (int i = 0; !failed && i < options->distances; i++) {
        uint32_t distance = (uint32_t)options->distance[i];

        if (job->rank == 0)
            measure_match(job, options->seed, hops, distance, partner);
        MPI_Bcast(partner, (int)job->nodes, MPI_UINT32_T, 0, MPI_COMM_WORLD);
        failed = measure_contention(options, job, partner, distance, rows, err);
    }
    return failed;
}

static int run(const struct measure_options *options, topomap_error *err)
{
    TOPOMAP_CLEANUP(measure_job_clear) struct measure_job job = {0};
    TOPOMAP_CLEANUP(measure_rows_clear) struct measure_rows rows = {0};
    TOPOMAP_FREED uint16_t *hops = NULL;

    /* The hops come first: a database that does not know a node is found before the long
     * measurement. */
    return measure_job_find(options, &job, err) ||
           measure_agree(
               job.rank == 0 && options->db && measure_hops(&job, options->db, &hops, err), err) ||
           (options->inside && measure_inside(options, &job, &rows, err)) ||
           (options->between && measure_between(options, &job, &rows, err)) ||
           (options->distances && run_contention(options, &job, hops, &rows, err)) ||
           measure_write(options, &job, &rows, hops, err);
}

static int left_status;
static int left_mpi;

static void leave_now(int signal)
{
    (void)signal;
    _exit(left_status);
}

/* Where MPI_Finalize itself calls exit(). Once it is over, MPICH 4.2 and later tell the launcher at
 * exit that the process has finished. */
static void leave_at_exit(void)
{
    if (!left_mpi)
        _exit(left_status);
}

/* MPI_Finalize of MPICH 4.0 over UCX 1.13 and TCP may never return: some ranks wait for their peers
 * to close connections while those wait in PMI's barrier. All output is there, so nobody waits for
 * long. */
static int leave(int status)
{
    enum { PATIENCE_SECONDS = 5 };

    fflush(NULL);
    left_status = status;
    signal(SIGALRM, leave_now);
    alarm(PATIENCE_SECONDS);
    measure_wait();
    atexit(leave_at_exit);
    MPI_Finalize();
    left_mpi = 1;
    return status;
}

int main(int argc, char **argv)
{
    struct measure_options options = {
        .size = {0, 8, 64, 512, 4096, 16384, 65536, 262144},
        .sizes = 8,
        .trips = 100,
        .repeat = 5,
        .seed = 1,
        .inside = 1,
        .between = 1,
    };
    topomap_error err;
    int rank, status, parsed;

    if (topomap_standard_files_open())
        return 4;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    parsed = parse(argc, argv, rank, &options);
    status = parsed < 0 ? 2 : 0;
    if (parsed && rank == 0)
        fputs(usage, status ? stderr : stdout);
    if (!parsed && run(&options, &err)) {
        if (rank == 0)
            fprintf(stderr, "topomap-measure: %s\n", err.text);
        status = err.code == TOPOMAP_EUSAGE ? 2 : err.code == TOPOMAP_EINPUT ? 3 : 4;
    }
    return leave(status);
}
