/* SPDX-License-Identifier: BSD-3-Clause */
/* Omni-Path's links, in three forms that its tools write and read:
 *
 *   opaextractsellinks  NodeGUID;Port;NodeType;NodeDesc;NodeGUID;Port;NodeType;NodeDesc
 *   planned topology    Rate;MTU;Internal;LinkDetails;CableLength;CableLabel;CableDetails; and
 * twice NodeGUID;Port;NodeDesc;PortGUID;NodeType;PortDetails; or of the links inside a director
 * Rate;MTU;Internal;;;; and twice Port;NodeType;NodeDesc opareport -o links -x
 * <Link><Rate>100g</Rate><Port><NodeGUID>0x..</NodeGUID><PortNum>1</PortNum>
 *                           <NodeType>FI</NodeType><NodeDesc>bender hfi1_0</NodeDesc></Port>...
 *
 * A header line names other columns. FI is a host's adapter, SW a switch; where an end has no GUID,
 * it is known by its description. Lanes are of 25 Gb/s, on CN5000 of 100. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topology-db/import/ib/ib_read.h"
#include "util/alloc.h"
#include "util/hash64.h"
#include "xml/xml.h"

enum {
    FIELDS = 64,
    TEXT = 256,
    TEXT_MOST = 256 << 20,
    LANE = 25,
    LANE_CN5000 = 100,
    LANES_MOST = 4
};

enum column { GUID, PORT, TYPE, DESC, KNOWN };

static const char *const names[KNOWN] = {"NodeGUID", "PortNum", "NodeType", "NodeDesc"};

/* Where each end's columns are; -1: not there. */
struct form {
    int fields, rate, at[2][KNOWN];
};

static const struct form forms[] = {
    {8, -1, {{0, 1, 2, 3}, {4, 5, 6, 7}}},
    {12, 0, {{-1, 6, 7, 8}, {-1, 9, 10, 11}}},
    {19, 0, {{7, 8, 11, 9}, {13, 14, 17, 15}}},
};

struct reader {
    struct db_import *import;
    struct ib_fabric *fabric;
    struct form header; /* fields 0: there was none */
    size_t line, links;
    topomap_error *err;
};

/* One link as text. */
struct row {
    const char *rate, *end[2][KNOWN];
};

static int fail(struct reader *r, const char *what, const char *at)
{
    return db_fail(r->import, r->line, "expected %s, not '%.60s'", what, at);
}

/* ---- A link -------------------------------------------------------------------------------- */

static int read_rate(struct reader *r, const char *text, struct ib_end *end)
{
    char *rest;
    unsigned long gbps = strtoul(text, &rest, 10), lane = LANE;

    if (!*text || strcasecmp(text, "none") == 0)
        return 0;
    if (gbps > LANE * LANES_MOST)
        lane = LANE_CN5000;
    if (rest == text || strcasecmp(rest, "g") != 0 || !gbps || gbps % lane ||
        gbps / lane > LANES_MOST)
        return fail(r, "a rate such as 100g", text);
    end->width = (uint8_t)(gbps / lane);
    end->speed = ib_speed_named(lane == LANE ? "EDR" : "NDR", 3);
    return 0;
}

/* What stands for a GUID that a plan does not have: a number made of the description, which no
 * maker has (its first byte is 0x7e). */
static uint64_t made_guid(const char *text)
{
    return topomap_hash64_all(text, strlen(text)) >> 8 | UINT64_C(0x7e) << 56;
}

static int read_end(struct reader *r, const char *const *end, uint32_t *vertex, uint8_t *port)
{
    const char *desc = end[DESC], *guid_text = end[GUID];
    char *at = (char *)guid_text, *rest;
    unsigned long number = strtoul(end[PORT], &rest, 10);
    uint64_t guid;
    int kind = strcasecmp(end[TYPE], "FI") == 0   ? IB_ADAPTER
               : strcasecmp(end[TYPE], "SW") == 0 ? IB_SWITCH
                                                  : IB_OTHER;

    if (kind == IB_OTHER)
        return fail(r, "a node's type FI or SW", end[TYPE]);
    if (rest == end[PORT] || *rest || !number || number > 254)
        return fail(r, "a port from 1 to 254", end[PORT]);
    if (*guid_text ? ib_read_guid(&at, &guid) || *at : !*desc)
        return fail(r, "a NodeGUID such as 0x001175010020e004, or a NodeDesc", guid_text);
    if (!*guid_text)
        guid = made_guid(desc);
    *port = (uint8_t)number;
    if (ib_neighbour(r->fabric, guid, kind, desc, strlen(desc), vertex, r->err))
        return -1;
    if (r->fabric->vertex[*vertex].kind != kind)
        return fail(r, "the type that this node has elsewhere", end[TYPE]);
    r->fabric->vertex[*vertex].recorded = 1;
    return 0;
}

static int take_row(struct reader *r, const struct row *row)
{
    struct ib_end end = {.line = r->line};

    r->links++;
    if (read_rate(r, row->rate, &end) || read_end(r, row->end[0], &end.vertex, &end.port) ||
        read_end(r, row->end[1], &end.remote, &end.remote_port))
        return -1;
    return ib_add_both(r->fabric, &end, r->err);
}

/* ---- Lines --------------------------------------------------------------------------------- */

