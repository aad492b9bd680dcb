/* SPDX-License-Identifier: BSD-3-Clause */
/* AddressSanitizer ends a program before whose own library another one was loaded, unless its
 * options say that this is well: this library takes none of the functions that it watches. A
 * program's own options come first, and so does ASAN_OPTIONS. */
#include "profile.h"

PROFILE_API const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "verify_asan_link_order=0";
}
