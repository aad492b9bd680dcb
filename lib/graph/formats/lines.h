/* SPDX-License-Identifier: BSD-3-Clause */
/* What formats of lines share: their fields, and errors that name the line. */
#ifndef TOPOMAP_GRAPH_FORMATS_LINES_H
#define TOPOMAP_GRAPH_FORMATS_LINES_H

#include "graph/graph.h"
#include "util/text.h"

/** Calls \p read with each line, of at most \p limit bytes (0: 1 MiB), until it fails. */
int topomap_lines_read(topomap_input *input, size_t limit,
                       int (*read)(void *reader, const char *line, topomap_error *err),
                       void *reader, topomap_error *err);

/** The number at *at, behind blanks; a blank or the line's end must follow. EINPUT, where \p what
 *  is its meaning. */
static inline int topomap_lines_number(const topomap_input *input, const char **at,
                                       const char *what, uint64_t *value, topomap_error *err)
{
    const char *begin = *at = topomap_text_blanks(*at);

    if (!topomap_text_number(at, value) && (!**at || **at == ' ' || **at == '\t'))
        return 0;
    topomap_text_fail(input, begin, what, err);
    return -1;
}
/** EINPUT unless only blanks follow. */
int topomap_lines_end(const topomap_input *input, const char *at, topomap_error *err);

/** Which of \p words, that stand between |, [word, word + length) is, whatever its case; -1: none.
 */
int topomap_lines_word(const char *words, const char *word, size_t length);

/** Fails as \p why does; of what is wrong with the file with the line. */
int topomap_lines_blame(const topomap_input *input, const topomap_error *why, topomap_error *err);
/** topomap_arcs_add(), topomap_graph_plausible() whose errors name the line. */
static inline int topomap_lines_arc(const topomap_input *input, topomap_arcs *arcs, uint64_t from,
                                    uint64_t to, uint64_t bytes, uint64_t messages,
                                    topomap_error *err)
{
    topomap_error why;

    if (!topomap_arcs_add(arcs, (uint32_t)from, (uint32_t)to, bytes, messages, &why))
        return 0;
    return topomap_lines_blame(input, &why, err);
}
int topomap_lines_plausible(const topomap_input *input, uint64_t ranks, uint64_t arcs,
                            topomap_error *err);
/** Raises *ranks to have \p rank. EINPUT where no graph has it. */
int topomap_lines_rank(const topomap_input *input, uint64_t rank, uint64_t *ranks,
                       topomap_error *err);

#endif
