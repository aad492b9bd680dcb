/* SPDX-License-Identifier: BSD-3-Clause */
/* The ports report of ibnetdiscover (-p): a line a port, its neighbour beside it, ports that are
 * down included. It has no node GUIDs: a switch is known by the GUID of its port 0, which is its
 * own on most products, and an adapter by those of its ports (ib_merge.c joins them). */
#include <ctype.h>
#include <string.h>

#include "topology-db/import/ib/ib_read.h"

/* One side of a line: `CA   140  1 0x00000000001000ff `. */
struct side {
    uint64_t guid;
    uint32_t lid, port;
    int kind;
};

static const struct {
    const char *name;
    enum ib_kind kind;
} types[] = {{"CA", IB_ADAPTER}, {"SW", IB_SWITCH}, {"RT", IB_ROUTER}, {"??", IB_OTHER}};

static int read_type(char **at, int *kind)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strncmp(*at, types[i].name, 2) == 0 && ((*at)[2] == ' ' || (*at)[2] == '\t')) {
            *kind = (int)types[i].kind;
            *at += 3;
            return 0;
        }
    return -1;
}

static int recognise(const char *line)
{
    char *at = (char *)line; /* read only */
    int kind;

    if (read_type(&at, &kind))
        return 0;
    ib_skip_blanks(&at);
    return isdigit((unsigned char)*at) != 0;
}

static int read_side(struct ib_reader *r, char **at, struct side *side)
{
    if (read_type(at, &side->kind))
        return ib_fail(r, "expected CA, SW, RT or ??", *at);
    ib_skip_blanks(at);
    if (ib_read_number(at, 0xffff, &side->lid))
        return ib_fail(r, "expected a lid", *at);
    ib_skip_blanks(at);
    if (ib_read_number(at, 254, &side->port))
        return ib_fail(r, "expected a port (0 to 254)", *at);
    ib_skip_blanks(at);
    if (strncmp(*at, "0x", 2) != 0 || (*at += 2, !ib_read_hex(at, &side->guid)) ||
        (**at && **at != ' ' && **at != '\t'))
        return ib_fail(r, "expected a GUID such as 0x0002c90300aa0001", *at);
    return 0;
}

/* The vertex of the port that the line is of. */
static int take_side(struct ib_reader *r, const struct side *side, const char *text, size_t length,
                     uint32_t *index)
{
    struct ib_vertex *vertex;

    if (ib_intern(r->fabric, side->guid, index, r->err))
        return -1;
    vertex = &r->fabric->vertex[*index];
    if (!vertex->recorded && ib_describe(r->fabric, *index, side->kind, text, length, r->err))
        return -1;
    ib_record(r, vertex, side->guid);
    if (side->kind != IB_SWITCH)
        return 0;
    vertex->lid = (uint16_t)side->lid;
    if (side->port > vertex->ports)
        vertex->ports = (uint16_t)side->port; /* all ports are listed, the highest is the radix */
    return 0;
}

/* ---- Ports that are down ------------------------------------------------------------------ */

/* `'description'`; old versions print it without quotes. */
static int take_idle(struct ib_reader *r, const struct side *side, char *text)
{
    struct ib_idle idle = {.port = (uint8_t)side->port, .lid = (uint16_t)side->lid};
    size_t length;

    ib_skip_blanks(&text);
    if (!*text || *text == '-' || *text == '(')
        return ib_fail(r, "the line is cut: expected a neighbour or a description", text);
    length = strlen(text);
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    if (*text == '\'') {
        if (length < 2 || text[length - 1] != '\'')
            return ib_fail(r, "expected a description in single quotes", text);
        text++;
        length -= 2;
    }
    if (take_side(r, side, text, length, &idle.vertex))
        return -1;
    if (side->kind == IB_SWITCH)
        idle.lid = 0;
    else
        idle.guid = side->guid;
    return side->port ? ib_add_idle(r->fabric, &idle, r->err) : 0;
}

/* ---- Links -------------------------------------------------------------------------------- */

/* `( 'a' - 'b' )`: quotes inside are not escaped, so the local description, where it is known,
 * tells where it ends. */
