/* SPDX-License-Identifier: BSD-3-Clause */
/* ibdiagnet2.net_dump: a block a switch, its name first, then the names of the columns, then a row
 * a port, fields between colons. Rows are read by the names of the columns where these are there. A
 * port's first column is the cage's label; the number that other tools use is IB#. */
#include "config.h" /* qsort_r */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topology-db/import/ib/ib_read.h"
#include "util/alloc.h"

enum field { LABEL, PORT, STATE, WIDTH, SPEED, GUID, NEIGHBOUR, LID, TEXT, FIELDS };
enum { COLUMNS = 13, PORTS_MOST = 4 }; /* more ports than an adapter has: a switch */

/* How a field's column is called, and where it is without names. */
static const struct {
    const char *name;
    uint8_t column;
} fields[FIELDS] = {
    {"#", 0},   {"IB#", 1},   {"Sta", 2},
    {"LWA", 5}, {"LSA", 6},   {"Neighbor Guid", 9},
    {"N#", 10}, {"NLID", 11}, {"Neighbor Desc", 12},
};

/* A port's label, and where one is all that a row says of the neighbour's port. */
struct label {
    uint64_t guid; /* of the switch that has the port */
    uint32_t text; /* offset into the fabric's texts */
    size_t end;    /* of ib_fabric.end, whose remote port it names; SIZE_MAX: its own row */
    uint8_t port;
};

struct dump {
    uint8_t column[FIELDS];
    uint8_t columns;
    uint32_t vertex; /* of the block, + 1 */
    uint64_t guid;   /* likewise */
    struct label *label;
    size_t labels, room;
};

static void clear(void *own)
{
    free(((struct dump *)own)->label);
}

/* ---- Blocks ------------------------------------------------------------------------------- */

/* `"<description>", <vendor>, 0x<guid>, LID <n>`. */
static const char *find_block(const char *line)
{
    const char *quote = *line == '"' ? strrchr(line, '"') : NULL, *guid;

    if (!quote || quote == line || quote[1] != ',')
        return NULL;
    guid = strstr(quote, ", 0x");
    return guid && strstr(guid, ", LID ") ? guid : NULL;
}

static int recognise(const char *line)
{
    return find_block(line) != NULL;
}

