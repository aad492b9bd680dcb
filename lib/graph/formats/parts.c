/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a profiled run, brought together. A file is read row by row, so that what it says of
 * itself asks for no memory. */
#include "graph/formats/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "graph/formats/tmg.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/hash64.h"
#include "util/sorted.h"
#include "util/full_io.h"

enum {
    PORTION = 512, /* rows; their bytes are whole blocks of the hash */
    STATUS_TEXT = 80,
    OLD_ROW = 32, /* of the table, in version 1, which ends before the times */
};

struct file {
    topomap_parts *parts;
    int fd;
    const char *path;
    struct topomap_part_header header;
    struct topomap_part_rank *table;
    size_t row; /* the table's, in the file */
};

static int fail(const struct file *in, const char *what, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_EINPUT, "%s: %s", in->path, what);
}

static int take_bytes(const struct file *in, void *bytes, size_t size, topomap_error *err)
{
    if (!topomap_whole_read(in->fd, bytes, size))
        return 0;
    if (!errno)
        return fail(in, "it is truncated", err);
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: %s", in->path, strerror(errno));
}

/* ---- Header and table ---------------------------------------------------------------------- */

static int check_header(struct file *in, uint64_t size, topomap_error *err)
{
    const struct topomap_part_header *h = &in->header;

    if (memcmp(h->magic, TOPOMAP_PART_MAGIC, sizeof h->magic) != 0)
        return fail(in, "not a part of a profile", err);
    if (!h->version || h->version > TOPOMAP_PART_VERSION)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: version %" PRIu32
                                 " of a profile's parts; this program reads versions 1 to %d",
                                 in->path, h->version, TOPOMAP_PART_VERSION);
    if (h->size != size)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: %" PRIu64 " bytes, but the header says %" PRIu64
                                 ": it is truncated or something follows it",
                                 in->path, size, h->size);
    in->row = h->version == 1 ? OLD_ROW : sizeof *in->table;
    if (!h->ranks || h->ranks > TOPOMAP_GRAPH_RANKS || h->count > h->ranks ||
        h->count > (size - sizeof *h) / in->row || h->program[sizeof h->program - 1])
        return fail(in, "the header's counts are impossible", err);
    return 0;
}

/* An older version's rows are the beginnings of today's; the last one is moved first. */
static void widen_table(const struct file *in)
{
    for (uint32_t i = in->header.count; in->row < sizeof *in->table && i-- > 0;) {
        struct topomap_part_rank wide = {0};

        memcpy(&wide, (const char *)in->table + i * in->row, in->row);
        in->table[i] = wide;
    }
}

static int take_table(struct file *in, topomap_error *err)
{
    struct topomap_part_header zero = in->header;

    in->table = topomap_alloc(in->header.count, sizeof *in->table, err);
    if (!in->table || take_bytes(in, in->table, in->header.count * in->row, err))
        return -1;
    zero.checksum = 0;
    if (topomap_hash64_two(&zero, sizeof zero, in->table, in->header.count * in->row) !=
        in->header.checksum)
        return fail(in, "the header's checksum is wrong: the file is damaged", err);
    widen_table(in);
    return 0;
}

/* Rows that the table promises are there, and nothing else is. */
static int check_table(const struct file *in, topomap_error *err)
{
    uint64_t left = in->header.size - sizeof in->header - in->header.count * in->row;

    for (uint32_t i = 0; i < in->header.count; i++) {
        const struct topomap_part_rank *row = &in->table[i];

        if (row->rank >= in->header.ranks || (i && row->rank <= row[-1].rank))
            return fail(in, "its ranks do not ascend, or there are more than the run has", err);
        if (row->rows > (uint64_t)in->header.ranks * TOPOMAP_PART_PHASES + TOPOMAP_PART_COMM_ROWS ||
            row->rows > left / sizeof(topomap_part_row))
            return fail(in, "the ranks have more rows than the run's ranks or the file", err);
        left -= row->rows * sizeof(topomap_part_row);
    }
    return left ? fail(in, "something follows the ranks' rows", err) : 0;
}

/* The first file says which run it is. */
static int check_run(const struct file *in, topomap_error *err)
{
    struct topomap_part_header *first = &in->parts->first;

    if (!first->ranks)
        *first = in->header;
    if (in->header.ranks != first->ranks)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: a part of a run on %" PRIu32 " ranks, among those of one on "
                                 "%" PRIu32,
                                 in->path, in->header.ranks, first->ranks);
    if (in->header.run != first->run)
        return fail(in, "a part of another run", err);
    return 0;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static int add_arc(topomap_parts *parts, uint32_t phase, uint32_t from, uint32_t to, uint64_t bytes,
                   uint64_t messages, topomap_error *err)
{
    if (from != to) {
        parts->sums.bytes += bytes;
        parts->sums.messages += messages;
    }
    if (parts->no_arcs)
        return 0;
    return topomap_arcs_add(&parts->arcs, from, to, bytes, messages, err) ||
                   topomap_part_phases_add(parts, phase, from, to, bytes, messages, err)
               ? -1
               : 0;
}

