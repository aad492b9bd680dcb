/* SPDX-License-Identifier: BSD-3-Clause */
/* A profiler that NCCL loads (NCCL_PROFILER_PLUGIN): what each process sends by NCCL's calls, left
 * where the MPI profiler leaves what it saw. TOPOMAP_PROFILE names the file to write, or a launch
 * has lent memory; without both nothing is recorded, and NCCL is told to say nothing.
 *
 * Where the program's MPI is profiled, that is the profile: the MPI profiler has taken both from
 * the environment. */
#include <pthread.h>
#include <stdlib.h>

#include "contrib/profile/nccl/interface.h"
#include "contrib/profile/nccl/traffic.h"

enum { NCCL_SONAME = 2 }; /* libnccl.so.2, which the launch takes for the number of an MPI's */

#define API __attribute__((visibility("default")))

static struct {
    pthread_mutex_t mutex;
    char *path;    /* of the file to write, or NULL */
    int in_memory; /* there is memory to leave it in */
    int taken;     /* this process is one of those that are profiled, or was forked by one */
    int rank, ranks;
} session = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* ---- Who this process is ----------------------------------------------------------------- */

static int number_in(const char *name, int *number)
{
    const char *text = getenv(name);
    char *end;
    long value;

    if (!text || !*text)
        return 0;
    value = strtol(text, &end, 10);
    if (*end || value < 0 || value > INT32_MAX)
        return 0;
    *number = (int)value;
    return 1;
}

