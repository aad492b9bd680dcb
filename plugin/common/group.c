/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/child.h"
#include "plugin/sandbox/sandbox.h"
#include "util/whole.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The one tree of version 2 (cgroups(7)); its line begins so. */
#define TREE "/sys/fs/cgroup"
#define LINE "0::/"

static const char *line_of_tree(const char *text)
{
    while (text && strncmp(text, LINE, strlen(LINE)) != 0) {
        text = strchr(text, '\n');
        text += text != NULL;
    }
    return text ? text + strlen(LINE) - 1 : NULL;
}

/* SCOPE/job_J/step_S/slurm. \return the length of SCOPE, or 0 */
static size_t length_of_scope(const char *group, size_t length)
{
    static const char leaf[] = "/slurm";
    const char *at = group, *job = NULL;

    for (; at && at < group + length; at = strchr(at + 1, '/'))
        if (!strncmp(at, "/job_", 5))
            job = at;
    if (!job || length < sizeof leaf ||
        memcmp(group + length + 1 - sizeof leaf, leaf, sizeof leaf - 1) != 0)
        return 0;
    at = strchr(job + 1, '/');
    return at && !strncmp(at, "/step_", 6) &&
                   strchr(at + 1, '/') == group + length + 1 - sizeof leaf
               ? (size_t)(job - group)
               : 0;
}

int plugin_group_outside(const char *text, char *path)
{
    const char *group = line_of_tree(text);
    size_t length = group ? strcspn(group, "\n") : 0, scope = length_of_scope(group, length);
    int size;

    if (!scope)
        return -1;
    size = snprintf(path, PLUGIN_GROUP_PATH, TREE "%.*s/system/cgroup.procs", (int)scope, group);
    return size < PLUGIN_GROUP_PATH ? 0 : -1;
}

/* The kernel's own file, of a step's own process: a line for each hierarchy. */
int plugin_group_find(char *path)
{
    char text[4096];
    TOPOMAP_CLOSED int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (size <= 0)
        return -1;
    text[size] = 0;
    return plugin_group_outside(text, path);
}

void plugin_group_move(const char *path, pid_t pid)
{
    char digits[24], *digit = digits + sizeof digits;
    int fd;

    do
        *--digit = (char)('0' + pid % 10);
    while (pid /= 10);
    if (plugin_regain_root())
        _exit(1);
    fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    _exit(fd < 0 || write(fd, digit, (size_t)(digits + sizeof digits - digit)) < 0);
}
