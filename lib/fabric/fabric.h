/* SPDX-License-Identifier: BSD-3-Clause */
/* A fabric in memory: hosts, switches and the links between them, whatever tells of them: made
 * shapes, lists of links, specifications of machines, the database. What distances and congestion
 * need is made from it (switches.h, network.h). */
#pragma once

#include "util/input.h"
#include "util/names/known.h"

/* ---- fabric -------------------------------------------------------------------- */

enum topomap_vertex_kind { TOPOMAP_VERTEX_UNKNOWN, TOPOMAP_VERTEX_HOST, TOPOMAP_VERTEX_SWITCH };

typedef struct topomap_vertex {
    uint32_t name; /* offset into the fabric's text */
    uint8_t kind;  /* enum topomap_vertex_kind */
    uint8_t level; /* of a made switch: in a tree, from 1; elsewhere 1 */
} topomap_vertex;

typedef struct topomap_link {
    uint32_t a, b;         /* vertices */
    uint32_t aport, bport; /* 0: not known */
    double rate;           /* bytes a second, each way; 0: not known */
    size_t line;           /* of the file that lists it */
    uint32_t class;        /* of a list: topomap_fabric_class(); of a shape: shapes.h; of a dump of
                              InfiniBand: its state */
    uint8_t ends;          /* 1: listed from a, 2: from b, 3: from both; 0: missing */
    uint8_t width, speed;  /* InfiniBand's lanes, row of ib_speeds[]; 0: not known */
} topomap_link;

/** Starts as all zeros. */
typedef struct topomap_fabric {
    topomap_vertex *vertex; /* [vertices] in order of appearance */
    size_t vertices, vertex_room;
    topomap_link *link;
    size_t links, link_room;
    char *text;
    size_t text_size, text_room;
    topomap_known names; /* of those that are found by name */
    int hosts_route;     /* traffic of others goes through hosts, too */
    /* What it was made of, where its hosts come first: its routes; or NULL. */
    const struct topomap_fattree *tree;
    const struct topomap_dragonfly *dragonfly;
} topomap_fabric;

/** Keeps a text of that length; \p at is its offset. */
int topomap_fabric_keep(topomap_fabric *fabric, const char *text, size_t length, uint32_t *at,
                        topomap_error *err);
/** A new vertex; its name is not looked up. The second one's has at most 255 bytes. */
int topomap_fabric_add(topomap_fabric *fabric, enum topomap_vertex_kind kind, const char *name,
                       topomap_error *err);
int topomap_fabric_addf(topomap_fabric *fabric, enum topomap_vertex_kind kind, topomap_error *err,
                        const char *format, ...) TOPOMAP_PRINTF(4, 5);
/** Index of the vertex of this name (not empty), made where it is new. Not after
 *  topomap_fabric_add(). */
int topomap_fabric_find(topomap_fabric *fabric, const char *name, uint32_t *vertex,
                        topomap_error *err);
/** The vertex that topomap_fabric_find() has given a name; UINT32_MAX: none. */
uint32_t topomap_fabric_lookup(const topomap_fabric *fabric, const char *name);
static inline const char *topomap_fabric_name(const topomap_fabric *fabric, uint32_t vertex)
{
    return fabric->text + fabric->vertex[vertex].name;
}
static inline int topomap_fabric_is(const topomap_fabric *fabric, uint32_t vertex,
                                    enum topomap_vertex_kind kind)
{
    return fabric->vertex[vertex].kind == kind;
}
/** Gives a vertex another name, which is not looked up. */
int topomap_fabric_rename(topomap_fabric *fabric, uint32_t vertex, const char *name,
                          topomap_error *err);
/** Puts a source's own class into a link between vertices that are there: 23 bytes of it. */
int topomap_fabric_set_class(topomap_fabric *fabric, topomap_link *link, const char *class,
                             topomap_error *err);
/** That class, or "". */
static inline const char *topomap_fabric_class(const topomap_fabric *fabric,
                                               const topomap_link *link)
{
    return link->class ? fabric->text + link->class : "";
}
/** Keeps a link as it is. */
int topomap_fabric_join(topomap_fabric *fabric, const topomap_link *link, topomap_error *err);
/** Keeps a link as listed from end a; a and b are put in order, (a, aport) <= (b, bport). */
int topomap_fabric_list(topomap_fabric *fabric, const topomap_link *link, topomap_error *err);
void topomap_fabric_clear(topomap_fabric *fabric);

/** Sorts the links and joins the two listings of one, and gives every vertex its kind: one of
 *  unknown kind is a host if all its links go to one neighbour and that neighbour has others too,
 *  or is known for a switch. A port (not 0) with two different links is an error. \p path for
 *  messages; \p one_sided gets the number of links that were listed from one end while others were
 *  listed from both (NULL: not wanted) */
int topomap_fabric_match(topomap_fabric *fabric, const char *path, size_t *one_sided,
                         topomap_error *err);

/** A rate in bytes a second, from and to megabits; exact both ways. */
static inline double topomap_rate_of_mbps(uint32_t mbps)
{
    return mbps * 1e6 / 8;
}
static inline uint32_t topomap_mbps_of_rate(double rate)
{
    return (uint32_t)(rate * 8 / 1e6);
}

/** The rate that most links have, of equals the higher or the lower one; 0 where none has any.
 *  \param routing  nonzero: of links between vertices that route alone */
int topomap_fabric_rate(const topomap_fabric *fabric, int routing, int higher, double *rate,
                        topomap_error *err);

/* ---- Links by vertex ----------------------------------------------------------------------- */

typedef struct topomap_end {
    uint32_t peer, port, link; /* port: of the vertex itself */
} topomap_end;

enum topomap_ends_order { TOPOMAP_ENDS_BY_PEER, TOPOMAP_ENDS_BY_PORT };

/** The ends of all links, but of those from a vertex to itself and those with no listed end.
 *  \param first  [vertices + 1], to be freed: those of v are end[first[v] .. first[v + 1]), in
 *                the wanted order, then that of the links */
int topomap_ends_list(size_t vertices, size_t links, const topomap_link *link,
                      enum topomap_ends_order order, uint32_t **first, topomap_end **end,
                      topomap_error *err);

/* ---- links --------------------------------------------------------------------- */
/* A fabric as a list of links between named hosts and switches.
 *
 * As a file: one link a line, `name,port,name,port,Gb/s`. Names with commas or quotes stand in
 * double quotes, a quote inside doubled. A port is a number, or empty. The rate is a number, or
 * empty or `?` where it is not known; what follows it is the link's class ("backplane"), which may
 * be left out. Lines that begin with # are comments, and a first line whose ports are not numbers
 * is a header; but
 *
 *     # hosts: HOSTLIST
 *     # switches: HOSTLIST
 *     # all hosts: HOSTLIST
 *
 * say which names are hosts and which are switches; after `all hosts`, all other names are
 * switches. A name of neither kind is a host if all its
 * links go to one neighbour and that neighbour has others too; else it is a switch. So hosts on
 * several switches (rails) must be listed. A link may be listed from both ends. Two hosts that are
 * joined directly are refused: hosts do not route. */

/** Reads a file as above and matches its listings. \p hosts: a host list that counts as a `#
 * hosts:` line, or NULL. On failure \p fabric is to be cleared too. */
int topomap_links_read(topomap_input *input, const char *hosts, topomap_fabric *fabric,
                       topomap_error *err);
