/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose words name a script is what that script says. */
#ifndef TOPOMAP_PLUGIN_STORE_SCRIPT_H
#define TOPOMAP_PLUGIN_STORE_SCRIPT_H

#include <stdint.h>

/** The id of a program that is an interpreter (Python, R, Julia, Perl, a shell), with the contents
 *  of the script among its words, and the names, sizes and times of modules beside that, as far as
 *  they are within bounds; of another program, or without a script, \p id.
 *  \param words  its arguments, NULL after the last
 *  \param folder  where it starts; NULL: the present one */
uint64_t store_script_id(const char *program, char *const *words, const char *folder, uint64_t id);

/** Whether a program of this name is such an interpreter, or such a script. */
int store_script_is(const char *program);

#endif
