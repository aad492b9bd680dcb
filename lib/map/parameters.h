/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands behind the comma of `--algorithm NAME,k=v,...`: what each algorithm takes is in
 * its row. */
#ifndef TOPOMAP_MAP_PARAMETERS_H
#define TOPOMAP_MAP_PARAMETERS_H

#include "map/algorithm.h"

/** Checks all of \p given ("k=v,k=v", \p length characters, perhaps none) against the row's table
 *  and keeps it, lent, as the problem's. TOPOMAP_EUSAGE names what the row takes. */
int topomap_parameters_set(topomap_problem *problem, const topomap_algorithm_impl *impl,
                           const char *given, size_t length, topomap_error *err);

/** The number that was given, or \p fallback. */
uint64_t topomap_parameter_number(const topomap_problem *problem, const char *name,
                                  uint64_t fallback);
/** The text that was given, cut to \p size with its NUL; 0 where none was. */
int topomap_parameter_text(const topomap_problem *problem, const char *name, char *text,
                           size_t size);

#endif
