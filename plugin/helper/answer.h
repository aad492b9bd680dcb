/* SPDX-License-Identifier: BSD-3-Clause */
/* What `topomap-node plan` answers slurmstepd (plugin/protocol.md): a head of a fixed size, and the
 * arrays of a flat plan. slurmstepd believes nothing of it. */
#ifndef TOPOMAP_PLUGIN_HELPER_ANSWER_H
#define TOPOMAP_PLUGIN_HELPER_ANSWER_H

#include "plan/nics.h"
#include "plan/node_plan.h"

enum {
    NODE_SPOOLED = 1,  /* the plan's file was read */
    NODE_PLANNED = 2,  /* a plan of this step follows */
    NODE_READABLE = 4, /* the profiler's library can be */
    NODE_NAMED = 8,    /* NICs of this node follow */
    NODE_ALL = 15,
    NODE_WHY = 480,
};

typedef struct node_answer {
    uint32_t found;                 /* of the bits above */
    char why_not_spooled[NODE_WHY]; /* "": it was, or there was none to read */
    char why_not_planned[NODE_WHY]; /* "": there is a plan, or none for this step */
    char why_not_named[NODE_WHY];   /* of NICs, likewise; where some are, of the others */
    topomap_node_plan plan;         /* where NODE_PLANNED is set */
    topomap_node_nics nics;         /* where NODE_NAMED is set */
} node_answer;

/** Bytes of an answer at most. */
size_t node_answer_most(uint32_t local_tasks);

/** Writes its head; topomap_node_plan_size() bytes of the plan's follow it, then the text of NICs.
 */
enum { NODE_HEAD = 1536 };
void node_answer_head(const node_answer *answer, unsigned char head[NODE_HEAD]);

/** Makes a text of an error's, of printable ASCII alone. */
void node_answer_why(char why[NODE_WHY], const char *text);

/** Looks at every byte of an answer: nothing of it is used where it is not all sound.
 *  \param bytes   aligned for numbers of 32 bits; the plan's arrays stay in them
 *  \param answer  as asked: of this job and step, and as many tasks \return 0, or -1 */
int node_answer_read(const void *bytes, size_t size, uint32_t job, uint32_t step,
                     uint32_t local_tasks, node_answer *answer);

#endif
