/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of ibnetdiscover (infiniband-diags), normal form: also with --full and grouping (-g), as
 * ibdiagnet2.ibnetdiscover in another order, and copies whose tabs or empty lines are lost. A
 * record starts at `vendid=` or at a header line; everything is keyed by GUID, a description is a
 * label. Several dumps in one file, each with its heading, are of several subnets. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/import/ib/ib_read.h"

struct normal {
    uint32_t vertex;  /* + 1 of the record being read; 0 before its header */
    uint32_t pending; /* attribute lines since the last header */
    uint64_t system, guid, port_guid;
    uint32_t vendor, device;
    int again;       /* the record repeats an earlier one, which grouping does */
    size_t first;    /* of fabric->end: this record's */
    int rated, bare; /* port lines have a rate; old tools print none */
    size_t dump;     /* records before this dump of the file */
};

/* ---- Words ------------------------------------------------------------------------------- */

/* "X-0123456789abcdef", the quotes included; made files have shorter numbers. Returns the kind, or
 * -1. */
static int read_id(char **at, uint64_t *guid)
{
    static const struct {
        char letter;
        enum ib_kind kind;
    } letters[] = {{'S', IB_SWITCH}, {'H', IB_ADAPTER}, {'R', IB_ROUTER}, {'?', IB_OTHER}};
    char *start = *at;

    if (start[0] != '"' || !start[1] || start[2] != '-')
        return -1;
    *at = start + 3;
    if (!ib_read_hex(at, guid) || **at != '"' || !*guid)
        return -1;
    (*at)++;
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].letter == start[1])
            return (int)letters[i].kind;
    return -1;
}

/* `[7]` or `[7][ext 1]`: an IB port number is 1 to 254. */
static int read_port(char **at, uint8_t *port)
{
    uint32_t number;
    char *ext;

    if (**at != '[')
        return -1;
    (*at)++;
    if (ib_read_number(at, 254, &number) || **at != ']')
        return -1;
    (*at)++;
    *port = (uint8_t)number;
    ext = *at;
    ib_skip_blanks(&ext);
    if (strncmp(ext, "[ext ", 5) == 0) {
        char *close = strchr(ext, ']');

        if (!close)
            return -1;
        *at = close + 1;
    }
    return 0;
}

/* `(0123abc)`, blanks before it skipped; not there: 0. */
static int read_port_guid(char **at, uint64_t *guid)
{
    *guid = 0;
    ib_skip_blanks(at);
    if (**at != '(')
        return 0;
    (*at)++;
    if (strncmp(*at, "0x", 2) == 0)
        *at += 2;
    if (!ib_read_hex(at, guid) || **at != ')')
        return -1;
    (*at)++;
    return 0;
}

/* The description after `#`: from its first quote to the line's last one. */
static int find_description(char *at, char **text, char **end)
{
    *text = strchr(at, '"');
    *end = *text ? strrchr(*text, '"') : NULL;
    if (!*end || *end == *text)
        return -1;
    (*text)++;
    return 0;
}

/* ---- Headers ----------------------------------------------------------------------------- */

static int header_id(struct ib_reader *r, char *line, char **at, uint32_t *ports, uint64_t *guid)
{
    int kind;

    if (ib_read_number(at, 255, ports))
        return ib_fail(r, "expected the number of ports (0 to 255)", *at);
    ib_skip_blanks(at);
    line = *at;
    kind = read_id(at, guid);
    if (kind < 0) {
        if (!strstr(line, "# \"") && !r->recorded)
            return ib_fail(r,
                           "a net file of the simulator ibsim, not ibnetdiscover's output; run it "
                           "and import that,",
                           line);
        return ib_fail(r,
                       "expected \"S-\", \"H-\" or \"R-\" with a GUID of 16 digits (the file is "
                       "cut, or redacted, which cannot be imported)",
                       line);
    }
    return kind;
}

/* A GUID that has a record already: grouping prints some twice. */
static int repeat_header(struct ib_reader *r, const struct ib_vertex *vertex, int kind)
{
    struct normal *n = r->own;

    n->again = 1;
    if (vertex->kind == kind || (kind == IB_ADAPTER && vertex->kind == IB_AGGREGATION))
        return 0;
    return db_fail_here(r->import, "this GUID is another kind of node on line %zu", vertex->line);
}

static int take_header(struct ib_reader *r, uint64_t guid, int kind, uint32_t ports,
                       const char *text, size_t length, const char *tail)
{
    struct normal *n = r->own;
    struct ib_vertex *vertex;
    const char *lid = strstr(tail, " lid ");
    uint32_t index;

    if (ib_intern(r->fabric, guid, &index, r->err))
        return -1;
    n->vertex = index + 1;
    vertex = &r->fabric->vertex[index];
    if (vertex->recorded)
        return repeat_header(r, vertex, kind);
    n->again = 0;
    n->first = r->fabric->ends;
    ib_record(r, vertex, guid);
    vertex->ports = (uint16_t)ports;
    vertex->system = n->system;
    vertex->vendor = n->vendor;
    vertex->device = n->device;
    vertex->port_guid = n->port_guid == guid ? 0 : n->port_guid;
    vertex->lid = (uint16_t)(lid ? strtoul(lid + 5, NULL, 10) : 0);
    return ib_describe(r->fabric, index, kind, text, length, r->err);
}

