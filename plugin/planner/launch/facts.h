/* SPDX-License-Identifier: BSD-3-Clause */
/* What srun tells of a step (protocol.md, "Request of a launch"). */
#ifndef TOPOMAP_PLANNER_FACTS_H
#define TOPOMAP_PLANNER_FACTS_H

#include "plugin/common/args.h"

#include <stdio.h>

/** Texts that a message brought. */
typedef struct planner_texts {
    char **text; /* [count + 1], NULL at the end */
    size_t count, room;
} planner_texts;

typedef struct planner_facts {
    uint32_t job, step, nodes, tasks;
    plugin_args args; /* what plugstack.conf says */
    policy_said said; /* what the user says; lent from `owned` */
    int explain, explain_own;
    const char *explain_file;
    int nodes_only;       /* the inside of nodes is Slurm's */
    int paired;           /* GPUs or memory go with Slurm's own binding */
    int memory_bound;     /* --mem-bind by local task */
    int several_programs; /* --multi-prog */
    int container;
    int asked, verbose; /* at a step's end: as its launch has settled them */
    const char *chdir;
    const char *input;   /* the file that the program reads from standard input, or NULL */
    const char *reason;  /* srun leaves the step alone: for the explanation's file; else NULL */
    planner_texts words; /* the program's command line */
    long room;           /* what the environment may still take, bytes */
    char *rest;          /* the lines of the planner's own request: nodes, tasks, layout, ... */
    char *of_job;        /* likewise those about the job's part of its nodes */
    int has_layout;      /* else the step is only to be judged */
    planner_texts later; /* what is to be done at the step's end, "run FOLDER" */
    planner_texts site, owned;
} planner_facts;

/** Reads what follows the first line, up to "end". \p facts is all zero before, and ends with
 *  planner_facts_clear(), after a failure too. */
int planner_facts_read(FILE *in, planner_facts *facts, topomap_error *err);
void planner_facts_clear(planner_facts *facts);

#endif
