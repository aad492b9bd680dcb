/* SPDX-License-Identifier: BSD-3-Clause */
/* Which NICs a step's tasks are next to: a text that travels to the nodes beside the bindings, and
 * one node's part of it, flat. libc alone.
 *
 *     N1 set 17.3 t:mlx5_0*4,mlx5_1*4;g:mlx5_0,mlx5_1+mlx5_2,- 0*3,1 1a2b3c4d
 *
 * "set" or "advise"; job and step; the kinds of nodes: by what a task's NICs are found, then the
 * NICs, '+' between those of one, '-' where there is none, '*' before how many follow that are
 * alike; of each node of the step which kind it is; a CRC-32 of all before its blank. */
#ifndef TOPOMAP_PLAN_NICS_H
#define TOPOMAP_PLAN_NICS_H

#include "topomap/topomap.h"

enum {
    TOPOMAP_NIC_NAME = 32, /* with its NUL */
    TOPOMAP_NICS_KINDS = 256,
    TOPOMAP_NICS_ENTRIES = 1 << 16,
    TOPOMAP_NICS_GPUS = 1 << 12
};

/** By what a task's entry is found. */
enum topomap_nics_by {
    TOPOMAP_NICS_BY_TASK = 't', /**< its local id */
    TOPOMAP_NICS_BY_CPUS = 'c', /**< its local id, where it is bound to the planned CPUs */
    TOPOMAP_NICS_BY_TURN = 'g', /**< Slurm's index of a GPU: of the step's, that of its local id */
    TOPOMAP_NICS_BY_OWN_GPU = 'b', /**< all GPUs that Slurm has given to this task */
};

/** A node's part. */
typedef struct topomap_node_nics {
    uint32_t set;     /**< 0: tasks are only told */
    uint32_t by;      /**< enum topomap_nics_by; 0: nothing is known of this node */
    uint32_t entries; /**< of local ids, or of Slurm's indices of GPUs */
    uint32_t bytes;
    const char *text; /**< [bytes] an entry after the other, each with a NUL behind it: names,
                         commas between; "" none. A name may have a port behind a colon */
} topomap_node_nics;

/** Whether the name may stand in the text: of letters, digits and "_.-", and not too long. */
int topomap_nics_is_name(const char *name);

/** \param kind     [nodes] "t:mlx5_0*4,-" as above; "" where nothing is known of a node
 *  \return NULL on failure, or where they are of more than TOPOMAP_NICS_KINDS; ends with free() */
char *topomap_nics_encode(int set, uint32_t job, uint32_t step, uint32_t nodes,
                          const char *const *kind, topomap_error *err);

/** Reads one node's part. Names have no ports yet.
 *  \param most    bytes that it may take
 *  \param memory  where its text lies; ends with free()
 *  \return 0, or -1: what is no such text, or of another step, is TOPOMAP_EINPUT */
int topomap_nics_decode_node(const char *text, size_t size, uint32_t job, uint32_t step,
                             uint32_t node, size_t most, topomap_node_nics *nics, char **memory,
                             topomap_error *err);

/** Whether a node's part finds a task's entry by its local id. */
int topomap_node_nics_by_local(const topomap_node_nics *nics);
/** Whether a node's part is one: entries and names as said, by local ids as many as \p tasks. */
int topomap_node_nics_is_sound(const topomap_node_nics *nics, uint32_t tasks);
/** An entry; NULL where it has none of this number. */
const char *topomap_node_nics_entry(const topomap_node_nics *nics, uint32_t entry);

#endif
