/* SPDX-License-Identifier: BSD-3-Clause */
/* Files as the library reads them: packed or not, graphs; and the files that are seeds. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "graph/graph.h"
#include "util/input.h"

enum { SEED_SIZE = 32 << 10 };

char *fuzz_text(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1);

    if (!text)
        abort();
    if (size)
        memcpy(text, bytes, size);
    text[size] = 0;
    return text;
}

const char *fuzz_file(const uint8_t *bytes, size_t size)
{
    static char path[40];
    static int fd = -1;

    if (fd < 0) {
        fd = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, bytes, size, 0) != (ssize_t)size)
        abort();
    return path;
}

/* ---- Targets ------------------------------------------------------------------------------- */

/* Rows as graph.h has them, and the totals of what they hold. */
static void look_at_graph(const topomap_graph *graph)
{
    uint64_t bytes = 0, messages = 0;

    if (!graph->ranks || graph->offset[0] || graph->offset[graph->ranks] != graph->arcs)
        abort();
    for (uint32_t u = 0; u < graph->ranks; u++)
        for (uint64_t i = graph->offset[u]; i < graph->offset[u + 1]; i++) {
            uint32_t v = graph->target[i];

            if (v >= graph->ranks || v == u || (i > graph->offset[u] && v <= graph->target[i - 1]))
                abort();
            bytes += graph->bytes[i];
            messages += topomap_graph_arc_messages(graph, i);
        }
    if (bytes != graph->total_bytes || messages != graph->total_messages || bytes >> 63 ||
        messages >> 63)
        abort();
    for (uint32_t r = 0; graph->name && r < graph->ranks; r++)
        if (strlen(graph->name[r]) > 1 << 20)
            abort();
    for (uint32_t i = 0; i < graph->phases; i++)
        look_at_graph(graph->phase[i]);
}

int fuzz_graph(const void *format, const uint8_t *bytes, size_t size)
{
    topomap_graph *graph;
    topomap_error err;

    if (topomap_graph_read(fuzz_file(bytes, size), format, &graph, &err))
        return 0;
    look_at_graph(graph);
    topomap_graph_free(graph);
    return 1;
}

/* Lines, a peek in between, then the rest; unpacked where it is packed. */
int fuzz_input(const void *what, const uint8_t *bytes, size_t size)
{
    topomap_input *input;
    topomap_error err;
    const char *peeked;
    char *line, *all = NULL;
    size_t length, lines = 0, got = 1;

    (void)what;
    if (topomap_input_memory("fuzz", bytes, size, &input, &err))
        return 0;
    while (lines < 20 &&
           (got = (size_t)topomap_input_line(input, 4096, &line, &length, &err)) == 1) {
        if (strlen(line) != length || topomap_input_lineno(input) != ++lines)
            abort();
    }
    if (got == 1 && topomap_input_peek(input, 100, &peeked, &length, &err) == 0 && length > 100)
        abort();
    if (got == 1 && topomap_input_all(input, 1 << 22, &all, &length, &err) == 0 && all[length])
        abort();
    free(all);
    topomap_input_close(input);
    return lines > 0;
}

/* ---- Seeds --------------------------------------------------------------------------------- */

void fuzz_seeds_add(struct fuzz_seeds *seeds, const void *bytes, size_t size)
{
    seeds->bytes = realloc(seeds->bytes, (seeds->count + 1) * sizeof *seeds->bytes);
    seeds->size = realloc(seeds->size, (seeds->count + 1) * sizeof *seeds->size);
    if (!seeds->bytes || !seeds->size)
        abort();
    seeds->bytes[seeds->count] = (uint8_t *)fuzz_text(bytes, size);
    seeds->size[seeds->count++] = size;
}

static void add_file(struct fuzz_seeds *seeds, const char *path, int packed)
{
    topomap_input *input;
    topomap_error err;
    const char *bytes;
    size_t size;

    if (topomap_input_open(path, &input, &err))
        return;
    if (topomap_input_peek(input, SEED_SIZE, &bytes, &size, &err) == 0) {
        const char *newline = size < SEED_SIZE ? NULL : memrchr(bytes, '\n', size);

        fuzz_seeds_add(seeds, bytes, newline ? (size_t)(newline - bytes) + 1 : size);
    }
    topomap_input_close(input);
    if (packed) {
        FILE *raw = fopen(path, "r");
        char start[SEED_SIZE];

        if (raw) {
            size = fread(start, 1, sizeof start, raw);
            fuzz_seeds_add(seeds, start, size);
            fclose(raw);
        }
    }
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && !strstr(entry->d_name, "sealed");
}

static int ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), size = strlen(ending);

    return length >= size && strcmp(path + length - size, ending) == 0;
}

static void add_folder(const struct fuzz_target *target, struct fuzz_seeds *seeds,
                       const char *folder)
{
    struct dirent **list;
    int count = scandir(folder, &list, visible, alphasort);

    for (int i = 0; i < count; i++) {
        char path[4096];
        struct stat about;

        snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
        if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
            add_folder(target, seeds, path);
        else if (ends_with(path, target->files))
            add_file(seeds, path, target->run == fuzz_input);
        free(list[i]);
    }
    if (count >= 0)
        free(list);
}

void fuzz_seeds_read(const struct fuzz_target *target, const char *const folder[3],
                     struct fuzz_seeds *seeds)
{
    memset(seeds, 0, sizeof *seeds);
    for (size_t i = 0; target->texts && target->texts[i]; i++)
        fuzz_seeds_add(seeds, target->texts[i], strlen(target->texts[i]));
    for (int i = 0; target->files && i < 3; i++)
        if (folder[i])
            add_folder(target, seeds, folder[i]);
    if (target->make)
        target->make(seeds);
    if (!seeds->count)
        fuzz_seeds_add(seeds, "", 0);
}

void fuzz_seeds_clear(struct fuzz_seeds *seeds)
{
    for (size_t i = 0; i < seeds->count; i++)
        free(seeds->bytes[i]);
    free(seeds->bytes);
    free(seeds->size);
    memset(seeds, 0, sizeof *seeds);
}