/* Slurm's tasks, unless a task has several processes: those that torchrun starts are told so. */
static int find_rank(void)
{
    static const struct {
        const char *rank, *ranks;
    } rows[] = {{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
                {"RANK", "WORLD_SIZE"},
                {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                {"PMI_RANK", "PMI_SIZE"}};
    int world;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (number_in(rows[i].rank, &session.rank) && number_in(rows[i].ranks, &session.ranks) &&
            session.rank < session.ranks &&
            (i || !number_in("WORLD_SIZE", &world) || world == session.ranks))
            return 1;
    return 0;
}

/* A launch places tasks, and takes the workers of one for its next ones of the job (torchrun,
 * --node-rank=$SLURM_PROCID), as tasks=node does. Where they are numbered otherwise (c10d: by the
 * names of hosts), no order of tasks is theirs. */
static int follows_task(void)
{
    int task, tasks, nodes;

    if (!number_in("SLURM_PROCID", &task) || !number_in("SLURM_STEP_NUM_TASKS", &tasks) ||
        tasks == session.ranks)
        return 1;
    return number_in("SLURM_STEP_NUM_NODES", &nodes) && tasks > 0 && tasks == nodes &&
           session.ranks % tasks == 0 && session.rank / (session.ranks / tasks) == task;
}

static int is_taken(void)
{
    return session.taken && profile_process_is();
}

static int take_process(void)
{
    const char *file = getenv("TOPOMAP_PROFILE");

    if (session.taken)
        return is_taken();
    session.in_memory = profile_memory_find();
    if (file && *file)
        session.path = profile_file_path(file);
    if ((!session.in_memory && !session.path) || !find_rank())
        return 0;
    profile_memory_keep();
    if (session.in_memory)
        profile_memory_note(NCCL_SONAME);
    session.in_memory =
        session.in_memory && follows_task() && profile_memory_begin(session.rank, session.ranks);
    if ((!session.in_memory && !session.path) || profile_process_take() != 0)
        return 0;
    if (session.path) {
        if (session.rank == 0)
            profile_file_trim(session.path, session.ranks);
        profile_file_begin(session.path, session.rank);
    }
    session.taken = 1;
    return 1;
}

/* ---- NCCL's calls ------------------------------------------------------------------------ */

/* A context is a communicator's number, and 1: NCCL ends those that are not NULL. */
static int begin(void **context, int *mask, uint64_t id, int ranks, int rank)
{
    uint32_t comm = UINT32_MAX;

    *context = NULL;
    *mask = 0;
    pthread_mutex_lock(&session.mutex);
    if (ranks > 0 && rank >= 0 && rank < ranks && take_process())
        comm = nccl_traffic_comm(id, (uint32_t)ranks, (uint32_t)rank);
    /* The mask is one for all communicators. */
    if (is_taken())
        *mask = NCCL_EVENT_COLLECTIVE | NCCL_EVENT_MESSAGE;
    if (comm != UINT32_MAX)
        *context = (void *)((uintptr_t)comm + 1);
    pthread_mutex_unlock(&session.mutex);
    return NCCL_SUCCESS;
}

static int begin_4(void **context, int *mask, const char *name, uint64_t id, int nodes, int ranks,
                   int rank, void *log)
{
    (void)name;
    (void)nodes;
    (void)log;
    return begin(context, mask, id, ranks, rank);
}

static int begin_5(void **context, uint64_t id, int *mask, const char *name, int nodes, int ranks,
                   int rank, void *log)
{
    return begin_4(context, mask, name, id, nodes, ranks, rank, log);
}

static int start(void *context, void **handle, uint64_t type, const nccl_event *event)
{
    uint32_t comm = (uint32_t)((uintptr_t)context - 1);

    *handle = NULL;
    if (!context || !is_taken())
        return NCCL_SUCCESS;
    pthread_mutex_lock(&session.mutex);
    if (type == NCCL_EVENT_COLLECTIVE)
        nccl_traffic_add(comm, event->collective.function, event->collective.type,
                         event->collective.count, event->collective.root);
    else if (type == NCCL_EVENT_MESSAGE)
        nccl_traffic_add(comm, event->message.function, event->message.type, event->message.count,
                         event->message.peer);
    pthread_mutex_unlock(&session.mutex);
    return NCCL_SUCCESS;
}

static int start_4(void *context, void **handle, nccl_event_4 *event)
{
    return start(context, handle, event->type, &event->of);
}

static int start_5(void *context, void **handle, nccl_event_5 *event)
{
    return start(context, handle, event->type, &event->of);
}

static int stop(void *handle)
{
    (void)handle;
    return NCCL_SUCCESS;
}

static int record(void *handle, int state, void *arguments)
{
    (void)handle;
    (void)state;
    (void)arguments;
    return NCCL_SUCCESS;
}

static int end(void *context)
{
    (void)context; /* another with the same ranks may follow */
    return NCCL_SUCCESS;
}

/* The names are NCCL's. */
API extern const nccl_profiler_4 ncclProfiler_v4;
API extern const nccl_profiler_5 ncclProfiler_v5;
const nccl_profiler_4 ncclProfiler_v4 = {"topomap", begin_4, start_4, stop, record, end};
const nccl_profiler_5 ncclProfiler_v5 = {"topomap", begin_5, start_5, stop, record, end};

/* ---- The end ----------------------------------------------------------------------------- */

/* Where somebody asked for a file. */
static void leave_file(profile_part *part)
{
    size_t room = nccl_traffic_rows();
    profile_record *row = calloc(room + 1, sizeof *row); /* of no row, too, there is a part */

    if (row)
        nccl_traffic_records(row, room, part);
    if (row && profile_file_leave(session.path, part) == 0)
        profile_file_fold(session.path, session.rank, session.ranks);
    free(row);
}

/* Frameworks leave communicators to the end of the process. A thread that is still in a call does
 * not hold it up. */
__attribute__((destructor)) static void at_exit(void)
{
    profile_part part = {.rank = session.rank, .ranks = session.ranks};
    profile_record *row;
    size_t room;

    if (!is_taken() || pthread_mutex_trylock(&session.mutex) != 0)
        return;
    session.taken = 0;
    if (session.path)
        leave_file(&part);
    if (session.in_memory) {
        row = profile_memory_rows(&room);
        nccl_traffic_records(row, room, &part);
        profile_memory_leave(&part);
    }
    pthread_mutex_unlock(&session.mutex);
}
