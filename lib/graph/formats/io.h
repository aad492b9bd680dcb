/* SPDX-License-Identifier: BSD-3-Clause */
/* What one graph format is, for the files that read and write them. */
#pragma once

#include "graph/graph.h"
#include "util/input.h"
#include "util/text.h"
#include "watch/watch.h"

/* ---- io ------------------------------------------------------------------------ */

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

/** The input of a format's reader, and the options that the caller gives. */
typedef struct topomap_source {
    topomap_input *input;
    const char *const *option; /**< `name=value`, NULL after the last; or NULL */
} topomap_source;

/** The value of an option (the last one given), or NULL. */
const char *topomap_graph_option_text(const topomap_source *source, const char *name);
/** The same as an integer within bounds; \p fallback where it was not given. EUSAGE. */
int topomap_graph_option_number(const topomap_source *source, const char *name, uint64_t least,
                                uint64_t most, uint64_t fallback, uint64_t *value,
                                topomap_error *err);

typedef struct topomap_graph_io {
    topomap_graph_format row;
    /** \p bytes [size], not NUL-terminated. */
    int (*sniff)(const char *bytes, size_t size);
    const char *magic; /**< in place of sniff: what all its files begin with, and no others */
    int (*read)(const topomap_source *source, topomap_graph **graph, topomap_error *err);
    /** out->path is for formats with dialects by name (csv, tsv). What goes to out->file itself
     * goes there before what goes to \p out, which is flushed afterwards. Write errors stay in the
     *  file. */
    int (*write)(const topomap_graph *graph, topomap_text_out *out, topomap_error *err);
} topomap_graph_io;

/** Reads a file in a format, which is found by the file's content and name if \p format is NULL.
 *  \param watch  may be NULL */
int topomap_graph_file_read(const char *path, const char *format, const char *const *option,
                            topomap_watch *watch, topomap_graph **graph, topomap_error *err);

/** METIS files and number lists look alike; both questions are answered in one place. */
int topomap_metis_sniff(const char *bytes, size_t size);
int topomap_edges_sniff(const char *bytes, size_t size);

int topomap_treematch_sniff(const char *bytes, size_t size);

int topomap_json_write(const topomap_graph *graph, topomap_text_out *out, topomap_error *err);

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

/* ---- lines --------------------------------------------------------------------- */
/* What formats of lines share: their fields, and errors that name the line. */

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

enum { TOPOMAP_EDGES_FROM, TOPOMAP_EDGES_TO, TOPOMAP_EDGES_BYTES, TOPOMAP_EDGES_MESSAGES };
/** The column of an edge list that \p word, from its header, names; -1: no known word. */
int topomap_lines_column(const char *word, size_t length);

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

/* ---- undirected ---------------------------------------------------------------- */
/* What formats of undirected graphs share: each edge stands at both of its ends. */

/** A graph that is read vertex by vertex. Starts with input and base, all else zeros. */
typedef struct topomap_undirected {
    topomap_input *input;
    uint64_t base; /* the first vertex as the file has it */
    topomap_graph *graph;
    uint64_t ranks, entries; /* promised by the header; entries is twice the edges */
    int loads;               /* vertices have weights */
    size_t *line;            /* [ranks] where each vertex stands, for messages */
    size_t vertex_room;      /* of the arrays of vertices that are here */
    size_t entry_room;       /* of those of arcs */
} topomap_undirected;

/** Begins: what the file can hold (topomap_input_most) is known then. */
int topomap_undirected_open(topomap_undirected *in, topomap_error *err);
/** Memory for what the header promises, where the size of the file vouches for it; packed files
 *  vouch for nothing, and their arrays grow as lines come. */
int topomap_undirected_reserve(topomap_undirected *in, topomap_error *err);

/** Makes room for vertex \p u: its line, its weight and offset[u + 1]. */
int topomap_undirected_vertex(topomap_undirected *in, uint64_t u, topomap_error *err);
/** Makes room for one arc more. */
int topomap_undirected_entry(topomap_undirected *in, topomap_error *err);
/** Adds to a sum over all vertices of \p what, "weights" or "sizes". EINPUT from 2^63 on. */
int topomap_undirected_sum(const topomap_undirected *in, const char *what, uint64_t value,
                           uint64_t *total, topomap_error *err);
/** Sorts the row of vertex \p u, which ends at \p end, by target. EINPUT where a target is there
 *  twice. */
int topomap_undirected_sort(topomap_undirected *in, uint64_t u, uint64_t end, topomap_error *err);

/** Ends with the graph, unless \p status says that something was wrong before. Finds for each arc
 *  its way back and splits the weight of the edge between the two: the half rounded up goes from
 *  the smaller id. Rows ascend. */
int topomap_undirected_close(topomap_undirected *in, int status, topomap_graph **graph,
                             topomap_error *err);

/* ---- halo ---------------------------------------------------------------------- */
/* What the ranks of a sparse matrix-vector product exchange: each has some rows of the matrix and
 * the entries of the vector that go with them, and needs the entries that its rows' columns name.
 */

/** The rows of these, for tables of options. */
#define TOPOMAP_HALO_OPTIONS                                                                       \
    {"rows-per-rank", "K", "the halo exchange of the matrix: rank r has K rows from r * K on"},    \
        {"partition", "FILE", "the same, line i being the rank that has row i, from 0"},           \
        {"parts", "P", "the same, P ranks with as many rows each, divided by METIS"},              \
    {                                                                                              \
        "value-bytes", "N", "bytes of an entry of the vector (default 8)"                          \
    }

/** Nonzero where the options ask for a halo exchange. */
int topomap_halo_asked(const topomap_source *source);
/** The graph of the exchange.
 *  \param matrix  an arc from row to column for each entry off the diagonal, of 1 byte or more */
int topomap_halo_make(const topomap_graph *matrix, const topomap_source *source,
                      topomap_graph **graph, topomap_error *err);
