/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of plans, for `topomap map --replay` and `topomap why`: the request and the reply as they
 * were, in FOLDER/UID/JOB.STEP.plan, which the user owns and nobody else can read. The site makes
 * FOLDER, as it makes /tmp (mode 1777). */
#ifndef TOPOMAP_PLUGIN_RECORD_H
#define TOPOMAP_PLUGIN_RECORD_H

#include "topomap/topomap.h"

/** How much of a user's is kept. */
typedef struct plugin_record_limits {
    unsigned days, megabytes;
} plugin_record_limits;

/** Writes a record; a job that runs again gets another name. A folder of the user's that is not the
 *  user's own alone is not used.
 *  \param path  [size] the record's
 *  \return 0, or -1 with nothing left behind */
int plugin_record_write(const char *folder, uint32_t job, uint32_t step, const char *request,
                        const char *reply, size_t reply_size, char *path, size_t size,
                        topomap_error *err);

/** Removes the user's records that are older than the limit, and the oldest ones of what is more.
 *  Several may do so at once. */
void plugin_record_tidy(const char *folder, const plugin_record_limits *limits);

#endif
