/* SPDX-License-Identifier: BSD-3-Clause */
/* The stream of util/safe_text.h, apart: what goes into programs of others needs none. */
#include "config.h"

#ifdef TOPOMAP_SANITIZED
#include <sanitizer/lsan_interface.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "util/safe_text.h"

struct stream {
    FILE *under;
    char rest[4]; /* of a character that is not whole yet */
    size_t rested;
};

static int put(struct stream *s, const char *text, size_t length, int last, size_t *taken)
{
    char out[4096 * TOPOMAP_SAFE_GROWTH];
    size_t made = topomap_safe_text(text, length, last, out, taken);

    return fwrite(out, 1, made, s->under) == made ? 0 : -1;
}

static ssize_t write_stream(void *data, const char *text, size_t length)
{
    struct stream *s = data;
    char piece[4096];

    for (size_t at = 0; at < length;) {
        size_t more = length - at, taken;

        more = more < sizeof piece - s->rested ? more : sizeof piece - s->rested;
        memcpy(piece, s->rest, s->rested);
        memcpy(piece + s->rested, text + at, more);
        if (put(s, piece, s->rested + more, 0, &taken))
            return 0; /* an error, as fopencookie(3) has it */
        at += more;
        s->rested = s->rested + more - taken;
        memcpy(s->rest, piece + taken, s->rested);
    }
    return fflush(s->under) ? 0 : (ssize_t)length;
}

static int close_stream(void *data)
{
    struct stream *s = data;
    size_t taken;
    int status = put(s, s->rest, s->rested, 1, &taken) || fflush(s->under) ? -1 : 0;

    free(s);
    return status;
}

FILE *topomap_safe_stream(FILE *under)
{
    struct stream *s = calloc(1, sizeof *s);
    FILE *made;

    if (!s)
        return NULL;
    s->under = under;
#ifdef TOPOMAP_SANITIZED /* whose fopencookie() keeps it where no leak is looked for */
    __lsan_ignore_object(s);
#endif
    made =
        fopencookie(s, "w", (cookie_io_functions_t){.write = write_stream, .close = close_stream});
    if (!made)
        free(s);
    return made;
}
