/* SPDX-License-Identifier: BSD-3-Clause */
/* Slingshot's point-to-point file, *_hsn_pt_pt.csv: some lines of a preamble, then a header that
 * begins with cable_id and a line a cable:
 *
 *   cable_id,src_conn_a,src_conn_b,dst_conn_a,dst_conn_b,...,link_type,...
 *   9000.9000.00.0053,x9000c1r1j10,none,x9000c3r5j12,none,...,local,...
 *   3000.3000.00.0000,x3000c0r15j14,none,x3000c0s17b1n0h0,x3000c0s04b1n0h1,...,edge,...
 *
 * A cable between two jacks carries two links; one to nodes is split, a link to each end. It is the
 * plan by which the machine was cabled, not what is up. Nodes have xnames for names: `hosts` maps
 * them. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <ctype.h>

#include "topology-db/import/lists/named_fabric.h"

enum { FIELDS = 64, ENDS = 4, LINKS = 2, RATE_MOST = 10000 };

enum column { SRC_A, SRC_B, DST_A, DST_B, TYPE, KNOWN };

static const char *const names[KNOWN] = {"src_conn_a", "src_conn_b", "dst_conn_a", "dst_conn_b",
                                         "link_type"};

struct content {
    topomap_fabric fabric;
    topomap_known rows; /* cables that were listed before */
    topomap_known nics; /* interfaces that have a cable: vertex and number */
    int header;
    int at[KNOWN]; /* -1: no such column */
    uint32_t mbps; /* 0: not known */
};

/* One end of a cable, which has two where it is split. */
struct end {
    uint32_t vertex, number; /* of a node its interface + 1, of a switch its jack */
    int port;                /* of the jack, -1: not said */
    int node;
};

static void content_clear(void *data)
{
    struct content *content = data;

    topomap_fabric_clear(&content->fabric);
    topomap_known_clear(&content->rows);
    topomap_known_clear(&content->nics);
}

static int begin(struct db_import *import, void *data)
{
    struct content *content = data;
    const char *rate = db_option(import, "rate");
    char *end = NULL;
    unsigned long gbps = rate ? strtoul(rate, &end, 10) : 0;

    if (rate && (*rate < '0' || *rate > '9' || *end || !gbps || gbps > RATE_MOST))
        return topomap_error_set(import->err, TOPOMAP_EUSAGE,
                                 "rate=%.40s: expected Gb/s of a link, as in rate=200", rate);
    content->mbps = (uint32_t)gbps * 1000;
    return 0;
}

/* ---- Names of parts --------------------------------------------------------------------- */

/* Names of parts of an HPE Cray EX: what stands where, as letters and numbers from the cabinet
 * inwards. x3000c0r15j14 is a jack of a switch, x3000c0s17b1n0h0 an interface of a node. */
enum { XNAME_PARTS = 8, XNAME_TEXT = 96, XNAME_DIGITS = 6 };

struct xname {
    int parts;
    char letter[XNAME_PARTS];
    uint32_t number[XNAME_PARTS];
};

/* Reads one in any spelling: X1000C0R1J3, x1000.c0.r1.j3, x1000c00r01j03. -1 where it is none. */
static int xname_parse(const char *text, struct xname *name)
{
    *name = (struct xname){0};
    while (*text) {
        size_t digits = strspn(text + 1, "0123456789");
        uint32_t number = 0;

        if (!isalpha((unsigned char)*text) || !digits || digits > XNAME_DIGITS ||
            name->parts == XNAME_PARTS)
            return -1;
        for (size_t i = 1; i <= digits; i++)
            number = number * 10 + (uint32_t)(text[i] - '0');
        name->letter[name->parts] = (char)tolower((unsigned char)*text);
        name->number[name->parts++] = number;
        text += 1 + digits;
        text += *text == '.' && text[1];
    }
    return name->parts ? 0 : -1;
}

/* Its parts, lower case and without zeros in front. \p text  [XNAME_TEXT] */
static void xname_format(const struct xname *name, char *text)
{
    size_t used = 0;

    for (int i = 0; i < name->parts; i++)
        used += (size_t)snprintf(text + used, XNAME_TEXT - used, "%c%u", name->letter[i],
                                 name->number[i]);
}

static int letters(const struct xname *name, const char *wanted)
{
    return (size_t)name->parts == strlen(wanted) &&
           memcmp(name->letter, wanted, strlen(wanted)) == 0;
}

