/* SPDX-License-Identifier: BSD-3-Clause */
/** \file
 * \brief The site's topology database, for programs that read it: what nodes there are, how far
 * apart they are, and the machine of an allocation, for topomap_map().
 *
 * `topomap db import` makes the database, an SQLite file (`topomap help db import`). Opening it
 * takes no lock, and needs no right to write; an import while a program reads puts another file in
 * its place, and the handle goes on with what was there when it was opened. A handle is for one
 * thread at a time. The conventions of topomap/topomap.h hold.
 *
 * \code
 * topomap_db_open("/var/lib/topomap/topology.db", &db, &err);
 * topomap_hostlist_expand("node[01-16]", 0, &nodes, &err);
 * topomap_counts_parse("32", nodes.count, tasks, &err);
 * allocation = (topomap_db_allocation){.size = sizeof allocation, .nodes = &nodes, .tasks = tasks};
 * topomap_db_machine(db, &allocation, &machine, &by_slot, &err);
 * topomap_map(graph, machine, NULL, &mapping, &err);
 * topomap_plan_make(machine, mapping->slot_of_rank, &by_slot, &plan, &err);
 * \endcode */
#ifndef TOPOMAP_DB_H
#define TOPOMAP_DB_H

#include <topomap/hosts.h>
#include <topomap/plan.h>
#include <topomap/time.h>
#include <topomap/topomap.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct topomap_db topomap_db;

/** Opens for reading. A missing file, another kind of file, or a newer schema is an error that
 *  says so. */
TOPOMAP_PUBLIC int topomap_db_open(const char *path, topomap_db **db, topomap_error *err);
/** Accepts NULL. */
TOPOMAP_PUBLIC void topomap_db_close(topomap_db *db);

/* ---- What is in it ---------------------------------------------------------------------- */

/** The order in which Slurm's block steps fill their nodes. Up to 25.11 that is the order of the
 *  step's node list (node index); 26.05 goes by its topology plugin, where there is one and
 *  select/cons_tres asks it; so do all where nodes are numbered by it (SwitchAsNodeRank,
 *  BlockAsNodeRank). */
typedef struct topomap_db_slurm_order {
    int topology;      /**< by the topology; 0: by node index */
    int ranked;        /**< by the ranks of the job's nodes (26.05) */
    int numbered;      /**< the nodes are numbered by it */
    int unsure;        /**< a topology.yaml that is not imported may say otherwise */
    char because[640]; /**< "Slurm 26.05.3, topology/tree" */
} topomap_db_slurm_order;

typedef struct topomap_db_summary {
    uint64_t hosts, switches, links, classes, subnets, unknown_adapters;
    uint64_t planes;    /**< connected components of switches that have adapters */
    char topology[16];  /**< "fat-tree", "torus", "mesh", "dragonfly", "irregular", "unknown" */
    char evidence[512]; /**< why: for instance "25x16x24 torus, 19200 of 19200 coordinates" */
    double confidence;  /**< 0..1: what share of what such a network would have is there */
    int partial;
    topomap_db_slurm_order slurm;
} topomap_db_summary;
/** What is in it, and what kind of network that is. */
TOPOMAP_PUBLIC int topomap_db_summarise(topomap_db *db, topomap_db_summary *summary,
                                        topomap_error *err);

/** One host as `db show` prints it; strings lent until the next call on the handle. */
typedef struct topomap_db_host {
    const char *name;
    const char *class_name; /**< or NULL: no hwloc export covers it */
    const char *attached;   /**< switches (comma separated) or coordinates "x,y,z" */
    const char *status;     /**< "up", or what the source says */
    const char *type;       /**< "compute", or what the source says, such as "service" */
} topomap_db_host;
/** Calls \p each for every host by name in natural order (node2 before node10), until it returns
 *  nonzero, which is returned. \p only: one host (resolved as a Slurm name), or NULL for all. */
TOPOMAP_PUBLIC int topomap_db_hosts(topomap_db *db, const char *only,
                                    int (*each)(const topomap_db_host *host, void *data),
                                    void *data, topomap_error *err);

/* ---- How far ---------------------------------------------------------------------------- */

