/* SPDX-License-Identifier: BSD-3-Clause */
/* New ranks for the processes of a communicator, so that those that talk are close. Everything here
 * is collective over a team and calls PMPI_ names alone. What can fail on one process is agreed
 * upon by all before anybody waits for it. */
#pragma once

#include "contrib/reorder/topomap-mpi.h"
#include "machine/machine.h"
#include "machine/shape.h"
#include "util/alloc.h"

/* ---- settings.c ---- */

/** From the environment. */
typedef struct reorder_settings {
    int off;           /* TOPOMAP=off, TOPOMAP_REORDER=off */
    int verbose;       /* TOPOMAP_REORDER=verbose: one line a call */
    int counts;        /* TOPOMAP_REORDER=count: a line with what could be gained, and ranks stay */
    int placed;        /* TOPOMAP_APPLIED=1: the launch has placed the ranks by their traffic */
    double seconds;    /* TOPOMAP_REORDER_SECONDS: the search's limit */
    const char *db;    /* TOPOMAP_DB, or the usual place */
    int db_named;      /* by the user: worth a word where it cannot be used */
    const char *nodes; /* TOPOMAP_REORDER_NODES, for tests: "node[/CPU]" for each rank of
                          MPI_COMM_WORLD, comma separated */
    const char
        *inside; /* TOPOMAP_REORDER_INSIDE, for tests: an hwloc XML instead of this machine */
} reorder_settings;
void reorder_settings_read(reorder_settings *settings);
/** Item \p rank of settings->nodes: its name (cut to \p size), its CPU or -1. */
void reorder_settings_node(const reorder_settings *settings, int rank, char *name, size_t size,
                           int *cpu);
/** A line on standard error, where verbose. */
void reorder_say(const reorder_settings *settings, const char *format, ...) TOPOMAP_PRINTF(2, 3);

/* ---- programs.c ---- */

/** A program that goes wrong where its ranks are others than it takes for granted. */
typedef struct reorder_program {
    const char *name;
    const char *why;
} reorder_program;
/** The row of this process's program; NULL: it has none. */
const reorder_program *reorder_program_known(void);

/* ---- team.c ---- */

/** The processes of a communicator, and those of each node. */
typedef struct reorder_team {
    MPI_Comm all;     /* private, the caller's ranks */
    MPI_Comm node;    /* those of this node, in that order */
    MPI_Comm leaders; /* the first of each node: its ranks number nodes; else MPI_COMM_NULL */
    int rank, size, node_rank, node_size;
} reorder_team;
int reorder_team_open(MPI_Comm comm, const reorder_settings *settings, reorder_team *team);
void reorder_team_close(reorder_team *team);
/** Nonzero on all where \p ok is nonzero on all. */
int reorder_agree(MPI_Comm comm, int ok);
/** Brings \p count items of \p size bytes of each process to rank 0, one process behind the other.
 *  \param all  filled there: [*total], to free, whatever is returned; elsewhere NULL
 *  \return 0; or -1: MPI fails, or what all have together is too much for rank 0 */
int reorder_gather(MPI_Comm comm, const void *own, size_t count, size_t size, void **all,
                   size_t *total);

/* ---- node_cores.c ---- */

enum { REORDER_LEVELS = TOPOMAP_SHAPE_LEVELS + 1, REORDER_NAME = 256 };

/** What a node's first process knows of its node: slots in tree order, and the groups they form. */
typedef struct reorder_inside {
    char name[REORDER_NAME];
    uint32_t slots, levels;         /* levels from the inside out, without the node itself */
    char level[REORDER_LEVELS][16]; /* their names */
    uint32_t *row;                  /* [levels + 1][slots] each slot's process, as its rank in
                                       team->all; then its group at each level, whose ids ascend */
} reorder_inside;
static inline uint32_t *reorder_inside_row(const reorder_inside *inside, uint32_t i)
{
    return inside->row + (size_t)i * inside->slots;
}
/** On leaders the inside is filled. 0 on all, or -1 on all. */
int reorder_inside_collect(const reorder_team *team, const reorder_settings *settings,
                           reorder_inside *inside, topomap_error *err);