static int add_row(const struct file *in, uint32_t rank, const topomap_part_row *row,
                   topomap_error *err)
{
    topomap_error why;
    int begins = row->phase == TOPOMAP_PART_COMM;

    if (begins || in->parts->comms.size) {
        if ((begins ? topomap_part_comms_begin : topomap_part_comms_add)(in->parts, rank, row,
                                                                         &why) == 0)
            return 0;
        return topomap_error_set(err, why.code, "%s: %s", in->path, why.text);
    }
    if (row->partner >= in->header.ranks)
        return fail(in, "a partner is no rank of the run", err);
    if (row->phase >= TOPOMAP_PART_PHASES)
        return fail(in, "a partner's phase is none", err);
    if ((row->messages_out && add_arc(in->parts, row->phase, rank, row->partner, row->bytes_out,
                                      row->messages_out, &why) != 0) ||
        (row->messages_in && add_arc(in->parts, row->phase, row->partner, rank, row->bytes_in,
                                     row->messages_in, &why) != 0))
        return topomap_error_set(err, why.code, "%s: %s", in->path, why.text);
    return 0;
}

static int add_rows(const struct file *in, const struct topomap_part_rank *rank, topomap_error *err)
{
    topomap_part_row row[PORTION];
    uint64_t left = rank->rows;
    topomap_hash64 hash;
    size_t n;

    topomap_hash64_begin(&hash);
    in->parts->comms.size = 0;
    do {
        n = left < PORTION ? left : PORTION;
        if (take_bytes(in, row, n * sizeof *row, err))
            return -1;
        for (size_t i = 0; i < n; i++)
            if (add_row(in, rank->rank, &row[i], err))
                return -1;
        left -= n;
        if (left)
            topomap_hash64_add(&hash, row, sizeof row);
    } while (left);
    if (topomap_hash64_end(&hash, row, n * sizeof *row) != rank->checksum)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: the checksum of rank %" PRIu32
                                 " is wrong: the file is damaged",
                                 in->path, rank->rank);
    return 0;
}

/* mpi_ns is the sum until the summary is made. */
static void add_time(topomap_part_summary *sums, const struct topomap_part_rank *rank)
{
    sums->whole += (rank->flags & TOPOMAP_PART_WHOLE) != 0;
    sums->has_time += rank->wall_ns != 0; /* until then, too: ranks that have one */
    sums->mpi_ns += rank->mpi_ns;
    if (rank->wall_ns > sums->wall_ns)
        sums->wall_ns = rank->wall_ns;
}

/* The first by the nodes' clocks: what has failed there makes the tasks of other nodes fail. */
static void add_status(const struct file *in, uint32_t number)
{
    topomap_parts *parts = in->parts;

    if (in->header.version == 1 || !in->header.status ||
        (parts->sums.status && in->header.status_ns >= parts->status_ns))
        return;
    parts->sums.status = (int)in->header.status;
    parts->sums.status_part = number;
    parts->status_ns = in->header.status_ns;
}

static int add_ranks(const struct file *in, uint32_t number, topomap_error *err)
{
    topomap_parts *parts = in->parts;
    uint32_t count = in->header.count;

    add_status(in, number);
    if (in->header.version > 1 && !parts->sums.mpi)
        parts->sums.mpi = in->header.mpi;
    if (topomap_grow(&parts->seen, &parts->room, parts->count + count, sizeof *parts->seen, err))
        return -1;
    if (count && in->table->rank == 0)
        memcpy(parts->program, in->header.program, sizeof parts->program);
    for (uint32_t i = 0; i < count; i++) {
        parts->seen[parts->count++] =
            (struct topomap_parts_seen){in->table[i].rank, in->table[i].flags, number};
        add_time(&parts->sums, &in->table[i]);
        if (topomap_part_phases_begin(parts, in->table[i].passed, err) ||
            add_rows(in, &in->table[i], err))
            return -1;
    }
    return 0;
}

static int add_file(struct file *in, uint32_t number, topomap_error *err)
{
    struct stat about;

    if (fstat(in->fd, &about) || !S_ISREG(about.st_mode))
        return fail(in, "not a regular file", err);
    if ((uint64_t)about.st_size < sizeof in->header)
        return fail(in, "shorter than a part of a profile: it is truncated", err);
    if (take_bytes(in, &in->header, sizeof in->header, err) ||
        check_header(in, (uint64_t)about.st_size, err) || check_run(in, err) ||
        take_table(in, err) || check_table(in, err))
        return -1;
    return add_ranks(in, number, err);
}

