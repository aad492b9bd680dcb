/* SPDX-License-Identifier: BSD-3-Clause */
/* What slurmstepd asks `topomap-node plan` (plugin/protocol.md): numbers, and texts of the job's
 * environment as they are. */
#ifndef TOPOMAP_PLUGIN_HELPER_QUESTION_H
#define TOPOMAP_PLUGIN_HELPER_QUESTION_H

#include "topomap/topomap.h"

enum node_text {
    NODE_FOLDER,   /* the site's, for plans in files */
    NODE_BINDINGS, /* of the step, in the environment */
    NODE_NOTE,     /* or of the file that has them (plugin/common/spool.h) */
    NODE_IN_ORDER, /* or the same CPUs, dealt out in order */
    NODE_LIBRARY,  /* the profiler's, to be looked for */
    NODE_NICS,     /* which NICs tasks are next to (plan/nics.h) */
    NODE_TEXTS
};

enum { NODE_PATH = 4096 + 16 }; /* the longest path, or note of one */

typedef struct node_question {
    uint32_t job, step;
    uint32_t node;        /* its place in the step */
    uint32_t local_tasks; /* the node's */
    uint32_t step_tasks;
    const char *text[NODE_TEXTS]; /* NULL: none. Read ones end with a NUL */
    uint32_t length[NODE_TEXTS];
} node_question;

/** What a step of so many tasks may have of anything that grows with them: 64 KiB, and 64 bytes for
 *  each; never more than 64 MiB. Ordinary plans have 2 characters a task. */
size_t node_room(uint32_t tasks);

/** Bytes of a text at most. */
size_t node_text_most(enum node_text text, uint32_t step_tasks);

/** Sets a text, where it is not too long. \return 0, or -1: it is */
int node_question_set(node_question *question, enum node_text text, const char *value);

/** Writes it. \param size  of what is returned; NULL: no memory. Ends with free() */
void *node_question_write(const node_question *question, size_t *size);

/** Reads it from a descriptor to its end, no more than it may have.
 *  \param memory  where its texts lie; ends with free(), after a failure, too */
int node_question_read(int fd, node_question *question, void **memory, topomap_error *err);

#endif
