/* SPDX-License-Identifier: BSD-3-Clause */
/** \file
 * The topology database: hosts, adapters, switches, links and coordinates as the fabric's own
 * tools print them, and the inside of each class of node, in one SQLite file. What other programs
 * may call, too, is in topomap/db.h.
 *
 * An import changes a copy of the file in one transaction and renames it into place; a reader never
 * sees half an import, takes no lock, and needs no write access to the file's directory. Functions
 * return 0 or -1 with a topomap_error; a handle is for one thread at a time, and goes on reading
 * what was there when it was opened. */
#pragma once

#include "topomap/db.h"
#include "util/cores.h"
#include "util/hostlist.h"

/** Opens for writing. Where there is no file, the first import that succeeds makes it. */
int topomap_db_create(const char *path, topomap_db **db, topomap_error *err);

/** Takes the lock that every writer of the database takes for as long as it writes. The caller ends
 *  it with close(\p *lock); -1 means that there is no file yet, or none that this user may write.
 *  Returns 0, or -1 with TOPOMAP_ESYSTEM if another writer has the lock. */
int topomap_db_lock(const char *path, int *lock, topomap_error *err);

/* ---- Import ------------------------------------------------------------------------------ */

typedef struct topomap_db_import_options {
    const char *nodes; /**< host list that an hwloc file is for, or NULL: the XML's own HostName */
    const char *const *option; /**< "name=value" of the importer's own options (its row lists
                                    them), ends with NULL; or NULL: none */
    const char *const *more;   /**< further files that are read behind the first, ends with NULL; or
                                    NULL: none. TOPOMAP_EUSAGE but for counters, lldp and
                                    aws-topology */
} topomap_db_import_options;

typedef struct topomap_db_report {
    uint64_t hosts, switches, links, adapters, unknown_adapters, classes; /**< read from the file */
    uint64_t ports;          /**< counters: with a rate */
    uint64_t entries;        /**< lft: rows of routing tables; switches counts the tables */
    int partial;             /**< the dump contains errors of the tool that printed it */
    size_t warnings;         /**< how many there were */
    char first_warning[512]; /**< file:line: text, or "" */
} topomap_db_report;

/** Imports \p path (plain, xz or zstd) with the importer of that name, replacing what the same
 *  source said before, in one transaction: on failure the database is as it was. The same source
 *  is: for the InfiniBand importers the file of that name, and any file imported earlier, with
 *  whichever of them, that has a switch of this one (one subnet, dumped again); so for lldp and
 *  netq, where a switch has the same name, and for aws-topology, gcp-topology, oci-topology and
 *  topograph, where a level or the root of all has; for xtprocadmin, xtdb2proc and cray-links any
 *  earlier one (a database holds one Cray machine), and so for slurm-topology, slurm-config,
 *  calibration and counters; for hwloc the file and its list of nodes; for links (coordinates) any
 *  earlier file with one of its switches (nodes); else the file of that name. Files that are given
 *  at once (more) are one source. The order of imports does not matter. */
int topomap_db_import(topomap_db *db, const char *importer, const char *path,
                      const topomap_db_import_options *options, topomap_db_report *report,
                      topomap_error *err);

/** Takes a source out of the database with all that it said, in one transaction. Which one: of
 *  \p importer the one of that \p name, as topomap_db_sources() tells it, or of that file, as it
 *  was imported for \p nodes, with NULL for any; name NULL: the only one. TOPOMAP_EUSAGE, with the
 *  names that there are, where that is none or several. */
int topomap_db_forget(topomap_db *db, const char *importer, const char *name, const char *nodes,
                      topomap_error *err);

typedef struct topomap_db_importer_row {
    const char *name;
    const char *help;
    /** `name=value`; values "yes|no": these words alone; with capitals, "FILE" or "N,N,...": free.
     *  Ends with name == NULL; or NULL: none. */
    const topomap_graph_option *options;
} topomap_db_importer_row;
/** Row i of the registry of importers, lent; NULL after the last. */
const topomap_db_importer_row *topomap_db_importers(size_t i);

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

/** How many bytes weigh as much as a message in J: those that pass during one hop's latency. The
 *  rest of a message's latency is the same wherever two nodes are. Latency and rate are those of
 *  the calibration; without one, 0.1 us (TOPOMAP_TIME_COSTS) and the rate that most cables have, or
 *  100 Gb/s: 1,250 bytes. */
int topomap_db_message_bytes(topomap_db *db, double *bytes, topomap_error *err);

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

/** How many nodes there are of a kind: of one status, type and class ("" where no export covers
 *  them), and how many links of a rate (Gb/s; 0: not known). */
