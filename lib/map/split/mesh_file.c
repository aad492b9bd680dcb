/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/split/mesh_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "graph/graph.h"

int topomap_mesh_file(const char *what, char *file, size_t size, uint32_t *parts)
{
    static const char word[] = ",parts=";
    const char *comma = strrchr(what, ','), *number;
    struct stat about;
    size_t digits;

    if (!comma || strncmp(comma, word, sizeof word - 1) != 0 || !stat(what, &about))
        return 0;
    number = comma + sizeof word - 1;
    digits = strspn(number, "0123456789");
    *parts = (uint32_t)strtoul(number, NULL, 10);
    return digits && digits < 10 && !number[digits] && *parts &&
           (size_t)snprintf(file, size, "%.*s", (int)(comma - what), what) < size &&
           !stat(file, &about);
}

int topomap_mesh_read(const char *what, uint32_t most, const char *format,
                      const char *const *option, topomap_watch *watch, topomap_graph **graph,
                      topomap_error *err)
{
    topomap_graph *mesh;
    struct stat about;
    char file[4096];
    uint32_t parts;
    int status;

    if (!topomap_mesh_file(what, file, sizeof file, &parts))
        return most && stat(what, &about) != 0
                   ? topomap_graph_read_within(what, most, graph, err)
                   : topomap_graph_read_watched(what, format, option, watch, graph, err);
    if (topomap_graph_read_watched(file, format, option, watch, &mesh, err) != 0)
        return -1;
    topomap_watch_stage(watch, "division", NULL, 0);
    status = topomap_graph_partition(mesh, parts, "rb", NULL, 1, graph, err);
    topomap_graph_free(mesh);
    return status;
}
