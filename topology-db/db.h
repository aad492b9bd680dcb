/* SPDX-License-Identifier: BSD-3-Clause */
/** \file
 * The topology database: hosts, adapters, switches, links and coordinates as the fabric's own
 * tools print them, and the inside of each class of node, in one SQLite file.
 *
 * An import changes a copy of the file in one transaction and renames it into place; a reader never
 * sees half an import, takes no lock, and needs no write access to the file's directory. Functions
 * return 0 or -1 with a topomap_error; a handle is for one thread at a time, and goes on reading
 * what was there when it was opened. */
#ifndef TOPOMAP_DB_H
#define TOPOMAP_DB_H

#include "topomap/topomap.h"
#include "util/cores.h"
#include "util/hostlist.h"

typedef struct topomap_db topomap_db;

/** Opens for reading. A missing file, another kind of file, or a newer schema is an error that
 *  says so. */
int topomap_db_open(const char *path, topomap_db **db, topomap_error *err);
/** Opens for writing. Where there is no file, the first import that succeeds makes it. */
int topomap_db_create(const char *path, topomap_db **db, topomap_error *err);
void topomap_db_close(topomap_db *db);

/* ---- Import ------------------------------------------------------------------------------ */

typedef struct topomap_db_import_options {
    const char *nodes; /**< host list that an hwloc file is for, or NULL: the XML's own HostName */
    const char *const *option; /**< "name=value" of the importer's own options (its row lists
                                    them), ends with NULL; or NULL: none */
} topomap_db_import_options;

typedef struct topomap_db_report {
    uint64_t hosts, switches, links, adapters, unknown_adapters, classes; /**< read from the file */
    uint64_t entries;        /**< lft: rows of routing tables; switches counts the tables */
    int partial;             /**< the dump contains errors of the tool that printed it */
    size_t warnings;         /**< how many there were */
    char first_warning[512]; /**< file:line: text, or "" */
} topomap_db_report;

/** Imports \p path (plain, xz or zstd) with the importer of that name, replacing what the same
 *  source said before, in one transaction: on failure the database is as it was. The same source
 *  is: for the InfiniBand importers the file of that name, and any file imported earlier, with
 *  whichever of them, that has a switch of this one (one subnet, dumped again); for xtprocadmin,
 *  xtdb2proc and cray-links any earlier one (a database holds one Cray machine), and so for
 *  slurm-topology, slurm-config and calibration; for hwloc the file and its list of nodes; for
 * links (coordinates) any earlier file with one of its switches (nodes); else the file of that
 * name. The order of imports does not matter. */
int topomap_db_import(topomap_db *db, const char *importer, const char *path,
                      const topomap_db_import_options *options, topomap_db_report *report,
                      topomap_error *err);

/** An option of one importer: `name=value`. */
typedef struct topomap_db_importer_option {
    const char *name;
    const char
        *values; /**< "yes|no": these words alone; with capitals, "FILE" or "N,N,...": free */
    const char *help;
} topomap_db_importer_option;

typedef struct topomap_db_importer_row {
    const char *name;
    const char *help;
    const topomap_db_importer_option *options; /**< ends with name == NULL; or NULL: none */
} topomap_db_importer_row;
/** The registry of importers; ends with name == NULL. */
const topomap_db_importer_row *topomap_db_importers(void);

/* ---- Questions --------------------------------------------------------------------------- */

/** What of `scontrol show config` decides in which order Slurm gives tasks to nodes. */
typedef struct topomap_db_slurm_config {
    char version[32];     /**< SLURM_VERSION */
    char plugin[64];      /**< TopologyPlugin */
    char topology[512];   /**< TopologyParam */
    char select_type[64]; /**< SelectType; "": not known, taken for select/cons_tres */
    char select[512];     /**< SelectTypeParameters */
    char yaml[8];         /**< topology.yaml beside slurm.conf: "none", "there"; "": not known */
} topomap_db_slurm_config;
/** From what it prints; anything else is an error. */
int topomap_db_slurm_config_read(const char *text, topomap_db_slurm_config *config,
                                 topomap_error *err);

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
/** \param config  what Slurm says now, to compare; NULL: what slurm-config imported last. A
 *  database without it, also one of an earlier topomap, has the node index. */
