/* SPDX-License-Identifier: BSD-3-Clause */
/* What topomap-verify compares: the plan, and what PMIx, Slurm and the kernel say of a task. */
#pragma once

#include <sched.h>

#include "topomap/topomap.h"

enum { VERIFY_CPUS = 8192, VERIFY_NAME = 256 };

typedef struct verify_cpus {
    int known;
    cpu_set_t *set; /* CPU_ALLOC(VERIFY_CPUS) */
} verify_cpus;

/** What a plan says of one task. */
typedef struct verify_plan {
    char node[VERIFY_NAME]; /* "": it does not say */
    long local_rank;        /* -1: it does not say */
    long local_size;        /* likewise */
    long tasks;             /* likewise */
    verify_cpus cpus;
} verify_plan;

/** From the placement of `topomap map --format json`. */
int verify_plan_read(const char *path, long rank, verify_plan *plan, topomap_error *err);
/** From TOPOMAP_BINDINGS, which the launch plugin leaves: the CPUs alone. Where they go by the GPU
 *  that Slurm gives a task, they are those of the task that has it.
 *  \param step_gpus  TOPOMAP_GPU of the task, else SLURM_STEP_GPUS, or NULL */
int verify_plan_bindings(const char *text, uint32_t node, uint32_t local, const char *step_gpus,
                         verify_plan *plan, topomap_error *err);
int verify_plan_init(verify_plan *plan, topomap_error *err);
void verify_plan_clear(verify_plan *plan);

/** Compares PMIx's locality string ("SK0:L30:L20:CR1:HT2"; PMIX_LOCALITY_STRING) with the CPUs that
 * a task has: each part must name the objects of this machine that hold them. \return 0, or -1 and
 * the part that is wrong; parts that hwloc here cannot judge pass */
int verify_locality(const char *locality, const cpu_set_t *cpus, topomap_error *err);

/** "0-3,8". */
void verify_cpus_text(const cpu_set_t *set, char *text, size_t size);
