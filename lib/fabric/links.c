/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/links.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "util/alloc.h"

enum { NAME_MOST = 255, VERTICES_MOST = 1000000 };

struct topomap_links_vertex {
    char *name;
    uint32_t index;
    uint32_t neighbour; /* while kinds are found: one neighbour + 1 */
    uint8_t kind, several;
    UT_hash_handle hh;
};

/* ---- Building ----------------------------------------------------------------------------- */

int topomap_links_vertex_find(topomap_links *links, const char *name, uint32_t *index,
                              topomap_error *err)
{
    struct topomap_links_vertex *vertex;

    HASH_FIND_STR(links->by_name, name, vertex);
    if (!vertex) {
        if (links->vertices >= VERTICES_MOST)
            return topomap_error_set(err, TOPOMAP_EINPUT, "more than %d names", VERTICES_MOST);
        if (topomap_grow(&links->vertex, &links->vertex_room, links->vertices + 1,
                         sizeof(struct topomap_links_vertex *), err))
            return -1;
        vertex = topomap_alloc(1, sizeof *vertex, err);
        if (!vertex)
            return -1;
        vertex->name = topomap_strdup(name, err);
        if (!vertex->name) {
            free(vertex);
            return -1;
        }
        vertex->index = (uint32_t)links->vertices;
        links->vertex[links->vertices++] = vertex;
        HASH_ADD_KEYPTR(hh, links->by_name, vertex->name, strlen(vertex->name), vertex);
    }
    *index = vertex->index;
    return 0;
}

int topomap_links_has(const topomap_links *links, const char *name)
{
    const struct topomap_links_vertex *vertex;

    HASH_FIND_STR(links->by_name, name, vertex);
    return vertex != NULL;
}

const char *topomap_links_name(const topomap_links *links, uint32_t vertex)
{
    return links->vertex[vertex]->name;
}

enum topomap_links_kind topomap_links_kind(const topomap_links *links, uint32_t vertex)
{
    return links->vertex[vertex]->kind;
}

void topomap_links_set_kind(topomap_links *links, uint32_t vertex, enum topomap_links_kind kind)
{
    links->vertex[vertex]->kind = (uint8_t)kind;
}

int topomap_links_add(topomap_links *links, const topomap_link *link, topomap_error *err)
{
    topomap_link *kept;

    if (topomap_grow(&links->link, &links->link_room, links->links + 1, sizeof *link, err))
        return -1;
    kept = &links->link[links->links++];
    *kept = *link;
    kept->ends = 1;
    if (link->a > link->b || (link->a == link->b && link->aport > link->bport)) {
        kept->a = link->b;
        kept->aport = link->bport;
        kept->b = link->a;
        kept->bport = link->aport;
        kept->ends = 2;
    }
    return 0;
}

void topomap_links_clear(topomap_links *links)
{
    HASH_CLEAR(hh, links->by_name);
    for (size_t i = 0; i < links->vertices; i++) {
        free(links->vertex[i]->name);
        free(links->vertex[i]);
    }
    free(links->vertex);
    free(links->link);
    *links = (topomap_links){0};
}

/* ---- Joining ------------------------------------------------------------------------------ */