int topomap_db_slurm_order_of(topomap_db *db, const topomap_db_slurm_config *config,
                              topomap_db_slurm_order *order, topomap_error *err);

/** The nodes in the order in which a block step fills them by Slurm's topology: by leaf switches,
 *  blocks or rings as the file has them, in a torus along Morton's curve (26.05,
 *  slurm_step_layout.c and the topology plugins), or as the nodes are numbered by it; nodes that
 *  the topology does not have first.
 *  \param topology  its name in topology.yaml; NULL: the one that is chosen at the import, the
 *                   cluster's default. Not imported: TOPOMAP_EINPUT
 *  \param nodes     the step's, by node index, as its node list has them
 *  \param job       the job's, of which 26.05 makes the ranks; NULL: \p nodes. One of \p nodes that
 *                   is not the job's: TOPOMAP_EUSAGE
 *  \param sequence  [nodes->count] out: indices into \p nodes
 *  \param of_job    out, or NULL: whether the job's other nodes count (ring, torus3d) */
int topomap_db_slurm_sequence(topomap_db *db, const char *topology, const topomap_names *nodes,
                              const topomap_names *job, uint32_t *sequence, int *of_job,
                              topomap_error *err);

typedef struct topomap_db_summary {
    uint64_t hosts, switches, links, classes, subnets, unknown_adapters;
    uint64_t planes;    /**< connected components of switches that have adapters */
    char topology[16];  /**< "fat-tree", "torus", "mesh", "dragonfly", "irregular", "unknown" */
    char evidence[512]; /**< why: for instance "25x16x24 torus, 19200 of 19200 coordinates" */
    double confidence;  /**< 0..1: what share of what such a network would have is there */
    int partial;
    topomap_db_slurm_order slurm;
} topomap_db_summary;
int topomap_db_summarise(topomap_db *db, topomap_db_summary *summary, topomap_error *err);

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
int topomap_db_hosts(topomap_db *db, const char *only,
                     int (*each)(const topomap_db_host *host, void *data), void *data,
                     topomap_error *err);

/** One port of an adapter; strings lent until the next call of \p each. */
typedef struct topomap_db_port {
    const char *description; /**< of the adapter, as the fabric has it */
    const char *adapter;     /**< its name on the node ("mlx5_0"), or "" */
    uint64_t guid;           /**< of the adapter; of its lowest port, where that is all there is */
    uint64_t port_guid;      /**< or 0 */
    uint32_t port;           /**< 0: no port of it is known */
    uint32_t lid;            /**< or 0 */
    uint32_t rail;  /**< from 1, for each pair of adapter and plane: two ports of one adapter on one
                         plane are one rail; 0: the port leads to no switch */
    uint32_t plane; /**< connected component of switches, from 1, or 0 */
    const char *switch_label; /**< the switch at the other end, or "" */
    uint32_t switch_port;
    uint32_t width;    /**< lanes, or 0 */
    const char *speed; /**< "EDR", or "" */
    const char *state; /**< "up", "down", or "" where no port is known */
} topomap_db_port;
/** Calls \p each for the ports of the host's InfiniBand adapters, by adapter and port, until it
 *  returns nonzero, which is returned. \p node NULL: those of adapters whose host is not known. */
int topomap_db_ports(topomap_db *db, const char *node,
                     int (*each)(const topomap_db_port *port, void *data), void *data,
                     topomap_error *err);

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
void topomap_db_distance_clear(topomap_db_distance *distance);

typedef struct topomap_db_route_options {
    uint32_t rail; /**< 0: the shortest of all; n: from each host's n-th port (adapters by GUID,
                        then ports) */
    uint32_t path; /**< added to the destination's base LID, below 2^LMC */
} topomap_db_route_options;

/** For many questions: what all of them need is loaded once. The handle must outlive it. */
typedef struct topomap_db_router topomap_db_router;
int topomap_db_router_open(topomap_db *db, topomap_db_router **router, topomap_error *err);
void topomap_db_router_close(topomap_db_router *router);

