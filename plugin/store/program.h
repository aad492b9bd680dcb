/* SPDX-License-Identifier: BSD-3-Clause */
/* What a launch's program is, and which MPI it needs. */
#pragma once

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "plugin/store/store.h"
#include "topomap/topomap.h"

/* ---- program ------------------------------------------------------------------- */
/* What a program is: which MPI it needs, and which build it is. Read as the user, from the ELF file
 * and those of its libraries; whatever is in them, no more than a few hundred KiB of tables of each
 * are looked at. libc only. */

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
    STORE_LOADS_AS_INTERPRETER, /* by its name, or it is a script that has its interpreter's (see
                                   script, below) */
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
int store_program_read(const store *store, const char *path, store_program *program,
                       topomap_error *err);

/** The file that a command names, as srun would find it: with a slash from \p folder (NULL: the
 *  present one) on, else along \p search (a PATH). Ends with free(); NULL: there is none. */
char *store_program_find(const char *command, const char *folder, const char *search);

/** Wrappers (env, numactl, a script that sets things up) have the program that they start among
 *  their words: the first of these that names one of an MPI, else the first that may load one.
 *  \p program, the wrapper's, becomes that one's, with an id of both. \return its path, which ends
 *  with free(); NULL: there is none, or none was found within STORE_CALLS looks at files, which
 * `why` then says */
char *store_program_started(const store *store, char *const *words, const char *folder,
                            const char *search, store_program *program);

/* ---- elf ----------------------------------------------------------------------- */
/* The parts of an ELF file that say what a program is and what it needs. Whatever is in the file,
 * no more than a few hundred KiB of tables are looked at. */

enum { STORE_ELF_SEGMENTS = 128, STORE_ELF_NAME = 256, STORE_ELF_PATHS = 4096 };

typedef struct store_elf {
    int fd;
    uint64_t size;
    struct stat status;
    ElfW(Ehdr) header;
    ElfW(Phdr) segment[STORE_ELF_SEGMENTS];
} store_elf;

/** Where a program's libraries are named. */
typedef struct store_elf_dynamic {
    ElfW(Dyn) * row;
    size_t rows;
    uint64_t names, size; /* the table of names in the file */
    size_t at;            /* the row that comes next */
    char *read;           /* of these names the part from read_from to read_to; lent, by row */
    uint64_t read_from, read_to;
} store_elf_dynamic;

/** Opens a plain file. \return 0, or errno (EINVAL: not a plain file). store_elf_close() ends it,
 *  and may be called after a failure, too. */
int store_elf_open(const char *path, store_elf *file);
void store_elf_close(store_elf *file);
/** Reads all of these bytes. \return 0, or -1: not all of them are in the file */
int store_elf_get(const store_elf *file, uint64_t at, void *to, size_t size);

/** Reads its headers. \return NULL; or why it is none that can run with this library */
const char *store_elf_read(store_elf *file);
/** Whether it asks for a dynamic linker. */
int store_elf_has_interpreter(const store_elf *file);
/** Whether it begins with "#!", whatever it is then. */
int store_elf_is_script(const store_elf *file);
/** Whether its tables of symbols have this name. Of a very long table the end is looked at, where
 *  the linker has those names that are for all; a program that was stripped has none. */
int store_elf_has_symbol(const store_elf *file, const char *name);

/** \return NULL, and free(dynamic->row) ends it; or what is wrong */
const char *store_elf_dynamic_read(const store_elf *file, store_elf_dynamic *dynamic);
/** The next library that it needs, each call one. \return 1; 0: there are no more; -1: broken */
int store_elf_needed(const store_elf *file, store_elf_dynamic *dynamic, char name[STORE_ELF_NAME]);
/** The text of an entry (DT_RPATH, DT_RUNPATH), or "" where there is none, or it is too long. */
void store_elf_text(const store_elf *file, const store_elf_dynamic *dynamic, int tag,
                    char text[STORE_ELF_PATHS]);

/* ---- elf dependencies ---------------------------------------------------------- */
/* Which MPI a program needs: by the libraries that it names (DT_NEEDED), and, where none of them is
 * an MPI's, by those that its libraries name, found as ld.so(8) finds them. */

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

/* ---- program cache ------------------------------------------------------------- */
/* What was costly to find out about a program: ROOT/programs/KEY, a few lines each. A key has in it
 * all that the answer depends on, so that another file, or the same one changed, has another. */

enum { STORE_PROGRAM_CACHE = 16384, STORE_PROGRAMS_CACHED = 512 };

/** What changes when a file does: its number, size and times. Not its device, which for a file
 *  server's differs from node to node. */
uint64_t store_program_cache_stamp(const struct stat *status);
/** \p before and more of a key. */
uint64_t store_program_cache_key(uint64_t before, const char *text);

/** \return 1, and the text; 0: there is none. \p store NULL: there is none */
int store_program_cache_read(const store *store, uint64_t key, char text[STORE_PROGRAM_CACHE]);
/** Those that were not written for longest go, where there are more than STORE_PROGRAMS_CACHED.
 *  \return -1: it is not remembered */
int store_program_cache_write(const store *store, uint64_t key, const char *text);

/* ---- Which MPI a program loaded ------------------------------------------------ */
/* Programs whose files tell no MPI, since what they run loads one: which one that was. Remembered
 * for the program with its words, whatever its ranks and folder. */

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

/* ---- script -------------------------------------------------------------------- */
/* A program whose words name a script is what that script says. */

/** The id of a program that is an interpreter (Python, R, Julia, Perl, a shell), with the contents
 *  of the script among its words, and the names, sizes and times of modules beside that, as far as
 *  they are within bounds; of another program, or without a script, \p id.
 *  \param words  its arguments, NULL after the last
 *  \param folder  where it starts; NULL: the present one */
uint64_t store_script_id(const char *program, char *const *words, const char *folder, uint64_t id);

/** Whether a program of this name is such an interpreter, or such a script. */
int store_script_is(const char *program);
