/* SPDX-License-Identifier: BSD-3-Clause */
/* Slurm and the kernel, as the plugin's hooks see them, in the hands of a test: SPANK's functions,
 * the public ones of libslurm that the plugin calls, and the CPU masks of one process. */
#ifndef TESTS_UNIT_MOCK_SLURM_H
#define TESTS_UNIT_MOCK_SLURM_H

#include <slurm/slurm.h>
#include <slurm/spank.h>

#include "plugin/node/cpus.h"

enum { MOCK_VARIABLES = 64, MOCK_SAID = 1 << 16 };

/* How srun's handle begins (plugin/srun/slurm_layout.c). */
typedef struct mock_handle {
    int magic;
    void *plugin;
    int phase;
    const void *job;
} mock_handle;

typedef struct mock_job {
    uid_t uid;
    gid_t gid;
    uint32_t job, step;
    slurm_step_layout_t *layout;
    int count;
    char **words;
} mock_job;

typedef struct mock {
    spank_context_t context;
    uint32_t job, step;
    const char *version; /* NULL: this header's */

    /* srun */
    mock_handle handle;
    mock_job launcher;
    uint32_t nodes, tasks; /* as the public items say */
    struct spank_option option[8];
    int options;

    /* slurmstepd */
    char *variable[MOCK_VARIABLES + 1]; /* the job's environment */
    uint32_t node, local_tasks;
    int task;               /* local */
    const char *step_cores; /* S_STEP_ALLOC_CORES, or NULL */
    int constrained;        /* devices, by the cgroup */

    /* The kernel */
    plugin_cpus cpuset; /* what the cgroup allows */
    plugin_cpus mask;   /* the task's own */
    plugin_cpus online;
    plugin_memory_policy policy; /* the task's own */
    uint32_t numa_cpus;          /* CPUs of a NUMA node; 0: the kernel does not tell */
    int fixed_policy;            /* the kernel refuses another one */
    int asked;                   /* items that the plugin asked for, variables that it set */

    char said[MOCK_SAID]; /* lines: "info: ...", "error: ...", "verbose: ...", "user: ..." */
} mock;

extern mock slurm_mock;

/** All as in a fresh process. */
void mock_begin(spank_context_t context, uint32_t job, uint32_t step);
/** The handle to give to hooks. */
spank_t mock_spank(void);
void mock_end(void);

/** Sets a variable of the job's environment (slurmstepd); NULL removes it. */
void mock_setenv(const char *name, const char *value);
const char *mock_getenv(const char *name);
/** Gives an option of the plugin's to srun, as on its command line. */
int mock_option(const char *name, const char *value);
/** How many lines were said to the user (not under -v) that have \p text. */
int mock_said(const char *text);

#endif
