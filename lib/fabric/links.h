/* SPDX-License-Identifier: BSD-3-Clause */
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
#ifndef TOPOMAP_LINKS_H
#define TOPOMAP_LINKS_H

#include "topomap/topomap.h"
#include "util/hostlist.h"
#include "util/input.h"

enum topomap_links_kind { TOPOMAP_LINKS_UNKNOWN, TOPOMAP_LINKS_HOST, TOPOMAP_LINKS_SWITCH };

struct topomap_links_vertex;

typedef struct topomap_link {
    uint32_t a, b;         /* vertices, (a, aport) <= (b, bport) */
    uint32_t aport, bport; /* 0: none given */
    uint32_t mbps;         /* 0: not known */
    uint8_t ends;          /* 1: listed from a, 2: from b, 3: from both */
    char kind[24];         /* the source's own class, or "" */
    size_t line;
} topomap_link;

typedef struct topomap_links {
    struct topomap_links_vertex **vertex; /* [vertices] in order of appearance */
    size_t vertices, vertex_room;
    topomap_link *link;
    size_t links, link_room;
    struct topomap_links_vertex *by_name;
    int all_hosts; /* who is not said to be a host is a switch */
} topomap_links;

/** Index of the vertex of this name (not empty, at most 255 bytes), made where it is new. */
int topomap_links_vertex_find(topomap_links *links, const char *name, uint32_t *index,
                              topomap_error *err);
/** Whether a name is there. */
int topomap_links_has(const topomap_links *links, const char *name);
const char *topomap_links_name(const topomap_links *links, uint32_t vertex);
enum topomap_links_kind topomap_links_kind(const topomap_links *links, uint32_t vertex);
void topomap_links_set_kind(topomap_links *links, uint32_t vertex, enum topomap_links_kind kind);
/** Keeps a link as listed from end a; a and b are put in order. */
int topomap_links_add(topomap_links *links, const topomap_link *link, topomap_error *err);
/** Joins the two listings of one link, and gives every vertex its kind. A port (not 0) with two
 *  different links is an error. \p path for messages; \p one_sided gets the number of links that
 *  were listed from one end while others were listed from both (NULL: not wanted) */
int topomap_links_join(topomap_links *links, const char *path, size_t *one_sided,
                       topomap_error *err);

/** Reads a file as above and joins it. \p hosts: a host list that counts as a `# hosts:` line, or
 *  NULL. On failure \p links is to be cleared too. */
int topomap_links_read(topomap_input *input, const char *hosts, topomap_links *links,
                       topomap_error *err);
void topomap_links_clear(topomap_links *links);

#endif
