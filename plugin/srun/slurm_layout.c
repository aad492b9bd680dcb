/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/srun/srun.h"
#include "util/alloc.h"

#include <slurm/slurm.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { HANDLE_MAGIC = 0x00a5a500, NODE_LIST_MOST = 1 << 20, NODES_MOST = 1 << 20, PIECE = 256 };

/* How the handle begins (struct spank_handle in src/common/plugstack.c, since 25.x
 * src/common/spank.c) and what its `job` is in srun (struct spank_launcher_job_info in
 * src/common/plugstack.h, spank.h). */
struct handle {
    int magic;
    void *plugin;
    int phase;
    const void *job;
};

struct launcher_job {
    uid_t uid;
    gid_t gid;
    uint32_t job, step;
    const slurm_step_layout_t *layout;
    int count;
    char **words;
};

/* Where slurm.h has what we use of the step layout. */
struct place {
    size_t node_cnt, node_list, tasks, task_cnt, task_dist, tids, size;
};

#define AT(member) offsetof(slurm_step_layout_t, member)
static const struct place compiled = {AT(node_cnt),
                                      AT(node_list),
                                      AT(tasks),
                                      AT(task_cnt),
                                      AT(task_dist),
                                      AT(tids),
                                      sizeof(slurm_step_layout_t)};

/* Slurm releases for which handle, launcher's job and step layout were looked up: the first two
 * are the same in all of them. 23.11 put three members before the layout's front_end and one behind
 * it, 25.05 took front_end away (slurm/slurm.h). Offsets are those of 64-bit machines. */
static const struct {
    const char *release; /* how S_SLURM_VERSION begins */
    const char *how;     /* tried: the tests ran with it; read in its sources */
    struct place place;
} verified[] = {
    {"22.05.", "tried", {8, 16, 32, 40, 44, 48, 56}},
    {"23.02.", "read", {8, 16, 32, 40, 44, 48, 56}},
    {"23.11.", "tried", {40, 48, 64, 72, 76, 80, 88}},
    {"24.05.", "read", {40, 48, 64, 72, 76, 80, 88}},
    {"24.11.", "tried", {40, 48, 64, 72, 76, 80, 88}},
    {"25.05.", "tried", {32, 40, 56, 64, 68, 72, 80}},
    {"25.11.", "tried", {32, 40, 56, 64, 68, 72, 80}},
    {"26.05.", "tried", {32, 40, 56, 64, 68, 72, 80}},
};

static int refuse(topomap_error *err, const char *what)
{
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "srun's step layout is not as expected (%s)",
                             what);
}

/* The layout's members come from the header that the plugin was built with. */
static int check_version(spank_t spank, plugin_layout *layout, topomap_error *err)
{
    char *version = NULL, built[16];

    if (spank_get_item(spank, S_SLURM_VERSION, &version) != ESPANK_SUCCESS || !version)
        return refuse(err, "no version");
    snprintf(built, sizeof built, "%02d.%02d.", SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER),
             SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER));
    if (strncmp(version, built, strlen(built)))
        return topomap_error_set(err, TOPOMAP_ESYSTEM,
                                 "the plugin was built for Slurm %.5s and this is %s: rebuild it",
                                 built, version);
    layout->version = version;
    for (size_t i = 0; i < sizeof verified / sizeof *verified; i++) {
        if (strncmp(version, verified[i].release, strlen(verified[i].release)) != 0)
            continue;
        layout->version_known = 1;
        if (sizeof(void *) == 8 && memcmp(&compiled, &verified[i].place, sizeof compiled) != 0)
            return topomap_error_set(err, TOPOMAP_ESYSTEM,
                                     "the slurm.h that the plugin was built with is not that of "
                                     "Slurm %s: rebuild it with that",
                                     version);
    }
    return 0;
}

/* Are the two things that we think the handle holds there, and do they say what Slurm's own
 * functions say? */
static int check_job(spank_t spank, plugin_layout *layout, struct launcher_job *job,
                     topomap_error *err)
{
    struct handle handle;
    uid_t uid;
    gid_t gid;
    int count;
    char **words;

    if (plugin_memory_read(&layout->memory, spank, &handle, sizeof handle) ||
        handle.magic != HANDLE_MAGIC ||
        plugin_memory_read(&layout->memory, handle.job, job, sizeof *job))
        return refuse(err, "handle");
    if (spank_get_item(spank, S_JOB_UID, &uid) || spank_get_item(spank, S_JOB_GID, &gid) ||
        spank_get_item(spank, S_JOB_ID, &layout->job) ||
        spank_get_item(spank, S_JOB_STEPID, &layout->step) ||
        spank_get_item(spank, S_JOB_ARGV, &count, &words))
        return refuse(err, "items");
    if (uid != job->uid || gid != job->gid || layout->job != job->job ||
        layout->step != job->step || count != job->count || words != job->words)
        return refuse(err, "job");
    return 0;
}

