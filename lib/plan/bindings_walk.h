/* SPDX-License-Identifier: BSD-3-Clause */
/* Goes through the text that bindings.c describes without unfolding it: what a number of it decides
 * is checked where it is read, in time that grows with the text alone and with memory for a class
 * of eight bytes. */
#ifndef TOPOMAP_PLAN_BINDINGS_WALK_H
#define TOPOMAP_PLAN_BINDINGS_WALK_H

#include "plan/bindings_text.h"

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

#endif
