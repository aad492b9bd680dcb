/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of ibnetdiscover (infiniband-diags), normal form: also with --full and grouping (-g), with
 * progress lines (-s) and error lines mixed in, and copies whose tabs or empty lines are lost.
 * A record starts at `vendid=` or at a header line; everything is keyed by GUID, a description is a
 * label. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/ib.h"
#include "util/alloc.h"

enum { NO_RECORD = UINT32_MAX };

struct reader {
    struct db_import *import;
    struct ib_fabric *fabric;
    topomap_error *err;
    uint32_t vertex;  /* of the record being read, or NO_RECORD before its header */
    uint32_t pending; /* attribute lines since the last header */
    uint64_t system, guid;
    uint32_t vendor, device;
    int again; /* the record repeats an earlier one, which grouping does */
    size_t recorded;
};

static int fail(struct reader *r, const char *what, const char *at)
{
    return topomap_input_fail(r->import->input, r->err, "%s at '%.40s'", what, at);
}

/* ---- Words ------------------------------------------------------------------------------- */

static void skip_blanks(char **at)
{
    while (**at == ' ' || **at == '\t')
        (*at)++;
}

static int read_number(char **at, uint32_t most, uint32_t *value)
{
    uint64_t n = 0;
    const char *start = *at;

    for (; isdigit((unsigned char)**at) && n <= most; (*at)++)
        n = n * 10 + (uint64_t)(**at - '0');
    *value = (uint32_t)n;
    return *at > start && n <= most ? 0 : -1;
}

