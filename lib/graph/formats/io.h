/* SPDX-License-Identifier: BSD-3-Clause */
/* What one graph format is, for the files that read and write them. */
#ifndef TOPOMAP_GRAPH_FORMATS_IO_H
#define TOPOMAP_GRAPH_FORMATS_IO_H

#include "graph/graph.h"
#include "util/input.h"
#include "util/text.h"

/** How sure a format is of a file's first bytes. Text that several formats could claim (a METIS
 *  file without weights is also a list of number pairs) goes to the highest; the name's ending
 *  adds TOPOMAP_SURE_NAME to a format that is not ruled out. */
enum {
    TOPOMAP_SURE_NOT = 0,
    TOPOMAP_SURE_BROKEN = 1,  /**< the beginning is wrong, but only this name would explain it */
    TOPOMAP_SURE_HARDLY = 10, /**< would have to be damaged */
    TOPOMAP_SURE_MAYBE = 30,
    TOPOMAP_SURE_NAME = 35,
    TOPOMAP_SURE_LIKELY = 40,
    TOPOMAP_SURE_CHECKED = 60, /**< what the first bytes say of each other is consistent */
    TOPOMAP_SURE = 100,
};

/** How many bytes sniff() gets to see; fewer are the whole file. */
#define TOPOMAP_SNIFF_SIZE ((size_t)64 << 10)

/** What the caller asked of a format. */
typedef struct topomap_graph_options {
    const char *const *option; /**< `name=value`, NULL after the last; or NULL */
} topomap_graph_options;

/** The value of an option (the last one given), or NULL. */
const char *topomap_graph_option_text(const topomap_graph_options *options, const char *name);
/** The same as an integer within bounds; \p fallback where it was not given. EUSAGE. */
int topomap_graph_option_number(const topomap_graph_options *options, const char *name,
                                uint64_t least, uint64_t most, uint64_t fallback, uint64_t *value,
                                topomap_error *err);

typedef struct topomap_graph_io {
    topomap_graph_format row;
    /** \p bytes [size], not NUL-terminated. */
    int (*sniff)(const char *bytes, size_t size);
    const char *magic; /**< in place of sniff: what all its files begin with, and no others */
    int (*read)(topomap_input *input, const topomap_graph_options *options, topomap_graph **graph,
                topomap_error *err);
    /** \p path is for formats with dialects by name (csv, tsv). What goes to out->file itself goes
     *  there before what goes to \p out, which is flushed afterwards. Write errors stay in the
     *  file. */
    int (*write)(const topomap_graph *graph, const char *path, topomap_text_out *out,
                 topomap_error *err);
} topomap_graph_io;

/** METIS files and number lists look alike; both questions are answered in one place. */
int topomap_metis_sniff(const char *bytes, size_t size);
int topomap_edges_sniff(const char *bytes, size_t size);

/** What a word in the header of an edge list says its column is; -1: no known word. */
enum { TOPOMAP_EDGES_FROM, TOPOMAP_EDGES_TO, TOPOMAP_EDGES_BYTES, TOPOMAP_EDGES_MESSAGES };
int topomap_edges_column(const char *word, size_t length);

int topomap_treematch_sniff(const char *bytes, size_t size);

int topomap_json_write(const topomap_graph *graph, const char *path, topomap_text_out *out,
                       topomap_error *err);

/** All formats, in the order of the help: to add one, add its line. */
#define TOPOMAP_GRAPH_FORMATS(ROW)                                                                 \
    ROW(topomap_tmg)                                                                               \
    ROW(topomap_metis)                                                                             \
    ROW(topomap_edges)                                                                             \
    ROW(topomap_matrix_market)                                                                     \
    ROW(topomap_graph_json)                                                                        \
    ROW(topomap_scotch)                                                                            \
    ROW(topomap_treematch)                                                                         \
    ROW(topomap_monitoring)                                                                        \
    ROW(topomap_mpip)                                                                              \
    ROW(topomap_nccl_log)                                                                          \
    ROW(topomap_torch_trace)

#define TOPOMAP_DECLARE(format) extern const topomap_graph_io format;
TOPOMAP_GRAPH_FORMATS(TOPOMAP_DECLARE)
#undef TOPOMAP_DECLARE

#endif
