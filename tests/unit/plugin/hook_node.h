/* SPDX-License-Identifier: BSD-3-Clause */
/* A node's slurmstepd that runs the plugin's hooks, and node classes with plans for them. */
#pragma once

#include "plan/bindings.h"
#include "tests/unit/plugin/mock_slurm.h"
#include "topology-db/db.h"

enum { JOB = 17, STEP = 3, TASKS_MOST = 1024, HOOK_TASKS = 16, HOOK_VARIABLES = 8 };

/* What the processes of a node leave behind. */
struct result {
    plugin_cpus mask[TASKS_MOST];
    int set[TASKS_MOST];
    plugin_memory_policy policy[HOOK_TASKS];     /* of the first tasks */
    char value[HOOK_TASKS][HOOK_VARIABLES][128]; /* of the first tasks, what `variable` names; "-":
                                                    it is not there */
    int status;
    int64_t init_ms; /* by the clock, that user_init took */
    char said[MOCK_SAID];
};

extern struct result *result;

struct node {
    const char *helper;   /* node_helper=PATH, or NULL: the real one */
    const char *time;     /* node_ms=N, or NULL: a minute, so that a busy machine is no error */
    const char *bindings; /* text */
    const char *format;   /* SLURM_TOPOMAP_FORMAT, or NULL */
    uint32_t tasks;
    const char *cores;     /* of the step */
    plugin_cpus cpuset;    /* of its cgroup */
    plugin_cpus online;    /* what the machine has */
    const char *bind_list; /* SLURM_CPU_BIND_LIST, or NULL */
    int memory;            /* the mode of the policy that task/affinity sets for the task's CPUs */
    int fixed_memory;      /* the kernel refuses another one */
    uint32_t numa_cpus;    /* CPUs of a NUMA node */
    const char *step_gpus; /* SLURM_STEP_GPUS before there are tasks, or NULL */
    int constrained;       /* devices, by its cgroup */
    /* What Slurm sets for a task just before its hook: names, and values by task or of all. */
    const char *variable[HOOK_VARIABLES];
    const char *value[HOOK_VARIABLES];
    const char *value_of_last[HOOK_VARIABLES]; /* NULL: as the others' */
};

struct machine {
    topomap_db *db;
    topomap_bindings_class inside; /* of an unbound plan: the class alone */
    uint32_t pus;
    plugin_cpus all;
};

/* The hooks of one node, whose result is in `result`. */
void run(const struct node *node);
/* Does a task have the mask that Slurm gave it? */
int is_slurms(const struct node *node, uint32_t task);

/* A database of one node, whose class is in an hwloc file. */
void open_machine(struct machine *m, const char *path);
void close_machine(struct machine *m);
/* \param cores  of the job, as in a request; NULL: all */
void plan(const struct machine *m, uint32_t tasks, uint32_t cpus, enum topomap_bind bind,
          const char *cores, topomap_bindings *b);

/* An hwloc file of a machine that hwloc makes from a description; with \p cut, every third PU is
 * taken away afterwards, as on hybrid CPUs, whose small cores have one thread. */
const char *describe(const char *text, int cut);

/* Two packages of four cores of two threads, and a plan that binds four tasks there. */
extern struct machine small;
void open_small(struct node *node, topomap_bindings *b);
/* The same, and the node has the plan's text. */
void open_small_bound(struct node *node, topomap_bindings *b);
/* Closes the machine, and frees \p b and the text that \p node has. */
void close_small(struct node *node, topomap_bindings *b);

/* Memory for `result`, and a folder for files. */
int hook_node_setup(void **state);
int hook_node_teardown(void **state);

/* After run(): the masks are the plan's, and nothing was said. */
void check_planned(const char *what, const struct node *node, const topomap_bindings *b);
/* After run(): no CPU has two tasks. */
void check_disjoint(const char *what, const struct node *node);
/* Runs the node: Slurm's masks stay, and \p text was said, once; NULL: nothing was. */
void assert_left(const struct node *node, const char *text);
