/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/launch/launch.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plugin/conf/slurm_lines.h"
#include "topomap/hosts.h"
#include "util/alloc.h"
#include "util/names/known.h"

enum { FILES_MOST = 4096 };

struct order {
    topomap_known nodes; /* as lines name them: a site may have a line for each */
    long *last;          /* of these, the number of the last GPU */
    size_t room;
    int flags;
};

void planner_gres_path(char *path, unsigned long size)
{
    const char *conf = getenv("SLURM_CONF"), *slash = conf ? strrchr(conf, '/') : NULL;

    if (slash)
        snprintf(path, size, "%.*s/gres.conf", (int)(slash - conf), conf);
    else
        snprintf(path, size, "/etc/slurm/gres.conf");
}

/* Slurm takes no heed of case in them. NULL: memory is short. */
static long *last_of(struct order *order, const char *nodes)
{
    size_t known = order->nodes.count;
    topomap_error err;
    uint32_t number;
    TOPOMAP_FREED char *lower = topomap_strdup(nodes, &err);

    for (char *c = lower; c && *c; c++)
        *c = (char)tolower((unsigned char)*c);
    if (!lower || topomap_known_number(&order->nodes, lower, strlen(lower), &number, &err) ||
        topomap_grow(&order->last, &order->room, order->nodes.count, sizeof *order->last, &err))
        return NULL;
    if (order->nodes.count > known)
        order->last[number] = -1;
    return &order->last[number];
}

/* "/dev/nvidia12" is 12; -1: no number. */
static long number_of(const char *file)
{
    const char *end = file + strlen(file), *digits = end;

    while (digits > file && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    return digits < end && end - digits < 9 ? strtol(digits, NULL, 10) : -1;
}

static void add_files(struct order *order, const char *nodes, const char *files)
{
    long *last = last_of(order, nodes);
    topomap_names names;
    topomap_error err;

    if (!last || topomap_hostlist_expand(files, FILES_MOST, &names, &err))
        return;
    for (size_t i = 0; i < names.count; i++) {
        long number = number_of(names.name[i]);

        order->flags |= number <= *last ? PLANNER_GRES_REORDERS : 0;
        *last = number;
    }
    topomap_names_clear(&names);
}

/* "NodeName=n[1-4] Name=gpu Type=a100 File=/dev/nvidia[0-3]" */
static int read_line(char *line, const char *path, void *data, topomap_error *err)
{
    const char *nodes = "", *files = NULL;
    struct order *order = data;
    char *rest = NULL;
    int is_gpu = 0, has_cores = 0;

    (void)path;
    (void)err;
    for (char *word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        char *value = strchr(word, '=');

        if (!value)
            continue;
        *value++ = 0;
        if (!strcasecmp(word, "NodeName"))
            nodes = value;
        else if (!strcasecmp(word, "Name"))
            is_gpu = !strcasecmp(value, "gpu");
        else if (!strcasecmp(word, "File"))
            files = value;
        else if (!strcasecmp(word, "Cores") || !strcasecmp(word, "CPUs"))
            has_cores = 1;
        else if (!strcasecmp(word, "AutoDetect") && strcasecmp(value, "off") != 0)
            order->flags |= PLANNER_GRES_CORES;
    }
    if (is_gpu && has_cores)
        order->flags |= PLANNER_GRES_CORES;
    if (is_gpu && files)
        add_files(order, nodes, files);
    return 0;
}

int planner_gres_flags(const char *path)
{
    struct order order = {.flags = 0};
    topomap_error err;

    if (slurm_lines_read(path, SLURM_INCLUDES_FILES, read_line, &order, &err))
        order.flags = PLANNER_GRES_CORES;
    topomap_known_clear(&order.nodes);
    free(order.last);
    return order.flags;
}