static int read_header(struct ib_reader *r, char *line, char *at)
{
    struct normal *n = r->own;
    uint32_t ports;
    uint64_t guid;
    char *text, *end;
    int kind;

    ib_skip_blanks(&at);
    kind = header_id(r, line, &at, &ports, &guid);
    if (kind < 0)
        return -1;
    ib_skip_blanks(&at);
    if (*at != '#' || find_description(at, &text, &end))
        return ib_fail(r, "expected # and a description in quotes", at);
    if (n->guid && n->guid != guid)
        return ib_fail(r, "the GUID is not that of the line before", line);
    if (take_header(r, guid, kind, ports, text, (size_t)(end - text), end + 1))
        return -1;
    n->pending = 0;
    n->guid = n->port_guid = n->system = 0;
    n->vendor = n->device = 0;
    return 0;
}

/* ---- Ports ------------------------------------------------------------------------------- */

/* In a record that repeats an earlier one, every line must be there already. */
static int check_repeat(struct ib_reader *r, const struct ib_end *end)
{
    const struct ib_vertex *vertex = &r->fabric->vertex[end->vertex];

    for (size_t i = vertex->first; i < vertex->first + vertex->ends; i++)
        if (r->fabric->end[i].port == end->port && r->fabric->end[i].remote == end->remote &&
            r->fabric->end[i].remote_port == end->remote_port)
            return 0;
    return db_fail_here(r->import,
                        "a second record of this GUID (the first is on line %zu) that says "
                        "something else: ids collide, or two dumps were joined",
                        vertex->line);
}

static int keep_end(struct ib_reader *r, const struct ib_end *end)
{
    struct normal *n = r->own;
    struct ib_vertex *vertex = &r->fabric->vertex[end->vertex];

    if (n->again)
        return check_repeat(r, end);
    if (vertex->ports && end->port > vertex->ports)
        db_warn(r->import, end->line, "port %u of a node with %u ports", end->port, vertex->ports);
    if (!vertex->ends++)
        vertex->first = r->fabric->ends;
    return ib_add_end(r->fabric, end, r->err);
}

/* `lid 12 lmc 0 ` after the # of an adapter's line. */
static int read_local_lid(char **at, struct ib_end *end)
{
    uint32_t lid, lmc = 0;

    ib_skip_blanks(at);
    if (strncmp(*at, "lid ", 4) != 0)
        return 0;
    *at += 4;
    if (ib_read_number(at, 0xffff, &lid))
        return -1;
    ib_skip_blanks(at);
    if (strncmp(*at, "lmc ", 4) == 0) {
        *at += 4;
        if (ib_read_number(at, 7, &lmc))
            return -1;
    }
    end->lid = (uint16_t)lid;
    end->lmc = (uint8_t)lmc;
    return 0;
}

/* ` lid 7 4xEDR` and what may follow it. The oldest tools print no rate, and then on no line: one
 * without it among others is cut. */
static int read_rate(struct ib_reader *r, char *at, struct ib_end *end)
{
    struct normal *n = r->own;
    uint32_t lid;

    ib_skip_blanks(&at);
    if (*at && (strncmp(at, "lid ", 4) != 0 || (at += 4, ib_read_number(&at, 0xffff, &lid))))
        return ib_fail(r, "expected the neighbour's lid", at);
    ib_skip_blanks(&at);
    n->bare |= !*at;
    n->rated |= *at != 0;
    if (n->bare && n->rated)
        return ib_fail(r, "expected width and speed such as 4xEDR, as on other lines,", at);
    if (*at && (ib_read_width(&at, &end->width) || ib_read_speed(r, &at, &end->speed)))
        return ib_fail(r, "expected width and speed such as 4xEDR", at);
    return 0;
}

static int read_port_line(struct ib_reader *r, char *line)
{
    struct normal *n = r->own;
    struct ib_end end = {.vertex = n->vertex - 1, .line = ib_line(r)};
    char *at = line, *text, *text_end;
    uint64_t guid, remote_port_guid;
    int kind;

    if (!n->vertex)
        return ib_fail(r, "wrong order: a port line before its Switch, Ca or Rt line", line);
    if (read_port(&at, &end.port) || read_port_guid(&at, &end.guid))
        return ib_fail(r, "expected [PORT] with 0 to 254", line);
    ib_skip_blanks(&at);
    kind = read_id(&at, &guid);
    if (kind < 0)
        return ib_fail(r, "expected \"S-\", \"H-\" or \"R-\" with a GUID of 16 digits", at);
    if (read_port(&at, &end.remote_port) || read_port_guid(&at, &remote_port_guid))
        return ib_fail(r, "expected the neighbour's [PORT]", at);
    ib_skip_blanks(&at);
    if (*at++ != '#' || read_local_lid(&at, &end) || find_description(at, &text, &text_end))
        return ib_fail(r, "expected # and a description in quotes", at - 1);
    if (read_rate(r, text_end + 1, &end) ||
        ib_neighbour(r->fabric, guid, kind, text, (size_t)(text_end - text), &end.remote, r->err))
        return -1;
    return keep_end(r, &end);
}

