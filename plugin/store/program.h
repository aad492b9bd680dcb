/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program is: which MPI it needs, and which build it is. Read as the user, from the ELF file
 * and those of its libraries; whatever is in them, no more than a few hundred KiB of tables of each
 * are looked at. libc only. */
#ifndef TOPOMAP_STORE_PROGRAM_H
#define TOPOMAP_STORE_PROGRAM_H

#include "topomap/topomap.h"

struct store;

/** STORE_MPI_ABI: the MPI standard's own ABI (MPI 5.0), whosever library it is. STORE_MPI_NCCL:
 * none, but NCCL, which loads its profiler itself. */
enum store_mpi {
    STORE_MPI_NONE,
    STORE_MPI_OPENMPI,
    STORE_MPI_MPICH,
    STORE_MPI_ABI,
    STORE_MPI_NCCL,
    STORE_MPIS
};

/** What a program runs may load an MPI. */
enum store_loads {
    STORE_LOADS_NONE,
    STORE_LOADS_AS_SCRIPT,      /* it begins with "#!" */
    STORE_LOADS_AS_INTERPRETER, /* by its name, or it is a script that has its interpreter's
                                   (script.h) */
};

typedef struct store_program {
    enum store_mpi mpi; /* by the names of the libraries that it and they need */
    char why[160];      /* where there is none: why */
    uint64_t id;        /* of the GNU build id, else of the contents */
    int has_build_id;
    enum store_loads loads;
    int has_own_mpi; /* MPI is a part of it (linked statically) */
} store_program;

/** "openmpi", "mpich", "mpi-abi", "nccl" or "none". Lent. */
const char *store_mpi_name(enum store_mpi mpi);

/** Looks at the file. Only one that cannot be read at all, or is no plain file, fails
 *  (TOPOMAP_EINPUT); scripts, programs of other machines, static, broken and MPI-less ones are
 *  STORE_MPI_NONE with a reason.
 *  \param store  which remembers what was found out; NULL: nothing is remembered */
int store_program_read(const struct store *store, const char *path, store_program *program,
                       topomap_error *err);

/** The file that a command names, as srun would find it: with a slash from \p folder (NULL: the
 *  present one) on, else along \p search (a PATH). Ends with free(); NULL: there is none. */
char *store_program_find(const char *command, const char *folder, const char *search);

/** Wrappers (env, numactl, a script that sets things up) have the program that they start among
 *  their words: the first of these that names one of an MPI, else the first that may load one.
 *  \p program, the wrapper's, becomes that one's, with an id of both. \return its path, which ends
 *  with free(); NULL: there is none, or none was found within STORE_CALLS looks at files
 * (elf_dependencies.h), which `why` then says */
char *store_program_started(const struct store *store, char *const *words, const char *folder,
                            const char *search, store_program *program);

#endif
