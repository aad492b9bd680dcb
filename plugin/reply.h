/* SPDX-License-Identifier: BSD-3-Clause */
/* The planner's reply (protocol.md). */
#ifndef TOPOMAP_PLUGIN_REPLY_H
#define TOPOMAP_PLUGIN_REPLY_H

#include "topomap/topomap.h"

enum plugin_status { PLUGIN_FAILED, PLUGIN_UNCHANGED, PLUGIN_APPLIED };

/* Points into the reply's bytes, which it changes. */
typedef struct plugin_reply {
    enum plugin_status status;
    int quiet;
    const char *line;                               /* never NULL, may be empty */
    const char *plan_id, *gain, *layout, *bindings; /* NULL: not there */
    const char *cores, *detail;                     /* of the job; about them; NULL: not there */
    const char *searched, *input_db, *input_graph;  /* for a record; NULL: not there */
    const char *explain;                            /* [explain_size] or NULL */
    size_t explain_size;
    int damaged; /* the stored profile cannot be read */
} plugin_reply;

/** Reads \p bytes (\p size of them, with a NUL after them). Anything but a whole reply with the
 *  right checksum is TOPOMAP_EINPUT. */
int plugin_reply_read(char *bytes, size_t size, plugin_reply *reply, topomap_error *err);

#endif
