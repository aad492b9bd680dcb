/* SPDX-License-Identifier: BSD-3-Clause */
/* Edge lists: `from to [bytes [messages]]` a line, directed, separated by a comma, a semicolon,
 * tabs or blanks. Ranks are numbers from 0 or, where the first line has something else, names,
 * which are numbered as they come; lines of two names need the header, since any text has lines of
 * two words. # begins a comment; the comment `# ranks N` says how many ranks
 * there are where the last ones have no edges, `# name R NAME` what a rank is called. Lines for the
 * same pair add up. */
#include "graph/formats/io.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/names/known.h"
#include "util/text.h"

#define EDGES_FIELDS 16

static const char *const column_names[] = {"the sending rank", "the receiving rank", "bytes",
                                           "messages"};

struct reader {
    topomap_input *input;
    topomap_arcs arcs;
    int fields;               /* on every line; 0 before the first */
    size_t first_line;        /* that said so */
    int has_header;           /* it is that */
    int column[EDGES_FIELDS]; /* by field; -1: not for us */
    uint64_t ranks;           /* of `# ranks N`; 0: not said */
    uint64_t largest;         /* rank seen */
    enum { UNDECIDED, BY_NUMBER, BY_NAME } how;
    topomap_known names; /* of ranks; of BY_NUMBER those of comments, and not by rank */
    uint32_t *named;     /* [names.count] the ranks of those */
    size_t capacity_named;
};

/* Where a field ends: at a separator that no quotes enclose. */
static size_t field_length(const char *at)
{
    if (*at == '"') {
        const char *end = strchr(at + 1, '"');

        if (end)
            return (size_t)(end - at) + 1;
    }
    return strcspn(at, " \t,;#");
}

/* `# name R NAME`. */
static int name_comment(struct reader *in, const char *at, topomap_error *err)
{
    size_t before = in->names.count;
    uint64_t rank;
    uint32_t id;

    at = topomap_text_blanks(at);
    if (topomap_text_number(&at, &rank) || rank >= TOPOMAP_GRAPH_RANKS || *at != ' ' || !at[1] ||
        in->how == BY_NAME)
        return 0;
    at++;
    if (topomap_known_number(&in->names, at, strlen(at), &id, err))
        return -1;
    if (id < before)
        return topomap_input_fail(in->input, err, "a second rank is called `%.60s`", at);
    return TOPOMAP_APPEND(in->named, before, in->capacity_named, err, (uint32_t)rank);
}

/* `# ranks N` and `# name R NAME`; other comments say nothing. */
static int comment(struct reader *in, const char *at, topomap_error *err)
{
    uint64_t value;

    at = topomap_text_blanks(at + 1);
    if (!strncmp(at, "name ", 5))
        return name_comment(in, at + 5, err);
    if (strncmp(at, "ranks ", 6))
        return 0;
    at = topomap_text_blanks(at + 6);
    if (topomap_text_number(&at, &value) || *topomap_text_blanks(at))
        return 0;
    if (value < 1 || value > TOPOMAP_GRAPH_RANKS)
        return topomap_input_fail(in->input, err, "%llu ranks; 1 to 2^31 are possible",
                                  (unsigned long long)value);
    in->ranks = value;
    return 0;
}

/* Behind a field: blanks, at most one comma or semicolon, blanks. *more tells whether a field must
 * follow, or NULL where something else stands there. */
static const char *separator(const char *at, int *more)
{
    const char *behind = topomap_text_blanks(at);

    *more = *behind == ',' || *behind == ';';
    if (*more)
        return topomap_text_blanks(behind + 1);
    if (!*behind || *behind == '#')
        return behind;
    *more = 1;
    return behind > at ? behind : NULL;
}

/* The number of the rank that a field names. */
static int name_field(struct reader *in, const char **at, int column, uint64_t *value,
                      topomap_error *err)
{
    size_t length = field_length(*at);
    const char *name = *at;
    uint32_t id;

    *at += length;
    if (length >= 2 && *name == '"') {
        name++;
        length -= 2;
    }
    if (!length)
        return topomap_input_fail(in->input, err, "%s is missing", column_names[column]);
    if (topomap_known_number(&in->names, name, length, &id, err))
        return -1;
    value[column] = id;
    return 0;
}

static int add(struct reader *in, const uint64_t *value, topomap_error *err)
{
    uint64_t ranks = in->ranks ? in->ranks : TOPOMAP_GRAPH_RANKS;

    for (int k = TOPOMAP_EDGES_FROM; k <= TOPOMAP_EDGES_TO; k++)
        if (value[k] >= ranks)
            return topomap_input_fail(
                in->input, err, "%s is %llu, but there are %llu ranks at most", column_names[k],
                (unsigned long long)value[k], (unsigned long long)ranks);
        else if (value[k] > in->largest)
            in->largest = value[k];
    return topomap_lines_arc(in->input, &in->arcs, value[TOPOMAP_EDGES_FROM],
                             value[TOPOMAP_EDGES_TO], value[TOPOMAP_EDGES_BYTES],
                             value[TOPOMAP_EDGES_MESSAGES], err);
}

