/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/fabric.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/sorted.h"

enum { NAMES_MOST = 1000000, CLASS_MOST = 23 };

/* ---- Vertices ------------------------------------------------------------------------------ */

int topomap_fabric_keep(topomap_fabric *f, const char *text, size_t length, uint32_t *at,
                        topomap_error *err)
{
    if (f->text_size + length >= UINT32_MAX)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: names");
    if (topomap_grow(&f->text, &f->text_room, f->text_size + length + 1, 1, err))
        return -1;
    *at = (uint32_t)f->text_size;
    memcpy(f->text + f->text_size, text, length);
    f->text[f->text_size + length] = 0;
    f->text_size += length + 1;
    return 0;
}

int topomap_fabric_add(topomap_fabric *f, enum topomap_vertex_kind kind, const char *name,
                       topomap_error *err)
{
    topomap_vertex vertex = {.kind = (uint8_t)kind, .level = 1};

    if (topomap_fabric_keep(f, name, strlen(name), &vertex.name, err))
        return -1;
    return TOPOMAP_APPEND(f->vertex, f->vertices, f->vertex_room, err, vertex);
}

int topomap_fabric_addf(topomap_fabric *f, enum topomap_vertex_kind kind, topomap_error *err,
                        const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return topomap_fabric_add(f, kind, text, err);
}

int topomap_fabric_rename(topomap_fabric *f, uint32_t vertex, const char *name, topomap_error *err)
{
    return topomap_fabric_keep(f, name, strlen(name), &f->vertex[vertex].name, err);
}

int topomap_fabric_find(topomap_fabric *f, const char *name, uint32_t *vertex, topomap_error *err)
{
    *vertex = topomap_fabric_lookup(f, name);
    if (*vertex != UINT32_MAX)
        return 0;
    if (f->vertices >= NAMES_MOST)
        return topomap_error_set(err, TOPOMAP_EINPUT, "more than %d names", NAMES_MOST);
    return topomap_known_number(&f->names, name, strlen(name), vertex, err) ||
                   topomap_fabric_add(f, TOPOMAP_VERTEX_UNKNOWN, name, err)
               ? -1
               : 0;
}

uint32_t topomap_fabric_lookup(const topomap_fabric *f, const char *name)
{
    return topomap_known_find(&f->names, name, strlen(name));
}

void topomap_fabric_clear(topomap_fabric *f)
{
    free(f->vertex);
    free(f->link);
    free(f->text);
    topomap_known_clear(&f->names);
    *f = (topomap_fabric){0};
}

/* ---- Links --------------------------------------------------------------------------------- */

int topomap_fabric_join(topomap_fabric *f, const topomap_link *link, topomap_error *err)
{
    return TOPOMAP_APPEND(f->link, f->links, f->link_room, err, *link);
}

int topomap_fabric_set_class(topomap_fabric *f, topomap_link *link, const char *class,
                             topomap_error *err)
{
    return *class ? topomap_fabric_keep(f, class, strnlen(class, CLASS_MOST), &link->class, err)
                  : 0;
}

int topomap_fabric_list(topomap_fabric *f, const topomap_link *link, topomap_error *err)
{
    topomap_link kept = *link;

    kept.ends = 1;
    if (link->a > link->b || (link->a == link->b && link->aport > link->bport)) {
        kept.a = link->b;
        kept.aport = link->bport;
        kept.b = link->a;
        kept.bport = link->aport;
        kept.ends = 2;
    }
    return topomap_fabric_join(f, &kept, err);
}

int topomap_fabric_rate(const topomap_fabric *f, int routing, int higher, double *rate,
                        topomap_error *err)
{
    TOPOMAP_FREED double *known = topomap_alloc(f->links, sizeof *known, err);
    size_t count = 0, most = 0, end;

    if (!known)
        return -1;
    for (size_t i = 0; i < f->links; i++) {
        const topomap_link *link = &f->link[i];

        if (link->rate > 0 && (!routing || f->hosts_route ||
                               (!topomap_fabric_is(f, link->a, TOPOMAP_VERTEX_HOST) &&
                                !topomap_fabric_is(f, link->b, TOPOMAP_VERTEX_HOST))))
            known[count++] = link->rate;
    }
    TOPOMAP_SORT(known, count, topomap_by_double);
    *rate = 0;
    for (size_t i = 0; i < count; i = end) {
        for (end = i; end < count && topomap_by_double(&known[i], &known[end]) == 0; end++)
            ;
        if (end - i > most || (higher && end - i == most)) {
            most = end - i;
            *rate = known[i];
        }
    }
    return 0;
}

/* ---- Listings ------------------------------------------------------------------------------ */

TOPOMAP_COMPARE(by_ends, topomap_link, TOPOMAP_ORDER(x->a, y->a) ?: TOPOMAP_ORDER(x->b, y->b),
                TOPOMAP_ORDER(x->aport, y->aport)
                ?: TOPOMAP_ORDER(x->bport, y->bport) ?: TOPOMAP_ORDER(x->line, y->line))

/* Two listings are one link where they name the same two ports from different ends; a listing with
 * no ports is a link of its own each time from one end, and the other end's listing fits any. */
