/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/safe_text.h"
#include "util/unpack.h"
#include "util/full_io.h"

#define BUFFER_SIZE ((size_t)256 << 10)
#define LINE_LIMIT ((size_t)1 << 20)
#define ALL_LIMIT ((size_t)1 << 30)

struct topomap_input {
    char *path;
    int fd;
    size_t size; /* bytes as stored */
    topomap_unpack *unpack;
    char *buffer;
    size_t start, end; /* the bytes in hand are buffer[start..end) */
    size_t capacity;   /* one byte more is allocated, for a final NUL */
    size_t lineno;
    topomap_watch *watch; /* or NULL */
    size_t *not_utf8;     /* NULL, or where the first line that is not UTF-8 is noted */
    int ended;            /* the unpacker has no more */
    int stream;           /* standard input: nobody knows how much is to come */
    int begun, marked;    /* read from; and a byte order mark was passed over */
};

static int input_new(const char *path, int fd, const void *bytes, size_t size,
                     topomap_input **input, topomap_error *err)
{
    topomap_input *made = topomap_alloc(1, sizeof *made, err);

    if (!made)
        return -1;
    made->fd = -1;
    made->size = size;
    made->path = topomap_strdup(path, err);
    if (!made->path || topomap_unpack_new(made->path, fd, bytes, size, &made->unpack, err)) {
        topomap_input_close(made);
        return -1;
    }
    made->fd = fd; /* from here on ours to close */
    *input = made;
    return 0;
}

static int open_regular(const char *path, int *fd, size_t *size, topomap_error *err)
{
    struct stat about;

    *fd = topomap_untrusted_open(AT_FDCWD, path, O_RDONLY, &about);
    *size = (size_t)about.st_size;
    if (*fd >= 0)
        return 0;
    return topomap_error_set(err, /* limits are not the file's fault */
                             errno == EMFILE || errno == ENFILE || errno == ENOMEM ? TOPOMAP_ESYSTEM
                                                                                   : TOPOMAP_EINPUT,
                             "%s: cannot open: %s", path, topomap_untrusted_why(&about));
}

/* A descriptor of its own, so that closing the input leaves standard input to others. */
static int open_standard(int *fd, topomap_error *err)
{
    *fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    if (*fd < 0)
        return topomap_error_set(err, errno == EBADF ? TOPOMAP_EINPUT : TOPOMAP_ESYSTEM,
                                 TOPOMAP_INPUT_STANDARD ": cannot read: %s", strerror(errno));
    return 0;
}

int topomap_input_open(const char *path, topomap_input **input, topomap_error *err)
{
    int stream = strcmp(path, "-") == 0, fd = -1;
    size_t size = SIZE_MAX;

    if (stream ? open_standard(&fd, err) : open_regular(path, &fd, &size, err))
        return -1;
    if (input_new(topomap_input_called(path), fd, NULL, size, input, err)) {
        close(fd);
        return -1;
    }
    (*input)->stream = stream;
    return 0;
}

const char *topomap_input_called(const char *path)
{
    return strcmp(path, "-") == 0 ? TOPOMAP_INPUT_STANDARD : path;
}

int topomap_input_memory(const char *path, const void *bytes, size_t size, topomap_input **input,
                         topomap_error *err)
{
    return input_new(path, -1, bytes, size, input, err);
}

void topomap_input_close(topomap_input *input)
{
    if (!input)
        return;
    topomap_unpack_free(input->unpack);
    if (input->fd >= 0)
        close(input->fd);
    free(input->buffer);
    free(input->path);
    free(input);
}

#define UNPACKED "unpacked="

int topomap_input_is_option(const char *text)
{
    return strncmp(text, UNPACKED, sizeof UNPACKED - 1) == 0;
}

static int read_size(const char *text, uint64_t *size)
{
    static const char units[] = "KMGT";
    const char *unit;
    char *end;

    errno = 0;
    *size = *text >= '1' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    if (!*size || errno)
        return -1;
    unit = *end ? strchr(units, *end) : NULL;
    for (const char *at = units; unit && at <= unit; at++) {
        if (*size > UINT64_MAX >> 10)
            return -1;
        *size <<= 10;
    }
    return *end && (!unit || end[1]) ? -1 : 0;
}

