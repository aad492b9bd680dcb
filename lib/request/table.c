/* SPDX-License-Identifier: BSD-3-Clause */
#include "request/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values ------------------------------------------------------------------------------ */

int topomap_request_text(const topomap_request_row *row, const char *text, void *to)
{
    (void)row, (void)text, (void)to;
    return 0;
}

/* One of the row's words. */
int topomap_request_word(const topomap_request_row *row, const char *text, void *to)
{
    size_t length = strlen(text);
    const char *word = row->takes;

    for (int i = 0; length && *word; i++) {
        size_t own = strcspn(word, " ");

        if (own == length && strncmp(word, text, length) == 0) {
            *(int *)to = i;
            return 0;
        }
        word += own + (word[own] == ' ');
    }
    return -1;
}

static int large(const topomap_request_row *row, const char *text, void *to)
{
    char *end;
    unsigned long long number;

    errno = 0;
    number = strtoull(text, &end, 10);
    if (errno || *text < '0' || *text > '9' || *end || (double)number < row->least ||
        (double)number > row->most)
        return -1;
    *(uint64_t *)to = number;
    return 0;
}

static int count(const topomap_request_row *row, const char *text, void *to)
{
    uint64_t number;

    if (large(row, text, &number) != 0)
        return -1;
    *(uint32_t *)to = (uint32_t)number;
    return 0;
}

static int number(const topomap_request_row *row, const char *text, void *to)
{
    char *end;
    double read = strtod(text, &end);

    if (strspn(text, "0123456789.eE+-") != strlen(text) || end == text || *end ||
        !(read >= row->least && read <= row->most))
        return -1;
    *(double *)to = read;
    return 0;
}

/* A word; mix may have the share of J behind it. */
static int objective(const topomap_request_row *row, const char *text, void *to)
{
    static const topomap_request_row words = {.takes = "J congestion mix time auto"},
                                     share = {.most = 1};
    struct topomap_request_objective read = {0};

    (void)row;
    if (strncmp(text, "mix:", 4) == 0) {
        if (number(&share, text + 4, &read.mix) != 0 || !(read.mix > 0 && read.mix < 1))
            return -1;
        text = "mix";
    }
    if (topomap_request_word(&words, text, &read.kind) != 0)
        return -1;
    *(struct topomap_request_objective *)to = read;
    return 0;
}

/* Percent, as a part; off is 0, no percent a little more. */
static int balance(const topomap_request_row *row, const char *text, void *to)
{
    static const topomap_request_row most = {.most = 1e6};
    double percent = 0;

    (void)row;
    if (strcmp(text, "off") == 0)
        *(double *)to = 0;
    else if (number(&most, text, &percent) != 0)
        return -1;
    else
        *(double *)to = percent > 0 ? percent / 100 : 1e-9;
    return 0;
}

/* ---- Rows -------------------------------------------------------------------------------- */

#define AT(member) .at = offsetof(topomap_request, member)
#define TEXT(what) .read = topomap_request_text, .takes = what
#define WORD(words) .read = topomap_request_word, .takes = words
#define FLAG .read = topomap_request_word, .takes = "0 1", .flag = 1
#define WHOLE(from, to) .takes = "a whole number", .least = (from), .most = (to)
#define NUMBER(to) .read = number, .takes = "a number", .most = (to)

#define LARGEST ((double)UINT64_MAX)