static int check_counts(spank_t spank, const slurm_step_layout_t *found, topomap_error *err)
{
    uint32_t nodes, tasks;

    if (spank_get_item(spank, S_JOB_NNODES, &nodes) ||
        spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &tasks))
        return refuse(err, "counts");
    if (!nodes || nodes > NODES_MOST || !tasks || nodes != found->node_cnt ||
        tasks != found->task_cnt)
        return refuse(err, "node and task counts");
    return 0;
}

/* A string of unknown length at an address that may not be one: in pieces that never reach into
 * the next page before the string does. */
static char *copy_string(const plugin_memory *memory, const char *from, topomap_error *err)
{
    TOPOMAP_FREED char *text = NULL;
    size_t size = 0, capacity = 0;

    while (size < NODE_LIST_MOST) {
        size_t piece = PIECE - ((uintptr_t)from + size) % PIECE;
        char *end;

        if (topomap_grow(&text, &capacity, size + piece, 1, err) ||
            plugin_memory_read(memory, from + size, text + size, piece))
            break;
        end = memchr(text + size, 0, piece);
        for (char *c = text + size; c < (end ? end : text + size + piece); c++)
            if (*c <= ' ' || *c == 127)
                return refuse(err, "node list"), NULL;
        if (end)
            return topomap_take(&text);
        size += piece;
    }
    refuse(err, "node list");
    return NULL;
}

static int copy_ranks(const slurm_step_layout_t *found, plugin_layout *layout, topomap_error *err)
{
    plugin_ranks *ranks = &layout->ranks;
    TOPOMAP_FREED __typeof__(*found->tasks) *counts =
        topomap_alloc(found->node_cnt, sizeof *counts, err);
    uint64_t sum = 0;

    layout->tids = topomap_alloc(found->node_cnt, sizeof *layout->tids, err);
    if (!counts || !layout->tids ||
        plugin_ranks_alloc(ranks, found->node_cnt, found->task_cnt, err))
        return -1;
    if (plugin_memory_read(&layout->memory, found->tasks, counts,
                           found->node_cnt * sizeof *counts) ||
        plugin_memory_read(&layout->memory, found->tids, layout->tids,
                           found->node_cnt * sizeof *layout->tids))
        return refuse(err, "arrays");
    for (uint32_t node = 0; node < found->node_cnt; node++) {
        sum += counts[node];
        if (sum > found->task_cnt ||
            plugin_memory_read(&layout->memory, layout->tids[node], ranks->id + ranks->first[node],
                               counts[node] * sizeof *ranks->id))
            return refuse(err, "task ids");
        ranks->first[node + 1] = (uint32_t)sum;
    }
    return sum == found->task_cnt ? plugin_ranks_check(ranks, err) : refuse(err, "sum of tasks");
}

static int find(spank_t spank, plugin_layout *layout, topomap_error *err)
{
    struct launcher_job job;
    slurm_step_layout_t found;

    if (check_version(spank, layout, err) || check_job(spank, layout, &job, err))
        return -1;
    if (plugin_memory_read(&layout->memory, job.layout, &found, sizeof found))
        return refuse(err, "pointer");
    if (check_counts(spank, &found, err))
        return -1;
    layout->task_dist = found.task_dist;
    layout->task_dist_at = (void *)&job.layout->task_dist;
    layout->arbitrary = (found.task_dist & SLURM_DIST_STATE_BASE) == SLURM_DIST_ARBITRARY;
    layout->node_list = copy_string(&layout->memory, found.node_list, err);
    return layout->node_list ? copy_ranks(&found, layout, err) : -1;
}

int plugin_layout_find(spank_t spank, plugin_layout *layout, topomap_error *err)
{
    memset(layout, 0, sizeof *layout);
    if (plugin_memory_open(&layout->memory))
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "no file descriptor for a pipe");
    if (!find(spank, layout, err))
        return 0;
    plugin_layout_clear(layout);
    return -1;
}

static int write_ids(const plugin_layout *layout, const plugin_ranks *ranks)
{
    for (uint32_t node = 0; node < ranks->nodes; node++)
        if (plugin_memory_write(&layout->memory, layout->tids[node], ranks->id + ranks->first[node],
                                (ranks->first[node + 1] - ranks->first[node]) * sizeof *ranks->id))
            return -1;
    return 0;
}

int plugin_layout_apply(const plugin_layout *layout, const plugin_ranks *ranks, uint32_t task_dist,
                        topomap_error *err)
{
    if (!memcmp(ranks->id, layout->ranks.id, ranks->tasks * sizeof *ranks->id) &&
        task_dist == layout->task_dist)
        return 0;
    /* The same ids first: where this works, so does the other. */
    if (write_ids(layout, &layout->ranks) ||
        plugin_memory_write(&layout->memory, layout->task_dist_at, &task_dist, sizeof task_dist) ||
        write_ids(layout, ranks))
        return refuse(err, "not writable");
    return 0;
}

void plugin_layout_clear(plugin_layout *layout)
{
    if (layout->memory.in != layout->memory.out)
        plugin_memory_close(&layout->memory);
    free(layout->node_list);
    free(layout->tids);
    plugin_ranks_clear(&layout->ranks);
    memset(layout, 0, sizeof *layout);
}