int topomap_input_unpacked(topomap_input *input, const char *const *option, topomap_error *err)
{
    for (; option && *option; option++) {
        uint64_t size;

        if (!topomap_input_is_option(*option))
            continue;
        if (read_size(*option + sizeof UNPACKED - 1, &size))
            return topomap_error_set(err, TOPOMAP_EUSAGE,
                                     "the option unpacked takes a size such as 512M or 20G, not "
                                     "`%.60s`",
                                     *option + sizeof UNPACKED - 1);
        topomap_unpack_limit(input->unpack, size);
    }
    return 0;
}

void topomap_input_watch(topomap_input *input, topomap_watch *watch)
{
    input->watch = watch;
    topomap_watch_stage(watch, "reading", "B", input->stream ? 0 : input->size);
}

void topomap_input_check_utf8(topomap_input *input, size_t *line)
{
    *line = 0;
    input->not_utf8 = line;
}

/* \param line  number of the text's first line */
static void check_utf8(const topomap_input *input, const char *text, size_t size, size_t line)
{
    if (!input->not_utf8 || *input->not_utf8 || topomap_is_utf8(text, size))
        return;
    for (const char *end = text + size, *next; !*input->not_utf8; text = next, line++) {
        next = memchr(text, '\n', (size_t)(end - text));
        next = next ? next + 1 : end;
        if (!topomap_is_utf8(text, (size_t)(next - text)))
            *input->not_utf8 = line;
    }
}

const char *topomap_input_path(const topomap_input *input)
{
    return input->path;
}

size_t topomap_input_lineno(const topomap_input *input)
{
    return input->lineno;
}

size_t topomap_input_most(const topomap_input *input)
{
    if (!input->buffer || topomap_unpack_packed(input->unpack))
        return SIZE_MAX;
    return input->size;
}

/* Spreadsheets and some editors begin a file with it. */
static void pass_mark(topomap_input *input)
{
    static const char mark[] = "\xef\xbb\xbf";
    const size_t length = sizeof mark - 1;

    input->begun = 1;
    if (input->end < length || memcmp(input->buffer, mark, length) != 0)
        return;
    input->end -= length;
    memmove(input->buffer, input->buffer + length, input->end);
    input->marked = 1;
}

/* Gets more bytes into the buffer, which is made larger only where it is full. */
static int fill(topomap_input *input, topomap_error *err)
{
    size_t got;
    off_t at;

    if (input->start) {
        memmove(input->buffer, input->buffer + input->start, input->end - input->start);
        input->end -= input->start;
        input->start = 0;
    }
    if (input->end == input->capacity) {
        size_t wanted = input->capacity ? input->capacity * 2 : BUFFER_SIZE;
        char *larger = realloc(input->buffer, wanted + 1);

        if (!larger)
            return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: out of memory: %zu bytes",
                                     input->path, wanted);
        input->buffer = larger;
        input->capacity = wanted;
    }
    if (topomap_unpack_read(input->unpack, input->buffer + input->end, input->capacity - input->end,
                            &got, err))
        return -1;
    input->ended = got < input->capacity - input->end;
    input->end += got;
    if (!input->begun)
        pass_mark(input);
    at = input->watch && input->fd >= 0 ? lseek(input->fd, 0, SEEK_CUR) : -1;
    if (at >= 0)
        topomap_watch_at(input->watch, (uint64_t)at);
    else if (input->watch) /* a pipe has no place */
        topomap_watch_add(input->watch, got);
    return 0;
}

/* Finds the end of the next line; 1 found (or the last line), 0 nothing left, -1 failure. */
static int find_line(topomap_input *input, size_t limit, size_t *length, topomap_error *err)
{
    size_t searched = 0;

    for (;;) {
        char *from = input->buffer ? input->buffer + input->start : NULL;
        size_t have = input->end - input->start;
        char *newline = searched < have ? memchr(from + searched, '\n', have - searched) : NULL;

        *length = newline ? (size_t)(newline - from) : have;
        if (*length > limit) {
            input->lineno++;
            return topomap_input_fail(input, err, "the line is longer than %zu bytes", limit);
        }
        if (newline)
            return 1;
        if (input->ended)
            return have > 0;
        searched = have;
        if (fill(input, err))
            return -1;
    }
}

