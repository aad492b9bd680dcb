/* SPDX-License-Identifier: BSD-3-Clause */
/* What bindings.c and bindings_decode.c agree on. */
#ifndef TOPOMAP_PLAN_BINDINGS_TEXT_H
#define TOPOMAP_PLAN_BINDINGS_TEXT_H

#include "plan/node_plan.h"
#include "plan/sextets.h"

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

#endif
