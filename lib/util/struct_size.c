/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/alloc.h"

#include <string.h>

int topomap_sized_copy(void *known, size_t size, size_t least, const void *given, const char *type,
                       topomap_error *err)
{
    const unsigned char *bytes = given;
    size_t has;

    memcpy(&has, given, sizeof has);
    if (has < least)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "a %s of size %zu: set its member size to sizeof(%s)", type, has,
                                 type);
    for (size_t i = size; i < has; i++)
        if (bytes[i])
            return topomap_error_set(err, TOPOMAP_EUSAGE,
                                     "a %s of size %zu has a member that libtopomap %s does not "
                                     "know: leave it 0, or use a later libtopomap",
                                     type, has, topomap_version());
    memset(known, 0, size);
    memcpy(known, given, has < size ? has : size);
    memcpy(known, &size, sizeof size); /* who hands it on hands on this one */
    return 0;
}