static int ends_field(char c)
{
    return c == ',' || c == ' ' || c == '\t' || !c || c == ';' || c == '#';
}

static int field(struct reader *in, const char **at, int column, uint64_t *value,
                 topomap_error *err)
{
    const char *begin = *at;
    int negative;

    if (column < 0) { /* a column of a name that says nothing to us */
        *at += field_length(*at);
        return 0;
    }
    if (in->how == BY_NAME && column <= TOPOMAP_EDGES_TO)
        return name_field(in, at, column, value, err);
    if (topomap_text_number(at, &value[column]))
        return topomap_text_fail(in->input, begin, column_names[column], err);
    if (column >= TOPOMAP_EDGES_BYTES && (**at == '.' || **at == 'e' || **at == 'E')) {
        *at = begin;
        if (topomap_text_real(at, &value[column], &negative))
            return topomap_text_fail(in->input, begin, column_names[column], err);
    }
    if (!ends_field(**at))
        return topomap_text_fail(in->input, begin, column_names[column], err);
    return 0;
}

/* Finds the columns by the first line: by the words of a header, or by the number of fields.
 * Returns 1 if the line is a header, 0 if it is not, or -1 with `err` set. */
static int first_line(struct reader *in, const char *at, topomap_error *err)
{
    int seen[4] = {0}, more = 1;

    in->has_header = topomap_lines_column(at, strcspn(at, " \t,;")) >= 0;
    for (; more && at; in->fields++) {
        size_t length = in->has_header ? strcspn(at, " \t,;") : field_length(at);
        int column = in->has_header ? topomap_lines_column(at, length) : in->fields;

        if (in->fields == EDGES_FIELDS && in->has_header)
            return topomap_input_fail(in->input, err, "more than %d columns", EDGES_FIELDS);
        if (in->fields == EDGES_FIELDS)
            break;
        in->column[in->fields] = column;
        if (column >= 0 && column < 4)
            seen[column]++;
        at = separator(at + length, &more);
    }
    in->first_line = topomap_input_lineno(in->input);
    in->arcs.has_messages = seen[TOPOMAP_EDGES_MESSAGES] != 0;
    if (in->has_header && (seen[TOPOMAP_EDGES_FROM] != 1 || seen[TOPOMAP_EDGES_TO] != 1 ||
                           seen[TOPOMAP_EDGES_BYTES] > 1 || seen[TOPOMAP_EDGES_MESSAGES] > 1))
        return topomap_input_fail(in->input, err,
                                  "a header must name the columns from and to once, and may name "
                                  "bytes and messages");
    if (!in->has_header && (in->fields < 2 || in->fields > 4))
        return topomap_input_fail(in->input, err,
                                  "a line has 2 to 4 fields (from, to, bytes, messages), not %d",
                                  in->fields);
    return in->has_header;
}

/* Names where a rank does not begin as a number does. */
static int decide(struct reader *in, const char *line, topomap_error *err)
{
    size_t word = strcspn(line, " \t,;");
    const char *at = line;
    int more = 1;

    in->how = BY_NUMBER;
    for (int i = 0; more && at && i < in->fields; i++) {
        if (in->column[i] >= 0 && in->column[i] <= TOPOMAP_EDGES_TO && *at &&
            !strchr("+-0123456789,;#", *at))
            in->how = BY_NAME;
        at = separator(at + field_length(at), &more);
    }
    if (in->how == BY_NUMBER)
        return 0;
    if (in->fields == 2 && !in->has_header)
        return topomap_input_fail(
            in->input, err,
            "expected an edge, `from to [bytes [messages]]` with ranks that "
            "are numbers, not two words (`%.*s` ...); if they are names of "
            "ranks, begin the file with the line `from to`, or give bytes, too",
            (int)(word < 40 ? word : 40), line);
    topomap_known_clear(&in->names); /* what comments said is not about these */
    return 0;
}

static int data_line(struct reader *in, const char *at, topomap_error *err)
{
    uint64_t value[4] = {0, 0, 1, 0};
    int count = 0, more = 1;

    if (in->how == UNDECIDED && decide(in, at, err))
        return -1;
    while (more) {
        if (count == in->fields)
            return topomap_input_fail(in->input, err, "more than the %d fields of line %zu",
                                      in->fields, in->first_line);
        if (field(in, &at, in->column[count], value, err))
            return -1;
        at = separator(at, &more);
        if (!at)
            return topomap_input_fail(in->input, err, "text behind a quoted field");
        count++;
    }
    if (count < in->fields)
        return topomap_input_fail(in->input, err, "%d fields, but line %zu has %d", count,
                                  in->first_line, in->fields);
    return add(in, value, err);
}

