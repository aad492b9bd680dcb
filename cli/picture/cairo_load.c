/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#ifdef HAVE_CAIRO
#include "cli/picture/cairo_load.h"

#include <dlfcn.h>

int picture_cairo_load(struct picture_cairo *cairo, topomap_error *err)
{
    void *library =
        dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL); /* kept until the process ends */

    if (!library)
        return topomap_error_set(
            err, TOPOMAP_EUSAGE,
            "cairo, which draws PNG and PDF, is not here (%.200s): write FILE.svg, "
            "or install libcairo2",
            dlerror());
#define PICTURE_ROW(name)                                                                          \
    *(void **)&cairo->name = dlsym(library, #name);                                                \
    if (!cairo->name)                                                                              \
        return topomap_error_set(err, TOPOMAP_EUSAGE, "this cairo is too old: it has no " #name);
    PICTURE_CAIRO(PICTURE_ROW)
#undef PICTURE_ROW
    return 0;
}
#endif