static int by_ends(const void *x, const void *y)
{
    const topomap_link *p = x, *q = y;
    const uint32_t a[] = {p->a, p->b, p->aport, p->bport}, b[] = {q->a, q->b, q->aport, q->bport};

    for (int i = 0; i < 4; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return p->line < q->line ? -1 : p->line > q->line;
}

/* Two listings are one link where they name the same two ports from different ends; a listing with
 * no ports is a link of its own each time from one end, and the other end's listing fits any. */
static void join_listings(topomap_links *links)
{
    size_t kept = 0;

    for (size_t i = 0; i < links->links; i++) {
        topomap_link *last = kept ? &links->link[kept - 1] : NULL, *now = &links->link[i];
        int same = last && last->a == now->a && last->b == now->b && last->aport == now->aport &&
                   last->bport == now->bport;
        int ported = now->aport && now->bport;

        if (same && (ported || (last->ends != 3 && last->ends != now->ends))) {
            last->ends |= now->ends;
            last->mbps = last->mbps ? last->mbps : now->mbps;
            continue;
        }
        links->link[kept++] = *now;
    }
    links->links = kept;
}

struct port {
    uint32_t vertex, number;
    size_t line;
};

static int by_port(const void *x, const void *y)
{
    const struct port *p = x, *q = y;

    if (p->vertex != q->vertex)
        return p->vertex < q->vertex ? -1 : 1;
    if (p->number != q->number)
        return p->number < q->number ? -1 : 1;
    return p->line < q->line ? -1 : p->line > q->line;
}

static int check_ports(const topomap_links *links, const char *path, topomap_error *err)
{
    struct port *port = topomap_alloc(links->links * 2, sizeof *port, err);
    size_t count = 0;
    int result = port ? 0 : -1;

    for (size_t i = 0; !result && i < links->links; i++) {
        const topomap_link *link = &links->link[i];

        if (link->aport)
            port[count++] = (struct port){link->a, link->aport, link->line};
        if (link->bport && (link->a != link->b || link->aport != link->bport))
            port[count++] = (struct port){link->b, link->bport, link->line};
    }
    if (!result && count)
        qsort(port, count, sizeof *port, by_port);
    for (size_t i = 1; !result && i < count; i++)
        if (port[i].vertex == port[i - 1].vertex && port[i].number == port[i - 1].number)
            result = topomap_error_set(err, TOPOMAP_EINPUT,
                                       "%s:%zu: port %u of '%.100s' has another link on line %zu",
                                       path, port[i].line, port[i].number,
                                       links->vertex[port[i].vertex]->name, port[i - 1].line);
    free(port);
    return result;
}

static void note_neighbour(struct topomap_links_vertex *vertex, uint32_t neighbour)
{
    if (vertex->neighbour && vertex->neighbour != neighbour + 1)
        vertex->several = 1;
    vertex->neighbour = neighbour + 1;
}

static void find_kinds(topomap_links *links)
{
    for (size_t i = 0; i < links->links; i++) {
        note_neighbour(links->vertex[links->link[i].a], links->link[i].b);
        note_neighbour(links->vertex[links->link[i].b], links->link[i].a);
    }
    for (size_t i = 0; i < links->vertices; i++) {
        struct topomap_links_vertex *vertex = links->vertex[i], *only;

        if (vertex->kind != TOPOMAP_LINKS_UNKNOWN)
            continue;
        only = vertex->neighbour ? links->vertex[vertex->neighbour - 1] : NULL;
        vertex->kind = !links->all_hosts && !vertex->several && only && only != vertex &&
                               (only->several || only->kind == TOPOMAP_LINKS_SWITCH)
                           ? TOPOMAP_LINKS_HOST
                           : TOPOMAP_LINKS_SWITCH;
    }
}

int topomap_links_join(topomap_links *links, const char *path, size_t *one_sided,
                       topomap_error *err)
{
    size_t both = 0;

    if (links->links)
        qsort(links->link, links->links, sizeof *links->link, by_ends);
    join_listings(links);
    if (check_ports(links, path, err))
        return -1;
    find_kinds(links);
    for (size_t i = 0; i < links->links; i++)
        both += links->link[i].ends == 3;
    if (one_sided)
        *one_sided = both ? links->links - both : 0;
    return 0;
}

/* ---- The file ----------------------------------------------------------------------------- */

struct reader {
    topomap_input *input;
    topomap_links *links;
    int begun;
};

/* Takes the next comma-separated field off *at; NULL after the last one. The field is cut out in
 * place, without quotes and the blanks around it. */
static char *next_field(char **at)
{
    char *start = *at, *to, *from;

    if (!start)
        return NULL;
    start += strspn(start, " \t");
    if (*start == '"') {
        for (from = to = start + 1; *from && (*from != '"' || from[1] == '"'); from++)
            from += *from == '"', *to++ = *from;
        from += *from == '"';
        from += strspn(from, " \t");
        *at = *from == ',' ? from + 1 : NULL;
        *to = 0;
        return start + 1;
    }
    to = start + strcspn(start, ",");
    *at = *to ? to + 1 : NULL;
    while (to > start && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    *to = 0;
    return start;
}

static int read_port(const char *text, uint32_t *port)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    *port = (uint32_t)n;
    return *text && (*text < '0' || *text > '9' || *end || n > INT32_MAX || strlen(text) > 10) ? -1
                                                                                               : 0;
}

static int read_rate(const char *text, uint32_t *mbps)
{
    char *end;
    double rate;

    *mbps = 0;
    if (!*text || strcmp(text, "?") == 0)
        return 0;
    rate = strtod(text, &end);
    if (end == text || *end || !(rate > 0 && rate <= 1e6))
        return -1;
    *mbps = (uint32_t)(rate * 1000 + 0.5);
    return 0;
}

/* `# hosts: LIST`, `# switches: LIST`. */
static int set_kinds(topomap_links *links, const char *list, enum topomap_links_kind kind,
                     topomap_error *err)
{
    topomap_names names = {0};
    int result = topomap_hostlist_expand(list, 0, &names, err);

    for (size_t i = 0; !result && i < names.count; i++) {
        uint32_t vertex;

        result = topomap_links_vertex_find(links, names.name[i], &vertex, err);
        if (!result)
            topomap_links_set_kind(links, vertex, kind);
    }
    topomap_names_clear(&names);
    return result;
}

static int read_comment(struct reader *r, char *line, topomap_error *err)
{
    static const struct {
        const char *word;
        enum topomap_links_kind kind;
        int all;
    } known[] = {{"hosts:", TOPOMAP_LINKS_HOST, 0},
                 {"switches:", TOPOMAP_LINKS_SWITCH, 0},
                 {"all hosts:", TOPOMAP_LINKS_HOST, 1}};
    topomap_error why;
    enum topomap_links_kind kind = TOPOMAP_LINKS_UNKNOWN;

    line += strspn(line, "# \t");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(line, known[i].word, strlen(known[i].word)) == 0) {
            kind = known[i].kind;
            r->links->all_hosts |= known[i].all;
        }
    if (kind == TOPOMAP_LINKS_UNKNOWN)
        return 0;
    line = strchr(line, ':') + 1;
    line += strspn(line, " \t");
    if (*line && set_kinds(r->links, line, kind, &why))
        return why.code == TOPOMAP_ESYSTEM ? topomap_error_set(err, why.code, "%s", why.text)
                                           : topomap_input_fail(r->input, err, "%s", why.text);
    return 0;
}