/* Up to 16 hexadecimal digits; returns how many. */
static int read_hex(char **at, uint64_t *value)
{
    int digits = 0;

    for (*value = 0; digits < 16 && isxdigit((unsigned char)**at); (*at)++, digits++) {
        char c = **at;

        *value = *value << 4 | (uint64_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return isxdigit((unsigned char)**at) ? 0 : digits;
}

/* "X-0123456789abcdef", the quotes included. */
static int read_id(char **at, char *letter, uint64_t *guid)
{
    char *start = *at;

    if (start[0] != '"' || !start[1] || start[2] != '-')
        return -1;
    *letter = start[1];
    *at = start + 3;
    if (read_hex(at, guid) != 16 || **at != '"' || !*guid)
        return -1;
    (*at)++;
    return 0;
}

/* `[7]` or `[7][ext 1]`: an IB port number is 1 to 254. */
static int read_port(char **at, uint8_t *port)
{
    uint32_t number;

    if (**at != '[')
        return -1;
    (*at)++;
    if (read_number(at, 254, &number) || **at != ']')
        return -1;
    (*at)++;
    *port = (uint8_t)number;
    if (strncmp(*at, "[ext ", 5) == 0) {
        char *close = strchr(*at, ']');

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
    skip_blanks(at);
    if (**at != '(')
        return 0;
    (*at)++;
    if (!read_hex(at, guid) || **at != ')')
        return -1;
    (*at)++;
    return 0;
}

static int kind_of(char letter)
{
    static const struct {
        char letter;
        enum ib_kind kind;
    } kinds[] = {{'S', IB_SWITCH}, {'H', IB_ADAPTER}, {'R', IB_ROUTER}, {'?', IB_OTHER}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].letter == letter)
            return (int)kinds[i].kind;
    return -1;
}

/* `4xEDR`, `4xFDR10`, `4x???`. A speed that this program does not know is unknown (0). Every speed
 * of InfiniBand so far ends in DR; anything else is a line that was cut. */
static int read_rate(struct reader *r, char *at, struct ib_end *end)
{
    uint32_t width = 0;
    size_t length;

    if (strncmp(at, "??", 2) == 0)
        at += 2;
    else if (read_number(&at, 255, &width) || *at++ != 'x')
        return -1;
    end->width = (uint8_t)width;
    end->speed = 0;
    for (length = 0; isupper((unsigned char)at[length]) || isdigit((unsigned char)at[length]) ||
                     at[length] == '?';)
        length++;
    if (at[length] && at[length] != ' ' && at[length] != '\t')
        return -1;
    for (uint8_t i = 0; ib_speeds[i].name; i++)
        if (strlen(ib_speeds[i].name) == length && strncmp(ib_speeds[i].name, at, length) == 0) {
            end->speed = i;
            return 0;
        }
    if (length < 3 || length > 6 || strncmp(at + length - 2, "DR", 2) != 0)
        return -1;
    db_warn(r->import, end->line, "speed '%.*s' is new to this program: taken as unknown",
            (int)length, at);
    return 0;
}

/* ---- Headers ----------------------------------------------------------------------------- */

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

static int header_id(struct reader *r, char *line, char **at, uint32_t *ports, uint64_t *guid)
{
    int kind;
    char letter;

    skip_blanks(at);
    if (**at == ':')
        return fail(r,
                    "a node list (ibnetdiscover -l, -H, -S or -R), which has no links; import "
                    "the normal output,",
                    line);
    if (read_number(at, 255, ports))
        return fail(r, "expected the number of ports (0 to 255)", *at);
    skip_blanks(at);
    line = *at;
    if (read_id(at, &letter, guid) || (kind = kind_of(letter)) < 0) {
        if (!strstr(line, "# \""))
            return fail(r, "a net file of the simulator ibsim, not ibnetdiscover's output,", line);
        return fail(r,
                    "expected \"S-\", \"H-\" or \"R-\" with a GUID of 16 digits (a redacted "
                    "file cannot be imported)",
                    line);
    }
    return kind;
}

static int take_header(struct reader *r, uint64_t guid, int kind, uint32_t ports, const char *text,
                       size_t length, const char *tail)
{
    struct ib_vertex *vertex;
    const char *lid = strstr(tail, " lid ");

    if (ib_intern(r->fabric, guid, &r->vertex, r->err))
        return -1;
    vertex = &r->fabric->vertex[r->vertex];
    r->again = vertex->recorded;
    if (r->again) {
        if (vertex->kind == kind || (kind == IB_ADAPTER && vertex->kind == IB_AGGREGATION))
            return 0;
        return topomap_input_fail(r->import->input, r->err,
                                  "this GUID is another kind of node on line %zu", vertex->line);
    }
    vertex->text = ib_keep_text(r->fabric, text, length, r->err);
    if (vertex->text == SIZE_MAX)
        return -1;
    if (kind == IB_ADAPTER && ib_is_aggregation(r->fabric->text + vertex->text, r->device))
        kind = IB_AGGREGATION;
    vertex->kind = (uint8_t)kind;
    vertex->recorded = 1;
    vertex->ports = (uint16_t)ports;
    vertex->system = r->system;
    vertex->vendor = r->vendor;
    vertex->device = r->device;
    vertex->lid = (uint16_t)(lid ? strtoul(lid + 5, NULL, 10) : 0);
    vertex->line = topomap_input_lineno(r->import->input);
    r->recorded++;
    return 0;
}

static int read_header(struct reader *r, char *line, char *at)
{
    uint32_t ports;
    uint64_t guid;
    char *text, *end;
    int kind = header_id(r, line, &at, &ports, &guid);

    if (kind < 0)
        return -1;
    skip_blanks(&at);
    if (*at != '#' || find_description(at, &text, &end))
        return fail(r, "expected # and a description in quotes", at);
    if (r->guid && r->guid != guid)
        return fail(r, "the GUID is not that of the line before", line);
    if (take_header(r, guid, kind, ports, text, (size_t)(end - text), end + 1))
        return -1;
    r->pending = 0;
    r->guid = r->system = 0;
    r->vendor = r->device = 0;
    return 0;
}

/* ---- Ports ------------------------------------------------------------------------------- */

/* In a record that repeats an earlier one, every line must be there already. */
static int check_repeat(struct reader *r, const struct ib_end *end)
{
    const struct ib_vertex *vertex = &r->fabric->vertex[end->vertex];

    for (size_t i = vertex->first; i < vertex->first + vertex->ends; i++)
        if (r->fabric->end[i].port == end->port && r->fabric->end[i].remote == end->remote &&
            r->fabric->end[i].remote_port == end->remote_port)
            return 0;
    return topomap_input_fail(r->import->input, r->err,
                              "a second record of this GUID (the first is on line %zu) that says "
                              "something else: ids collide, or two dumps were joined",
                              vertex->line);
}

static int keep_end(struct reader *r, struct ib_end *end)
{
    struct ib_vertex *vertex = &r->fabric->vertex[r->vertex];

    if (r->again)
        return check_repeat(r, end);
    if (vertex->ports && end->port > vertex->ports)
        db_warn(r->import, end->line, "port %u of a node with %u ports", end->port, vertex->ports);
    if (topomap_grow(&r->fabric->end, &r->fabric->end_room, r->fabric->ends + 1,
                     sizeof *r->fabric->end, r->err))
        return -1;
    if (!vertex->ends++)
        vertex->first = r->fabric->ends;
    r->fabric->end[r->fabric->ends++] = *end;
    return 0;
}

/* The vertex at the other end, with what this line says of it until its own record comes. */
static int find_remote(struct reader *r, uint64_t guid, int kind, const char *text, size_t length,
                       uint32_t *index)
{
    struct ib_vertex *vertex;

    if (ib_intern(r->fabric, guid, index, r->err))
        return -1;
    vertex = &r->fabric->vertex[*index];
    if (vertex->text != SIZE_MAX)
        return 0;
    vertex->text = ib_keep_text(r->fabric, text, length, r->err);
    vertex->kind = (uint8_t)kind;
    if (vertex->text != SIZE_MAX && kind == IB_ADAPTER &&
        ib_is_aggregation(r->fabric->text + vertex->text, 0))
        vertex->kind = IB_AGGREGATION;
    return vertex->text == SIZE_MAX ? -1 : 0;
}

/* `lid 12 lmc 0 ` after the # of an adapter's line. */
static int read_local_lid(char **at, struct ib_end *end)
{
    uint32_t lid, lmc = 0;

    skip_blanks(at);
    if (strncmp(*at, "lid ", 4) != 0)
        return 0;
    *at += 4;
    if (read_number(at, 0xffff, &lid))
        return -1;
    skip_blanks(at);
    if (strncmp(*at, "lmc ", 4) == 0) {
        *at += 4;
        if (read_number(at, 7, &lmc))
            return -1;
    }
    end->lid = (uint16_t)lid;
    end->lmc = (uint8_t)lmc;
    return 0;
}

static int read_port_line(struct reader *r, char *line)
{
    struct ib_end end = {.vertex = r->vertex, .line = topomap_input_lineno(r->import->input)};
    char *at = line, *text, *text_end, letter;
    uint64_t guid, remote_port_guid;
    uint32_t lid;
    int kind;

    if (r->vertex == NO_RECORD)
        return fail(r, "wrong order: a port line before its Switch, Ca or Rt line", line);
    if (read_port(&at, &end.port) || read_port_guid(&at, &end.guid))
        return fail(r, "expected [PORT] with 0 to 254", line);
    skip_blanks(&at);
    if (read_id(&at, &letter, &guid) || (kind = kind_of(letter)) < 0)
        return fail(r, "expected \"S-\", \"H-\" or \"R-\" with a GUID of 16 digits", at);
    if (read_port(&at, &end.remote_port) || read_port_guid(&at, &remote_port_guid))
        return fail(r, "expected the neighbour's [PORT]", at);
    skip_blanks(&at);
    if (*at++ != '#' || read_local_lid(&at, &end) || find_description(at, &text, &text_end))
        return fail(r, "expected # and a description in quotes", at - 1);
    at = text_end + 1;
    skip_blanks(&at);
    if (strncmp(at, "lid ", 4) != 0 || (at += 4, read_number(&at, 0xffff, &lid)))
        return fail(r, "expected the neighbour's lid", at);
    skip_blanks(&at);
    if (read_rate(r, at, &end))
        return fail(r, "expected width and speed such as 4xEDR", at);
    if (find_remote(r, guid, kind, text, (size_t)(text_end - text), &end.remote))
        return -1;
    return keep_end(r, &end);
}

/* ---- Other lines ------------------------------------------------------------------------- */

static int begin_record(struct reader *r, char *line)
{
    if (r->vertex == NO_RECORD && r->pending)
        return fail(r, "wrong order: the record before has no Switch, Ca or Rt line", line);
    r->vertex = NO_RECORD;
    return 0;
}

/* `vendid=0x2c9` and its like; what follows the number is chassis text or the GUID again. */
static int read_attribute(struct reader *r, char *line, char *at)
{
    uint64_t value;

    if (strncmp(at, "0x", 2) != 0 || (at += 2, !read_hex(&at, &value)))
        return fail(r, "expected a number such as 0x2c9", line);
    if (strncmp(line, "vendid", 6) == 0 && begin_record(r, line))
        return -1;
    if (strncmp(line, "vendid", 6) == 0)
        r->vendor = (uint32_t)value;
    else if (strncmp(line, "devid", 5) == 0)
        r->device = (uint32_t)value;
    else if (strncmp(line, "sysimg", 6) == 0)
        r->system = value;
    else
        r->guid = value;
    r->pending++;
    return 0;
}

static int skip(struct reader *r, char *line, char *at)
{
    (void)r, (void)line, (void)at;
    return 0;
}

/* The tool's own messages, mixed in from its standard error: it goes on, so the file is whole in
 * form and may be incomplete in content. */
static int note_error(struct reader *r, char *line, char *at)
{
    (void)at;
    r->import->report->partial = 1;
    db_warn(r->import, topomap_input_lineno(r->import->input), "ibnetdiscover met an error: %.200s",
            line);
    return 0;
}

static int refuse_ports(struct reader *r, char *line, char *at)
{
    (void)at;
    return fail(r, "a ports report (ibnetdiscover -p); import the normal output,", line);
}

static int refuse_list(struct reader *r, char *line, char *at)
{
    (void)at;
    return fail(r,
                "a node list (ibnetdiscover -l, -H, -S or -R), which has no links; import the "
                "normal output,",
                line);
}

static int refuse_diff(struct reader *r, char *line, char *at)
{
    (void)at;
    return fail(r,
                "a difference between two fabrics (ibnetdiscover --diff); import the normal "
                "output,",
                line);
}

static int refuse_net(struct reader *r, char *line, char *at)
{
    (void)at;
    return fail(r, "a net file of the simulator ibsim, not ibnetdiscover's output,", line);
}

static int refuse_lst(struct reader *r, char *line, char *at)
{
    (void)at;
    return fail(r, "not ibnetdiscover's output (a subnet list of opensm or ibdiagnet, or JSON)",
                line);
}

static int refuse_lfts(struct reader *r, char *line, char *at)
{
    (void)at;
    return fail(r, "routing tables (dump_lfts or ibroute); import the output of ibnetdiscover,",
                line);
}

/* Line kinds by how they begin; the first that fits. A header keyword ends at a blank. */
static const struct {
    const char *begin;
    int (*take)(struct reader *r, char *line, char *at);
} kinds[] = {
    {"#", skip},
    {"vendid=", read_attribute},
    {"devid=", read_attribute},
    {"sysimgguid=", read_attribute},
    {"switchguid=", read_attribute},
    {"caguid=", read_attribute},
    {"rtguid=", read_attribute},
    {"Switch\t:", refuse_list},
    {"Switch : ", refuse_list},
    {"Switch", read_header},
    {"Ca", read_header},
    {"Rt", read_header},
    {"???", read_header},
    {"DR path ", skip},
    {"Chassis ", skip}, /* grouping (-g) */
    {"Hostname: ", skip},
    {"Non-Chassis Nodes", skip},
    {"src/", note_error},
    {"ibwarn", note_error},
    {"iberror", note_error},
    {"ibpanic", note_error},
    {"ibdiscover", note_error},
    {"ibnetdiscover:", note_error},
    {"CA ", refuse_ports},
    {"SW ", refuse_ports},
    {"RT ", refuse_ports},
    {"< ", refuse_diff},
    {"> ", refuse_diff},
    {"Hca", refuse_net},
    {"Unicast lids", refuse_lfts},
    {"Multicast mlids", refuse_lfts},
    {"{", refuse_lst},
};

static int is_error_text(const char *line)
{
    static const char *const words[] = {"umad", "imed out", "imeout", "bad status", "ailed"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(line, words[i]))
            return 1;
    return 0;
}

static int read_line(struct reader *r, char *line)
{
    skip_blanks(&line);
    if (!*line)
        return 0;
    if (line[0] == '[' && isdigit((unsigned char)line[1]))
        return read_port_line(r, line);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].begin);

        if (strncmp(line, kinds[i].begin, length) == 0 &&
            (kinds[i].take != read_header || line[length] == ' ' || line[length] == '\t'))
            return kinds[i].take(r, line, line + length);
    }
    /* The prompt and command of a copy from a terminal. */
    if (!r->recorded && !r->pending && strstr(line, "ibnetdiscover"))
        return 0;
    if (is_error_text(line))
        return note_error(r, line, line);
    return fail(r, "not a line of ibnetdiscover's output", line);
}

