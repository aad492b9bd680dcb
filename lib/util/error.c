/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>

#include "topomap/topomap.h"
#include "util/safe_text.h"
#include "config.h"

int topomap_error_set(topomap_error *err, enum topomap_code code, const char *format, ...)
{
    va_list args;

    if (!err)
        return -1;
    err->code = code;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    topomap_safe_line(err->text, sizeof err->text); /* what files say is in it */
    return -1;
}

const char *topomap_version(void)
{
    return PACKAGE_VERSION;
}
