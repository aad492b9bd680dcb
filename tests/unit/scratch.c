/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* nftw */
#include "tests/unit/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define PATHS 64

static char folder[256];
static char paths[PATHS][512];
static size_t paths_used;

static void must(int ok, const char *what)
{
    if (!ok) {
        perror(what);
        abort();
    }
}

int scratch_setup(void **state)
{
    const char *base = getenv("TMPDIR");

    (void)state;
    snprintf(folder, sizeof folder, "%s/topomap-unit-XXXXXX", base ? base : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int drop(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind, (void)where;
    return remove(path);
}

int scratch_teardown(void **state)
{
    (void)state;
    return nftw(folder, drop, 8, FTW_DEPTH | FTW_PHYS);
}

const char *scratch_path(const char *name)
{
    char *path = paths[paths_used++ % PATHS];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

const char *scratch_folder(const char *name, mode_t mode)
{
    const char *path = scratch_path(name);

    must((mkdir(path, 0700) == 0 || errno == EEXIST) && chmod(path, mode) == 0, path);
    return path;
}

int scratch_entries(const char *folder)
{
    DIR *open = opendir(folder);
    int count = -2;

    must(open != NULL, folder);
    while (readdir(open))
        count++;
    closedir(open);
    return count;
}

const char *scratch_write(const char *name, const void *bytes, size_t size)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "wb");

    must(file != NULL, path);
    must(fwrite(bytes, 1, size, file) == size, path);
    must(fclose(file) == 0, path);
    return path;
}

const char *scratch_text(const char *name, const char *text)
{
    return scratch_write(name, text, strlen(text));
}

const char *scratch_xz(const char *name, const void *bytes, size_t size)
{
    size_t room = lzma_stream_buffer_bound(size), used = 0;
    uint8_t *packed = malloc(room);
    const char *path;

    must(packed != NULL, "malloc");
    must(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, bytes, size, packed, &used, room) ==
             LZMA_OK,
         "xz");
    path = scratch_write(name, packed, used);
    free(packed);
    return path;
}

const char *scratch_zstd(const char *name, const void *bytes, size_t size)
{
    size_t room = ZSTD_compressBound(size);
    void *packed = malloc(room);
    size_t used;
    const char *path;

    must(packed != NULL, "malloc");
    used = ZSTD_compress(packed, room, bytes, size, 3);
    must(!ZSTD_isError(used), "zstd");
    path = scratch_write(name, packed, used);
    free(packed);
    return path;
}

char *scratch_slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text;
    long end;

    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    end = ftell(file);
    rewind(file);
    text = malloc((size_t)end + 1);
    must(text != NULL, "malloc");
    must(fread(text, 1, (size_t)end, file) == (size_t)end, path);
    fclose(file);
    text[end] = '\0';
    if (size)
        *size = (size_t)end;
    return text;
}