void reorder_inside_clear(reorder_inside *inside);
/** The insides of all nodes, on rank 0: [nodes], to free; so are the rows of the first, behind
 *  which those of the others lie. */
int reorder_inside_gather(const reorder_team *team, const reorder_inside *own,
                          reorder_inside **insides, uint32_t *nodes, topomap_error *err);

/* ---- target.c ---- */

struct topomap_mpi_target {
    reorder_team team;
    reorder_settings settings;
    reorder_inside inside; /* on leaders */
    /* On rank 0: */
    topomap_machine *machine;
    int *process_of;   /* [slots] */
    uint32_t *slot_of; /* [processes] */
};

/** What lies between nodes: on rank 0 only, where \p names and \p slots are [nodes]. Adds it to a
 *  frame that it makes. */
typedef int reorder_between(const topomap_mpi_target *target, void *data, uint32_t nodes,
                            char *const *names, const uint32_t *slots, topomap_machine **machine,
                            topomap_error *err);
/** A target with such an outside. \p inside: costs; NULL, or none after \p between was called:
 * those of machine/shape.h times \p scale. */
int reorder_target_make(MPI_Comm comm, reorder_between *between, void *data,
                        const topomap_mpi_costs *inside, double scale, topomap_mpi_target **target,
                        topomap_error *err);
/** By the database where it can be used. */
int reorder_target_default(MPI_Comm comm, topomap_mpi_target **target, topomap_error *err);
void reorder_target_free(topomap_mpi_target *target);
/** Attribute of a local pointer to a target, or to NULL: reorder_target_free() is called at the end
 *  of its scope. It is collective: all processes must leave the scope with a target, or none. */
#define REORDER_TARGET_FREED TOPOMAP_CLEANUP(reorder_target_end)
static inline void reorder_target_end(topomap_mpi_target **target)
{
    reorder_target_free(*target);
}
/** The database's, or one distance for all. */
reorder_between reorder_between_database; /* data: topomap_mpi_costs *, filled, or emptied */
reorder_between reorder_between_flat;     /* data: double *, the cost */

/* ---- gather_edges.c ---- */

typedef struct reorder_arc {
    uint32_t from, to;
    uint64_t bytes;
} reorder_arc;
typedef struct reorder_arcs {
    reorder_arc *arc;
    size_t count, room;
} reorder_arcs;
static inline void reorder_arcs_clear(reorder_arcs *arcs)
{
    free(arcs->arc);
}
int reorder_arcs_add(reorder_arcs *arcs, int from, int to, int bytes);
/** Brings the arcs of all processes to rank 0 as a graph of \p ranks ranks. 0 on all or -1 on all.
 */
int reorder_arcs_gather(const reorder_team *team, const reorder_arcs *arcs, uint32_t ranks,
                        topomap_graph **graph, topomap_error *err);
int reorder_arcs_graph(const reorder_arcs *arcs, uint32_t ranks, topomap_graph **graph,
                       topomap_error *err);
/** What this process sends by its communicator's topology; EUSAGE where there is none. */
int reorder_arcs_of_topology(MPI_Comm comm, reorder_arcs *arcs, topomap_error *err);
/** All edges of a Cartesian topology. */
int reorder_arcs_of_grid(int ndims, const int *dims, const int *periods, reorder_arcs *arcs);

/* ---- place.c ---- */

typedef struct reorder_plan {
    const char *node_stage; /* algorithm */
    const char *core_stage;
    const char *what; /* for reorder_say() */
    const int *start; /* on rank 0: [processes] rank of each process to begin with, a
                         permutation; NULL: its own */
    int counts;       /* what is found is said, and no rank will change */
} reorder_plan;
/** Maps a graph, known on rank 0, of as many ranks as processes, or fewer.
 *  \param newrank  filled: MPI_UNDEFINED where the graph has no rank for this process; on failure
 *                  what it would be by plan->start
 *  \return 1 on all: some process has another rank; 0 on all: none has; -1 on all: it failed */
int reorder_place(const topomap_mpi_target *target, const topomap_graph *graph, uint32_t ranks,
                  const reorder_plan *plan, int *newrank, topomap_error *err);
