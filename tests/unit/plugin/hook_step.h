/* SPDX-License-Identifier: BSD-3-Clause */
/* An srun that runs the plugin's hooks for a step of 16 tasks on 4 nodes, and files for it. */
#pragma once

#include "tests/unit/plugin/mock_slurm.h"

#define JOB_TEXT "17"
enum { JOB = 17, STEP = 3, NODES = 4, TASKS = 16, EACH = TASKS / NODES };

/* What srun has made before the hook, on pages of its own. */
struct layout {
    slurm_step_layout_t layout;
    uint16_t tasks[NODES];
    uint32_t *tids[NODES];
    uint32_t tid[TASKS];
    char nodes[64];
};

struct result {
    struct layout layout; /* after the hook */
    int status;
    int applied, refused, bindings, spooled; /* in the environment */
    int64_t place_ms, end_ms;                /* by the clock, that local_user_init and exit took */
    char said[MOCK_SAID];
};

extern struct layout *layout;
extern struct result *result;

struct launch {
    const char *topomap;     /* --topomap= */
    const char *db;          /* else the good one */
    const char *planner;     /* else the real one */
    const char *fake;        /* what the fake planner does */
    const char *word;        /* one more of plugstack.conf */
    const char *scontrol;    /* what scontrol does, a shell's line; else nobody is asked */
    const char *job_cpus;    /* SLURM_JOB_CPUS_PER_NODE */
    const char *explain;     /* --topomap-explain=, or NULL */
    void (*bend_load)(void); /* what is wrong before Slurm loads the plugin */
    void (*bend)(void);      /* what else is wrong */
    void (*bend_end)(void);  /* what is wrong at the step's end */
    int required;
    int same_job; /* as all others that say so */
};

/* Makes the files and databases that launches name; scratch_path() has them. */
int hook_step_setup(void **state);
int hook_step_teardown(void **state);

/* The layout as Slurm makes it. */
void make_layout(void);
/* srun is a process of its own; its leaks are counted too. */
void run(const struct launch *launch);
/* Runs the two hooks that srun --async has, with a word of plugstack.conf (or NULL), and `bend` (or
 * NULL) before them. Returns srun's exit status, 0 if it goes on; `result` has what was said, and
 * in end_ms how long the hooks took. */
int run_async(const char *topomap, const char *options, char *word, void (*bend)(void));
int is_permuted(void);
/* The tasks of each node ascend, and all are there. */
void assert_permutation(void);
/* Without `required` one line at info, with it one at error and no task is to run. */
void assert_fault(struct launch launch, const char *text);
