/* SPDX-License-Identifier: BSD-3-Clause */
/* Cray interconnect lists: one line a link and direction.
 *
 *   Aries    c0-0c0s0a0l00(0:0:0) green -> c0-0c0s6a0l10(0:0:6) | unused | processor
 *   Gemini   c0-0c0s0g0l00[(0,0,0)] Z+ -> c0-0c0s0g1l02[(0,1,0)] LinkType: mezzanine
 *
 * SeaStar's are as Gemini's. Routers are known by component name; their nodes come from xtprocadmin
 * or xtdb2proc. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/import/cray/slingshot.h"
#include "topology-db/import/lists/geometry.h"
#include "topology-db/import/lists/named_fabric.h"
#include "util/alloc.h"

enum { WORDS = 8 };

struct router {
    int64_t cname;
    topomap_coordinates point;
};

struct list {
    topomap_fabric fabric;
    struct router *router; /* [fabric.vertices] */
    size_t routers, room;
    char kind; /* 'a', 'g', 's'; 0: none yet, or Slingshot */
    int slingshot;
};

/* Mb/s of one link and direction. Aries: three lanes of 14 Gb/s on copper and 12.5 Gb/s on optical
 * cables (Alverson et al., Cray XC Series Network, 2012). Gemini: three bits of 6.25, 5 and
 * 3.125 Gb/s. */
static const struct {
    char kind;
    const char *name; /* what the class begins with */
    uint32_t mbps;
} rates[] = {
    {'a', "green", 42000},     {'a', "black", 42000},     {'a', "blue", 37500},
    {'g', "mezzanine", 18750}, {'g', "backplane", 15000}, {'g', "cable", 9375},
};

static void list_clear(void *content)
{
    struct list *list = content;

    topomap_fabric_clear(&list->fabric);
    free(list->router);
}

/* `[(0,0,0)]`, `(0:0:0)`, or nothing, cut in place. */
static int read_point(char *text, topomap_coordinates *point)
{
    char *end;

    *point = (topomap_coordinates){0};
    if (!*text)
        return 0;
    text += strspn(text, "[(");
    end = text + strcspn(text, ")]");
    if (end[strspn(end, ")]")])
        return -1;
    *end = 0;
    return DB_STATUS(topomap_coordinates_parse(text, strchr(text, ':') ? ':' : ',', point) ||
                     point->dims != 3);
}

/* The router and link number of one end; a router's coordinates must be the same everywhere. */
static int read_end(struct db_import *import, struct list *list, char *word, uint32_t *vertex,
                    uint32_t *port)
{
    struct cray_name name;
    const char *after;
    char kind, label[40];
    topomap_coordinates point;

    if (cray_link_parse(word, &name, &kind, port, &after) ||
        read_point(word + (after - word), &point))
        return db_fail_here(import, "expected a link such as c0-0c0s0a0l00(0:0:0), not '%.60s'",
                            word);
    if (list->kind && list->kind != kind)
        return db_fail_here(import, "'%.60s' is of another kind of network than the lines before",
                            word);
    list->kind = kind;
    cray_router_format(&name, kind, label);
    if (topomap_fabric_find(&list->fabric, label, vertex, import->err))
        return -1;
    ++*port; /* 0 is no port */
    if (*vertex == list->routers)
        return TOPOMAP_APPEND(list->router, list->routers, list->room, import->err,
                              (struct router){cray_name_pack(&name), point});
    if (!list->router[*vertex].point.dims)
        list->router[*vertex].point = point;
    else if (point.dims && !topomap_coordinates_same(&point, &list->router[*vertex].point))
        return db_fail_here(import, "%s has other coordinates than on a line before", label);
    return 0;
}

static void set_rate(const struct list *list, topomap_link *link, const char *class)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (rates[i].kind == list->kind &&
            strncmp(class, rates[i].name, strlen(rates[i].name)) == 0)
            link->rate = topomap_rate_of_mbps(rates[i].mbps);
}