static int split(struct ib_reader *r, const struct side *local, char *at, char **text, char **other,
                 char **end)
{
    static const char between[] = "' - '";
    const size_t gap = sizeof between - 1;
    uint32_t index;
    const struct ib_vertex *vertex;

    *text = strstr(at, "( '");
    *end = NULL;
    for (char *close = *text; close && (close = strstr(close, "' )")); close++)
        *end = close;
    if (!*end)
        return ib_fail(r, "expected ( 'description' - 'neighbour' )", at);
    *text += 3;
    *other = strstr(*text, between);
    if (ib_intern(r->fabric, local->guid, &index, r->err))
        return -1;
    vertex = &r->fabric->vertex[index];
    if (vertex->text != UINT32_MAX) {
        const char *known = ib_text(r->fabric, index);
        size_t length = strlen(known);

        if (strncmp(*text, known, length) == 0 && strncmp(*text + length, between, gap) == 0)
            *other = *text + length;
    }
    if (!*other || *other + gap > *end)
        return ib_fail(r, "expected ( 'description' - 'neighbour' )", *text);
    return 0;
}

static int take_link(struct ib_reader *r, const struct side *local, char *at, struct ib_end *end)
{
    struct side remote;
    char *text = NULL, *other = NULL, *close = NULL;

    if (read_side(r, &at, &remote))
        return -1;
    if (strncmp(at + strspn(at, " \t"), "( )", 3) == 0 || !local->guid || !remote.guid) {
        db_warn(r->import, end->line, "a port line without descriptions or GUIDs: left out");
        return 0;
    }
    if (split(r, local, at, &text, &other, &close) ||
        take_side(r, local, text, (size_t)(other - text), &end->vertex) ||
        ib_neighbour(r->fabric, remote.guid, remote.kind, other + 5, (size_t)(close - other - 5),
                     &end->remote, r->err))
        return -1;
    end->remote_port = (uint8_t)remote.port;
    if (local->kind != IB_SWITCH) {
        end->guid = local->guid;
        end->lid = (uint16_t)local->lid;
    }
    return ib_add_end(r->fabric, end, r->err);
}

/* Where the port has a neighbour: behind ` - `, with the neighbour's type. */
static char *find_neighbour(char *at)
{
    int kind;

    ib_skip_blanks(&at);
    if (*at++ != '-')
        return NULL;
    ib_skip_blanks(&at);
    return read_type(&(char *){at}, &kind) ? NULL : at;
}

/* Width and speed, of a port that is up. */
static int read_rate(struct ib_reader *r, char *at, struct ib_end *end)
{
    if (ib_read_width(&at, &end->width))
        return ib_fail(r, "expected a width such as 4x", at);
    ib_skip_blanks(&at);
    return ib_read_speed(r, &at, &end->speed) ? ib_fail(r, "expected a speed such as EDR", at) : 0;
}

static int take_line(struct ib_reader *r, char *line)
{
    struct ib_end end = {.line = ib_line(r)};
    struct side local;
    char *at = line, *rate, *neighbour;

    if (strncmp(line, "( )", 3) == 0) {
        db_warn(r->import, end.line, "a port line without descriptions or GUIDs: left out");
        return 0;
    }
    if (!recognise(line))
        return IB_NOT_MINE;
    if (read_side(r, &at, &local))
        return -1;
    ib_skip_blanks(&at);
    rate = at;
    at += strcspn(at, " \t");
    ib_skip_blanks(&at);
    at += strcspn(at, " \t");
    if (!*at)
        return ib_fail(r, "the line is cut: expected width, speed and a description", rate);
    neighbour = find_neighbour(at);
    end.port = (uint8_t)local.port;
    if (neighbour)
        return read_rate(r, rate, &end) ? -1 : take_link(r, &local, neighbour, &end);
    ib_skip_blanks(&at);
    if (strncmp(at, "( )", 3) == 0 || !local.guid) {
        db_warn(r->import, end.line, "a port line without descriptions or GUIDs: left out");
        return 0;
    }
    return take_idle(r, &local, at);
}

static int finish(struct ib_reader *r)
{
    if (!r->recorded)
        return db_fail_here(r->import, "no port line that can be used");
    return ib_merge_adapters(r->fabric, r->progress, r->progressed, r->err);
}

const struct ib_grammar ib_ports_report = {
    .what = "a ports report (ibnetdiscover -p)",
    .importer = {&db_ibnetdiscover},
    .recognise = recognise,
    .line = take_line,
    .end = finish,
};
