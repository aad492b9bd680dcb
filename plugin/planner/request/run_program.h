/* SPDX-License-Identifier: BSD-3-Clause */
/* Another program's answer, in bounded time and size. */
#ifndef TOPOMAP_PLUGIN_PLANNER_REQUEST_RUN_PROGRAM_H
#define TOPOMAP_PLUGIN_PLANNER_REQUEST_RUN_PROGRAM_H

#include "topomap/topomap.h"

/** Runs the first of \p paths ("/usr/bin/scontrol:/opt/slurm/bin/scontrol") that can be run, with
 *  \p words (the last NULL) and \p input on its standard input, and reads its
 *  standard output to the end. Its other descriptors are /dev/null or closed. One that takes longer
 *  than \p seconds, or writes more than \p most bytes, is killed; one that the kernel holds is left
 *  behind.
 *  \return what it wrote, with a NUL; NULL and \p err where there is no whole answer. Ends with
 *  free(). */
char *planner_run_program(const char *paths, const char *const *words, const char *input,
                          double seconds, size_t most, topomap_error *err);

#endif