/* \param block  as find_block() has it */
static int take_block(struct ib_reader *r, char *line, const char *block)
{
    struct dump *dump = r->own;
    const char *end;
    char *at;
    struct ib_vertex *vertex;
    uint32_t index;

    for (end = block; *end != '"'; end--)
        ;
    at = line + (block - line) + 2;
    if (ib_read_guid(&at, &dump->guid))
        return ib_fail(r, "expected a GUID", at);
    if (ib_intern(r->fabric, dump->guid, &index, r->err))
        return -1;
    vertex = &r->fabric->vertex[index];
    if (vertex->recorded)
        return db_fail_here(r->import, "this switch has a block on line %zu", vertex->line);
    ib_record(r, vertex, dump->guid);
    vertex->lid = (uint16_t)strtoul(strstr(at, "LID ") + 4, NULL, 0);
    dump->vertex = index + 1;
    dump->columns = COLUMNS; /* where no names of columns come */
    for (int i = 0; i < FIELDS; i++)
        dump->column[i] = fields[i].column;
    return ib_describe(r->fabric, index, IB_SWITCH, line + 1, (size_t)(end - line - 1), r->err);
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* Cuts a line at its colons into at most \p most fields, blanks around them gone; the last one
 * keeps the colons that are left. */
static int split(char *line, char **field, int most)
{
    int count = 0;

    while (line && count < most) {
        char *colon = count + 1 < most ? strchr(line, ':') : NULL;
        size_t length;

        if (colon)
            *colon = 0;
        ib_skip_blanks(&line);
        length = strlen(line);
        while (length && (line[length - 1] == ' ' || line[length - 1] == '\t'))
            line[--length] = 0;
        field[count++] = line;
        line = colon ? colon + 1 : NULL;
    }
    return count;
}

/* The names of the columns, `# : IB# : Sta : ...`: other releases may have more of them. */
static void take_columns(struct dump *dump, char *line)
{
    char *name[32];
    int count = split(line, name, 32), found = 0;
    uint8_t column[FIELDS];

    for (int i = 0; i < FIELDS; i++)
        for (int k = count - 1; k >= 0; k--)
            if (strncasecmp(name[k], fields[i].name, strlen(fields[i].name)) == 0) {
                column[i] = (uint8_t)k;
                found++;
                break;
            }
    if (found < FIELDS || column[TEXT] != count - 1)
        return;
    memcpy(dump->column, column, sizeof column);
    dump->columns = (uint8_t)count;
}

static int is_down(const char *state)
{
    return strncasecmp(state, "DOWN", 4) == 0 || strncasecmp(state, "DWN", 3) == 0;
}

static uint8_t read_state(const char *state)
{
    return strncasecmp(state, "ACT", 3) == 0   ? IB_ACTIVE
           : strncasecmp(state, "ARM", 3) == 0 ? IB_ARMED
           : strncasecmp(state, "INI", 3) == 0 ? IB_INIT
                                               : IB_STATE_UNKNOWN;
}

static int keep_label(struct ib_reader *r, uint64_t guid, const char *text, uint8_t port,
                      size_t end)
{
    struct dump *dump = r->own;
    struct label label = {.guid = guid, .port = port, .end = end};

    if (topomap_fabric_keep(&r->fabric->base, text, strlen(text), &label.text, r->err))
        return -1;
    return TOPOMAP_APPEND(dump->label, dump->labels, dump->room, r->err, label);
}

static int read_remote(struct ib_reader *r, char **field, struct ib_end *end, uint64_t guid)
{
    char *at = field[NEIGHBOUR], *text = field[TEXT];
    size_t length = strlen(text);
    uint32_t number;

    if (*text == '"' && (length < 2 || text[length - 1] != '"'))
        return ib_fail(r, "expected a description in quotes", text);
    if (*text == '"')
        text++, length -= 2;
    if (ib_neighbour(r->fabric, guid, IB_OTHER, text, length, &end->remote, r->err))
        return -1;
    if (ib_read_number(&at, 254, &number) == 0 && !*at)
        end->remote_port = (uint8_t)number;
    else if (!*field[NEIGHBOUR] || keep_label(r, guid, field[NEIGHBOUR], 0, r->fabric->ends))
        return *field[NEIGHBOUR] ? -1 : ib_fail(r, "expected the neighbour's port", text);
    return ib_add_end(r->fabric, end, r->err);
}

static int take_link(struct ib_reader *r, char **field, struct ib_end *end)
{
    char *at = field[GUID], *width = field[WIDTH];
    uint64_t guid;
    uint32_t lid;

    if (ib_read_guid(&at, &guid) || *at)
        return ib_fail(r, "expected the neighbour's GUID", field[GUID]);
    if (ib_read_width(&width, &end->width) && strcasecmp(field[WIDTH], "N/A") != 0)
        return ib_fail(r, "expected a width such as 4x", field[WIDTH]);
    end->speed = ib_speed_of_rate(field[SPEED], strlen(field[SPEED]));
    if (!end->speed && isdigit((unsigned char)*field[SPEED]))
        db_warn(r->import, end->line, "speed '%.20s' is new to this program: unknown",
                field[SPEED]);
    at = field[LID];
    /* For a neighbour that has no block: its LID, until finish() has made its own end of it. */
    end->lid = ib_read_number(&at, 0xffff, &lid) ? 0 : (uint16_t)lid;
    end->guid = guid;
    return read_remote(r, field, end, guid);
}

static int take_row(struct ib_reader *r, char *line)
{
    struct dump *dump = r->own;
    struct ib_end end = {.vertex = dump->vertex - 1, .line = ib_line(r)};
    char *cut[32], *field[FIELDS], *at;
    uint32_t port;

    if (split(line, cut, dump->columns) < dump->columns)
        return ib_fail(r, "the row is cut: expected 13 fields between colons", line);
    for (int i = 0; i < FIELDS; i++)
        field[i] = cut[dump->column[i]];
    at = field[PORT];
    if (ib_read_number(&at, 254, &port) || *at || !port)
        return ib_fail(r, "expected a port number (IB#)", field[PORT]);
    end.port = (uint8_t)port;
    if (port > r->fabric->vertex[end.vertex].ports)
        r->fabric->vertex[end.vertex].ports = (uint16_t)port;
    if (keep_label(r, dump->guid, field[LABEL], end.port, SIZE_MAX))
        return -1;
    end.state = read_state(field[STATE]);
    if (is_down(field[STATE]) || !isxdigit((unsigned char)*field[GUID]))
        return ib_add_idle(r->fabric, &(struct ib_idle){.vertex = end.vertex, .port = end.port},
                           r->err);
    return take_link(r, field, &end);
}

static int take_line(struct ib_reader *r, char *line)
{
    struct dump *dump = r->own;
    const char *block = find_block(line);

    if (*line == '#') {
        take_columns(dump, line);
        return 0;
    }
    if (block)
        return take_block(r, line, block);
    return dump->vertex && strchr(line, ':') ? take_row(r, line) : IB_NOT_MINE;
}

/* ---- The end ------------------------------------------------------------------------------ */

static int by_label(const void *a, const void *b, void *text)
{
    const struct label *x = a, *y = b;

    /* A switch's own row comes before those that name it. */
    return TOPOMAP_ORDER(x->guid, y->guid)
               ?: strcmp((const char *)text + x->text, (const char *)text + y->text)
               ?: TOPOMAP_ORDER(y->end == SIZE_MAX, x->end == SIZE_MAX);
}

/* Labels of neighbours' ports into numbers; one of no switch ("1/1" of an adapter) is its last
 * number. */
static void resolve_labels(struct ib_reader *r)
{
    struct dump *dump = r->own;
    const struct label *own = NULL;

    if (dump->labels)
        qsort_r(dump->label, dump->labels, sizeof *dump->label, by_label, r->fabric->base.text);
    for (size_t i = 0; i < dump->labels; i++) {
        const struct label *label = &dump->label[i];
        const char *text = r->fabric->base.text + label->text, *number = text + strlen(text);

        if (label->end == SIZE_MAX) {
            own = label;
            continue;
        }
        while (number > text && isdigit((unsigned char)number[-1]))
            number--;
        r->fabric->end[label->end].remote_port =
            own && own->guid == label->guid && strcmp(r->fabric->base.text + own->text, text) == 0
                ? own->port
                : (uint8_t)strtoul(number, NULL, 10);
    }
}

/* A neighbour without a block is an adapter, if its port numbers can be one's: the dump has blocks
 * of switches only. */
static void find_kinds(struct ib_fabric *fabric)
{
    for (size_t i = 0; i < fabric->ends; i++) {
        struct ib_vertex *remote = &fabric->vertex[fabric->end[i].remote];

        if (!remote->recorded && fabric->end[i].remote_port > remote->ports)
            remote->ports = fabric->end[i].remote_port;
    }
    for (size_t i = 0; i < fabric->vertices; i++) {
        struct ib_vertex *vertex = &fabric->vertex[i];

        if (vertex->recorded)
            continue;
        vertex->kind = vertex->ports > PORTS_MOST                               ? IB_SWITCH
                       : ib_is_aggregation(fabric->base.text + vertex->text, 0) ? IB_AGGREGATION
                                                                                : IB_ADAPTER;
        vertex->recorded = vertex->kind != IB_SWITCH;
        vertex->ports = 0;
    }
}

/* Adapters have no rows: what the switch's row says is the other end too. */
static int add_ends_of_adapters(struct ib_reader *r)
{
    struct ib_fabric *fabric = r->fabric;
    size_t listed = fabric->ends;

    for (size_t i = 0; i < listed; i++) {
        struct ib_end *end = &fabric->end[i], reverse = ib_reverse(end);

        end->guid = 0;
        end->lid = 0;
        if (fabric->vertex[end->remote].kind != IB_SWITCH && ib_add_end(fabric, &reverse, r->err))
            return -1;
    }
    return 0;
}

static int finish(struct ib_reader *r)
{
    resolve_labels(r);
    find_kinds(r->fabric);
    return add_ends_of_adapters(r) || ib_merge_adapters(r->fabric, NULL, 0, r->err) ? -1 : 0;
}

const struct ib_grammar ib_net_dump = {
    .what = "ibdiagnet2.net_dump",
    .importer = {&db_ibdiagnet},
    .own = sizeof(struct dump),
    .recognise = recognise,
    .line = take_line,
    .end = finish,
    .clear = clear,
};
