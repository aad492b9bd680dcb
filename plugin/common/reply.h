/* SPDX-License-Identifier: BSD-3-Clause */
/* Replies of the planner, and records of plans. */
#pragma once

#include <stdio.h>

#include "topomap/topomap.h"

/* ---- reply --------------------------------------------------------------------- */
/* The planner's reply (protocol.md). */

/** PLUGIN_LEFT: the step is not to be placed, and everybody knows why who is to know. */
enum plugin_status { PLUGIN_FAILED, PLUGIN_UNCHANGED, PLUGIN_APPLIED, PLUGIN_LEFT };

enum { PLUGIN_TELLS = 64, PLUGIN_LATERS = 8 };

/** What the launch has settled; a reply without it is of a planner that was not asked. */
enum plugin_flag {
    PLUGIN_FLAG_ON,    /**< topomap is on for the step, placed or not */
    PLUGIN_FLAG_ASKED, /**< the user asked for it */
    PLUGIN_FLAG_VERBOSE,
    PLUGIN_FLAG_REQUIRED,
    PLUGIN_FLAG_BIND, /**< tasks are to be bound */
    PLUGIN_FLAGS
};

/** A line to be said before all others. */
typedef struct plugin_tell {
    int loud; /* to everybody; else for srun -v */
    const char *text;
} plugin_tell;

/* Points into the reply's bytes, which it changes. */
typedef struct plugin_reply {
    enum plugin_status status;
    int quiet;
    const char *line;                        /* never NULL, may be empty */
    const char *plan_id, *layout, *bindings; /* NULL: not there */
    const char *gain, *searched;             /* decimal numbers below 1e10, or NULL */
    const char *cores, *gpus, *detail;       /* of the job; about them; NULL: not there */
    const char *input_db, *input_graph;      /* for a record; NULL: not there */
    const char *explain;                     /* [explain_size] or NULL */
    size_t explain_size;
    int damaged;            /* the stored profile cannot be read */
    int flag[PLUGIN_FLAGS]; /* 0, 1; -1: not there */
    plugin_tell tell[PLUGIN_TELLS];
    unsigned tells;
    const char *later[PLUGIN_LATERS]; /* to be sent back when the step has ended, encoded */
    unsigned laters;
    const char *spool, *in_order; /* for the nodes, instead of bindings; NULL: not there */
    const char *nics;             /* for the nodes: plan/node_plan.h, or NULL */
    const char *master;           /* the node of rank 0, or NULL */
    const char *preload;          /* "LIBRARY FILE" for the nodes, or NULL */
} plugin_reply;

/** Reads \p bytes (\p size of them, with a NUL after them). Anything but a whole reply with the
 *  right checksum is TOPOMAP_EINPUT. */
int plugin_reply_read(char *bytes, size_t size, plugin_reply *reply, topomap_error *err);

/* ---- record -------------------------------------------------------------------- */
/* Records of plans, for `topomap map --replay` and `topomap why`: the request and the reply as they
 * were, in FOLDER/UID/JOB.STEP.plan, which the user owns and nobody else can read. Where FOLDER/UID
 * is not this user's own and cannot be made, in ~/.cache/topomap/records (store/store.h). */

/** How much of a user's is kept. */
typedef struct plugin_record_limits {
    unsigned days, megabytes;
} plugin_record_limits;

/** Writes a record; a job that runs again gets another name.
 *  \param path  [size] the record's
 *  \return 0, or -1 with nothing left behind */
int plugin_record_write(const char *folder, uint32_t job, uint32_t step, const char *request,
                        const char *reply, size_t reply_size, char *path, size_t size,
                        topomap_error *err);

/** Removes the user's records that are older than the limit, and the oldest ones of what is more, a
 *  few in each call (store/store.h). Several may do so at once. */
void plugin_record_tidy(const char *folder, const plugin_record_limits *limits);

/** Whether a file in a user's folder is a record, by its name. */
int plugin_record_is_name(const char *name);

/** The record of a step, in the site's folder or in the user's own place.
 *  \param folder  the site's, or NULL
 *  \param step  "JOB.STEP"
 *  \param path  [size] what it is called
 *  \return 1: there is one */
int plugin_record_find(const char *folder, const char *step, char *path, size_t size);

/** The record that was written last, in either place.
 *  \param job  of this job ("12") alone; NULL: of any */
int plugin_record_newest(const char *folder, const char *job, char *path, size_t size);

/** Says the step, "JOB.STEP", of each record in either place, in no order. */
void plugin_record_each(const char *folder, void (*say)(const char *step));

/* ---- percent ------------------------------------------------------------------- */
/* Any text on one line of a message: %0A for a line break, %25 for '%'. */

/** Writes the line "KEY TEXT", control characters, DEL and '%' as '%' and two hexadecimal digits,
 *  the rest as it is. Nothing where there is no text. */
void plugin_percent_line(FILE *out, const char *key, const char *text);

/** Turns it back, in place. \return 0, or -1: a '%' without two digits, or a NUL */
int plugin_percent_read(char *text);
