/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap-node: its protocol with slurmstepd, and its jobs. */
#pragma once

#include "plan/node_plan.h"
#include "topomap/topomap.h"

/* ---- adapters ------------------------------------------------------------------ */
/* The network adapters of this node that can be used, by what the kernel says. */

enum { NODE_ADAPTERS = 64 };

typedef struct node_adapters {
    uint32_t count;
    struct {
        char name[TOPOMAP_NIC_NAME];
        uint32_t port; /* of InfiniBand's and RoCE's the first that is active, to 8; else 0 */
    } adapter[NODE_ADAPTERS];
} node_adapters;

/** Lists those with an active port, and Slingshot's interfaces that are up. */
void node_adapters_list(node_adapters *adapters);

/** Leaves of a node's NICs those that are listed, with their ports behind them.
 *  \param memory  where the text of \p nics lies; what takes its place, too, ends with free()
 *  \param gone    [TOPOMAP_NIC_NAME] out: the first that is not listed, or ""
 *  \return 0, or -1: there is no memory for it */
int node_adapters_keep(const node_adapters *adapters, topomap_node_nics *nics, char **memory,
                       char *gone);

/* ---- answer -------------------------------------------------------------------- */
/* What `topomap-node plan` answers slurmstepd (plugin/protocol.md): a head of a fixed size, and the
 * arrays of a flat plan. slurmstepd believes nothing of it. */

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

/* ---- question ------------------------------------------------------------------ */
/* What slurmstepd asks `topomap-node plan` (plugin/protocol.md): numbers, and texts of the job's
 * environment as they are. */

enum node_text {
    NODE_FOLDER,   /* the site's, for plans in files */
    NODE_BINDINGS, /* of the step, in the environment */
    NODE_NOTE,     /* or of the file that has them (plugin/common/spool.h) */
    NODE_IN_ORDER, /* or the same CPUs, dealt out in order */
    NODE_LIBRARY,  /* the profiler's, to be looked for */
    NODE_NICS,     /* which NICs tasks are next to (plan/node_plan.h) */
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

/* ---- decode -------------------------------------------------------------------- */

/** Decodes bindings for the node that is asked about, within what the step may have. What is not
 *  for this step and its node is no plan and worth no word.
 *  \param answer  says whether there is a plan, or why not
 *  \param memory  where the plan's arrays lie, in their order; ends with free() */
void node_plan_decode(const node_question *question, const char *text, size_t size,
                      node_answer *answer, void **memory);

/** The same of NICs: of those that are not listed none is named, and why_not_named has the first.
 *  \param memory  where their text lies; ends with free() */
void node_nics_decode(const node_question *question, const node_adapters *adapters,
                      node_answer *answer, char **memory);

/* ---- jobs ---------------------------------------------------------------------- */
/* The jobs of topomap-node, each named by its first word: question on standard input, answer on
 * descriptor 3. */

enum { NODE_REPLY_FD = 3 };

/** `plan`: this node's part of a plan, decoded. \return the program's status */
int node_plan_main(void);

/** `collect`: this node's part of a profile, written as a file. Standard input is the memory in
 * which the tasks have left it (graph/formats/parts.h). \return the program's status */
int node_collect_main(void);