static int line_read(void *reader, const char *line, topomap_error *err)
{
    const char *at = topomap_text_blanks(line);
    struct reader *in = reader;

    if (!*at)
        return 0;
    if (*at == '#')
        return comment(in, at, err);
    if (!in->fields) {
        int got = first_line(in, at, err);

        if (got)
            return got < 0 ? -1 : 0;
    }
    return data_line(in, at, err);
}

/* Gives the ranks their names; those without one are called by their number. */
static int names_apply(struct reader *in, topomap_graph *graph, topomap_error *err)
{
    TOPOMAP_FREED size_t *name_of = topomap_alloc(graph->ranks, sizeof *name_of, err);
    size_t room = in->names.words * sizeof *in->names.word + (size_t)graph->ranks * 11, used = 0;
    TOPOMAP_FREED char *text = topomap_alloc(room, 1, err);

    if (!name_of || !text)
        return -1;
    for (size_t i = 0; i < in->names.count; i++) {
        uint32_t rank = in->how == BY_NAME ? (uint32_t)i : in->named[i];

        if (rank < graph->ranks)
            name_of[rank] = i + 1;
    }
    for (uint32_t r = 0; r < graph->ranks; r++) {
        size_t name = name_of[r] - 1, length = name_of[r] ? in->names.key[name].length : 0;

        if (name_of[r])
            memcpy(text + used, topomap_known_key(&in->names, name), length);
        else
            length = (size_t)sprintf(text + used, "%u", r);
        used += length + 1; /* and a NUL, as the text is zeroed */
    }
    return topomap_graph_set_names(graph, text, used, err);
}

static int finish(struct reader *in, topomap_graph **graph, topomap_error *err)
{
    uint64_t ranks = in->ranks ? in->ranks : in->largest + 1;
    TOPOMAP_GRAPH_FREED topomap_graph *made = NULL;

    if (!in->arcs.count && !in->ranks)
        return topomap_input_fail(in->input, err, "no edges (`from to [bytes [messages]]`)");
    if (in->largest >= ranks)
        return topomap_input_fail(in->input, err, "rank %llu, but the file says %llu ranks",
                                  (unsigned long long)in->largest, (unsigned long long)ranks);
    if (topomap_lines_plausible(in->input, ranks, in->arcs.count, err) ||
        topomap_arcs_take(&in->arcs, (uint32_t)ranks, &made, err) ||
        (in->names.count && names_apply(in, made, err)))
        return -1;
    *graph = topomap_take(&made);
    return 0;
}

static int edges_read(const topomap_source *source, topomap_graph **graph, topomap_error *err)
{
    struct reader in = {.input = source->input};
    int status =
        topomap_lines_read(source->input, 0, line_read, &in, err) || finish(&in, graph, err);

    topomap_arcs_clear(&in.arcs);
    topomap_known_clear(&in.names);
    free(in.named);
    return status ? -1 : 0;
}

/* A name that a comment can hold and give back as it is. */
static int is_plain(const char *name)
{
    if (!*name)
        return 0;
    for (; *name; name++)
        if ((unsigned char)*name < ' ')
            return 0;
    return 1;
}

static int edges_write(const topomap_graph *graph, topomap_text_out *out, topomap_error *err)
{
    size_t length = strlen(out->path);
    char between = length > 4 && !strcmp(out->path + length - 4, ".tsv") ? '\t' : ',';

    (void)err;
    fprintf(out->file, "# ranks %u\n", graph->ranks);
    for (uint32_t r = 0; graph->name && r < graph->ranks; r++)
        if (is_plain(graph->name[r]))
            fprintf(out->file, "# name %u %s\n", r, graph->name[r]);
    fprintf(out->file, "from%cto%cbytes", between, between);
    if (topomap_graph_has_messages(graph))
        fprintf(out->file, "%cmessages", between);
    fputc('\n', out->file);
    for (uint32_t u = 0; u < graph->ranks; u++)
        for (uint64_t i = graph->offset[u]; i < graph->offset[u + 1]; i++) {
            const uint64_t arc[] = {u, graph->target[i], graph->bytes[i],
                                    topomap_graph_arc_messages(graph, i)};

            topomap_text_list(out, arc, topomap_graph_has_messages(graph) ? 4 : 3, between);
            topomap_text_char(out, '\n');
        }
    return 0;
}

const topomap_graph_io topomap_edges = {
    .row = {"edges",
            "lines of: from to [bytes [messages]], by commas, tabs or blanks; directed; ranks are "
            "numbers from 0, or names where there are bytes or a first line `from to`",
            "csv,tsv,edges,txt", 1, 1, NULL},
    .sniff = topomap_edges_sniff,
    .read = edges_read,
    .write = edges_write,
};
