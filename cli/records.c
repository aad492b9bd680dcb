/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/records.h"

#include <unistd.h>

#include "plugin/common/record.h"

const char *cli_record(const cli_call *call, const char *name, char path[4096])
{
    const char *said = cli_get(call, name);

    if (access(said, F_OK) == 0 || !plugin_record_find(cli_get(call, "records"), said, path, 4096))
        return said;
    return path;
}
