/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/environment_size.h"

#include <string.h>
#include <unistd.h>

long plugin_environment_left(void)
{
    long room = sysconf(_SC_ARG_MAX) - (64 << 10);

    for (char **variable = environ; *variable; variable++)
        room -= (long)(strlen(*variable) + 1 + sizeof *variable);
    return room;
}
