/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs whose files tell no MPI, since what they run loads one: which one that was. Remembered
 * for the program with its words, whatever its ranks and folder. */
#ifndef TOPOMAP_STORE_LOADED_H
#define TOPOMAP_STORE_LOADED_H

#include "plugin/store/program.h"
#include "plugin/store/store.h"

enum store_loaded { STORE_LOADED_UNKNOWN, STORE_LOADED_NOTHING, STORE_LOADED_MPI };

/** Whose library has a soname that ends with this number (40 of libmpi.so.40); NONE: none that is
 *  known. */
enum store_mpi store_loaded_number(uint32_t number);

/** \p family is the entry's; \p path the program's, as it was found: of one interpreter there are
 *  several, each with packages of its own. */
uint64_t store_loaded_key(uint64_t family, const char *path);
/** \p mpi is filled for STORE_LOADED_MPI. */
enum store_loaded store_loaded_read(const store *store, uint64_t key, enum store_mpi *mpi);
/** \p mpi NONE: nothing. */
void store_loaded_write(const store *store, uint64_t key, enum store_mpi mpi);

/** What is told once of a program. \return 1: it was told, or that cannot be remembered; 0: now it
 *  is known to be */
int store_loaded_told(const store *store, uint64_t id);

#endif
