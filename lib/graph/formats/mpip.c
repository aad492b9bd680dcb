/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of mpiP with its communication matrix. Behind "Start Communication Matrix" each rank has
 * rows `source target bytes count`, one for every rank of the job, zeros too. The row of a rank
 * with itself is the sum of its others and no traffic. */
#include <stdlib.h>
#include <string.h>

#include "graph/formats/io.h"
#include "graph/formats/parts.h"
#include "util/alloc.h"
#include "util/text.h"

struct reader {
    topomap_input *input;
    topomap_arcs arcs;
    uint64_t ranks;   /* largest one seen, and one */
    int begun, ended; /* the matrix */
    char *command;    /* that was measured, or NULL */
};

static int is_line(const char *line, const char *begin)
{
    return strncmp(line, begin, strlen(begin)) == 0;
}

static int row_read(struct reader *in, const char *at, topomap_error *err)
{
    static const char *const what[] = {"the source", "the target", "the total amount",
                                       "the total count"};
    uint64_t value[4];

    for (int k = 0; k < 4; k++) {
        at = topomap_text_blanks(at);
        if (topomap_text_number(&at, &value[k]) || (*at && *at != ' ' && *at != '\t'))
            return topomap_text_fail(in->input, at, what[k], err);
    }
    if (topomap_lines_end(in->input, at, err) ||
        topomap_lines_rank(in->input, value[0], &in->ranks, err) ||
        topomap_lines_rank(in->input, value[1], &in->ranks, err))
        return -1;
    if (value[0] == value[1] || (!value[2] && !value[3]))
        return 0;
    return topomap_lines_arc(in->input, &in->arcs, value[0], value[1], value[2], value[3], err);
}

/* A line of the matrix: what does not begin with a digit is a heading. */
static int matrix_line(struct reader *in, const char *line, topomap_error *err)
{
    const char *at = topomap_text_blanks(line);

    if (is_line(line, "------- End Communication Matrix")) {
        in->ended = 1;
        return 0;
    }
    if (is_line(line, "@"))
        return topomap_input_fail(in->input, err,
                                  "the communication matrix has no end: it is damaged");
    return *at >= '0' && *at <= '9' ? row_read(in, at, err) : 0;
}

/* What follows the colon of `@ Command : ./a.out`. */
static int command_read(struct reader *in, const char *line, topomap_error *err)
{
    const char *colon = strchr(line, ':');

    if (!colon || in->command)
        return 0;
    in->command = topomap_strdup(topomap_text_blanks(colon + 1), err);
    return in->command ? 0 : -1;
}

static int line_read(void *reader, const char *line, topomap_error *err)
{
    static const char task[] = "@ MPI Task Assignment";
    struct reader *in = reader;
    const char *at;
    uint64_t rank;

    if (in->begun && !in->ended)
        return matrix_line(in, line, err);
    if (is_line(line, "------- Start Communication Matrix")) {
        if (in->begun)
            return topomap_input_fail(in->input, err, "a second communication matrix");
        in->begun = 1;
    } else if (is_line(line, task)) {
        at = topomap_text_blanks(line + sizeof task - 1);
        at = topomap_text_blanks(at + (*at == ':'));
        if (!topomap_text_number(&at, &rank))
            return topomap_lines_rank(in->input, rank, &in->ranks, err);
    } else if (is_line(line, "@ Command ")) {
        return command_read(in, line, err);
    }
    return 0;
}

static int finish(struct reader *in, const topomap_source *source, topomap_graph **graph,
                  topomap_error *err)
{
    if (!in->begun)
        return topomap_error_set(
            err, TOPOMAP_EINPUT,
            "%s: this mpiP report has totals of call sites only, not who sends "
            "to whom; mpiP writes a communication matrix where it was built "
            "with one",
            topomap_input_path(in->input));
    if (!in->ended)
        return topomap_input_fail(in->input, err,
                                  "the file ends inside the communication matrix: it is truncated");
    if (topomap_profile_finish(source, &in->arcs, in->ranks, graph, err))
        return -1;
    if (!in->command ||
        !topomap_graph_set_text(&(*graph)->source, err, "mpiP report of %s", in->command))
        return 0;
    topomap_graph_free(*graph);
    return -1;
}

static int mpip_read(const topomap_source *source, topomap_graph **graph, topomap_error *err)
{
    struct reader in = {.input = source->input, .arcs = {.has_messages = 1}};
    int status = topomap_lines_read(source->input, 0, line_read, &in, err) ||
                 finish(&in, source, graph, err);

    topomap_arcs_clear(&in.arcs);
    free(in.command);
    return status ? -1 : 0;
}

const topomap_graph_io topomap_mpip = {
    .row = {"mpip", "mpiP report with a communication matrix; the diagonal is no traffic", "mpiP",
            1, 0, topomap_profile_options},
    .magic = "@ mpiP",
    .read = mpip_read,
};
