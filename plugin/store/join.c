/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts that the nodes of a run have left become a profile (lib/graph/formats/parts.h). */
#include "config.h"
#include "graph/formats/parts.h"
#include "graph/formats/tmg.h"
#include "plugin/store/store.h"
#include "plugin/store/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a launch that waits for it reads at most. */
enum { SOON_PARTS = 256, SOON_BYTES = 16 << 20 };

struct parts {
    unsigned count;
    uint64_t bytes;
};

static struct parts count_parts(int run)
{
    TOPOMAP_CLOSED_DIR DIR *list = store_folder_list(run);
    struct parts found = {0, 0};
    const struct dirent *row;
    struct stat status;

    while (list && found.count <= SOON_PARTS && (row = readdir(list)) != NULL)
        if (!strncmp(row->d_name, TOPOMAP_PART_NAME, sizeof TOPOMAP_PART_NAME - 1)) {
            found.count++;
            if (!fstatat(run, row->d_name, &status, AT_SYMLINK_NOFOLLOW))
                found.bytes += (uint64_t)status.st_size;
        }
    return found;
}

static int cannot(topomap_error *why)
{
    return topomap_error_set(why, TOPOMAP_ESYSTEM, "the profile cannot be written: %s",
                             strerror(errno));
}

/* Beside it first, under a name of its own: whoever finds it finds it whole, and several may write
 * it at once. What one that was killed has left goes with the folder. */
static int write_graph(int run, const topomap_graph *graph, topomap_error *why)
{
    char beside[STORE_BESIDE];
    int fd = store_file_make(run, STORE_RUN_FILE, beside), failed;
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

    if (!out) {
        cannot(why);
        if (fd >= 0) {
            close(fd);
            unlinkat(run, beside, 0);
        }
        return -1;
    }
    failed = topomap_tmg_write(graph, out, why);
    if ((fclose(out) && !failed) || (!failed && renameat(run, beside, run, STORE_RUN_FILE)))
        failed = cannot(why);
    if (failed)
        unlinkat(run, beside, 0);
    return failed;
}

int store_join(int run, int soon, topomap_error *why)
{
    const struct parts parts = count_parts(run);
    topomap_graph *graph;
    topomap_error err;
    int failed;

    if (!parts.count)
        return topomap_error_set(why, TOPOMAP_EINPUT, "the run left no profile");
    if (soon && (parts.count > SOON_PARTS || parts.bytes > SOON_BYTES))
        return topomap_error_set(why, TOPOMAP_EINPUT, "more parts than a launch reads");
    if (topomap_parts_read_open(run, "its folder", INFINITY, &graph, &err))
        return topomap_error_set(why, err.code, "the run left no profile: %s", err.text);
    failed = write_graph(run, graph, why);
    topomap_graph_free(graph);
    return failed;
}
