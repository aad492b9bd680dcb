/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/node/node.h"
#include "graph/formats/parts.h"
#include "plugin/common/child.h"
#include "plugin/sandbox/sandbox.h"
#include "util/clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    int fd;
    uint32_t tasks, ended; /* of this node; no tasks: the step is not profiled */
    uint32_t status;       /* of the first task that failed, as wait() has it */
    uint64_t status_ns;
    struct plugin_user user;
} here = {.fd = -1};

static void forget(void)
{
    plugin_child_close(&here.fd);
    free((void *)(uintptr_t)here.user.groups);
    memset(&here.user, 0, sizeof here.user);
    here.tasks = here.ended = here.status = 0;
    here.status_ns = 0;
}

void plugin_parts_open(void)
{
    forget();
    here.fd = topomap_part_memory_new();
}

/* Who writes the part is who the tasks are, as slurmstepd is now (effective ids). */
static int remember_user(void)
{
    int count = getgroups(0, NULL);
    gid_t *groups = count >= 0 ? malloc(((size_t)count + 1) * sizeof *groups) : NULL;

    if (!groups || (count && (count = getgroups(count, groups)) < 0)) {
        free(groups);
        return -1;
    }
    here.user = (struct plugin_user){
        .uid = geteuid(), .gid = getegid(), .groups = groups, .groups_count = (size_t)count};
    return 0;
}

/* The folder of the file that srun names. */
static int name_folder(const char *file, char folder[TOPOMAP_PART_MEMORY_FOLDER])
{
    const char *slash = strrchr(file, '/');
    size_t length = slash ? (size_t)(slash - file) : 0;

    if (!length || length >= TOPOMAP_PART_MEMORY_FOLDER)
        return -1;
    memcpy(folder, file, length);
    folder[length] = 0;
    return 0;
}

int plugin_parts_begin(uint64_t run, uint32_t node, uint32_t tasks, uint32_t all, const char *file)
{
    struct topomap_part_memory like = {.run = run, .node = node};

    if (here.fd < 0 || here.tasks || name_folder(file, like.folder) ||
        topomap_part_memory_fill(here.fd, tasks, all, &like) || remember_user())
        return -1;
    here.tasks = tasks;
    return here.fd;
}

void plugin_parts_hand_over(void)
{
    if (here.tasks)
        fcntl(here.fd, F_SETFD, 0);
}

/* Of what the tasks wrote, only whether they wrote is looked at here. */
static int has_anything(void)
{
    struct topomap_part_memory head;

    return topomap_part_memory_is(here.fd, &head) && (head.used || head.mpi);
}

/* The helper answers nothing: its end is the answer. */
static void collect(const plugin_node_site *site)
{
    static const char *const words[] = {"topomap-node", "collect", NULL};
    const plugin_node_budget budget = plugin_node_budget_of(site->node_ms);
    int64_t until = topomap_clock_ms() + budget.answer_ms;
    struct plugin_child_files theirs = {.request = here.fd,
                                        .ends_with_us = 1,
                                        .memory = (uint64_t)256 << 20,
                                        .cpu_seconds = budget.cpu_seconds,
                                        .unprivileged = 1,
                                        .user = &here.user,
                                        .kill_ms = budget.kill_ms};
    int reply[2];
    pid_t pid;

    if (plugin_child_pipe(reply))
        return;
    theirs.reply = reply[1];
    if (!plugin_child_start(site->helper, words, &theirs, until, &pid)) {
        int64_t left = until - topomap_clock_ms();

        plugin_child_kill(pid, left > 0 ? (int)left : 0, budget.kill_ms);
    }
    plugin_child_close(&reply[0]);
    plugin_child_close(&reply[1]);
}

void plugin_parts_end(const plugin_node_site *site)
{
    if (here.tasks && here.status)
        topomap_part_memory_fail(here.fd, here.status, here.status_ns);
    if (here.tasks && (here.status || has_anything()))
        collect(site);
    forget();
}

/* The time is what tells the first of several nodes' (node.h). */
static void note_status(int status)
{
    int64_t now = topomap_clock_date_ns();

    if (!status || here.status || !now)
        return;
    here.status = (uint32_t)status;
    here.status_ns = (uint64_t)now;
}

void plugin_parts_task_exit(const plugin_node_site *site, int status)
{
    note_status(status);
    if (here.tasks && ++here.ended == here.tasks)
        plugin_parts_end(site);
}
