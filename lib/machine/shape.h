/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a node, flattened from its hwloc tree once, at import, so that no launch has to
 * load an hwloc XML: cores in hwloc's logical order, their PUs, and the groups that they form. */
#pragma once

#include "topomap/topomap.h"

enum { TOPOMAP_SHAPE_LEVELS = 16 };

typedef struct topomap_shape {
    uint32_t cores;
    uint32_t pus;
    uint32_t *pu_first; /* [cores + 1] PUs of core c are pu_os[pu_first[c] .. pu_first[c+1]) */
    uint32_t *pu_os;    /* [pus] OS index (what sched_setaffinity takes) */
    /* Levels from the outside in, the whole node and the core left out. A level that groups the
     * cores as the next inner one does is left out (the cores share the inner thing, which is what
     * their closeness is about); so is one that leaves each core alone. A core that an uneven tree
     * has at no object of a level is grouped there as on the next inner one. */
    uint32_t levels;
    uint32_t numa; /* 1 + the level that groups cores as NUMA nodes do, whatever its name; 0: the
                      whole node is one NUMA node (or NUMA nodes are single cores) */
    struct {
        char name[16];   /* "package", "numa", "l3", "group", "die", "l2" */
        uint32_t *group; /* [cores] id of the group that holds the core, numbered from 0 by first
                            core; cores of a group are consecutive */
    } level[TOPOMAP_SHAPE_LEVELS];
} topomap_shape;

/** Flattens an hwloc XML (text of \p size bytes). Versions 1.x, 2.x and 3.0: where the root says
 *  version="3.0" and this libhwloc is older than 3, that one attribute is read as 2.0
 *  (the format differs in info attributes only). Disallowed PUs are left out; a core whose PUs are
 *  all disallowed is left out. Cores without a Core object (KVM guests and the like): one per PU.
 *  Nothing is read from the machine that this runs on. hwloc itself obeys HWLOC_* debugging
 *  variables and may warn on stderr where an XML is broken.
 *  \param path for messages
 *  \param host NULL, or where to put the node's own name (info "HostName"), which the caller
 *              frees; NULL is put where the XML has none */
int topomap_shape_from_hwloc(const char *path, const char *xml, size_t size, topomap_shape *shape,
                             char **host, topomap_error *err);
/** What that does to version="3.0", in place: for who gives hwloc an XML himself. */
void topomap_shape_lower_version(char *xml);

/** One line of text that topomap_shape_parse reads back, the same for the same shape. NULL on
 *  failure; ends with free(). */
char *topomap_shape_format(const topomap_shape *shape, topomap_error *err);
int topomap_shape_parse(const char *text, topomap_shape *shape, topomap_error *err);
void topomap_shape_clear(topomap_shape *shape);

/** Cost of one byte between two cores of a node whose innermost common level has this name
 *  ("node" for none, "core" for the same core). Unit: a tenth of one fabric hop.
 *
 *      core 1    l1, l2, l3, l4, l5, die, group 2    numa 3    package 4    node 6
 *
 *  An order of closeness rather than a measurement: a shared cache, then a memory controller,
 *  then a socket, then the link between sockets, and all of them below one fabric hop (10).
 *  Where a tree nests otherwise (an L3 around two NUMA nodes), the caller takes the largest cost
 *  from the inside out, so that closeness never falls inwards. */
double topomap_shape_cost(const char *level);
/** The names of those levels, from the inside out; NULL after the last. */
const char *topomap_shape_level(size_t i);
/** The index of one; -1 where there is none of that name. */
int topomap_shape_level_named(const char *level);