/* The first and the second column of each name. */
static int take_header(struct reader *r, char *const *field, int fields)
{
    struct form *form = &r->header;

    *form = (struct form){.fields = fields, .rate = -1};
    memset(form->at, 0xff, sizeof form->at);
    for (int i = 0; i < fields; i++) {
        if (strcasecmp(field[i], "Rate") == 0)
            form->rate = i;
        for (int known = 0; known < KNOWN; known++)
            if (strcasecmp(field[i], names[known]) == 0 ||
                (known == PORT && strcasecmp(field[i], "Port") == 0))
                form->at[form->at[0][known] >= 0][known] = i;
    }
    for (int known = PORT; known < KNOWN; known++)
        if (form->at[1][known] < 0)
            return fail(r, "columns Port, NodeType and NodeDesc twice in the header", field[0]);
    return 0;
}

static int is_header(char *const *field, int fields)
{
    for (int i = 0; i < fields; i++)
        if (strcasecmp(field[i], "NodeGUID") == 0 || strcasecmp(field[i], "NodeDesc") == 0)
            return 1;
    return 0;
}

static int take_line(struct db_import *import, void *data, char *line)
{
    struct reader *r = data;
    const struct form *form = r->header.fields ? &r->header : NULL;
    char *field[FIELDS];
    struct row row;
    int fields;

    r->line = topomap_input_lineno(import->input);
    line += strspn(line, " \t");
    if (!*line || *line == '#')
        return 0;
    fields = db_fields(line, ';', field, FIELDS);
    if (is_header(field, fields))
        return take_header(r, field, fields);
    for (size_t i = 0; !form && i < sizeof forms / sizeof *forms; i++)
        if (forms[i].fields == fields)
            form = &forms[i];
    if (!form || fields < form->fields - 1)
        return fail(r, "8, 12 or 19 fields with ; between, or as many as the header has", field[0]);
    row.rate = db_cell(field, fields, form->rate);
    for (int e = 0; e < 2; e++)
        db_cells(field, fields, form->at[e], KNOWN, row.end[e]);
    return take_row(r, &row);
}

/* ---- XML ----------------------------------------------------------------------------------- */

/* State while a <Link> is parsed. */
struct link {
    struct reader *reader;
    int inside, end; /* a <Link> is open; the <Port> in it that was opened last, -1: none */
    struct row row;
    char text[1 + 2 * KNOWN][TEXT]; /* storage of the fields of `row` */
};

static void begin_link(struct link *link)
{
    struct row *row = &link->row;

    memset(link->text, 0, sizeof link->text);
    row->rate = link->text[2 * KNOWN];
    for (int i = 0; i < 2 * KNOWN; i++)
        row->end[i / KNOWN][i % KNOWN] = link->text[i];
    link->inside = 1;
    link->end = -1;
}

/* Elements of a port's, and of the link itself. */
static int take_element(struct link *link, const topomap_xml *xml, topomap_error *err)
{
    int at = strcmp(xml->name, "Rate") == 0 ? 2 * KNOWN : -1;

    for (int known = 0; known < KNOWN && link->end >= 0 && link->end < 2; known++)
        if (strcmp(xml->name, names[known]) == 0)
            at = link->end * KNOWN + known;
    if (at < 0)
        return 0;
    if (strlen(xml->text) >= TEXT)
        return topomap_xml_fail(xml, err, "more than %d bytes in <%s>", TEXT - 1, xml->name);
    strcpy(link->text[at], xml->text);
    return 0;
}

static int take_tag(const topomap_xml *xml, enum topomap_xml_event event, void *data,
                    topomap_error *err)
{
    struct link *link = data;
    int is_link = strcmp(xml->name, "Link") == 0;

    if (event == TOPOMAP_XML_OPEN && is_link) {
        begin_link(link);
        link->reader->line = xml->line;
        return 0;
    }
    if (event == TOPOMAP_XML_OPEN) {
        link->end += link->inside && strcmp(xml->name, "Port") == 0;
        return 0;
    }
    if (!link->inside)
        return 0;
    if (!is_link)
        return take_element(link, xml, err);
    link->inside = 0;
    if (link->end != 1)
        return topomap_xml_fail(xml, err, "expected two <Port> in a <Link>, not %d", link->end + 1);
    return take_row(link->reader, &link->row);
}

static int read_xml(struct reader *r)
{
    struct link link = {.reader = r};
    TOPOMAP_FREED char *text = NULL;
    size_t size;

    if (topomap_input_all(r->import->input, TEXT_MOST, &text, &size, r->err))
        return -1;
    return topomap_xml_read(r->import->path, text, size, take_tag, &link, r->err);
}

/* ---- Both ---------------------------------------------------------------------------------- */

static int begin(struct db_import *import, void *content)
{
    struct ib_fabric *fabric = content;
    struct reader r = {.import = import, .fabric = fabric, .err = import->err};
    char first;

    if (db_first_byte(import, &first) ||
        (first == '<' ? read_xml(&r) : db_each_line(import, take_line, &r)))
        return -1;
    if (!r.links)
        return db_fail(
            import, 1,
            "no link: expected what opaextractsellinks or `opareport -o links -x` prints, "
            "or a planned topology");
    fabric->both = 1; /* each link is listed once */
    return ib_join(fabric, import);
}

const db_importer db_opa_links = {
    .row =
        {"opa-links",
         "Omni-Path fabric: opaextractsellinks, a planned topology's CSV, or `opareport -o links "
         "-x`"},
    .begin = begin,
    IB_IMPORTER,
};