/* ---- Other lines ------------------------------------------------------------------------- */

/* `vendid=0x2c9` and its like; what follows the number is chassis text or, in brackets, the GUID of
 * a switch's port 0. */
static int read_attribute(struct ib_reader *r, char *line, char *at)
{
    struct normal *n = r->own;
    uint64_t value;

    if (strncmp(at, "0x", 2) != 0 || (at += 2, !ib_read_hex(&at, &value)))
        return ib_fail(r, "expected a number such as 0x2c9", line);
    if (strncmp(line, "vendid", 6) == 0) {
        if (!n->vertex && n->pending)
            return ib_fail(r, "wrong order: the record before has no Switch, Ca or Rt line", line);
        n->vertex = 0;
        n->vendor = (uint32_t)value;
    } else if (strncmp(line, "devid", 5) == 0) {
        n->device = (uint32_t)value;
    } else if (strncmp(line, "sysimg", 6) == 0) {
        n->system = value;
    } else {
        n->guid = value;
        if (strncmp(line, "switch", 6) == 0 && read_port_guid(&at, &n->port_guid))
            return ib_fail(r, "expected the GUID of the switch's port 0 in brackets", at);
    }
    n->pending++;
    return 0;
}

/* `# Topology file: generated on ...` and `# Initiated from node ...` head a dump. */
static int read_comment(struct ib_reader *r, char *line, char *at)
{
    struct normal *n = r->own;

    (void)line;
    ib_skip_blanks(&at);
    if (strncmp(at, "Topology file:", 14) != 0 && strncmp(at, "Initiated from node", 19) != 0)
        return 0;
    if (r->recorded == n->dump)
        return 0;
    if (r->fabric->subnet == UINT16_MAX)
        return ib_fail(r, "too many dumps in one file", at);
    r->fabric->subnet++;
    n->dump = r->recorded;
    n->vertex = 0;
    n->again = 0;
    return 0;
}

/* Line kinds by how they begin. A header keyword ends at a blank and comes before a number. */
static const struct line_kind {
    const char *begin;
    int (*take)(struct ib_reader *r, char *line, char *at); /* NULL: the line is skipped */
} kinds[] = {
    {"#", read_comment},
    {"vendid=", read_attribute},
    {"devid=", read_attribute},
    {"sysimgguid=", read_attribute},
    {"switchguid=", read_attribute},
    {"caguid=", read_attribute},
    {"rtguid=", read_attribute},
    {"Switch", read_header},
    {"Ca", read_header},
    {"Rt", read_header},
    {"???", read_header},
    {"Chassis ", NULL}, /* grouping (-g) */
    {"Hostname: ", NULL},
    {"Non-Chassis Nodes", NULL},
};

static int is_header(const char *at)
{
    const char *ports = at + strspn(at, " \t");

    /* "Switch : 0x..." is of a node list, "Switch 0x..." of iblinkinfo. */
    return ports > at && *ports != ':' && strncmp(ports, "0x", 2) != 0;
}

static const struct line_kind *find_kind(const char *line)
{
    for (const struct line_kind *k = kinds; k < kinds + sizeof kinds / sizeof *kinds; k++)
        if (db_begins(line, k->begin) &&
            (k->take != read_header || is_header(line + strlen(k->begin))))
            return k;
    return NULL;
}

static int is_port(const char *line)
{
    return line[0] == '[' && isdigit((unsigned char)line[1]);
}

static int recognise(const char *line)
{
    const struct line_kind *kind = find_kind(line);

    return is_port(line) || (kind && kind->take != read_comment);
}

static int take_line(struct ib_reader *r, char *line)
{
    const struct line_kind *kind = find_kind(line);

    if (is_port(line))
        return read_port_line(r, line);
    if (!kind)
        return IB_NOT_MINE;
    return kind->take ? kind->take(r, line, line + strlen(kind->begin)) : 0;
}

static int finish(struct ib_reader *r)
{
    const struct normal *n = r->own;

    if (!n->vertex && n->pending)
        return db_fail_here(r->import,
                            "the file is cut: the last record has no Switch, Ca or Rt line");
    if (!n->again && n->first == r->fabric->ends && !r->import->report->partial)
        return db_fail_here(r->import,
                            "the last record has no port line: the file is cut, or nothing "
                            "is connected");
    return 0;
}

const struct ib_grammar ib_normal = {
    .what = "ibnetdiscover's normal output",
    .importer = {&db_ibnetdiscover, &db_ibdiagnet},
    .own = sizeof(struct normal),
    .recognise = recognise,
    .line = take_line,
    .end = finish,
};