int topomap_input_line(topomap_input *input, size_t limit, char **line, size_t *length,
                       topomap_error *err)
{
    size_t size;
    int found = find_line(input, limit ? limit : LINE_LIMIT, &size, err);
    char *text;

    if (found <= 0)
        return found;
    text = input->buffer + input->start;
    input->lineno++;
    input->start += size;
    if (input->start < input->end)
        input->start++; /* the newline */
    if (memchr(text, '\0', size))
        return topomap_input_fail(input, err,
                                  input->lineno == 1 && strncmp(text, "\x1f\x8b", 2) == 0
                                      ? "a gzip file; unpack it (xz and zstd are read as they are)"
                                      : "a NUL byte: the file is binary, text was expected");
    if (size && text[size - 1] == '\r')
        size--;
    text[size] = '\0';
    check_utf8(input, text, size, input->lineno);
    *line = text;
    *length = size;
    return 1;
}

int topomap_input_all(topomap_input *input, size_t limit, char **text, size_t *size,
                      topomap_error *err)
{
    limit = limit ? limit : ALL_LIMIT;
    for (;;) {
        if (input->end - input->start > limit)
            return topomap_error_set(err, TOPOMAP_EINPUT, "%s: more than %zu bytes%s", input->path,
                                     limit,
                                     topomap_unpack_packed(input->unpack) ? " when unpacked" : "");
        if (input->ended)
            break;
        if (fill(input, err))
            return -1;
    }
    if (!input->buffer && fill(input, err)) /* unpack_read has said the end before anything came */
        return -1;
    memmove(input->buffer, input->buffer + input->start, input->end - input->start);
    *size = input->end - input->start;
    *text = input->buffer;
    (*text)[*size] = '\0';
    check_utf8(input, *text, *size, input->lineno + 1);
    input->buffer = NULL;
    input->capacity = input->start = input->end = 0;
    return 0;
}

int topomap_input_some(topomap_input *input, const char **bytes, size_t *size, topomap_error *err)
{
    if (input->start == input->end && !input->ended) {
        input->start = input->end = 0;
        if (fill(input, err))
            return -1;
    }
    if (input->start == input->end)
        return 0;
    *bytes = input->buffer + input->start;
    *size = input->end - input->start;
    input->start = input->end;
    return 1;
}

int topomap_input_map(topomap_input *input, size_t limit, void **bytes, size_t *size, int *mapped,
                      topomap_error *err)
{
    const char *first;
    char *text;
    size_t got;

    if (topomap_input_peek(input, 1, &first, &got, err))
        return -1;
    *mapped = input->fd >= 0 && !input->stream && !topomap_unpack_packed(input->unpack) &&
              !input->marked && input->size <= limit;
    if (*mapped) {
        *size = input->size;
        *bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, input->fd, 0);
        if (*bytes != MAP_FAILED)
            return 0;
        *mapped = 0; /* a file system that maps nothing */
    }
    if (topomap_input_all(input, limit, &text, size, err))
        return -1;
    *bytes = text;
    return 0;
}

int topomap_input_peek(topomap_input *input, size_t want, const char **bytes, size_t *size,
                       topomap_error *err)
{
    while (input->end - input->start < want && !input->ended)
        if (fill(input, err))
            return -1;
    *bytes = input->buffer ? input->buffer + input->start : "";
    *size = input->end - input->start < want ? input->end - input->start : want;
    return 0;
}

int topomap_input_fail(const topomap_input *input, topomap_error *err, const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (input->lineno)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s:%zu: %s", input->path, input->lineno,
                                 text);
    return topomap_error_set(err, TOPOMAP_EINPUT, "%s: %s", input->path, text);
}