int topomap_parts_add(topomap_parts *parts, int fd, uint32_t number, const char *path,
                      topomap_error *err)
{
    struct file in = {.parts = parts, .fd = fd, .path = path};
    int status;

    if (topomap_tmg_order(err))
        return -1;
    parts->arcs.has_messages = 1;
    parts->files++;
    status = add_file(&in, number, err);
    free(in.table);
    return status;
}

/* ---- The graph ----------------------------------------------------------------------------- */

TOPOMAP_COMPARE(by_rank, struct topomap_parts_seen, TOPOMAP_ORDER(x->rank, y->rank),
                TOPOMAP_ORDER(x->file, y->file))

const char *topomap_part_status_text(int status, char *text, size_t size)
{
    if (WIFSIGNALED(status))
        snprintf(text, size, "signal %d", WTERMSIG(status));
    else
        snprintf(text, size, "exit status %d", WEXITSTATUS(status));
    return text;
}

/* \return "; a task of part.1 ended with exit status 3", or nothing */
static const char *why_missing(const topomap_parts *parts, char *text, size_t size)
{
    char status[STATUS_TEXT];

    *text = 0;
    if (parts->sums.status)
        snprintf(text, size, "; a task of " TOPOMAP_PART_NAME "%" PRIu32 " ended with %s",
                 parts->sums.status_part,
                 topomap_part_status_text(parts->sums.status, status, sizeof status));
    return text;
}

static int missing(const topomap_parts *parts, const char *folder, uint32_t rank,
                   topomap_error *err)
{
    char why[2 * STATUS_TEXT];

    return topomap_error_set(err, TOPOMAP_EINPUT,
                             "%s: an incomplete profile: rank %" PRIu32 " of %" PRIu32
                             " has left no part (parts of %zu ranks are there)%s",
                             folder, rank, parts->first.ranks, parts->count,
                             why_missing(parts, why, sizeof why));
}

static int check_files(const topomap_parts *parts, const char *folder, topomap_error *err)
{
    return parts->files ? 0
                        : topomap_error_set(err, TOPOMAP_EINPUT,
                                            "%s: a folder without parts of a profile "
                                            "(" TOPOMAP_PART_NAME "0 and so on)",
                                            folder);
}

/* Every rank once, and whole. */
static int check_seen(topomap_parts *parts, const char *folder, topomap_error *err)
{
    struct topomap_parts_seen *seen = parts->seen;
    char why[2 * STATUS_TEXT];

    if (check_files(parts, folder, err))
        return -1;
    TOPOMAP_SORT(seen, parts->count, by_rank);
    for (size_t i = 0; i < parts->count; i++) {
        if (i && seen[i].rank == seen[i - 1].rank)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "%s: rank %" PRIu32 " is there twice, in " TOPOMAP_PART_NAME
                                     "%" PRIu32 " and " TOPOMAP_PART_NAME "%" PRIu32,
                                     folder, seen[i].rank, seen[i - 1].file, seen[i].file);
        if (seen[i].rank != i)
            return missing(parts, folder, (uint32_t)i, err);
        if (!(seen[i].flags & TOPOMAP_PART_WHOLE))
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "%s: an incomplete profile: rank %" PRIu32
                                     " did not come to MPI_Finalize%s",
                                     folder, seen[i].rank, why_missing(parts, why, sizeof why));
    }
    return parts->count < parts->first.ranks ? missing(parts, folder, (uint32_t)parts->count, err)
                                             : 0;
}

int topomap_parts_take(topomap_parts *parts, const char *folder, topomap_graph **graph,
                       topomap_error *err)
{
    TOPOMAP_GRAPH_FREED topomap_graph *made = NULL;
    int nccl = parts->comms.any;

    if (check_seen(parts, folder, err) || topomap_part_comms_take(parts, err) ||
        topomap_arcs_take(&parts->arcs, parts->first.ranks, &made, err) ||
        (!nccl && topomap_part_phases_take(parts, made, err)) ||
        topomap_graph_set_text(&made->source, err, "%s profile of %s", nccl ? "NCCL" : "MPI",
                               parts->program) ||
        (parts->comms.left_out &&
         topomap_graph_set_text(&made->note, err,
                                "%zu partners in communicators are left out: which ranks they "
                                "are is not known",
                                parts->comms.left_out)))
        return -1;
    *graph = topomap_take(&made);
    return 0;
}

void topomap_parts_clear(topomap_parts *parts)
{
    topomap_arcs_clear(&parts->arcs);
    topomap_part_phases_clear(parts);
    topomap_part_comms_clear(parts);
    free(parts->seen);
    memset(parts, 0, sizeof *parts);
}

/* ---- A folder ------------------------------------------------------------------------------ */

