/* SPDX-License-Identifier: BSD-3-Clause */
/* opensm-subnet.lst and ibdiagnet.lst: a line a link and direction (old ibdiagnet: a line a link),
 * both nodes described in braces. Numbers of ports are hexadecimal. */
#include <ctype.h>
#include <string.h>

#include "topology-db/import/ib/ib_read.h"

struct node {
    uint64_t guid, system, port_guid;
    uint64_t ports, lid, port, vendor, device;
    int kind;
    const char *text;
    size_t length;
};

static int recognise(const char *line)
{
    if (*line++ != '{')
        return 0;
    line += strspn(line, " \t");
    return isupper((unsigned char)line[0]) && isupper((unsigned char)line[1]);
}

/* `CA`, `SW`, with `-SM` where the subnet manager runs; routers are `RT`. */
static int read_kind(char **at, int *kind)
{
    static const struct {
        const char *name;
        enum ib_kind kind;
    } kinds[] = {{"CA", IB_ADAPTER}, {"SW", IB_SWITCH}, {"RT", IB_ROUTER}, {"RTR", IB_ROUTER}};
    size_t length = strcspn(*at, " \t-");

    *kind = IB_OTHER;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].name) == length && strncmp(*at, kinds[i].name, length) == 0)
            *kind = (int)kinds[i].kind;
    *at += strcspn(*at, " \t");
    return length ? 0 : -1;
}

/* `Ports:24 `; a key that this program does not know is passed over. */
static int read_pair(char **at, struct node *node)
{
    const struct {
        const char *key;
        uint64_t *value;
    } keys[] = {
        {"Ports:", &node->ports},   {"SystemGUID:", &node->system},
        {"NodeGUID:", &node->guid}, {"PortGUID:", &node->port_guid},
        {"VenID:", &node->vendor},  {"DevID:", &node->device},
        {"LID:", &node->lid},       {"PN:", &node->port},
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t length = strlen(keys[i].key);

        if (strncmp(*at, keys[i].key, length) != 0)
            continue;
        *at += length;
        if (strncmp(*at, "0x", 2) == 0)
            *at += 2;
        return ib_read_hex(at, keys[i].value) && (**at == ' ' || **at == '\t') ? 0 : -1;
    }
    *at += strcspn(*at, " \t{}");
    return **at == ' ' || **at == '\t' ? 0 : -1;
}

/* The description ends where `} LID:` follows: braces inside are not escaped. */
static int read_text(char **at, struct node *node)
{
    char *end = strstr(*at, "} LID:");

    if (!end)
        return -1;
    node->text = *at + 1;
    node->length = (size_t)(end - *at - 1);
    *at = end + 1;
    return 0;
}

static int read_node(struct ib_reader *r, char **at, struct node *node)
{
    char *start = *at;

    *node = (struct node){.text = ""};
    if (**at != '{')
        return ib_fail(r, "expected { and a node", start);
    (*at)++;
    ib_skip_blanks(at);
    if (read_kind(at, &node->kind))
        return ib_fail(r, "expected CA, SW or RT", *at);
    for (ib_skip_blanks(at); **at != '}'; ib_skip_blanks(at)) {
        char *word = *at;

        if (!*word)
            return ib_fail(r, "the line is cut: expected }", start);
        if (*word == '{' ? read_text(at, node) : read_pair(at, node))
            return ib_fail(r, "expected KEY:HEX or {description}", word);
    }
    (*at)++;
    ib_skip_blanks(at);
    if (!node->guid || node->port > 254 || node->ports > 255 || node->lid > 0xffff)
        return ib_fail(r, "expected NodeGUID:, PN: (to fe) and LID:", start);
    return 0;
}

/* ---- What is said of the link ------------------------------------------------------------- */

