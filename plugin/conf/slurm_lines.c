/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/conf/slurm_lines.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/alloc.h"
#include "util/input.h"

enum { DEPTH = 10, MOST = 1 << 20 }; /* files in files, as Slurm has it; bytes of a whole line */

typedef struct reading {
    enum slurm_includes includes;
    slurm_line_reader *each;
    void *data;
    int depth;
} reading;

static int read_file(reading *r, const char *path, topomap_error *err);

/* Takes a comment and blanks at its end off a line. \return nonzero: it goes on in the next */
static int trim(char *line)
{
    size_t length;

    line[strcspn(line, "#")] = 0;
    for (length = strlen(line); length && strchr(" \t", line[length - 1]); length--)
        line[length - 1] = 0;
    if (!length || line[length - 1] != '\\')
        return 0;
    line[length - 1] = 0;
    return 1;
}

static char *included_by(char *line)
{
    static const char word[] = "include";
    char *rest = NULL;

    line += strspn(line, " \t");
    if (strncasecmp(line, word, sizeof word - 1) != 0)
        return NULL;
    line += sizeof word - 1;
    return *line == ' ' || *line == '\t' ? strtok_r(line, " \t", &rest) : NULL;
}

static void read_matches(reading *r, const char *pattern)
{
    topomap_error passed_over;
    glob_t found;

    if (glob(pattern, 0, NULL, &found))
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        (void)read_file(r, found.gl_pathv[i], &passed_over);
    globfree(&found);
}

static int include(reading *r, const char *word, const char *path, topomap_error *err)
{
    const char *slash = strrchr(path, '/');
    int folder = *word != '/' && slash ? (int)(slash - path) + 1 : 0;
    size_t size = (size_t)folder + strlen(word) + 1;
    TOPOMAP_FREED char *where = topomap_alloc(size, 1, err);

    if (!where)
        return -1;
    snprintf(where, size, "%.*s%s", folder, path, word);
    if (r->includes != SLURM_INCLUDES_PATTERNS)
        return read_file(r, where, err);
    read_matches(r, where);
    return 0;
}

static int read_whole(reading *r, char *whole, const char *path, topomap_error *err)
{
    const char *word = included_by(whole);

    return word ? include(r, word, path, err) : r->each(whole, path, r->data, err);
}

static int read_lines(reading *r, topomap_input *input, const char *path, topomap_error *err)
{
    TOPOMAP_FREED char *whole = NULL;
    char *line;
    size_t used = 0, room = 0, length;
    int status, goes_on = 0;

    while ((status = topomap_input_line(input, 0, &line, &length, err)) > 0) {
        goes_on = trim(line);
        length = strlen(line);
        if (used + length > MOST)
            return topomap_input_fail(input, err, "a line that goes on for over %d bytes", MOST);
        if (topomap_grow(&whole, &room, used + length + 1, 1, err))
            return -1;
        memcpy(whole + used, line, length + 1);
        used = goes_on ? used + length : 0;
        if (!goes_on && read_whole(r, whole, path, err))
            return -1;
    }
    /* After the last line there is nothing to go on with. */
    return status == 0 && goes_on ? read_whole(r, whole, path, err) : status;
}

static int read_file(reading *r, const char *path, topomap_error *err)
{
    topomap_input *input;
    int status;

    if (r->depth == DEPTH)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: included over %d deep", path, DEPTH);
    if (topomap_input_open(path, &input, err))
        return -1;
    r->depth++;
    status = read_lines(r, input, path, err);
    r->depth--;
    topomap_input_close(input);
    return status;
}

int slurm_lines_read(const char *path, enum slurm_includes includes, slurm_line_reader *each,
                     void *data, topomap_error *err)
{
    reading r = {.includes = includes, .each = each, .data = data};

    return read_file(&r, path, err);
}