static int read_words(struct db_import *import, struct list *list, char **word, int words)
{
    topomap_link link = {.line = topomap_input_lineno(import->input)};
    const char *class = "";

    if (words < 4 || strcmp(word[2], "->") != 0)
        return db_fail_here(import, "expected LINK CLASS -> LINK (a line that was "
                                    "cut or wrapped?)");
    if (read_end(import, list, word[0], &link.a, &link.aport))
        return -1;
    if (strcmp(word[3], "unused") == 0 || strcmp(word[3], "processor") == 0)
        return 0;
    if (read_end(import, list, word[3], &link.b, &link.bport))
        return -1;
    /* Aries names the class by a colour; the others name the direction there. */
    if (list->kind == 'a')
        class = word[1];
    for (int i = 4; i < words; i++)
        if (strcmp(word[i], "LinkType:") == 0 && i + 1 < words)
            class = word[i + 1];
    if (strcmp(class, "unused") == 0)
        return 0;
    set_rate(list, &link, class);
    return db_named_link(&list->fabric, link, class, 0, import->err);
}

/* Messages may come before the list; from its first line on every line must be one of it. */
static int read_line(struct db_import *import, void *content, char *line)
{
    struct list *list = content;
    char *word[WORDS], first[160];
    int words;

    snprintf(first, sizeof first, "%s", line);
    words = db_words(line, " \t", word, WORDS);
    if (!words || word[0][0] == '#')
        return 0;
    if (!list->kind && (words < 4 || strcmp(word[2], "->") != 0)) {
        db_warn(import, topomap_input_lineno(import->input), "before the list: %.150s", first);
        return 0;
    }
    return read_words(import, list, word, words);
}

/* A machine whose routers are all at 0,0,0 has no coordinates. */
static void drop_zeros(struct db_import *import, struct list *list)
{
    static const topomap_coordinates zero = {.dims = 3};
    size_t zeros = 0;

    for (size_t i = 0; i < list->fabric.vertices; i++)
        zeros += topomap_coordinates_same(&list->router[i].point, &zero) != 0;
    if (zeros < 2 || zeros < list->fabric.vertices)
        return;
    db_warn(import, 0, "all coordinates are zero: they are left out");
    for (size_t i = 0; i < list->fabric.vertices; i++)
        list->router[i].point = (topomap_coordinates){0};
}

static int check(struct db_import *import, void *content)
{
    struct list *list = content;
    size_t one_sided;

    if (!list->fabric.links)
        return db_fail_here(import, "no line 'LINK CLASS -> LINK': not a Cray interconnect list");
    for (uint32_t i = 0; !list->slingshot && i < list->fabric.vertices; i++)
        list->fabric.vertex[i].kind = TOPOMAP_VERTEX_SWITCH;
    if (topomap_fabric_match(&list->fabric, import->path, &one_sided, import->err))
        return -1;
    if (one_sided)
        db_warn(import, 0, "%zu of %zu links are listed from one end only", one_sided,
                list->fabric.links);
    if (!list->slingshot)
        drop_zeros(import, list);
    return 0;
}

static int begin(struct db_import *import, void *content)
{
    struct list *list = content;

    if (db_geometry_check(import, 3) || db_slingshot_look(import, &list->slingshot))
        return -1;
    return list->slingshot ? db_slingshot_read(import, &list->fabric)
                           : db_each_line(import, read_line, list);
}

static int write_list(struct db_import *import, void *content)
{
    const struct list *list = content;
    const char kind[2] = {list->kind, 0};
    TOPOMAP_FREED int64_t *vertex =
        topomap_alloc(list->fabric.vertices, sizeof *vertex, import->err);

    if (!vertex || db_named_write(import, &list->fabric, vertex))
        return -1;
    for (size_t i = 0; i < list->routers; i++) { /* Slingshot has none */
        char place[TOPOMAP_COORDINATES_TEXT];

        topomap_coordinates_format(&list->router[i].point, place);
        if (DB_ADD(import, "INSERT INTO cray_router", DB_INT(vertex[i]), DB_INT(import->source),
                   DB_TEXT(kind), DB_INT(list->router[i].cname), DB_TEXT_IF(*place, place)))
            return -1;
    }
    return db_geometry_write(import, 3, NULL);
}

const db_importer db_cray_links = {
    .row = {"cray-links",
            "Cray interconnect list: Aries, Gemini or SeaStar routers and their links; Slingshot's "
            "'show fabric' table",
            db_geometry_options},
    .singleton = 1,
    .tables = {"vertex", "link", "cray_router", "geometry"},
    .size = sizeof(struct list),
    .begin = begin,
    .check = check,
    .write = write_list,
    .clear = list_clear,
};