typedef struct topomap_db_count {
    const char *status, *type, *class_name; /**< of nodes; lent until the next one */
    double gbps;                            /**< of links */
    uint64_t count;
} topomap_db_count;
/** Calls \p each for every kind of node, the most first, until it returns nonzero, which is
 *  returned. */
int topomap_db_count_hosts(topomap_db *db, int (*each)(const topomap_db_count *count, void *data),
                           void *data, topomap_error *err);
/** The same for links that are not down, the highest rate first. */
int topomap_db_count_links(topomap_db *db, int (*each)(const topomap_db_count *count, void *data),
                           void *data, topomap_error *err);

/** What the database was made from. */
typedef struct topomap_db_source {
    const char *importer, *name; /**< lent until the next one */
    int64_t time;                /**< when it was imported, seconds since 1970 */
    int partial;
    uint64_t warnings;
} topomap_db_source;
/** Calls \p each for every source, by importer and name, until it returns nonzero, which is
 *  returned. */
int topomap_db_sources(topomap_db *db, int (*each)(const topomap_db_source *source, void *data),
                       void *data, topomap_error *err);

/** How old a database is: when its sources were imported, and since when what it says is the same,
 *  however often they were imported again; 0: not known, as of earlier versions' databases. Seconds
 *  since 1970. */
typedef struct topomap_db_times {
    uint64_t sources;
    int64_t oldest, newest, changed;
} topomap_db_times;
int topomap_db_times_of(topomap_db *db, topomap_db_times *times, topomap_error *err);
/** A time of these, "2026-11-20 03:12" in UTC, "?" for what is no time. */
void topomap_db_date_put(int64_t seconds, char text[32]);
/** As text: "imported 2026-11-20 03:12 UTC", cut to \p size. */
void topomap_db_times_put(const topomap_db_times *times, char *text, size_t size);

typedef struct topomap_db_check_options {
    const topomap_names *nodes; /**< what Slurm has, or NULL: not known, but by an imported
                                     slurm-topology source */
    double max_age;             /**< of a source, in days */
} topomap_db_check_options;

typedef struct topomap_db_finding {
    const char *check;
    enum topomap_db_severity severity;
    const char *text; /**< one line */
    struct {
        int64_t vertex; /**< of the database's table */
        uint32_t port;  /**< 0: it is not about a link */
    } end[2];           /**< the link's, switches first */
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

/** How many hosts, switches or links of a network are gone. */
typedef struct topomap_db_loss {
    const char *what;      /**< "hosts", "switches", "links": static */
    uint64_t before, lost; /**< in the older database; of these, not in the newer one */
} topomap_db_loss;

enum { TOPOMAP_DB_LOSSES = 3 };

/** Counts what \p after has lost of the networks of \p before. A host is lost if it has links, or
 *  coordinates, in \p before and neither in \p after, whatever else \p after knows of it. Switches
 *  and links are counted only, since their names may change. Links that are down do not count.
 *  Returns 0, or -1 with \p err set. */
int topomap_db_losses(topomap_db *before, topomap_db *after,
                      topomap_db_loss loss[TOPOMAP_DB_LOSSES], topomap_error *err);

/* ---- Export ------------------------------------------------------------------------------ */

typedef struct topomap_db_exporter_row {
    const char *name;
    const char *help;
} topomap_db_exporter_row;
/** Row i of the registry of exporters; NULL after the last. */
const topomap_db_exporter_row *topomap_db_exporter_row_at(size_t i);

/** Writes the network to \p path ("-" is standard output), whole or not at all.
 *  \param nodes  NULL: everything; else a job's host graph: these hosts (an unknown one is an
 *                error) and every switch on a shortest path between them
 *  \param latency  seconds of each link, where the format has latencies (simgrid) */
int topomap_db_export(topomap_db *db, const char *exporter, const topomap_names *nodes,
                      double latency, const char *path, topomap_error *err);
/** The same of a machine without a database, by the exporters that can (simgrid). */
int topomap_db_export_machine(const topomap_machine *machine, const char *exporter, double latency,
                              const char *path, topomap_error *err);

/* ---- Machines ---------------------------------------------------------------------------- */

struct topomap_bindings;

/** The same without the insides of nodes, for a caller who knows them better: it adds its own
 * levels (machine/machine.h) and calls topomap_machine_finish(). bind, compact and cpus_per_task
 * are not looked at. */
int topomap_db_machine_between(topomap_db *db, const topomap_db_allocation *allocation,
                               topomap_machine **machine, topomap_error *err);
/** Cost of one byte between two cores of a node whose innermost common level has this name: as
 *  measured, where a calibration is imported, else topomap_shape_cost(). */
int topomap_db_inside_cost(topomap_db *db, const char *level, double *cost, topomap_error *err);

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
