/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/formats/io.h"

#include <string.h>
#include <strings.h>

int topomap_lines_read(topomap_input *input, size_t limit,
                       int (*read)(void *reader, const char *line, topomap_error *err),
                       void *reader, topomap_error *err)
{
    char *line;
    size_t length;
    int got;

    while ((got = topomap_input_line(input, limit, &line, &length, err)) == 1)
        if (read(reader, line, err))
            return -1;
    return got;
}

int topomap_lines_end(const topomap_input *input, const char *at, topomap_error *err)
{
    if (*topomap_text_blanks(at))
        return topomap_input_fail(input, err, "a field too many: `%.40s`", at);
    return 0;
}

int topomap_lines_word(const char *words, const char *word, size_t length)
{
    for (int i = 0;; i++) {
        size_t size = strcspn(words, "|");

        if (size == length && !strncasecmp(words, word, length))
            return i;
        if (!words[size])
            return -1;
        words += size + 1;
    }
}

/* The words for the columns of an edge list. */
static const char *const column_words[] = {
    [TOPOMAP_EDGES_FROM] = "from|source|src|u|sender|rank",
    [TOPOMAP_EDGES_TO] = "to|target|dst|v|receiver|peer|dest|destination",
    [TOPOMAP_EDGES_BYTES] = "bytes|weight|volume|size",
    [TOPOMAP_EDGES_MESSAGES] = "messages|msgs|count",
};

int topomap_lines_column(const char *word, size_t length)
{
    if (length >= 2 && *word == '"' && word[length - 1] == '"') {
        word++;
        length -= 2;
    }
    for (int column = TOPOMAP_EDGES_FROM; column <= TOPOMAP_EDGES_MESSAGES; column++)
        if (topomap_lines_word(column_words[column], word, length) >= 0)
            return column;
    return -1;
}

int topomap_lines_blame(const topomap_input *input, const topomap_error *why, topomap_error *err)
{
    if (why->code == TOPOMAP_EINPUT)
        return topomap_input_fail(input, err, "%s", why->text);
    return topomap_error_set(err, why->code, "%s", why->text);
}

int topomap_lines_plausible(const topomap_input *input, uint64_t ranks, uint64_t arcs,
                            topomap_error *err)
{
    topomap_error why;

    return topomap_graph_plausible(ranks, arcs, &why) ? topomap_lines_blame(input, &why, err) : 0;
}

int topomap_lines_rank(const topomap_input *input, uint64_t rank, uint64_t *ranks,
                       topomap_error *err)
{
    if (rank >= TOPOMAP_GRAPH_RANKS)
        return topomap_input_fail(input, err, "rank %llu; 0 to 2^31 - 1 are possible",
                                  (unsigned long long)rank);
    if (rank >= *ranks)
        *ranks = rank + 1;
    return 0;
}
