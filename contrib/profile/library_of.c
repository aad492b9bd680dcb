/* SPDX-License-Identifier: BSD-3-Clause */
/* The library that a function is in. */
#define _GNU_SOURCE /* dladdr1 */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

/* The soname of a library that is loaded; most systems have added the address to what it names. */
static const char *soname_of(const struct link_map *map)
{
    ElfW(Addr) names = 0, own = 0;

    for (const ElfW(Dyn) *row = map->l_ld; row && row->d_tag != DT_NULL; row++) {
        if (row->d_tag == DT_STRTAB)
            names = row->d_un.d_ptr < map->l_addr ? map->l_addr + row->d_un.d_ptr : row->d_un.d_ptr;
        if (row->d_tag == DT_SONAME)
            own = row->d_un.d_val;
    }
    return names && own ? (const char *)(names + own) : "";
}

static const struct link_map *library_of(const void *address)
{
    struct link_map *map = NULL;
    Dl_info info;

    return address && dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) ? map : NULL;
}

profile_library profile_library_of(const void *function)
{
    const struct link_map *map = library_of(function);
    profile_library found = {.soname = map ? soname_of(map) : "", .path = map ? map->l_name : ""};
    const char *end = strstr(found.soname, ".so.");

    found.is_mpi = !strncmp(found.soname, "libmpi", 6) || !strncmp(found.soname, "libopen_mpi", 11);
    if (found.is_mpi && end && end[4] && strspn(end + 4, "0123456789") == strlen(end + 4))
        found.number = (uint32_t)strtoul(end + 4, NULL, 10);
    found.is_mine = end && found.is_mpi && !strcmp(end + 4, PROFILE_SONAME);
    return found;
}
