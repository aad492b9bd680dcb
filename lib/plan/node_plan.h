/* SPDX-License-Identifier: BSD-3-Clause */
/* A node's slice of a plan. */
#pragma once

#include <stdint.h>

#include "topomap/topomap.h"

/* ---- node plan ----------------------------------------------------------------- */
/* One node's part of a plan, flat: what `topomap-node` hands to slurmstepd, which has nothing to
 * unfold and checks all of it before use. libc alone. */

enum {
    TOPOMAP_NODE_PLAN_PUS = 1 << 13,
    TOPOMAP_NODE_PLAN_TASKS = 1 << 16,
    TOPOMAP_NODE_PLAN_GPUS = 256
};

typedef struct topomap_node_plan {
    uint32_t job, step; /* a plan for another job or step must not be applied */
    uint32_t tasks;     /* by local id */
    uint32_t cores;     /* 0: the node's inside is not known, and there is nothing below but
                           GPUs */
    uint32_t pus;
    uint32_t runs;
    uint32_t gpus;              /* 0: their order is Slurm's */
    uint32_t amd;               /* whether they are AMD\'s */
    const uint32_t *task_first; /* [tasks + 1] each task's first run */
    const uint16_t *core_first; /* [cores + 1] each core's first PU in the class's order */
    const uint16_t *pu_os;      /* [pus] OS PU numbers in the class's order (plan/bindings.h) */
    const uint16_t *run;        /* [2 * runs] where a run of a task's PUs begins in the class's
                                   order, and how many they are */
    const uint16_t *gpu;       /* [gpus] that the step must have here, Slurm's indices, ascending */
    const uint16_t *gpu_place; /* [gpus] which of them stands k-th for the tasks. Where all stand
                                  where they are: each task has just one of them among those that
                                  Slurm has given it, and the task that has the k-th has the CPUs
                                  of the k-th task */
} topomap_node_plan;

/** Bytes of the arrays, by the counts alone; 0 where there are none. */
size_t topomap_node_plan_size(const topomap_node_plan *plan);

/** Lets the arrays lie in \p bytes, as many as topomap_node_plan_size() says, aligned for numbers
 * of 32 bits. */
void topomap_node_plan_lay(topomap_node_plan *plan, const void *bytes);

/** Whether the counts are such as a node can have: then topomap_node_plan_size() does not
 *  overflow. */
int topomap_node_plan_counts(const topomap_node_plan *plan);

/** Whether the arrays hold what is said above, each PU once in the class, each task's runs not
 * empty and ascending, the GPUs ascending and their order one. \return nonzero: they do */
int topomap_node_plan_is_sound(const topomap_node_plan *plan);

/* ---- sextets ------------------------------------------------------------------- */
/* Numbers as text: bit fields in characters of six bits each (RFC 4648, section 5, base64url).
 * libc alone, like the bindings, its only users. */

/** Text that grows. Once memory was short, `failed` stays set and writes do nothing. */
typedef struct topomap_sextet_writer {
    char *text; /**< [size] not terminated */
    size_t size, capacity;
    unsigned held, held_bits; /**< bits that do not fill a character yet */
    int failed;
} topomap_sextet_writer;

/** Text being read. Once it ran out or held a foreign character, `failed` stays set and every
 *  number read is 0. */
typedef struct topomap_sextet_reader {
    const char *text; /**< [size] */
    size_t size;
    size_t bit; /**< the next one, from 0 */
    int failed;
} topomap_sextet_reader;

/** The low \p width bits of \p value, 0 to 32, the highest first. */
void topomap_sextet_put(topomap_sextet_writer *writer, uint32_t value, unsigned width);
uint32_t topomap_sextet_get(topomap_sextet_reader *reader, unsigned width);

/** A number of any size below 2^40, in groups of five bits. */
void topomap_sextet_put_number(topomap_sextet_writer *writer, uint64_t value);
uint64_t topomap_sextet_get_number(topomap_sextet_reader *reader);

/** Fills the last character with zero bits. */
void topomap_sextet_align(topomap_sextet_writer *writer);

/** A list as arithmetic runs (start, step, length). */
void topomap_sextet_put_runs(topomap_sextet_writer *writer, const uint32_t *list, size_t count);

/** A run of such a list: start, start + step, ..., last. */
typedef struct topomap_sextet_run {
    int64_t start, step, last;
    uint32_t count;
} topomap_sextet_run;

/** Reads the next run of a list of which \p left numbers are still to come, each below \p limit.
 *  \p run  the one before; for the first, `last` is -1. \return 0, or -1 and `failed` is set */
int topomap_sextet_get_run(topomap_sextet_reader *reader, size_t left, uint32_t limit,
                           topomap_sextet_run *run);

/** Bits that number values 0 .. count-1, at least 1. */
unsigned topomap_sextet_width(uint32_t count);

/* ---- nic_names ----------------------------------------------------------------- */
/* Which NICs a step's tasks are next to: a text that travels to the nodes beside the bindings, and
 * one node's part of it, flat. libc alone.
 *
 *     N1 set 17.3 t:mlx5_0*4,mlx5_1*4;g:mlx5_0,mlx5_1+mlx5_2,- 0*3,1 1a2b3c4d
 *
 * "set" or "advise"; job and step; the kinds of nodes: by what a task's NICs are found, then the
 * NICs, '+' between those of one, '-' where there is none, '*' before how many follow that are
 * alike; of each node of the step which kind it is; a CRC-32 of all before its blank. */

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

/* ---- gpu bound ----------------------------------------------------------------- */
/* Which GPU each task gets where Slurm binds tasks to GPUs. libc only: srun and the nodes read it,
 * too. */

/** What srun says of it to the planner (`step-gpus`, plugin/protocol.md), of a value of --gpu-bind,
 * or of --tres-bind behind "gres/gpu:": "bound:map:3,1", "bound:2"; "bound" where it is none that
 * is known. */
enum { TOPOMAP_GPU_BOUND = 544 };
void topomap_gpu_bound_word(const char *bind, char word[TOPOMAP_GPU_BOUND]);
/** The same of a kind ("map:", "mask:", "single:", "" of a count) and its value. */
void topomap_gpu_bound_kind(const char *kind, const char *value, char word[TOPOMAP_GPU_BOUND]);

/** Whether such a word is of GPUs that Slurm binds. */
int topomap_gpu_is_bound(const char *said);
/** How many GPUs such a word gives each task, "bound:4"; 0: none, or not by a count, or no word. */
uint32_t topomap_gpu_bound_count(const char *said);

/** The GPU of each task of a node by local id, of several the first that no other task has, as
 *  Slurm deals them out (gres_g_task_set_env() in src/interfaces/gres.c) where it does not go by
 *  the tasks' CPUs (`closest`, or Cores= in gres.conf with per_task and single): the node looks at
 *  what they are before anything is bound by it.
 *  \param has     [gpus] of the node's that there are, Slurm's indices, ascending
 *  \param within  lists count within these, as they do where the cgroup constrains devices, else on
 * the node; 0: it is not known, and they must be the node's first ones, of which it is the same
 * (srun(1), --gpu-bind) \param first   [tasks] filled: no GPU twice \return nonzero: they are known
 */
int topomap_gpu_bound(const char *said, const uint32_t *has, uint32_t gpus, uint32_t tasks,
                      int within, uint32_t *first);
