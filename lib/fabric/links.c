/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/fabric.h"

#include <stdlib.h>
#include <string.h>

#include "util/hostlist.h"
#include "util/text.h"

enum { NAME_MOST = 255 };

struct reader {
    topomap_input *input;
    topomap_fabric *fabric;
    int begun;
    int all_hosts; /* who is not said to be a host is a switch */
};

static int read_port(const char *text, uint32_t *port)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    *port = (uint32_t)n;
    return *text && (*text < '0' || *text > '9' || *end || n > INT32_MAX || strlen(text) > 10) ? -1
                                                                                               : 0;
}

static int read_rate(const char *text, double *rate)
{
    char *end;
    double gbps;

    if (!*text || strcmp(text, "?") == 0)
        return 0;
    gbps = strtod(text, &end);
    if (end == text || *end || !(gbps > 0 && gbps <= 1e6))
        return -1;
    *rate = topomap_rate_of_mbps((uint32_t)(gbps * 1000 + 0.5));
    return 0;
}

/* `# hosts: LIST`, `# switches: LIST`. */
static int set_kinds(topomap_fabric *fabric, const char *list, enum topomap_vertex_kind kind,
                     topomap_error *err)
{
    topomap_names names = {0};
    int result = topomap_hostlist_expand(list, 0, &names, err);

    for (size_t i = 0; !result && i < names.count; i++) {
        uint32_t vertex;

        result = topomap_fabric_find(fabric, names.name[i], &vertex, err);
        if (!result)
            fabric->vertex[vertex].kind = (uint8_t)kind;
    }
    topomap_names_clear(&names);
    return result;
}

static int read_comment(struct reader *r, char *line, topomap_error *err)
{
    static const struct {
        const char *word;
        enum topomap_vertex_kind kind;
        int all;
    } known[] = {{"hosts:", TOPOMAP_VERTEX_HOST, 0},
                 {"switches:", TOPOMAP_VERTEX_SWITCH, 0},
                 {"all hosts:", TOPOMAP_VERTEX_HOST, 1}};
    topomap_error why;
    enum topomap_vertex_kind kind = TOPOMAP_VERTEX_UNKNOWN;

    line += strspn(line, "# \t");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(line, known[i].word, strlen(known[i].word)) == 0) {
            kind = known[i].kind;
            r->all_hosts |= known[i].all;
        }
    if (kind == TOPOMAP_VERTEX_UNKNOWN)
        return 0;
    line = strchr(line, ':') + 1;
    line += strspn(line, " \t");
    if (*line && set_kinds(r->fabric, line, kind, &why))
        return why.code == TOPOMAP_ESYSTEM ? topomap_error_set(err, why.code, "%s", why.text)
                                           : topomap_input_fail(r->input, err, "%s", why.text);
    return 0;
}

static int read_link(struct reader *r, char *line, topomap_error *err)
{
    char *field[6], *at = line;
    topomap_link link = {.line = topomap_input_lineno(r->input)};
    int fields = 0;

    while (fields < 6 && (field[fields] = topomap_text_field(&at, ',')) != NULL)
        fields++;
    if (fields >= 4 && !r->begun &&
        (read_port(field[1], &link.aport) || read_port(field[3], &link.bport))) {
        r->begun = 1; /* a header */
        return 0;
    }
    r->begun = 1;
    if (fields < 4 || at)
        return topomap_input_fail(r->input, err,
                                  "expected name,port,name,port,Gb/s[,class], found %d fields%s",
                                  fields, at ? " and more" : "");
    for (int i = 0; i <= 2; i += 2)
        if (!*field[i] || strlen(field[i]) > NAME_MOST)
            return topomap_input_fail(r->input, err, "expected a name of 1 to %d bytes", NAME_MOST);
    if (read_port(field[1], &link.aport) || read_port(field[3], &link.bport))
        return topomap_input_fail(r->input, err, "expected port numbers, not '%.20s' and '%.20s'",
                                  field[1], field[3]);
    if (fields > 4 && read_rate(field[4], &link.rate))
        return topomap_input_fail(r->input, err, "expected a rate in Gb/s, not '%.20s'", field[4]);
    if (topomap_fabric_find(r->fabric, field[0], &link.a, err) ||
        topomap_fabric_find(r->fabric, field[2], &link.b, err) ||
        topomap_fabric_set_class(r->fabric, &link, fields > 5 ? field[5] : "", err))
        return -1;
    return topomap_fabric_list(r->fabric, &link, err);
}

/* Hosts' names are Slurm's; and hosts do not route. */
static int check_hosts(const struct reader *r, topomap_error *err)
{
    const topomap_fabric *f = r->fabric;

    for (uint32_t v = 0; v < f->vertices; v++) {
        const char *name = topomap_fabric_name(f, v);

        if (topomap_fabric_is(f, v, TOPOMAP_VERTEX_HOST) && name[strcspn(name, " \t,[]\"'")])
            return topomap_input_fail(r->input, err,
                                      "'%.100s' is not a host name; where it is a switch, list the "
                                      "hosts in a line '# all hosts: HOSTLIST'",
                                      name);
    }
    for (size_t i = 0; i < f->links; i++) {
        const topomap_link *link = &f->link[i];

        if (topomap_fabric_is(f, link->a, TOPOMAP_VERTEX_HOST) &&
            topomap_fabric_is(f, link->b, TOPOMAP_VERTEX_HOST))
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "%s:%zu: hosts '%.100s' and '%.100s' are joined directly; "
                                     "hosts do not route: put a switch in each (host-switch), or "
                                     "import coordinates",
                                     topomap_input_path(r->input), link->line,
                                     topomap_fabric_name(f, link->a),
                                     topomap_fabric_name(f, link->b));
    }
    return 0;
}

int topomap_links_read(topomap_input *input, const char *hosts, topomap_fabric *fabric,
                       topomap_error *err)
{
    struct reader r = {.input = input, .fabric = fabric};
    char *line;
    size_t length;
    int got;

    if (hosts && set_kinds(fabric, hosts, TOPOMAP_VERTEX_HOST, err))
        return -1;
    while ((got = topomap_input_line(input, 0, &line, &length, err)) > 0) {
        line += strspn(line, " \t");
        if (*line && (*line == '#' ? read_comment(&r, line, err) : read_link(&r, line, err)))
            return -1;
    }
    if (got < 0)
        return -1;
    if (!fabric->links)
        return topomap_input_fail(input, err, "no line name,port,name,port,Gb/s");
    for (uint32_t v = 0; r.all_hosts && v < fabric->vertices; v++)
        if (topomap_fabric_is(fabric, v, TOPOMAP_VERTEX_UNKNOWN))
            fabric->vertex[v].kind = TOPOMAP_VERTEX_SWITCH;
    return topomap_fabric_match(fabric, topomap_input_path(input), NULL, err) ||
                   check_hosts(&r, err)
               ? -1
               : 0;
}
