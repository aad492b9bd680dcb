/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that cannot have other ranks. */
#include "config.h"
#include "contrib/reorder/reorder.h"

#include <errno.h>
#include <fnmatch.h>
#include <link.h>
#include <string.h>

/* Patterns of a program's name, or of a library that it has loaded (an interpreter's). */
static const struct program {
    const char *pattern;
    reorder_program row;
} programs[] = {
/* procmap.cpp, ProcMap::cart_map, of `processors * * * map cart/reorder`: neighbours by
 * MPI_Cart_shift of the new communicator are sent to as ranks of the world, and the run hangs. */
#define LAMMPS                                                                                     \
    {                                                                                              \
        "LAMMPS", "it takes ranks of the Cartesian communicator for those of MPI_COMM_WORLD"       \
    }
    {"lmp", LAMMPS},
    {"lmp_*", LAMMPS},
    {"lammps", LAMMPS},
    {"liblammps*.so*", LAMMPS},
};

static const reorder_program *find(const char *path)
{
    const char *name = strrchr(path, '/');

    name = name ? name + 1 : path;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (fnmatch(programs[i].pattern, name, 0) == 0)
            return &programs[i].row;
    return NULL;
}

static int look(struct dl_phdr_info *object, size_t size, void *found)
{
    (void)size;
    *(const reorder_program **)found = object->dlpi_name ? find(object->dlpi_name) : NULL;
    return *(const reorder_program **)found != NULL;
}

const reorder_program *reorder_program_known(void)
{
    const reorder_program *found = find(program_invocation_name);

    if (!found)
        dl_iterate_phdr(look, &found);
    return found;
}