/* A switch's jack; \p port: -1, or that of x1000c0r1j3p0. A controller between the switch and the
 * jack (x1000c0r1b0j3) is left out of the name. */
static int xname_jack(struct xname *name, uint32_t *jack, int *port)
{
    if (name->parts > 3 && name->letter[2] == 'r' && name->letter[3] == 'b') {
        memmove(name->letter + 3, name->letter + 4, (size_t)(--name->parts - 3));
        memmove(name->number + 3, name->number + 4,
                (size_t)(name->parts - 3) * sizeof *name->number);
    }
    *port = -1;
    if (letters(name, "xcrjp")) {
        *port = (int)name->number[4];
        name->parts--;
    }
    if (!letters(name, "xcrj"))
        return -1;
    *jack = name->number[3];
    name->parts = 3;
    return 0;
}

/* A node, whose parts the name keeps; \p nic: its interface, -1: the name has none. */
static int xname_node(struct xname *name, int *nic)
{
    *nic = -1;
    if (letters(name, "xcsbnh") || letters(name, "xcsnh")) {
        *nic = (int)name->number[name->parts - 1];
        name->parts--;
    }
    return letters(name, "xcsbn") || letters(name, "xcsn") ? 0 : -1;
}

/* ---- Ends ---------------------------------------------------------------------------------- */

static int read_end(struct db_import *import, struct content *content, const char *text,
                    struct end *end)
{
    struct xname name;
    char label[XNAME_TEXT] = "";
    int nic = -1, bad = xname_parse(text, &name);

    *end = (struct end){.port = -1};
    if (!bad && xname_jack(&name, &end->number, &end->port) != 0) {
        end->node = 1;
        bad = xname_node(&name, &nic);
        end->number = (uint32_t)(nic + 1);
    }
    if (bad || end->port > 1)
        return db_fail_here(import,
                            "expected a jack such as x1000c0r1j3 or a node's interface such as "
                            "x1000c0s1b0n0h0, not '%.60s'",
                            text);
    xname_format(&name, label);
    if (topomap_fabric_find(&content->fabric, label, &end->vertex, import->err))
        return -1;
    content->fabric.vertex[end->vertex].kind =
        end->node ? TOPOMAP_VERTEX_HOST : TOPOMAP_VERTEX_SWITCH;
    return 0;
}

/* Ports of a jack are numbered by jack, then in order, as in the table of `show fabric`. */
static uint32_t port_of(const struct end *end, uint32_t link)
{
    if (end->node)
        return end->number;
    return end->number * LINKS + (end->port < 0 ? link : (uint32_t)end->port) + 1;
}

/* Plans name service nodes' interfaces carelessly: one that has a cable already is not numbered. */
static int number_nic(struct content *content, struct end *end, topomap_error *err)
{
    const uint32_t key[] = {end->vertex, end->number};
    size_t before = content->nics.count;
    uint32_t number;

    if (!end->node)
        return 0;
    if (topomap_known_number(&content->nics, key, sizeof key, &number, err))
        return -1;
    if (number < before)
        end->number = 0;
    return 0;
}

static int add_link(struct db_import *import, struct content *content, const struct end *a,
                    const struct end *b, uint32_t link_of_a, uint32_t link_of_b, const char *class)
{
    topomap_link link = {.a = a->vertex,
                         .b = b->vertex,
                         .aport = port_of(a, link_of_a),
                         .bport = port_of(b, link_of_b),
                         .rate = topomap_rate_of_mbps(content->mbps),
                         .line = topomap_input_lineno(import->input)};

    return db_named_link(&content->fabric, link, class, 0, import->err);
}

/* ---- Cables -------------------------------------------------------------------------------- */

static int add_cable(struct db_import *import, struct content *content, struct end *src, int srcs,
                     struct end *dst, int dsts, const char *class)
{
    int between = srcs == 1 && dsts == 1 && !src[0].node && !dst[0].node;
    int links = between && src[0].port < 0 && dst[0].port < 0 ? LINKS : srcs > dsts ? srcs : dsts;

