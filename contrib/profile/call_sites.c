/* SPDX-License-Identifier: BSD-3-Clause */
/* Which function a call would reach without this library.
 *
 * A program that names its MPI has it beside this library from the start, for all: PMPI_... is that
 * MPI's, whoever calls. An interpreter loads its MPI later, most often for one extension alone, and
 * perhaps another library that has a few of MPI's names itself (the MUMPS for one process, which
 * solvers bring along). There each caller is given what it would have had: the next one of that
 * name for all, else that of its own libraries (ld.so(8), dlsym(3)); and only what is this
 * library's MPI is recorded. Likewise where a tool stands between a program and its MPI (Score-P):
 * it has all calls, and nothing is recorded. Where each call site goes is looked up once. */
#define _GNU_SOURCE /* dladdr1 */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

int profile_by_caller;

static int is_late;  /* there was no MPI when this library was loaded */
static int is_bound; /* what this library calls was looked up when it was loaded */

__attribute__((constructor)) static void at_load(void)
{
    profile_library next = profile_library_of(profile_lookup(RTLD_NEXT, "MPI_Init"));
    const char *bind = getenv("LD_BIND_NOW");

    is_late = !profile_lookup(RTLD_DEFAULT, "PMPI_Init");
    is_bound = is_late && bind && *bind;
    profile_by_caller = is_late || (*next.soname && !next.number);
    profile_lookup_begin(is_late);
    dlerror();
}

static int is_shared; /* this library has made its MPI be there for all */

static const char mine[] = ".so." PROFILE_SONAME;

/* Its libraries for Fortran, too, whose constants are looked up. */
static int share(struct dl_phdr_info *info, size_t size, void *context)
{
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash ? slash + 1 : info->dlpi_name;
    const char *end = strncmp(name, "libmpi", 6) ? NULL : strstr(name, mine);

    (void)size, (void)context;
    if (end && (!end[sizeof mine - 1] || end[sizeof mine - 1] == '.'))
        dlopen(info->dlpi_name, RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD);
    return 0;
}

int profile_library_share(const profile_library *library)
{
    if (is_late && !is_bound) {
        is_shared = 1;
        dlopen(library->path, RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD);
        dl_iterate_phdr(share, NULL);
    }
    return is_bound || !dlsym(RTLD_DEFAULT, "PMPI_Comm_rank") ? -1 : 0;
}

/* ---- Call sites -------------------------------------------------------------------------- */

enum { SITES = 4096, NEAR = 8, EMPTY = 0, TAKEN, FILLED };

static struct site {
    int state; /* atomic; what is filled stays */
    int is_mine;
    const void *from;
    const char *name;
    void *to;
} sites[SITES];

/* \return NULL also for the program itself, whose names are all there are */
static void *look_in(const char *path, const char *name)
{
    void *scope = path && *path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL, *found = NULL;

    if (scope) {
        found = profile_lookup(scope, name);
        dlclose(scope);
    }
    return found;
}

static void *look(const char *name, const void *from)
{
    profile_library caller = profile_library_of(from);
    void *found = profile_lookup(RTLD_NEXT, name), *own = NULL;

    if (!found || (is_shared && profile_library_of(found).is_mine))
        own = look_in(caller.path, name);
    if (own)
        found = own;
    if (!found)
        found = look_in(profile_replaced_library(), name);
    dlerror(); /* that there was none is nothing that the program did */
    return found;
}

static int is_filled(const struct site *site)
{
    return __atomic_load_n(&site->state, __ATOMIC_ACQUIRE) == FILLED;
}

static void keep(struct site *first, const struct site *found)
{
    for (int i = 0; i < NEAR; i++) {
        int empty = EMPTY;

        if (!__atomic_compare_exchange_n(&first[i].state, &empty, TAKEN, 0, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED))
            continue;
        first[i].is_mine = found->is_mine;
        first[i].from = found->from;
        first[i].name = found->name;
        first[i].to = found->to;
        __atomic_store_n(&first[i].state, FILLED, __ATOMIC_RELEASE);
        return;
    }
}

void *profile_find(const char *name, const void *from, int *mine)
{
    uint64_t key =
        ((uint64_t)(uintptr_t)from ^ (uint64_t)(uintptr_t)name << 7) * UINT64_C(0x9e3779b97f4a7c15);
    struct site *first = &sites[(key >> 40) % (SITES - NEAR)], found = {.from = from, .name = name};

    for (int i = 0; i < NEAR && is_filled(&first[i]); i++)
        if (first[i].from == from && first[i].name == name) {
            *mine = *mine && first[i].is_mine;
            return first[i].to;
        }
    found.to = look(name, from);
    found.is_mine = profile_library_of(found.to).is_mine;
    if (found.to)
        keep(first, &found);
    *mine = *mine && found.is_mine;
    return found.to;
}