/* ---- The file ---------------------------------------------------------------------------- */

static int check_end(struct reader *r)
{
    const struct ib_fabric *fabric = r->fabric;

    if (r->vertex == NO_RECORD && r->pending)
        return topomap_input_fail(r->import->input, r->err,
                                  "the file is cut: the last record has no Switch, Ca or Rt line");
    if (!r->recorded)
        return topomap_input_fail(r->import->input, r->err,
                                  "no Switch, Ca or Rt record: ibnetdiscover found nothing, or "
                                  "this is not its output");
    if (!r->again && !fabric->vertex[r->vertex].ends && !r->import->report->partial)
        return topomap_input_fail(r->import->input, r->err,
                                  "the last record has no port line: the file is cut, or nothing "
                                  "is connected");
    return 0;
}

/* Reading counted each vertex's ends in the file's order; joining counts them again when sorted. */
static void forget_ends(struct ib_fabric *fabric)
{
    for (size_t i = 0; i < fabric->vertices; i++)
        fabric->vertex[i].first = fabric->vertex[i].ends = 0;
}

static int read_all(struct reader *r)
{
    char *line;
    size_t length;
    int got;

    while ((got = topomap_input_line(r->import->input, 0, &line, &length, r->err)) > 0)
        if (read_line(r, line))
            return -1;
    if (got < 0 || check_end(r))
        return -1;
    forget_ends(r->fabric);
    return ib_join(r->fabric, r->import, r->err);
}

static int read_dump(struct db_import *import, void **content, topomap_error *err)
{
    struct reader r = {.import = import, .err = err, .vertex = NO_RECORD};

    r.fabric = topomap_alloc(1, sizeof *r.fabric, err);
    if (!r.fabric)
        return -1;
    if (read_all(&r)) {
        ib_free(r.fabric);
        return -1;
    }
    *content = r.fabric;
    return 0;
}

const db_importer db_ibnetdiscover = {
    .row = {"ibnetdiscover", "InfiniBand fabric: ibnetdiscover's normal output (also -g, --full)",
            NULL},
    .read = read_dump,
    .write = ib_write,
    .free = ib_free,
};