/* "part.17" and no other way to write 17. \return -1: not a part's name */
static int part_number(const char *name, uint32_t *number)
{
    const char *digits = name + sizeof TOPOMAP_PART_NAME - 1;
    unsigned long long value;

    if (strncmp(name, TOPOMAP_PART_NAME, sizeof TOPOMAP_PART_NAME - 1) != 0 || !*digits ||
        digits[strspn(digits, "0123456789")] || strlen(digits) > 10 ||
        (*digits == '0' && digits[1]))
        return -1;
    value = strtoull(digits, NULL, 10);
    *number = (uint32_t)value;
    return value > UINT32_MAX ? -1 : 0;
}

/* In the order of their numbers, so that of several mistakes always the same one is told. */
static int list_parts(DIR *folder, uint32_t **number, size_t *count, topomap_error *err)
{
    const struct dirent *row;
    size_t room = 0;
    uint32_t n;

    while ((row = readdir(folder)) != NULL) {
        if (!part_number(row->d_name, &n) && TOPOMAP_APPEND(*number, *count, room, err, n))
            return -1;
    }
    TOPOMAP_SORT(*number, *count, topomap_by_u32);
    return 0;
}

static int add_part(topomap_parts *parts, DIR *folder, const char *path, uint32_t number,
                    topomap_error *err)
{
    char name[32], whole[400];
    struct stat about;
    int fd, status;

    snprintf(name, sizeof name, TOPOMAP_PART_NAME "%" PRIu32, number);
    snprintf(whole, sizeof whole, "%.300s/%s", path, name);
    fd = topomap_whole_raise(
        topomap_untrusted_open(dirfd(folder), name, O_RDONLY | O_NOFOLLOW, &about), 3);
    if (fd < 0)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot open: %s", whole,
                                 topomap_untrusted_why(&about));
    status = topomap_parts_add(parts, fd, number, whole, err);
    close(fd);
    return status;
}

static int add_parts(topomap_parts *parts, DIR *folder, const char *path, double seconds,
                     const uint32_t *number, size_t count, topomap_error *err)
{
    double until = topomap_clock_wall() + seconds;

    for (size_t i = 0; i < count; i++) {
        if (topomap_clock_wall() > until)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "%.300s: %zu of %zu parts could be read in %g seconds", path,
                                     i, count, seconds);
        if (add_part(parts, folder, path, number[i], err))
            return -1;
    }
    return 0;
}

static int add_folder(topomap_parts *parts, int folder, const char *path, double seconds,
                      topomap_error *err)
{
    int again = topomap_whole_raise(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), 3);
    DIR *opened = again < 0 ? NULL : fdopendir(again);
    TOPOMAP_FREED uint32_t *number = NULL;
    size_t count = 0;
    int status;

    if (!opened) {
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%.300s: cannot open: %s", path, strerror(errno));
        if (again >= 0)
            close(again);
        return -1;
    }
    status = list_parts(opened, &number, &count, err) ||
             add_parts(parts, opened, path, seconds, number, count, err);
    closedir(opened);
    return status ? -1 : 0;
}

/* Makes the sum of times inside MPI their mean. If some rank has no time, all are 0. */
static void finish_sums(topomap_parts *parts)
{
    topomap_part_summary *sums = &parts->sums;

    sums->has_time = parts->count && (size_t)sums->has_time == parts->count;
    sums->mpi_ns = sums->has_time ? sums->mpi_ns / parts->count : 0;
    sums->wall_ns = sums->has_time ? sums->wall_ns : 0;
    if (sums->mpi_ns > sums->wall_ns)
        sums->mpi_ns = sums->wall_ns;
}

int topomap_parts_read_open(int folder, const char *path, double seconds, topomap_graph **graph,
                            topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_parts_clear) topomap_parts parts = {0};

    if (add_folder(&parts, folder, path, seconds, err) ||
        topomap_parts_take(&parts, path, graph, err))
        return -1;
    finish_sums(&parts);
    (*graph)->compute = (double)(parts.sums.wall_ns - parts.sums.mpi_ns) * 1e-9;
    return 0;
}

int topomap_parts_summary_open(int folder, const char *path, topomap_part_summary *summary,
                               topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_parts_clear) topomap_parts parts = {.no_arcs = 1};

    if (add_folder(&parts, folder, path, INFINITY, err) || check_files(&parts, path, err))
        return -1;
    finish_sums(&parts);
    *summary = parts.sums;
    summary->ranks = parts.first.ranks;
    summary->nodes = parts.files;
    return 0;
}

int topomap_parts_read(const char *folder, topomap_graph **graph, topomap_error *err)
{
    int opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), status;

    if (opened < 0)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "%.300s: cannot open: %s", folder,
                                 strerror(errno));
    status = topomap_parts_read_open(opened, folder, INFINITY, graph, err);
    close(opened);
    return status;
}
