/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/unpack.h"

#include <errno.h>
#include <lzma.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "util/alloc.h"

/* `xz -9` needs 65 MiB to unpack; more than this is a bomb or a mistake. */
#define XZ_MEMORY ((uint64_t)256 << 20)
#define RAW_SIZE ((size_t)128 << 10)
#define OUT_FLOOR ((uint64_t)256 << 20)
#define OUT_MOST ((uint64_t)8 << 30)
#define OUT_RATIO 2000

struct packing {
    const char *name;
    const char *magic;
    size_t magic_size;
    int (*start)(topomap_unpack *unpack, topomap_error *err);
    int (*step)(topomap_unpack *unpack, char *out, size_t room, size_t *got, topomap_error *err);
    void (*stop)(topomap_unpack *unpack);
};

struct topomap_unpack {
    const char *path;
    int fd;
    const char *memory;
    size_t memory_left;
    unsigned char *raw; /* [RAW_SIZE] bytes as they are stored, not yet unpacked */
    size_t raw_start, raw_end;
    int raw_ended, looked, ended;
    uint64_t raw_total, out_total, out_most; /* bytes so far; 0: as OUT_... have it */
    const struct packing *packing;           /* NULL: stored plainly */
    lzma_stream xz;
    ZSTD_DStream *zstd;
    int zstd_inside; /* a frame has begun and not ended */
};

/* Stored bytes, straight from the file or memory; fewer than asked means the end. */
static int raw_read(topomap_unpack *unpack, void *out, size_t room, size_t *got, topomap_error *err)
{
    size_t done = 0;

    if (unpack->fd < 0) {
        done = room < unpack->memory_left ? room : unpack->memory_left;
        if (done) {
            memcpy(out, unpack->memory, done);
            unpack->memory += done;
        }
        unpack->memory_left -= done;
        *got = done;
        return 0;
    }
    while (done < room) {
        ssize_t count = read(unpack->fd, (char *)out + done, room - done);

        if (count == 0)
            break;
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot read: %s", unpack->path,
                                     strerror(errno));
        done += (size_t)count;
    }
    *got = done;
    return 0;
}

/* Makes stored bytes available where there are none left. */
static int raw_fill(topomap_unpack *unpack, topomap_error *err)
{
    size_t got;

    if (unpack->raw_start < unpack->raw_end || unpack->raw_ended)
        return 0;
    if (raw_read(unpack, unpack->raw, RAW_SIZE, &got, err))
        return -1;
    unpack->raw_start = 0;
    unpack->raw_end = got;
    unpack->raw_total += got;
    unpack->raw_ended = got < RAW_SIZE;
    return 0;
}

static int xz_start(topomap_unpack *unpack, topomap_error *err)
{
    /* `cat a.xz b.xz` is a valid file, as the xz tool has it. */
    if (lzma_stream_decoder(&unpack->xz, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: out of memory for xz", unpack->path);
    return 0;
}

static const struct {
    lzma_ret code;
    enum topomap_code kind;
    const char *text;
} xz_errors[] = {
    {LZMA_BUF_ERROR, TOPOMAP_EINPUT, "the xz data ends early: the file is truncated"},
    {LZMA_MEMLIMIT_ERROR, TOPOMAP_EINPUT,
     "the xz data needs more than 256 MiB to unpack: pack it with a smaller dictionary"},
    {LZMA_MEM_ERROR, TOPOMAP_ESYSTEM, "out of memory for xz"},
    {LZMA_OPTIONS_ERROR, TOPOMAP_EINPUT, "the xz data uses options that liblzma does not know"},
    {LZMA_FORMAT_ERROR, TOPOMAP_EINPUT, "bytes that are not xz follow the xz data"},
};

static int xz_fail(const topomap_unpack *unpack, lzma_ret code, topomap_error *err)
{
    for (size_t i = 0; i < sizeof xz_errors / sizeof *xz_errors; i++)
        if (xz_errors[i].code == code)
            return topomap_error_set(err, xz_errors[i].kind, "%s: %s", unpack->path,
                                     xz_errors[i].text);
    return topomap_error_set(err, TOPOMAP_EINPUT, "%s: the xz data is damaged", unpack->path);
}

static int xz_step(topomap_unpack *unpack, char *out, size_t room, size_t *got, topomap_error *err)
{
    lzma_stream *xz = &unpack->xz;
    lzma_ret code;

    xz->next_in = unpack->raw + unpack->raw_start;
    xz->avail_in = unpack->raw_end - unpack->raw_start;
    xz->next_out = (uint8_t *)out;
    xz->avail_out = room;
    code = lzma_code(xz, unpack->raw_ended ? LZMA_FINISH : LZMA_RUN);
    unpack->raw_start = unpack->raw_end - xz->avail_in;
    *got = room - xz->avail_out;
    if (code == LZMA_STREAM_END)
        unpack->ended = 1;
    else if (code != LZMA_OK)
        return xz_fail(unpack, code, err);
    return 0;
}

static void xz_stop(topomap_unpack *unpack)
{
    lzma_end(&unpack->xz);
}

static int zstd_start(topomap_unpack *unpack, topomap_error *err)
{
    unpack->zstd = ZSTD_createDStream();
    if (!unpack->zstd)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: out of memory for zstd", unpack->path);
    return 0;
}

static int zstd_step(topomap_unpack *unpack, char *out, size_t room, size_t *got,
                     topomap_error *err)
{
    ZSTD_inBuffer in = {unpack->raw, unpack->raw_end, unpack->raw_start};
    ZSTD_outBuffer to = {out, room, 0};
    size_t left;

    if (in.pos == in.size && unpack->raw_ended && !unpack->zstd_inside) {
        unpack->ended = 1;
        *got = 0;
        return 0;
    }
    left = ZSTD_decompressStream(unpack->zstd, &to, &in);
    if (ZSTD_isError(left))
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: the zstd data is damaged: %s",
                                 unpack->path, ZSTD_getErrorName(left));
    if (left && !to.pos && in.pos == unpack->raw_start && in.pos == in.size && unpack->raw_ended)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: the zstd data ends early: the file is truncated",
                                 unpack->path);
    unpack->zstd_inside = left != 0;
    unpack->raw_start = in.pos;
    *got = to.pos;
    return 0;
}

