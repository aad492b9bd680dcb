/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that ask for MPI's functions by name, of the library that they have opened (Julia's
 * ccall, Python's ctypes): dlsym() of that library would give them past this one. They are given
 * this library's, where it has one for the MPI that they ask; of another MPI those that begin
 * alone, so that it is known which one it is.
 *
 * All other questions go on untouched, by a jump: who asks with RTLD_NEXT or RTLD_DEFAULT is known
 * by the return address (dlsym(3)). */
#define _GNU_SOURCE /* RTLD_NEXT, dlvsym */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

/* The version that is there for sure, so that the first question, which an allocator may ask before
 * it can allocate, is no failure, which would allocate: from glibc 2.34 on dlsym is in libc itself;
 * before, the first version for each machine. */
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 34)
#define VERSION "GLIBC_2.34"
#elif defined __x86_64__ && defined __LP64__
#define VERSION "GLIBC_2.2.5"
#elif defined __aarch64__ || (defined __powerpc64__ && defined __LITTLE_ENDIAN__)
#define VERSION "GLIBC_2.17"
#endif

#ifdef VERSION
typedef void *lookup(void *, const char *);

static int is_wanted; /* somebody profiles, and MPI was not there from the start */
static lookup *next;  /* atomic */
static void *own;

static lookup *find_next(void)
{
    lookup *found = __atomic_load_n(&next, __ATOMIC_RELAXED);

    if (found)
        return found;
    *(void **)&found = dlvsym(RTLD_NEXT, "dlsym", VERSION);
    __atomic_store_n(&next, found, __ATOMIC_RELAXED);
    return found;
}

void *profile_lookup(void *handle, const char *name)
{
    return find_next()(handle, name);
}

static int is_set(const char *name)
{
    const char *value = getenv(name);

    return value && *value;
}

void profile_lookup_begin(int late)
{
    Dl_info self;

    is_wanted = late && (is_set("TOPOMAP_PROFILE") || is_set(PROFILE_MEMORY));
    if (is_wanted && dladdr(&next, &self) && self.dli_fname)
        own = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

void profile_lookup_end(void)
{
    is_wanted = 0;
}

/* The path of the first library whose functions dlsym() replaced by this library's. call_sites.c
 * searches it if the caller's own libraries do not define a function. */
static char replaced[4096];

const char *profile_replaced_library(void)
{
    return replaced;
}

static int begins(const char *name)
{
    return !strcmp(name, "MPI_Init") || !strcmp(name, "MPI_Init_thread");
}

/* Libraries that stand between a program and MPI ask for MPI's functions to call them. */
__attribute__((noinline)) static void *stand_in(void *theirs, const char *name, const void *from)
{
    profile_library library = profile_library_of(theirs);
    void *ours;

    if (!library.number || !(library.is_mine || begins(name)) || profile_library_of(from).is_mpi)
        return theirs;
    ours = profile_lookup(own, name);
    if (!ours || strcmp(profile_library_of(ours).path, profile_library_of(&next).path) != 0) {
        dlerror(); /* they did find theirs */
        return theirs;
    }
    if (!*replaced && strlen(library.path) < sizeof replaced)
        memcpy(replaced, library.path, strlen(library.path) + 1);
    return ours;
}

PROFILE_API void *dlsym(void *restrict handle, const char *restrict name)
{
    void *theirs;

    if (handle == RTLD_NEXT || handle == RTLD_DEFAULT || !is_wanted || !own ||
        strncmp(name, "MPI_", 4) != 0)
        return find_next()(handle, name);
    theirs = find_next()(handle, name);
    return theirs ? stand_in(theirs, name, __builtin_return_address(0)) : NULL;
}
#else
void *profile_lookup(void *handle, const char *name)
{
    return dlsym(handle, name);
}

void profile_lookup_begin(int late)
{
    (void)late;
}

void profile_lookup_end(void)
{
}

const char *profile_replaced_library(void)
{
    return "";
}
#endif
