/* SPDX-License-Identifier: BSD-3-Clause */
/* Which MPI a program needs: by the libraries that it names (DT_NEEDED), and, where none of them is
 * an MPI's, by those that its libraries name, found as ld.so(8) finds them. */
#ifndef TOPOMAP_PLUGIN_STORE_ELF_DEPENDENCIES_H
#define TOPOMAP_PLUGIN_STORE_ELF_DEPENDENCIES_H

#include "plugin/store/elf.h"
#include "plugin/store/program.h"
#include "plugin/store/store.h"

/** Calls on files for one answer; and what a file that is opened takes to be read. */
enum { STORE_CALLS = 512, STORE_READING = 6 };

/** Whose library has this soname: libmpi.so.40 is Open MPI's. */
enum store_mpi store_needed_row(const char *soname);

/** \p file is the program at \p path, its headers read. Without an MPI \p why says why: also where
 * its libraries are not found within STORE_CALLS looks at files. \param store  which remembers an
 * answer that took many, for as long as the program, its library path, the linker's cache and the
 * first libraries that it names are the same; or NULL. \param calls  the looks of all who ask,
 * which those of this one are added to */
enum store_mpi store_needed_mpi(const store *store, const store_elf *file, const char *path,
                                char *why, size_t room, int *calls);

#endif