static int read_link(struct reader *r, char *line, topomap_error *err)
{
    char *field[6], *at = line;
    topomap_link link = {.line = topomap_input_lineno(r->input)};
    int fields = 0;

    while (fields < 6 && (field[fields] = next_field(&at)) != NULL)
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
    if (fields > 4 && read_rate(field[4], &link.mbps))
        return topomap_input_fail(r->input, err, "expected a rate in Gb/s, not '%.20s'", field[4]);
    if (fields > 5)
        snprintf(link.kind, sizeof link.kind, "%s", field[5]);
    if (topomap_links_vertex_find(r->links, field[0], &link.a, err) ||
        topomap_links_vertex_find(r->links, field[2], &link.b, err))
        return -1;
    return topomap_links_add(r->links, &link, err);
}

/* Hosts' names are Slurm's; and hosts do not route. */
static int check_hosts(const struct reader *r, topomap_error *err)
{
    const topomap_links *links = r->links;

    for (size_t i = 0; i < links->vertices; i++) {
        const struct topomap_links_vertex *vertex = links->vertex[i];

        if (vertex->kind == TOPOMAP_LINKS_HOST && vertex->name[strcspn(vertex->name, " \t,[]\"'")])
            return topomap_input_fail(r->input, err,
                                      "'%.100s' is not a host name; where it is a switch, list the "
                                      "hosts in a line '# all hosts: HOSTLIST'",
                                      vertex->name);
    }
    for (size_t i = 0; i < links->links; i++) {
        const struct topomap_links_vertex *a = links->vertex[links->link[i].a];
        const struct topomap_links_vertex *b = links->vertex[links->link[i].b];

        if (a->kind == TOPOMAP_LINKS_HOST && b->kind == TOPOMAP_LINKS_HOST)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "%s:%zu: hosts '%.100s' and '%.100s' are joined directly; "
                                     "hosts do not route: put a switch in each (host-switch), or "
                                     "import coordinates",
                                     topomap_input_path(r->input), links->link[i].line, a->name,
                                     b->name);
    }
    return 0;
}

int topomap_links_read(topomap_input *input, const char *hosts, topomap_links *links,
                       topomap_error *err)
{
    struct reader r = {.input = input, .links = links};
    char *line;
    size_t length, used = 0;
    int got;

    if (hosts && set_kinds(links, hosts, TOPOMAP_LINKS_HOST, err))
        return -1;
    while ((got = topomap_input_line(input, 0, &line, &length, err)) > 0) {
        line += strspn(line, " \t");
        if (*line && (*line == '#' ? read_comment(&r, line, err) : read_link(&r, line, err)))
            return -1;
    }
    if (got < 0)
        return -1;
    if (!links->links)
        return topomap_input_fail(input, err, "no line name,port,name,port,Gb/s");
    if (topomap_links_join(links, topomap_input_path(input), NULL, err) || check_hosts(&r, err))
        return -1;
    for (size_t i = 0; i < links->vertices; i++)
        used += links->vertex[i]->kind == TOPOMAP_LINKS_SWITCH && links->vertex[i]->neighbour;
    return used ? 0 : topomap_input_fail(input, err, "no switch: hosts are joined directly");
}