/* Line, word, rule, option, default. */
const topomap_request_row topomap_request_rows[TOPOMAP_REQUEST_KEYS] = {
    [TOPOMAP_REQUEST_GRAPH] = {"graph", "graph", "Graph", "graph", NULL, TEXT("a file or pattern"),
                               AT(graph), .help = "who talks to whom"},
    [TOPOMAP_REQUEST_BIND] =
        {"bind", "bind", "Bind", "bind", "core", WORD("core pu numa none gpu"), AT(bind),
         .help = "what a task is bound to inside its node; none: Slurm binds it; gpu: cores "
                 "next to its GPU (the default where tasks have GPUs)"},
    [TOPOMAP_REQUEST_INSIDE] =
        {"inside", "layout", "Layout", "layout", "spread", WORD("spread compact"), AT(compact),
         .help = "how tasks lie inside a node: over all of its parts, or close together"},
    [TOPOMAP_REQUEST_CONTIGUOUS] = {"contiguous", "contiguous", "Contiguous", "contiguous", "0",
                                    FLAG, AT(contiguous),
                                    .help = "each node keeps consecutive ranks"},
    [TOPOMAP_REQUEST_OBJECTIVE] = {"objective", "objective", "Objective", "objective", "auto",
                                   .read = objective,
                                   .takes =
                                       "auto, J, congestion, time or mix[:ALPHA], ALPHA the share "
                                       "of J above 0 and below 1",
                                   AT(objective),
                                   .help = "what is made small: bytes times distance, the most "
                                           "loaded link, a mix of both, or predicted time"},
    [TOPOMAP_REQUEST_WEIGHT] = {"weight", "weight", "Weight", "weight", "auto",
                                WORD("bytes bytes+messages auto"), AT(weight),
                                .help = "what a pair of ranks weighs: its bytes, or its messages, "
                                        "too; auto: these, but for predicted time"},
    [TOPOMAP_REQUEST_EFFORT] = {"effort", "effort", "Effort", "effort", "fast",
                                WORD("fast default strong"), AT(effort),
                                .help = "how hard the search tries"},
    [TOPOMAP_REQUEST_SEED] = {"seed", "seed", "Seed", "seed", "1", .read = large, WHOLE(0, LARGEST),
                              AT(seed), .help = "the same seed gives the same layout"},
    [TOPOMAP_REQUEST_TIME] = {"time", "time", "Time", "time", NULL, NUMBER(1e9), AT(seconds),
                              .help = "seconds that the search has at most, an hour at most"},
    [TOPOMAP_REQUEST_MIN_GAIN] = {"min-gain", "min-gain", "MinGain", NULL, "0", NUMBER(100),
                                  AT(min_gain),
                                  .help = "percent that a layout must gain, else Slurm's stays; "
                                          "0: any gain, and 1 where it goes by a profile"},
    [TOPOMAP_REQUEST_CAPACITY] = {"capacity", "capacity", "Capacity", "background", NULL,
                                  TEXT("measured, or the whole path of a file"), AT(capacity),
                                  .whole_path = 1, .no_path = "measured",
                                  .help = "what other jobs take of the links"},
    [TOPOMAP_REQUEST_KEEP] =
        {"keep", "keep", "Keep", "keep", NULL,
         TEXT("tp, cp, ep, dp or pp, and behind a colon node, leaf, domain "
              "or segment; or domain, or segment"),
         AT(keep),
         .help = "groups of parallel: that never leave a node (ep: an NVLink domain), "
                 "or consecutive ranks that stay in a domain or segment"},
    [TOPOMAP_REQUEST_PIN] = {"pin", "pin", "Pin", "pin", NULL, TEXT("RANK:first or RANK:NODE"),
                             AT(pin), .help = "the node of a rank; first: of the host list"},
    [TOPOMAP_REQUEST_TASKS_ARE] = {"tasks-are", "tasks", NULL, NULL, "rank", WORD("rank node"),
                                   AT(tasks_are),
                                   .help =
                                       "node: the graph is one of GPUs, and a step's one task on "
                                       "each node stands for all of that"},
    [TOPOMAP_REQUEST_NIC] = {"nic", "nic", "Nic", NULL, "off", WORD("off advise set"), AT(nic),
                             .help =
                                 "the NIC nearest to each task's GPU, else to its cores: set in "
                                 "UCX_NET_DEVICES, NCCL_IB_HCA, MPICH_OFI_NIC_*, or only told"},
    [TOPOMAP_REQUEST_REQUIRED] = {NULL, "required", "Required", NULL, "0", FLAG,
                                  .help =
                                      "if there is no plan, each task ends with status 1 before "
                                      "its program starts"},
    [TOPOMAP_REQUEST_RECORDS] =
        {NULL, "records", "Records", NULL, "0", FLAG,
         .help = "the plan is recorded, for `topomap why`, `show` and `map --replay`"},
    [TOPOMAP_REQUEST_VERBOSE] = {NULL, "verbose", NULL, NULL, "0", FLAG,
                                 .help = "a line for each decision"},
    [TOPOMAP_REQUEST_KEY] = {NULL, "key", NULL, NULL, NULL, TEXT("a name"),
                             .help =
                                 "name of the profile, in place of what the program is known by"},
    [TOPOMAP_REQUEST_MPI] = {NULL, "mpi", NULL, NULL, NULL, WORD("openmpi mpich mpi-abi nccl"),
                             .help = "the MPI of the program, or NCCL, where it does not show"},
    [TOPOMAP_REQUEST_PROFILE] = {NULL, "profile", NULL, NULL, "0", FLAG,
                                 .help = "this run is profiled, whatever is stored"},
    [TOPOMAP_REQUEST_COMPARE] =
        {NULL, "compare", "Compare", NULL, "20", .read = large, WHOLE(0, LARGEST),
         .help = "auto: launches 3 and 5, and then one launch in N, use Slurm's layout to measure "
                 "its time, and are profiled again; 0: none"},

    [TOPOMAP_REQUEST_JOB] = {"job", .read = count, WHOLE(0, UINT32_MAX), AT(job)},
    [TOPOMAP_REQUEST_STEP] = {"step", .read = count, WHOLE(0, UINT32_MAX), AT(step)},
    [TOPOMAP_REQUEST_DB] = {"db", TEXT("a database"), AT(db)},
    [TOPOMAP_REQUEST_NODES] = {"nodes", TEXT("a host list"), AT(nodes)},
    [TOPOMAP_REQUEST_TASKS] = {"tasks", TEXT("counts"), AT(tasks)},
    [TOPOMAP_REQUEST_LAYOUT] = {"layout", TEXT("task ids"), AT(layout)},
    [TOPOMAP_REQUEST_CORES] = {"cores", .option = "cores", TEXT("cores of each node"), AT(cores)},
    [TOPOMAP_REQUEST_CPUS_PER_TASK] = {"cpus-per-task", .option = "cpus-per-task", .fallback = "1",
                                       .read = count, WHOLE(1, 65536), AT(cpus_per_task)},
    [TOPOMAP_REQUEST_THREADS_PER_CORE] = {"threads-per-core", .option = "threads-per-core",
                                          .read = count, WHOLE(1, 65536), AT(threads_per_core)},
    [TOPOMAP_REQUEST_JOB_CPUS] = {"job-cpus", TEXT("counts"), AT(job_cpus)},
    [TOPOMAP_REQUEST_JOB_NODES] = {"job-nodes", TEXT("a host list"), AT(job_nodes)},
    [TOPOMAP_REQUEST_SCONTROL] = {"scontrol", TEXT("paths"), AT(scontrol)},
    [TOPOMAP_REQUEST_SCONTROL_TIME] = {"scontrol-time", NUMBER(1e6), AT(scontrol_seconds)},

    [TOPOMAP_REQUEST_GPUS] = {"gpus", TEXT("GPUs of each node"), AT(gpus)},
    [TOPOMAP_REQUEST_SEGMENT] = {"segment", .option = "segment", .read = count, WHOLE(1, 1 << 20),
                                 AT(segment)},
    [TOPOMAP_REQUEST_STEP_GPUS] = {"step-gpus", TEXT("a count"), AT(step_gpus)},

    [TOPOMAP_REQUEST_RECORD] = {"record", FLAG, AT(record)},
    [TOPOMAP_REQUEST_EXPLAIN] = {"explain", FLAG, AT(explain)},
    [TOPOMAP_REQUEST_STORED] = {"profile", WORD("none exact scale"), AT(stored)},
    [TOPOMAP_REQUEST_PROFILED] = {"profiled", TEXT("a program"), AT(profiled)},
    [TOPOMAP_REQUEST_PROFILED_BEFORE] = {"profiled-before", TEXT("a file"), AT(profiled_before)},
    [TOPOMAP_REQUEST_JUDGE] = {"judge", TEXT("task ids"), AT(judge)},

    [TOPOMAP_REQUEST_FROM] = {.option = "from", TEXT("a format"), AT(from)},
    [TOPOMAP_REQUEST_ALGORITHM] = {.option = "algorithm", TEXT("a name"), AT(algorithm)},
    [TOPOMAP_REQUEST_CONGESTION] = {.option = "congestion", TEXT("a model"), AT(congestion)},
    [TOPOMAP_REQUEST_BALANCE] = {.option = "balance",
                                 .read = balance,
                                 .takes = "off or a number of percent",
                                 AT(balance)},
    [TOPOMAP_REQUEST_LEVELS] = {.option = "levels",
                                .fallback = "inter+intra",
                                WORD("inter inter+intra"),
                                AT(intra)},
    [TOPOMAP_REQUEST_THREADS] =
        {.option = "threads", .fallback = "1", .read = count, WHOLE(1, 1024), AT(threads)},
};
