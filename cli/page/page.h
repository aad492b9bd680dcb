/* SPDX-License-Identifier: BSD-3-Clause */
/* `topomap report`: one HTML file about a placement. What is shown is JSON inside of the page, each
 * part of it by a file of this folder; page.css and page.js, which the program carries, draw it.
 * Nothing of it comes from elsewhere, and nothing in a name is markup. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "draw/draw.h"
#include "machine/machine.h"
#include "metric/metric.h"
#include "plugin/planner/request/request.h"
#include "plugin/store/run.h"
#include "topomap/hosts.h"
#include "topomap/plan.h"
#include "topomap/time.h"
#include "util/alloc.h"
#include "watch/watch.h"

/** What a page is about; all of it is lent. */
typedef struct page_job {
    const char *title, *line, *command; /* any bytes; the command makes the plan again */
    const char *start_name;             /* of the layout before */
    const topomap_graph *graph;
    const topomap_machine *machine;
    const uint32_t *slot[2];         /* [ranks] before and after */
    const topomap_plan *plan[2];     /* of all ranks: before, or NULL, and as it travels */
    const char *db;                  /* the nodes' database; NULL: a machine that was specified */
    const topomap_names *nodes;      /* [nodes of the machine] theirs */
    const topomap_bindings *by_slot; /* likewise; of its classes of nodes */
    const topomap_mapping *mapping;  /* for its candidates, or NULL */
    const topomap_time_costs *costs; /* NULL: no time is predicted */
    const store_comparison *times;   /* that were measured, or NULL */
    uint32_t ranks;                  /* of the step; the graph's, or more */
    topomap_watch *watch;            /* says how far the page has come, or NULL */
    int is_drawing;                  /* of paper: nobody looks closer, so cells are all there is */
} page_job;

/** From so many ranks on pages have no table of ranks, but of nodes; from so many nodes on one of
 *  larger parts of the machine. */
enum { PAGE_RANKS = 20000, PAGE_NODES = 10000, PAGE_CELLS = 256, PAGE_LINKS = 60, PAGE_BINS = 24 };

/** All that the page shows. NULL after a failure. */
json_t *page_data(const page_job *job, topomap_error *err);

/** The parts of it; NULL where memory is short, or after a failure. json_null(): not known. */
json_t *page_links(const page_job *job, topomap_error *err);
/** The network by the loads before and after, a large one as groups; json_null(): it is empty. */
json_t *page_network(const page_job *job, topomap_link_loads *const load[2], topomap_error *err);
/** "pairs" and "matrices" of the page. */
json_t *page_who(const page_job *job, topomap_error *err);
/** "node" and "unit" of the page: rows, and what they are. */
json_t *page_nodes(const page_job *job, topomap_error *err);
json_t *page_names(const page_job *job, topomap_error *err);
/** Of a training job: how far its groups are spread; else an empty list. */
json_t *page_groups(const page_job *job, topomap_error *err);
json_t *page_ranks(const page_job *job, topomap_error *err);
/** What some nodes have inside, and which ranks have it; json_null(): one place is all. */
json_t *page_node_topology(const page_job *job, topomap_error *err);

/** A network that is too large for a picture, as groups of its vertices: nodes with their switch,
 *  switches that have the same neighbours, boxes of a grid. */
typedef struct page_network_groups {
    topomap_network *network; /* of groups; all links of two groups are one */
    uint32_t *group_of;       /* [vertices of the network] */
    uint32_t *first; /* [groups] the lowest vertex that is no node alone, else the lowest */
    uint32_t *switches, *nodes;         /* [groups] vertices that are no nodes alone, and others */
    uint32_t dim[TOPOMAP_MACHINE_DIMS]; /* of grids: groups a dimension */
    topomap_arena arrays;
} page_network_groups;

/** Each vertex's hops from the nearest node; what is joined to none has the most.
 *  \param level  [vertices] out
 *  \return how many there are, 0: memory is short */
uint32_t page_network_levels(const topomap_network *network, uint32_t *level, topomap_error *err);

/** Groups, \p most at most.
 *  \param grid  whose routers the vertices are; NULL: it is no grid
 *  \param coarse  ends with page_network_groups_clear(), after a failure, too
 *  Deterministic: groups are numbered by their lowest vertices. */
int page_network_groups_make(const topomap_network *network, const topomap_machine *grid,
                             uint32_t most, page_network_groups *coarse, topomap_error *err);
void page_network_groups_clear(page_network_groups *coarse);

/** What the store has of the profile that the launch was placed with: of runs on as many nodes.
 *  \return 1; 0: nothing, or the store is not this user's */
int page_measured(const planner_request *request, store_comparison *found);

/** "0,2,5-7", and what a node is called. */
json_t *page_ranges(const uint32_t *number, uint32_t count);
json_t *page_node_name(const page_job *job, uint32_t node);

/** Writes the page, and takes the reference. \return 0, or -1 */
int page_write(FILE *out, const char *title, json_t *data, topomap_error *err);

/** The same in short, drawn on one sheet.
 *  \param data     as page_data() has it
 *  \param drawing  ends with topomap_draw_clear(), after a failure too, and before the data does */
int page_draw(const json_t *data, topomap_drawing *drawing, topomap_error *err);

/** The page up to the inside of its <main>, without scripts: what follows is the caller's.
 *  \param line  below the title */
void page_begin(FILE *out, const char *title, const char *line);

/** Prints HTML by a format: %s prints its argument escaped by topomap_markup_put(), %% a per cent
 * sign; there are no other conversions. */
void page_put(FILE *out, const char *format, ...) TOPOMAP_PRINTF(2, 3);
/** A table up to the inside of its body. \param caption  or NULL
 *  \param columns  their names, a '|' between two */
void page_table(FILE *out, const char *id, const char *caption, const char *columns);

extern const char page_css[], page_js[];
