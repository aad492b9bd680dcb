/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs and NICs of tasks, and how they travel as text. */
#pragma once

#include "plan/node_plan.h"
#include "topomap/plan.h"

/* ---- bindings ------------------------------------------------------------------ */
/* Which CPUs each task of a step gets: the part of a plan that travels to the compute nodes.
 *
 * It is written and read around a launch, so this file and bindings.c use libc alone: no hwloc, no
 * zstd, no other part of the library.
 *
 * What bindings are: topomap/plan.h. */

/** Encodes for an environment variable: printable ASCII without '=' trouble, versioned and
 *  checksummed (CRC-32). Aim: at most 2 characters a task where each task gets one core of a
 *  128-core node. NULL on failure; ends with free(). */
char *topomap_bindings_encode(const topomap_bindings *bindings, topomap_error *err);

/** The same CPUs dealt out in order: of each node's tasks, by local id, the first gets those that
 *  come first in the class's order. Nodes of one class with as many tasks are then all alike, and
 *  the text stays short however many they are.
 *  \p bindings  as topomap_bindings_decode() gives them; where a node has an order of GPUs, whose
 *  tasks have CPUs for them, it is TOPOMAP_EUSAGE
 *  \return the text, as topomap_bindings_encode()'s; NULL on failure; ends with free() */
char *topomap_bindings_in_order(const topomap_bindings *bindings, topomap_error *err);

/** Decodes what topomap_bindings_encode wrote; anything else is TOPOMAP_EINPUT. Sizes are bounded
 *  before memory is asked for: nodes and patterns by the text's length; a core by 256 PUs,
 *  a class by 8,192, all classes by 2^20; a node by 65,536 tasks, all of them by 2^24; all tasks'
 *  PUs by 2^25. */
int topomap_bindings_decode(const char *text, topomap_bindings *bindings, topomap_error *err);

/** The same for one node of the step alone, in time that grows with the text and the node's tasks,
 *  and with at most \p budget bytes: a text that wants more is refused before it has them.
 *  \param node    at or past the number of nodes is TOPOMAP_EINPUT
 *  \param memory  on success where the plan's arrays lie; ends with free() */
int topomap_bindings_decode_node(const char *text, size_t size, uint32_t node, size_t budget,
                                 topomap_node_plan *plan, void **memory, topomap_error *err);

/** Whether a text is bindings of this step, \p task_first as in topomap_bindings, without unfolding
 *  them: in time that grows with the text, and with at most four times its memory. What it takes,
 *  topomap_bindings_decode() does too, unless their PUs are over its bounds.
 *  \return 0, or -1: anything else, TOPOMAP_EINPUT */
int topomap_bindings_check(const char *text, uint32_t job, uint32_t step, uint32_t nodes,
                           const uint32_t *task_first, topomap_error *err);

/** CRC-32 (IEEE 802.3), for plans and replies. */
uint32_t topomap_crc32(uint32_t crc, const void *bytes, size_t size);

/* ---- bindings text ------------------------------------------------------------- */
/* What bindings.c and bindings_decode.c agree on. */

/* The second is of steps that have an order of GPUs alone: what earlier versions read stays. */
#define BINDINGS_MAGIC "T1"
#define BINDINGS_MAGIC_GPUS "T2"

enum {
    BINDINGS_CRC_CHARACTERS = 6,
    BINDINGS_CLASS_PUS = 1 << 13, /* also the bound of OS PU numbers: Linux's NR_CPUS at most */
    BINDINGS_CORE_PUS = 256,
    BINDINGS_ALL_CLASS_PUS = 1 << 20,
    BINDINGS_NODES = 1 << 20,
    BINDINGS_NODE_GPUS = TOPOMAP_NODE_PLAN_GPUS,
    BINDINGS_GPU_INDEX = 1 << 12,
    BINDINGS_NODE_TASKS = 1 << 16, /* Slurm counts a node's tasks in 16 bits */
    BINDINGS_TASKS = 1 << 24,
    BINDINGS_PUS = 1 << 25,
    BINDINGS_CHARACTERS = 1 << 26,
};

/* The three forms of a pattern's body. */
enum bindings_form { BINDINGS_EVEN, BINDINGS_EVEN_RUNS, BINDINGS_UNEVEN };

/* ---- bindings walk ------------------------------------------------------------- */
/* Goes through the text that bindings.c describes without unfolding it: what a number of it decides
 * is checked where it is read, in time that grows with the text alone and with memory for a class
 * of eight bytes. */

/* A class without its PUs, and where it begins. */
struct bindings_class {
    uint16_t cores, pus;
    uint32_t bit;
};

/* A pattern without its body, and where the body begins. */
struct bindings_pattern {
    uint32_t node_class; /* UINT32_MAX: unknown inside */
    uint32_t tasks, length;
    uint32_t places; /* cores or PUs of the class */
    uint32_t runs;   /* of places, of all tasks */
    enum bindings_form form;
    int cores; /* places are cores */
    size_t bit;
    uint32_t gpus; /* that have an order */
    uint32_t amd;  /* whether they are AMD's */
    size_t gpu_bit;
};

struct bindings_walk {
    topomap_sextet_reader reader;
    int with_gpus; /* patterns say of GPUs */
    uint32_t job, step;
    uint32_t classes, patterns, nodes;
    struct bindings_class *node_class; /* [classes] */
    size_t pattern_bit;                /* where the first pattern begins */
    size_t node_bit; /* where the nodes' pattern numbers begin, of `width` bits each */
    unsigned width;
    size_t budget; /* bytes that may still be asked for */
    topomap_error *err;
};

/* Header, checksum and classes; then the reader stands before the first pattern. \p deep  looks at
 * every PU of the classes, too. Ends with bindings_walk_close(), after a failure, too. */
int bindings_walk_open(struct bindings_walk *walk, const char *text, size_t size, size_t budget,
                       int deep, topomap_error *err);
void bindings_walk_close(struct bindings_walk *walk);

/* The next pattern; \p deep looks at every task's place. */
int bindings_walk_pattern(struct bindings_walk *walk, int deep, struct bindings_pattern *pattern);

/* Behind the last pattern: how many nodes there are, and that nothing follows theirs. */
int bindings_walk_nodes(struct bindings_walk *walk);

/* \return a node's pattern, or UINT32_MAX: not one that is there */
uint32_t bindings_walk_pattern_of(struct bindings_walk *walk, uint32_t node);

/* Goes on with a class: its cores' first PUs, [cores + 1], and its OS PU numbers in the class's
 * order, [pus]. */
int bindings_walk_class(struct bindings_walk *walk, const struct bindings_class *node_class,
                        uint16_t *core_first, uint16_t *pu_os);

/* Gives every run of consecutive places of a pattern's tasks to \p add: tasks ascend, a task's runs
 * too. \return 0, or -1: the text is none, or \p add said so */
int bindings_walk_tasks(struct bindings_walk *walk, const struct bindings_pattern *pattern,
                        int (*add)(void *context, uint32_t task, uint32_t start, uint32_t length),
                        void *context);

/* A pattern's GPUs, ascending, and which of them stands k-th: [gpus] each. */
int bindings_walk_gpus(struct bindings_walk *walk, const struct bindings_pattern *pattern,
                       uint16_t *gpu, uint16_t *place);

/* Memory out of the budget, zeroed; NULL and the error set where it is spent. Ends with free(). */
void *bindings_walk_alloc(struct bindings_walk *walk, size_t count, size_t size);

int bindings_walk_bad(const struct bindings_walk *walk, const char *what);