static void zstd_stop(topomap_unpack *unpack)
{
    ZSTD_freeDStream(unpack->zstd);
}

/* First bytes: the .xz file format 1.2.0, 2.1.1.1; RFC 8878, 3.1.1. */
static const struct packing packings[] = {
    {"xz",
     "\xfd"
     "7zXZ\0",
     6, xz_start, xz_step, xz_stop},
    {"zstd", "\x28\xb5\x2f\xfd", 4, zstd_start, zstd_step, zstd_stop},
};

static int look(topomap_unpack *unpack, topomap_error *err)
{
    if (raw_fill(unpack, err))
        return -1;
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        const struct packing *packing = &packings[i];

        if (unpack->raw_end >= packing->magic_size &&
            !memcmp(unpack->raw, packing->magic, packing->magic_size)) {
            if (packing->start(unpack, err))
                return -1;
            unpack->packing = packing;
        }
    }
    unpack->looked = 1;
    return 0;
}

static int plain_read(topomap_unpack *unpack, char *out, size_t room, size_t *got,
                      topomap_error *err)
{
    size_t kept = unpack->raw_end - unpack->raw_start;
    size_t more = 0;

    if (kept > room)
        kept = room;
    memcpy(out, unpack->raw + unpack->raw_start, kept);
    unpack->raw_start += kept;
    if (kept < room && !unpack->raw_ended && raw_read(unpack, out + kept, room - kept, &more, err))
        return -1;
    *got = kept + more;
    return 0;
}

static int check_total(const topomap_unpack *unpack, topomap_error *err)
{
    uint64_t most = unpack->raw_total * OUT_RATIO;

    most = most < OUT_FLOOR ? OUT_FLOOR : most > OUT_MOST ? OUT_MOST : most;
    if (unpack->out_most)
        most = unpack->out_most;
    if (unpack->out_total <= most)
        return 0;
    return topomap_error_set(err, TOPOMAP_EINPUT,
                             "%s: unpacks to more than %llu MiB, which is more than a file of its "
                             "kind should: if it is sound, unpack it first, or allow more with the "
                             "option unpacked=SIZE (such as 20G)",
                             unpack->path, (unsigned long long)(most >> 20));
}

void topomap_unpack_limit(topomap_unpack *unpack, uint64_t most)
{
    unpack->out_most = most;
}

int topomap_unpack_read(topomap_unpack *unpack, char *out, size_t room, size_t *got,
                        topomap_error *err)
{
    size_t done = 0;

    if (!unpack->looked && look(unpack, err))
        return -1;
    if (!unpack->packing)
        return plain_read(unpack, out, room, got, err);
    while (done < room && !unpack->ended) {
        size_t count;

        if (raw_fill(unpack, err) ||
            unpack->packing->step(unpack, out + done, room - done, &count, err))
            return -1;
        done += count;
        unpack->out_total += count;
        if (check_total(unpack, err))
            return -1;
    }
    *got = done;
    return 0;
}

int topomap_unpack_packed(const topomap_unpack *unpack)
{
    return unpack->packing != NULL;
}

int topomap_unpack_new(const char *path, int fd, const void *bytes, size_t size,
                       topomap_unpack **unpack, topomap_error *err)
{
    topomap_unpack *made = topomap_alloc(1, sizeof *made, err);

    if (!made)
        return -1;
    made->raw = malloc(RAW_SIZE);
    if (!made->raw) {
        free(made);
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    }
    made->path = path;
    made->fd = fd;
    made->memory = bytes;
    made->memory_left = size;
    made->xz = (lzma_stream)LZMA_STREAM_INIT;
    *unpack = made;
    return 0;
}

void topomap_unpack_free(topomap_unpack *unpack)
{
    if (!unpack)
        return;
    if (unpack->packing)
        unpack->packing->stop(unpack);
    free(unpack->raw);
    free(unpack);
}