    for (int i = 0; i < links; i++) {
        struct end *a = &src[i < srcs ? i : 0], *b = &dst[i < dsts ? i : 0];

        if (a->node && b->node)
            return db_fail_here(import, "a cable between two nodes: expected a switch at one end");
        if (number_nic(content, a, import->err) || number_nic(content, b, import->err) ||
            add_link(import, content, a, b, srcs > 1 ? 0 : (uint32_t)i, dsts > 1 ? 0 : (uint32_t)i,
                     class))
            return -1;
    }
    return 0;
}

static int read_side(struct db_import *import, struct content *content, const char *a,
                     const char *b, struct end *end, int *ends)
{
    *ends = 0;
    if (*a && read_end(import, content, a, &end[(*ends)++]))
        return -1;
    /* Some planned ends name one interface twice. */
    if (*b && strcasecmp(a, b) != 0 && read_end(import, content, b, &end[(*ends)++]))
        return -1;
    return 0;
}

/* The same cable may be listed twice, in files that were joined. */
static int is_known(struct content *content, const char *const *text, int *known,
                    topomap_error *err)
{
    char key[ENDS * XNAME_TEXT];
    size_t before = content->rows.count;
    uint32_t number;

    snprintf(key, sizeof key, "%.*s,%.*s,%.*s,%.*s", XNAME_TEXT - 2, text[SRC_A], XNAME_TEXT - 2,
             text[SRC_B], XNAME_TEXT - 2, text[DST_A], XNAME_TEXT - 2, text[DST_B]);
    if (topomap_known_number(&content->rows, key, strlen(key) + 1, &number, err))
        return -1;
    *known = number < before;
    return 0;
}

static int take_cable(struct db_import *import, struct content *content, char *const *field,
                      int fields)
{
    const char *text[KNOWN];
    struct end src[2], dst[2];
    int srcs, dsts, known;

    db_cells(field, fields, content->at, KNOWN, text);
    for (int column = 0; column < KNOWN; column++)
        if (strcasecmp(text[column], "none") == 0 || strcasecmp(text[column], "n/a") == 0)
            text[column] = "";
    if (content->at[SRC_A] >= fields || content->at[DST_A] >= fields)
        return db_fail_here(import, "%d fields, the header has more: a line that was cut?", fields);
    if (is_known(content, text, &known, import->err))
        return -1;
    if (known || (!*text[SRC_A] && !*text[SRC_B]) || (!*text[DST_A] && !*text[DST_B]))
        return 0;
    if (read_side(import, content, text[SRC_A], text[SRC_B], src, &srcs) ||
        read_side(import, content, text[DST_A], text[DST_B], dst, &dsts))
        return -1;
    return add_cable(import, content, src, srcs, dst, dsts, text[TYPE]);
}

static int read_line(struct db_import *import, void *data, char *line)
{
    struct content *content = data;
    char *field[FIELDS];
    int fields;

    if (*line == '#' || !line[strspn(line, " \t,")])
        return 0;
    fields = db_fields(line, ',', field, FIELDS);
    if (strcasecmp(field[0], "cable_id") == 0) {
        db_columns(field, fields, names, KNOWN, strcasecmp, content->at);
        content->header = 1;
        for (int known = 0; known < TYPE; known++)
            if (content->at[known] < 0)
                return db_fail_here(import, "expected columns src_conn_a, src_conn_b, dst_conn_a "
                                            "and dst_conn_b in the header");
        return 0;
    }
    if (!content->header || *field[0] == '#')
        return 0; /* the preamble */
    return take_cable(import, content, field, fields);
}

static int check(struct db_import *import, void *data)
{
    struct content *content = data;

    if (!content->header)
        return db_fail_here(import, "no header that begins with cable_id: not a *_hsn_pt_pt.csv");
    if (!content->fabric.links)
        return db_fail_here(import, "no cable behind the header");
    return topomap_fabric_match(&content->fabric, import->path, NULL, import->err);
}

static const topomap_graph_option options[] = {
    {"rate", "GBPS", "Gb/s of each link, which the file does not say: 200 of Slingshot 11"},
    {NULL, NULL, NULL},
};

const db_importer db_slingshot_cables = {
    .row =
        {"slingshot-cables",
         "Slingshot's cables: a point-to-point file, *_hsn_pt_pt.csv, with xnames in any spelling",
         options},
    .singleton = 1,
    .routing = "adaptive",
    .tables = {"vertex", "link", "routing"},
    .size = sizeof(struct content),
    .begin = begin,
    .line = read_line,
    .check = check,
    .write = db_named_write_content,
    .clear = content_clear,
};