/** From \p a to \p b, Slurm node names: compared without case, with or without the domain.
 *  Where the hosts' subnet has routing tables the route is theirs: from the leaf switch of a's port
 *  by the tables for the LID of b's port. Of hosts with several ports (rails), the two ports with
 *  the fewest hops between them, and of several such the first (adapters by GUID, then ports).
 *  Where there are no tables, or they do not lead there (said in note), it is a shortest path.
 *  \param options  NULL: {0, 0} */
int topomap_db_router_route(topomap_db_router *router, const char *a, const char *b,
                            const topomap_db_route_options *options, topomap_db_distance *distance,
                            topomap_error *err);
/** One question. */
int topomap_db_distance_between(topomap_db *db, const char *a, const char *b,
                                topomap_db_distance *distance, topomap_error *err);

/* ---- Check ------------------------------------------------------------------------------- */

/** Information is no reason to do anything: the administrator may know it. */
enum topomap_db_severity { TOPOMAP_DB_INFO, TOPOMAP_DB_WARNING, TOPOMAP_DB_ERROR };

typedef struct topomap_db_check_row {
    const char *name;
    enum topomap_db_severity severity; /**< of most of its findings */
    const char *help;                  /**< what it finds, one line */
    const char *remedy;                /**< what to do about it */
} topomap_db_check_row;
/** Row i of the table of checks; NULL after the last. */
const topomap_db_check_row *topomap_db_check_row_at(size_t i);

typedef struct topomap_db_check_options {
    const topomap_names *nodes; /**< what Slurm has, or NULL: not known, but by an imported
                                     slurm-topology source */
    double max_age;             /**< of a source, in days */
} topomap_db_check_options;

typedef struct topomap_db_finding {
    const char *check;
    enum topomap_db_severity severity;
    const char *text;   /**< one line */
    const char *remedy; /**< static */
} topomap_db_finding;

/** Runs all checks in the order of the table and calls \p each for every finding, whose texts are
 *  lent until it returns, until it returns nonzero, which is returned. */
int topomap_db_check(topomap_db *db, const topomap_db_check_options *options,
                     int (*each)(const topomap_db_finding *finding, void *data), void *data,
                     topomap_error *err);

/* ---- Differences --------------------------------------------------------------------------- */

typedef struct topomap_db_change {
    const char *change;         /**< "added", "removed", "changed": static */
    const char *what;           /**< "host", "switch", "link", "class", "vertex": static */
    const char *name;           /**< a host's or switch's name, a link's two ends */
    const char *before, *after; /**< what is known of it ("" nothing); NULL: not there */
} topomap_db_change;

/** What is different in \p b from \p a, by names of hosts, labels of switches and the descriptions
 *  of adapters, so that a fabric whose LIDs and GUIDs were given out anew is the same fabric.
 *  Calls \p each for every change, by kind and in natural order of names, until it returns nonzero,
 *  which is returned; texts are lent until then. Imports' names and times are not compared, nor are
 *  links that are down. Where one side has hosts in place of adapters, links end at hosts on both;
 *  where some link has a rate without width and speed, all rates are usable Gb/s.
 *  \param guids  nonzero: compare GUIDs too, as "vertex" */
int topomap_db_diff(topomap_db *a, topomap_db *b, int guids,
                    int (*each)(const topomap_db_change *change, void *data), void *data,
                    topomap_error *err);

/* ---- Export ------------------------------------------------------------------------------ */

typedef struct topomap_db_exporter_row {
    const char *name;
    const char *help;
} topomap_db_exporter_row;
/** Row i of the registry of exporters; NULL after the last. */
const topomap_db_exporter_row *topomap_db_exporter_row_at(size_t i);

/** Writes the network to \p path ("-" is standard output), whole or not at all.
 *  \param nodes  NULL: everything; else a job's host graph: these hosts (an unknown one is an
 *                error) and every switch on a shortest path between them */
int topomap_db_export(topomap_db *db, const char *exporter, const topomap_names *nodes,
                      const char *path, topomap_error *err);

/* ---- Machines ---------------------------------------------------------------------------- */

enum topomap_bind { TOPOMAP_BIND_CORE, TOPOMAP_BIND_PU, TOPOMAP_BIND_NUMA, TOPOMAP_BIND_NONE };

