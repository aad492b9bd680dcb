/* SPDX-License-Identifier: BSD-3-Clause */
/* What Open MPI's monitoring components write, one file a rank or several one after the other:
 *
 *     TAG <tab> FROM <tab> TO <tab> N bytes <tab> N msgs sent [<tab> HISTOGRAM]
 *
 * E: point-to-point of the program; I: of the library, for collectives; S and R: one-sided, put
 * and get; C: what collectives are said to move between each pair, which is what I has measured. D
 * names a communicator's processes; O2A, A2O and A2A are its totals, which name no peer. */
#include <stdlib.h>
#include <string.h>

#include "graph/formats/io.h"
#include "graph/formats/parts.h"
#include "util/alloc.h"
#include "util/text.h"

#define LINE_LIMIT ((size_t)64 << 20) /* a D line names all ranks */

#define MOST_WRITERS ((uint64_t)1 << 20) /* of more ranks nobody is missed */

static const char all_tags[] = "EISRC", usual_tags[] = "EISR";

struct reader {
    topomap_input *input;
    topomap_arcs arcs;
    const char *tags; /* that count */
    uint64_t ranks;   /* largest one seen, and one */
    uint64_t other;   /* lines with peers of other tags */
    uint8_t *wrote;   /* [capacity_wrote] ranks whose own file was among these */
    size_t capacity_wrote, writers;
};

/* The rank that a line begins with is the one whose file it is in. */
static int writer_seen(struct reader *in, uint64_t rank, topomap_error *err)
{
    size_t before = in->capacity_wrote;

    if (topomap_lines_rank(in->input, rank, &in->ranks, err))
        return -1;
    if (rank >= MOST_WRITERS)
        return 0;
    if (topomap_grow(&in->wrote, &in->capacity_wrote, rank + 1, 1, err))
        return -1;
    memset(in->wrote + before, 0, in->capacity_wrote - before);
    in->writers += !in->wrote[rank];
    in->wrote[rank] = 1;
    return 0;
}

/* A number, and behind it a word where there is one to be, up to the next tab. */
static int take(struct reader *in, const char **at, const char *word, const char *what,
                uint64_t *value, topomap_error *err)
{
    size_t length = strlen(word);

    if (topomap_lines_number(in->input, at, what, value, err))
        return -1;
    if (length && (strncmp(topomap_text_blanks(*at), word, length) != 0))
        return topomap_input_fail(in->input, err, "`%s` must follow %s", word, what);
    if (length)
        *at = topomap_text_blanks(*at) + length;
    return 0;
}

static int peers_read(struct reader *in, const char *line, topomap_error *err)
{
    const char *at = line + 1;
    uint64_t from, to, bytes, messages;

    if (take(in, &at, "", "the sending rank", &from, err) ||
        take(in, &at, "", "the receiving rank", &to, err) ||
        take(in, &at, "bytes", "bytes", &bytes, err) ||
        take(in, &at, "msgs sent", "messages", &messages, err) || writer_seen(in, from, err) ||
        topomap_lines_rank(in->input, to, &in->ranks, err))
        return -1;
    if (!strchr(in->tags, *line)) {
        in->other++;
        return 0;
    }
    if (from == to)
        return 0;
    if (*line == 'R') /* got from the other: that one sent it */
        return topomap_lines_arc(in->input, &in->arcs, to, from, bytes, messages, err);
    return topomap_lines_arc(in->input, &in->arcs, from, to, bytes, messages, err);
}

/* `D <name> procs: 0,1,2`: ranks that may have sent nothing. */
static int communicator_read(struct reader *in, const char *line, topomap_error *err)
{
    const char *at = strstr(line, "procs:");
    uint64_t rank;

    if (!at)
        return topomap_input_fail(in->input, err, "a communicator without `procs:`");
    for (at = topomap_text_blanks(at + 6); *at; at = topomap_text_blanks(at + (*at == ','))) {
        if (topomap_text_number(&at, &rank))
            return topomap_text_fail(in->input, at, "a rank of the communicator", err);
        if (topomap_lines_rank(in->input, rank, &in->ranks, err))
            return -1;
    }
    return 0;
}

static int line_read(void *reader, const char *line, topomap_error *err)
{
    struct reader *in = reader;
    int is_tagged = *line && (line[1] == '\t' || line[1] == ' ');

    if (is_tagged && strchr(all_tags, *line))
        return peers_read(in, line, err);
    if (is_tagged && *line == 'D')
        return communicator_read(in, line, err);
    if (!strncmp(line, "O2A", 3) || !strncmp(line, "A2O", 3) || !strncmp(line, "A2A", 3)) {
        const char *at = line + 3;
        uint64_t rank; /* no peer, but a rank that has written */

        return take(in, &at, "", "the rank", &rank, err) || writer_seen(in, rank, err) ? -1 : 0;
    }
    if (!*topomap_text_blanks(line) || *line == '#')
        return 0;
    return topomap_input_fail(
        in->input, err, "expected a line of E, I, S, R, C, D, O2A, A2O, A2A or #, not `%.20s`",
        line);
}