/** One switch of a route: the ports of it that the route comes in and goes out by. */
typedef struct topomap_db_step {
    uint8_t in, out;
} topomap_db_step;

typedef struct topomap_db_distance {
    uint32_t hops;
    double cost;         /**< of one byte, in tenths of a hop over a reference link */
    char *route;         /**< names in lines, "node01\nleaf1\nspine2\nleaf3\nnode07", or NULL */
    const char *routing; /**< "lft": the routing tables'; "shortest-path"; "coordinates" */
    char *note;          /**< why it is not the tables' route where there are tables, or NULL */
    /** "lft" only: [steps] the route's switches in order, and the ends' ports and LIDs. */
    topomap_db_step *step;
    size_t steps;
    uint8_t from_port, to_port;
    uint16_t from_lid, to_lid;
} topomap_db_distance;
/** Frees what it owns. */
TOPOMAP_PUBLIC void topomap_db_distance_clear(topomap_db_distance *distance);

/** From \p a to \p b, Slurm node names: compared without case, with or without the domain.
 *  Where the hosts' subnet has routing tables the route is theirs; where there are none, or they
 *  do not lead there (said in note), it is a shortest path. Of hosts with several ports (rails)
 *  the two ports with the fewest hops between them count.
 *  \param distance  ends with topomap_db_distance_clear() */
TOPOMAP_PUBLIC int topomap_db_distance_between(topomap_db *db, const char *a, const char *b,
                                               topomap_db_distance *distance, topomap_error *err);

/* ---- The machine of an allocation -------------------------------------------------------- */

/** What a task is bound to. */
enum topomap_bind { TOPOMAP_BIND_CORE, TOPOMAP_BIND_PU, TOPOMAP_BIND_NUMA, TOPOMAP_BIND_NONE };

/** A step, for topomap_db_machine(). What is 0 means what it says; `size` must be set. */
typedef struct topomap_db_allocation {
    size_t size; /**< sizeof(topomap_db_allocation): TOPOMAP_EUSAGE where it is smaller than a
                      release ever had it, or larger with something behind that this one does not
                    know */
    const topomap_names *nodes; /**< Slurm node names in the step's order, each once */
    const uint32_t *tasks;      /**< [nodes->count] tasks on each */
    uint32_t cpus_per_task;     /**< 0 or 1: one place a task */
    uint32_t threads_per_core;  /**< of a core's PUs only so many are used; 0: all */
    enum topomap_bind bind;
    int compact; /**< nonzero: tasks side by side on a node that they do not fill, not spread */
    const topomap_cores *cores; /**< that the job has, of as many nodes; NULL: all cores */
} topomap_db_allocation;

/** The machine of an allocation: one slot per task, slots of a node in the tree order of its
 *  class. Slot k of n on a node of C places (cores; PUs with TOPOMAP_BIND_PU) starts at place
 *  floor(k * C / n) (compact: where slot k - 1 ends) and has the consecutive places that
 *  cpus_per_task needs, of each core's PUs the first threads_per_core; more tasks than places share
 *  them evenly. With `cores`, the places of a node
 *  are those of its cores that are listed, and where the tasks want more of them than there are but
 *  no more CPUs than these have PUs, the places are PUs; a list that names a core that the node's
 *  class does not have is passed over.
 *  A node that the database does not know is an error that names it.
 *
 *  Costs of a byte are in tenths of a hop over the reference link: the rate that most links between
 *  switches of that network have. A hop over a link of another rate costs the ratio of the rates
 * (at half the rate 20), or what an imported calibration says of its class; over the cheapest of
 * the shortest paths. Inside a node: one
 * cost for each level that cores can share, or what the calibration says. Which network:
 *  1. switches, where all nodes hang on some: kind "fabric", or "torus" or "mesh" with
 *     the same distances where all of them are those of a grid of switches. Hosts on one switch
 *     are 2 hops apart.
 *     On a Cray with an imported list of links hops are between routers, and a byte that leaves a
 *     node costs 10 more: two nodes on one router are 0 hops apart, and farther than two cores. A
 *     message takes one of several parallel cables; between routers of a Cray torus it is spread
 *     over all of them, and the pair's whole rate counts, against the usual pair's;
 *  2. coordinates, where all nodes have some: kind "torus" (a mesh where no dimension wraps), 10 +
 * 10 a hop between routers; Cray Aries, kind "fabric", with its hops between
 * blades, chassis and groups;
 *  3. Slurm's topology file, where it has all nodes: kind "fabric".
 *  Where the database has no network at all, every two nodes are 2 hops apart.
 *  \param machine   ends with topomap_machine_free()
 *  \param bindings  filled where not NULL: slot s of node i (its k-th) gets task_first[i] + k;
 *                   job and step are left 0; topomap_bindings_clear() ends it */