static void join_listings(topomap_fabric *f)
{
    size_t kept = 0;

    for (size_t i = 0; i < f->links; i++) {
        topomap_link *last = kept ? &f->link[kept - 1] : NULL, *now = &f->link[i];
        int same = last && last->a == now->a && last->b == now->b && last->aport == now->aport &&
                   last->bport == now->bport;
        int ported = now->aport && now->bport;

        if (same && (ported || (last->ends != 3 && last->ends != now->ends))) {
            last->ends |= now->ends;
            last->rate = last->rate > 0 ? last->rate : now->rate;
            continue;
        }
        f->link[kept++] = *now;
    }
    f->links = kept;
}

struct port {
    uint32_t vertex, number;
    size_t line;
};

TOPOMAP_COMPARE(by_port, struct port, TOPOMAP_ORDER(x->vertex, y->vertex),
                TOPOMAP_ORDER(x->number, y->number) ?: TOPOMAP_ORDER(x->line, y->line))

static int check_ports(const topomap_fabric *f, const char *path, topomap_error *err)
{
    TOPOMAP_FREED struct port *port = topomap_alloc(f->links * 2, sizeof *port, err);
    size_t count = 0;

    if (!port)
        return -1;
    for (size_t i = 0; i < f->links; i++) {
        const topomap_link *link = &f->link[i];

        if (link->aport)
            port[count++] = (struct port){link->a, link->aport, link->line};
        if (link->bport && (link->a != link->b || link->aport != link->bport))
            port[count++] = (struct port){link->b, link->bport, link->line};
    }
    TOPOMAP_SORT(port, count, by_port);
    for (size_t i = 1; i < count; i++)
        if (port[i].vertex == port[i - 1].vertex && port[i].number == port[i - 1].number)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "%s:%zu: port %u of '%.100s' has another link on line %zu",
                                     path, port[i].line, port[i].number,
                                     topomap_fabric_name(f, port[i].vertex), port[i - 1].line);
    return 0;
}

/* A vertex's neighbour + 1; SEVERAL where it has more than one. */
enum { SEVERAL = UINT32_MAX };

static void note_neighbour(uint32_t *neighbour, uint32_t other)
{
    *neighbour = *neighbour && *neighbour != other + 1 ? SEVERAL : other + 1;
}

static int find_kinds(topomap_fabric *f, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *neighbour = topomap_alloc(f->vertices, sizeof *neighbour, err);

    if (!neighbour)
        return -1;
    for (size_t i = 0; i < f->links; i++) {
        note_neighbour(&neighbour[f->link[i].a], f->link[i].b);
        note_neighbour(&neighbour[f->link[i].b], f->link[i].a);
    }
    for (uint32_t v = 0; v < f->vertices; v++) {
        uint32_t only = neighbour[v] == SEVERAL ? 0 : neighbour[v];

        if (topomap_fabric_is(f, v, TOPOMAP_VERTEX_UNKNOWN))
            f->vertex[v].kind = only && only - 1 != v &&
                                        (neighbour[only - 1] == SEVERAL ||
                                         topomap_fabric_is(f, only - 1, TOPOMAP_VERTEX_SWITCH))
                                    ? TOPOMAP_VERTEX_HOST
                                    : TOPOMAP_VERTEX_SWITCH;
    }
    return 0;
}

int topomap_fabric_match(topomap_fabric *f, const char *path, size_t *one_sided, topomap_error *err)
{
    size_t both = 0;

    TOPOMAP_SORT(f->link, f->links, by_ends);
    join_listings(f);
    if (check_ports(f, path, err) || find_kinds(f, err))
        return -1;
    for (size_t i = 0; i < f->links; i++)
        both += f->link[i].ends == 3;
    if (one_sided)
        *one_sided = both ? f->links - both : 0;
    return 0;
}

/* ---- Links by vertex ----------------------------------------------------------------------- */

TOPOMAP_COMPARE(by_peer, topomap_end, TOPOMAP_ORDER(x->peer, y->peer),
                TOPOMAP_ORDER(x->link, y->link))

TOPOMAP_COMPARE(by_own_port, topomap_end, TOPOMAP_ORDER(x->port, y->port),
                TOPOMAP_ORDER(x->link, y->link))

int topomap_ends_list(size_t vertices, size_t links, const topomap_link *link,
                      enum topomap_ends_order order, uint32_t **first, topomap_end **end,
                      topomap_error *err)
{
    uint32_t *count;

    if (links > INT32_MAX)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: %zu links", links);
    *first = topomap_alloc(vertices + 2, sizeof **first, err);
    *end = topomap_alloc(links * 2, sizeof **end, err);
    if (!*first || !*end) {
        free(topomap_take(first));
        free(topomap_take(end));
        return -1;
    }
    /* Filling moves each vertex's place to its end, so that first[v] .. first[v + 1] is v's. */
    count = *first + 1;
    for (size_t i = 0; i < links; i++)
        if (link[i].a != link[i].b && link[i].ends) {
            count[link[i].a + 1]++;
            count[link[i].b + 1]++;
        }
    for (size_t v = 0; v < vertices; v++)
        count[v + 1] += count[v];
    for (uint32_t i = 0; i < links; i++)
        if (link[i].a != link[i].b && link[i].ends) {
            (*end)[count[link[i].a]++] = (topomap_end){link[i].b, link[i].aport, i};
            (*end)[count[link[i].b]++] = (topomap_end){link[i].a, link[i].bport, i};
        }
    for (size_t v = 0; v < vertices; v++)
        if ((*first)[v + 1] > (*first)[v])
            qsort(*end + (*first)[v], (*first)[v + 1] - (*first)[v], sizeof **end,
                  order == TOPOMAP_ENDS_BY_PORT ? by_own_port : by_peer);
    return 0;
}