static int read_state(const char *text, size_t length, uint8_t *state)
{
    static const struct {
        const char *name;
        enum ib_state state;
    } states[] = {{"DWN", IB_DOWN},
                  {"DOW", IB_DOWN},
                  {"INI", IB_INIT},
                  {"ARM", IB_ARMED},
                  {"ACT", IB_ACTIVE}};

    *state = IB_STATE_UNKNOWN;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (length >= 3 && strncmp(states[i].name, text, 3) == 0)
            *state = (uint8_t)states[i].state;
    return length >= 3 ? 0 : -1;
}

/* `PHY=4x LOG=ACT SPD=2.5`. */
static int read_link(struct ib_reader *r, char *at, struct ib_end *end)
{
    int speed = 0;

    for (ib_skip_blanks(&at); *at; ib_skip_blanks(&at)) {
        size_t length = strcspn(at, " \t");
        char *value = at + 4;

        if (strncmp(at, "PHY=", 4) == 0 && ib_read_width(&value, &end->width))
            return ib_fail(r, "expected a width such as PHY=4x", at);
        if (strncmp(at, "LOG=", 4) == 0 && read_state(value, length - 4, &end->state))
            return ib_fail(r, "expected a state such as LOG=ACT", at);
        if (strncmp(at, "SPD=", 4) == 0 && length > 4) {
            speed = 1;
            end->speed = ib_speed_of_rate(value, length - 4);
            if (!end->speed && *value != '?')
                db_warn(r->import, end->line, "speed '%.*s' is new to this program: unknown",
                        (int)(length - 4), value);
        }
        at += length;
    }
    return speed ? 0 : ib_fail(r, "the line is cut: expected SPD=", at);
}

/* ---- Records ------------------------------------------------------------------------------ */

static int take_node(struct ib_reader *r, const struct node *node, int listed, uint32_t *index)
{
    struct ib_vertex *vertex;

    if (ib_intern(r->fabric, node->guid, index, r->err))
        return -1;
    vertex = &r->fabric->vertex[*index];
    if (vertex->text == UINT32_MAX) {
        vertex->device = (uint32_t)node->device;
        vertex->vendor = (uint32_t)node->vendor;
        vertex->system = node->system;
        vertex->ports = (uint16_t)node->ports;
        vertex->line = ib_line(r);
        if (node->kind == IB_SWITCH) {
            vertex->lid = (uint16_t)node->lid;
            vertex->port_guid = node->port_guid == node->guid ? 0 : node->port_guid;
        }
        if (ib_describe(r->fabric, *index, node->kind, node->text, node->length, r->err))
            return -1;
        vertex = &r->fabric->vertex[*index];
    }
    if (listed)
        ib_record(r, vertex, node->guid);
    return 0;
}

static void place(struct ib_end *end, const struct node *local, const struct node *remote)
{
    end->port = (uint8_t)local->port;
    end->remote_port = (uint8_t)remote->port;
    end->guid = local->kind == IB_SWITCH ? 0 : local->port_guid;
    end->lid = local->kind == IB_SWITCH ? 0 : (uint16_t)local->lid;
}

static int take_line(struct ib_reader *r, char *line)
{
    struct ib_end end = {.line = ib_line(r)}, reverse;
    struct node local, remote;
    char *at = line;

    if (*line != '{')
        return IB_NOT_MINE;
    r->fabric->both = 1;
    if (read_node(r, &at, &local) || read_node(r, &at, &remote) || read_link(r, at, &end) ||
        take_node(r, &local, 1, &end.vertex) || take_node(r, &remote, 0, &end.remote))
        return -1;
    place(&end, &local, &remote);
    reverse = ib_reverse(&end);
    reverse.derived = 1;
    place(&reverse, &remote, &local);
    return ib_add_end(r->fabric, &end, r->err) || ib_add_end(r->fabric, &reverse, r->err) ? -1 : 0;
}

const struct ib_grammar ib_subnet_list = {
    .what = "a subnet list of opensm or ibdiagnet",
    .importer = {&db_opensm_lst, &db_ibdiagnet},
    .recognise = recognise,
    .line = take_line,
};