TOPOMAP_PUBLIC int topomap_db_machine(topomap_db *db, const topomap_db_allocation *allocation,
                                      topomap_machine **machine, topomap_bindings *bindings,
                                      topomap_error *err);

/** What the links carry is what `topomap db import counters` imported last. */
#define TOPOMAP_DB_MEASURED "measured"

/** Adds the links to a machine that topomap_db_machine() made of this allocation, for congestion:
 *  its nodes, every switch of the database, the cables between them with their rates (bytes a
 *  second; cables of unknown rate have the most common one). Nothing is added where the database
 *  has coordinates instead of switches. It reads the whole fabric: a launch does only where its
 *  objective goes by links. With routing tables, known
 *  or predicted, the machine has routes, too.
 *  \param background  a file of what the links carry already, as `topomap map --background` takes
 *                     it; TOPOMAP_DB_MEASURED; or NULL. A link keeps a hundredth of its rate at
 *                     least, however full it is */
TOPOMAP_PUBLIC int topomap_db_machine_links(topomap_db *db, const topomap_db_allocation *allocation,
                                            const char *background, topomap_machine *machine,
                                            topomap_error *err);

/** 1 if messages follow routing tables, imported or predicted, else 0; -1 on failure. */
TOPOMAP_PUBLIC int topomap_db_routed(topomap_db *db, topomap_error *err);

/** How messages are routed in the database's fabric. */
enum topomap_db_routes {
    TOPOMAP_DB_ROUTES_UNKNOWN,   /**< not known */
    TOPOMAP_DB_ROUTES_IMPORTED,  /**< by routing tables that were imported (importer lft) */
    TOPOMAP_DB_ROUTES_PREDICTED, /**< by the tables that OpenSM would set, in some subnets */
    TOPOMAP_DB_ROUTES_SHARED     /**< the switches share traffic among all shortest paths */
};
/** Tells how messages are routed.
 *  \param name  [size] out: if predicted, the engines (minhop, updn, ftree, dor) of the subnets,
 *               ", " between two; if shared, "adaptive", "ecmp" or engines of adaptive routing,
 *               "," between two; else ""
 *  \return 0, or -1 with \p err set if the database cannot be read */
TOPOMAP_PUBLIC int topomap_db_routing(topomap_db *db, enum topomap_db_routes *kind, char *name,
                                      size_t size, topomap_error *err);

/** Costs that a calibration measured (`topomap help db calibrate`), for topomap_time_evaluate(). */
enum topomap_db_measured {
    TOPOMAP_DB_RATE = 1,
    TOPOMAP_DB_LATENCY = 2,
    TOPOMAP_DB_HOP_LATENCY = 4,
    TOPOMAP_DB_MEMORY_RATE = 8
};

/** Puts what the database's calibration has in place of what \p costs, which begins with
 *  TOPOMAP_TIME_COSTS, has; a database without one, or with one of an earlier topomap, changes
 *  nothing. latency is that of the level router (0 where it has none), with what links of a class
 * of their own to most hosts take more than a hop; hop_latency that of a hop over the reference
 * link; rate what leaving a node and one hop let through; memory_rate that of the slowest level
 * inside nodes. \param measured  out: a sum of enum topomap_db_measured */
TOPOMAP_PUBLIC int topomap_db_time_costs(topomap_db *db, topomap_time_costs *costs,
                                         unsigned *measured, topomap_error *err);

#ifdef __cplusplus
}
#endif
#endif