typedef struct topomap_db_allocation {
    const topomap_names *nodes; /**< Slurm node names in the step's order */
    const uint32_t *tasks;      /**< [nodes->count] tasks on each */
    uint32_t cpus_per_task;     /**< 0 or 1: one place a task */
    uint32_t threads_per_core;  /**< of a core's PUs only so many are used; 0: all */
    enum topomap_bind bind;
    int compact; /**< nonzero: tasks side by side on a node that they do not fill, not spread */
    const topomap_cores *cores; /**< that the job has, of as many nodes; NULL: all cores */
} topomap_db_allocation;

struct topomap_bindings;

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
 * the shortest paths. Inside a node: machine/shape.h, or the calibration. Which network:
 *  1. switches, where all nodes hang on some: kind "fabric", or "torus" or "mesh" with
 *     the same distances where all of them are those of a grid of switches. Hosts on one switch
 *     are 2 hops apart.
 *     On a Cray with an imported list of links hops are between routers, and a byte that leaves a
 *     node costs 10 more: two nodes on one router are 0 hops apart, and farther than two cores. A
 *     message takes one of several parallel cables; between routers of a Cray torus it is spread
 *     over all of them, and the pair's whole rate counts, against the usual pair's;
 *  2. coordinates, where all nodes have some: kind "torus" (a mesh where no dimension wraps), 10 +
 * 10 a hop between routers; Cray Aries, kind "fabric", with the hops of
 * topology-db/query/network.h;
 *  3. Slurm's topology file, where it has all nodes: kind "fabric".
 *  Where the database has no network at all, every two nodes are 2 hops apart.
 *  \param bindings  filled where not NULL: slot s of node i (its k-th) gets task_first[i] + k;
 *                   job and step are left 0; topomap_bindings_clear() ends it */
int topomap_db_machine(topomap_db *db, const topomap_db_allocation *allocation,
                       topomap_machine **machine, struct topomap_bindings *bindings,
                       topomap_error *err);

/** The same without the insides of nodes, for a caller who knows them better: it adds its own
 * levels (machine/machine.h) and calls topomap_machine_finish(). bind, compact and cpus_per_task
 * are not looked at. */
int topomap_db_machine_between(topomap_db *db, const topomap_db_allocation *allocation,
                               topomap_machine **machine, topomap_error *err);
/** Cost of one byte between two cores of a node whose innermost common level has this name: as
 *  measured, where a calibration is imported, else topomap_shape_cost(). */
int topomap_db_inside_cost(topomap_db *db, const char *level, double *cost, topomap_error *err);

/** Adds the links to a machine that topomap_db_machine() made of this allocation, for congestion:
 *  its nodes, every switch of the database, the cables between them with their rates (bytes a
 *  second; cables of unknown rate have the most common one). Nothing is added where the database
 *  has coordinates instead of switches. Not for the launch: it reads the whole fabric. With
 *  routing tables (importer lft) the machine has routes, too.
 *  \param background  a file for topomap_network_background(), or NULL */
int topomap_db_machine_links(topomap_db *db, const topomap_db_allocation *allocation,
                             const char *background, topomap_machine *machine, topomap_error *err);

/* ---- Made machines ------------------------------------------------------------------------ */

typedef struct topomap_db_synth_report {
    uint64_t hosts, switches, adapters, links, faults;
    const char *file[8]; /**< names in the folder; static */
    size_t files;
} topomap_db_synth_report;

/** Writes the dumps of a made machine into \p folder, which is made where it is not there:
 *  fabric.ibnetdiscover and fabric.lfts, or with cray= machine.xtprocadmin and machine.xtdb2proc,
 *  and faults.txt. `topomap help db synth` has the words of \p spec; a bad one is TOPOMAP_EUSAGE.
 *  The same specification gives the same bytes.
 *  \param fault  called for every fault that was made, or NULL
 *  \param report  or NULL */
int topomap_db_synth(const char *spec, const char *folder,
                     void (*fault)(const char *text, void *data), void *data,
                     topomap_db_synth_report *report, topomap_error *err);

#endif
