/* SPDX-License-Identifier: BSD-3-Clause */
/* The planner's reply (protocol.md). */
#ifndef TOPOMAP_PLUGIN_COMMON_REPLY_H
#define TOPOMAP_PLUGIN_COMMON_REPLY_H

#include "topomap/topomap.h"

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
    const char *nics;             /* for the nodes: plan/nics.h, or NULL */
    const char *master;           /* the node of rank 0, or NULL */
    const char *preload;          /* "LIBRARY FILE" for the nodes, or NULL */
} plugin_reply;

/** Reads \p bytes (\p size of them, with a NUL after them). Anything but a whole reply with the
 *  right checksum is TOPOMAP_EINPUT. */
int plugin_reply_read(char *bytes, size_t size, plugin_reply *reply, topomap_error *err);

#endif
