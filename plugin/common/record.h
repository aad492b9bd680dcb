/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of plans, for `topomap map --replay` and `topomap why`: the request and the reply as they
 * were, in FOLDER/UID/JOB.STEP.plan, which the user owns and nobody else can read. Where FOLDER/UID
 * is not this user's own and cannot be made, in ~/.cache/topomap/records (store/place.h). */
#ifndef TOPOMAP_PLUGIN_COMMON_RECORD_H
#define TOPOMAP_PLUGIN_COMMON_RECORD_H

#include "topomap/topomap.h"

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
 *  few in each call (store/sweep.h). Several may do so at once. */
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

#endif
