/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/launch/gres_conf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topomap/hosts.h"
#include "util/alloc.h"
#include "util/input.h"
#include "util/known.h"

enum { FILES_MOST = 4096, INCLUDES_MOST = 10 }; /* the latter as src/common/parse_config.c has it */

struct order {
    topomap_known nodes; /* as lines name them: a site may have a line for each */
    long *last;          /* of these, the number of the last GPU */
    size_t room;
    int reorders, depth;
    const char *path; /* what is included lies beside it, where it has no folder of its own */
};

static int read_file(struct order *order, const char *path, topomap_error *err);

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
    size_t known = order->nodes.count, length = strlen(nodes);
    topomap_error err;
    uint32_t number;
    char *lower = topomap_strdup(nodes, &err);
    int failed = !lower;

    for (char *c = lower; c && *c; c++)
        *c = (char)tolower((unsigned char)*c);
    failed =
        failed || topomap_known_number(&order->nodes, lower, length, &number, &err) ||
        topomap_grow(&order->last, &order->room, order->nodes.count, sizeof *order->last, &err);
    free(lower);
    if (failed)
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

        order->reorders |= number <= *last;
        *last = number;
    }
    topomap_names_clear(&names);
}

/* "include gpus/a100.conf"; 1: it is none */
static int include(struct order *order, const char *line, topomap_error *err)
{
    static const char word[] = "include";
    size_t length = sizeof word - 1, name;
    const char *slash = strrchr(order->path, '/');
    char path[4096];
    int folder, status;

    line += strspn(line, " \t");
    if (strncasecmp(line, word, length) != 0 || (line[length] != ' ' && line[length] != '\t'))
        return 1;
    line += length + strspn(line + length, " \t");
    name = strcspn(line, " \t");
    folder = *line != '/' && slash ? (int)(slash - order->path) + 1 : 0;
    if (order->depth == INCLUDES_MOST || snprintf(path, sizeof path, "%.*s%.*s", folder,
                                                  order->path, (int)name, line) >= (int)sizeof path)
        return -1;
    order->depth++;
    status = read_file(order, path, err);
    order->depth--;
    return status;
}

/* "NodeName=n[1-4] Name=gpu Type=a100 File=/dev/nvidia[0-3]" */
static int read_line(struct order *order, char *line, topomap_error *err)
{
    const char *nodes = "", *files = NULL;
    char *rest = NULL;
    int is_gpu = 0, included;

    line[strcspn(line, "#")] = 0;
    included = include(order, line, err);
    if (included <= 0)
        return included;
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
    }
    if (is_gpu && files)
        add_files(order, nodes, files);
    return 0;
}

/* A '\' at its end joins a line to the next (slurm.conf(5)). */
static int read_lines(struct order *order, topomap_input *input, topomap_error *err)
{
    char whole[8192] = "", *line;
    size_t used = 0, length;
    int status;

    while ((status = topomap_input_line(input, 0, &line, &length, err)) > 0) {
        int goes_on = length && line[length - 1] == '\\';

        length -= (size_t)goes_on;
        if (used + length + 2 > sizeof whole)
            return -1;
        memcpy(whole + used, line, length);
        used += length;
        whole[used] = 0;
        if (goes_on)
            continue;
        if (read_line(order, whole, err))
            return -1;
        used = 0;
    }
    return status;
}

static int read_file(struct order *order, const char *path, topomap_error *err)
{
    topomap_input *input;
    int status = topomap_input_open(path, &input, err);

    if (status == 0) {
        status = read_lines(order, input, err);
        topomap_input_close(input);
    }
    return status;
}

int planner_gres_reorders(const char *path)
{
    struct order order = {.path = path};
    topomap_error err;

    if (read_file(&order, path, &err))
        order.reorders = 0;
    topomap_known_clear(&order.nodes);
    free(order.last);
    return order.reorders;
}