static int finish(struct reader *in, const topomap_source *source, topomap_graph **graph,
                  topomap_error *err)
{
    const char *empty = topomap_graph_option_text(source, "empty");

    if (!in->arcs.count && empty && !strcmp(empty, "yes"))
        return topomap_graph_plausible(in->ranks, 0, err)
                   ? -1
                   : topomap_arcs_take(&in->arcs, in->ranks ? (uint32_t)in->ranks : 1, graph, err);
    if (!in->arcs.count)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 in->other
                                     ? "%s: no line with one of the tags %s; the option tags=%s "
                                       "takes what there is"
                                     : "%s: no line says who sends to whom (tags %s)",
                                 topomap_input_path(in->input), in->tags, all_tags);
    if (topomap_profile_finish(source, &in->arcs, in->ranks, graph, err))
        return -1;
    /* Counts of 0 throughout are none: this is how the writer says so. */
    if (!(*graph)->total_messages && (*graph)->total_bytes)
        free(topomap_take(&(*graph)->messages));
    if (in->writers >= in->ranks || in->ranks > MOST_WRITERS || (*graph)->note ||
        !topomap_graph_set_text(
            &(*graph)->note, err,
            "%zu of %llu ranks have lines of their own: the others sent nothing, "
            "or their files are missing",
            in->writers, (unsigned long long)in->ranks))
        return 0;
    topomap_graph_free(*graph);
    return -1;
}

static int monitoring_read(const topomap_source *source, topomap_graph **graph, topomap_error *err)
{
    const char *tags = topomap_graph_option_text(source, "tags");
    struct reader in = {.input = source->input, .arcs = {.has_messages = 1}};
    int status;

    in.tags = tags ? tags : usual_tags;
    if (!*in.tags || in.tags[strspn(in.tags, all_tags)])
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "the option tags takes letters of %s, not `%.40s`", all_tags,
                                 in.tags);
    status = topomap_lines_read(source->input, LINE_LIMIT, line_read, &in, err) ||
             finish(&in, source, graph, err);
    topomap_arcs_clear(&in.arcs);
    free(in.wrote);
    return status ? -1 : 0;
}

/* All as point-to-point of the program, and a communicator that has all ranks. */
static int monitoring_write(const topomap_graph *graph, topomap_text_out *out, topomap_error *err)
{
    (void)err;
    topomap_text_string(out, "# POINT TO POINT\n");
    for (uint32_t u = 0; u < graph->ranks; u++)
        for (uint64_t i = graph->offset[u]; i < graph->offset[u + 1]; i++) {
            const uint64_t arc[] = {u, graph->target[i], graph->bytes[i]};

            topomap_text_string(out, "E\t");
            topomap_text_list(out, arc, 3, '\t');
            topomap_text_string(out, " bytes\t");
            topomap_text_put(out, topomap_graph_arc_messages(graph, i));
            topomap_text_string(out, " msgs sent\n");
        }
    topomap_text_string(out, "# COLLECTIVES\nD\tMPI_COMM_WORLD\tprocs: ");
    for (uint32_t r = 0; r < graph->ranks; r++) {
        if (r)
            topomap_text_char(out, ',');
        topomap_text_put(out, r);
    }
    topomap_text_char(out, '\n');
    for (uint32_t r = 0; r < graph->ranks; r++)
        if (graph->offset[r] == graph->offset[r + 1]) { /* silent, but not missing */
            topomap_text_string(out, "A2A\t");
            topomap_text_put(out, r);
            topomap_text_string(out, "\t0 bytes\t0 msgs sent\n");
        }
    return 0;
}

/* The first line that says anything decides. */
static int monitoring_sniff(const char *bytes, size_t size)
{
    static const char *const headings[] = {"# POINT TO POINT", "# OSC", "# RMA", "# COLLECTIVES"};
    const char *bytes_word = "bytes\t";

    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (size >= strlen(headings[i]) && !memcmp(bytes, headings[i], strlen(headings[i])))
            return TOPOMAP_SURE;
    if (size < 20 || !strchr(all_tags, bytes[0]) || !bytes[0] || bytes[1] != '\t')
        return TOPOMAP_SURE_NOT;
    for (size_t i = 2; i + 6 <= size && bytes[i] != '\n'; i++)
        if (!memcmp(bytes + i, bytes_word, 6))
            return TOPOMAP_SURE;
    return TOPOMAP_SURE_NOT;
}

static const topomap_graph_option options[] = {
    TOPOMAP_PROFILE_MIN_BYTES,
    {"empty", "yes", "the file of a rank that sent nothing is no error (for graph merge)"},
    {"tags", "EISR", "which lines count: E program, I library, S put, R get, C collectives again"},
    {NULL, NULL, NULL},
};
const topomap_graph_io topomap_monitoring = {
    .row = {"ompi-monitoring",
            "profile of Open MPI's monitoring: the files of all ranks, one after the other", "prof",
            1, 1, options},
    .sniff = monitoring_sniff,
    .read = monitoring_read,
    .write = monitoring_write,
};
