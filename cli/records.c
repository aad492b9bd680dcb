/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/records.h"

#include <stdlib.h>
#include <unistd.h>

#include "plugin/common/record.h"
#include "util/alloc.h"

static int put_in_place(const cli_call *call, const char *option, char **place, topomap_error *err)
{
    const char *path = cli_get(call, option);
    char *copy = path ? topomap_strdup(path, err) : NULL;

    if (!path)
        return 0;
    free(*place);
    *place = copy;
    return copy ? 0 : -1;
}

int cli_record_read(const cli_call *call, const char *name, planner_record *record,
                    topomap_error *err)
{
    const char *said = cli_get(call, name);
    char path[4096];
    int is_path = access(said, F_OK) == 0 ||
                  !plugin_record_find(cli_get(call, "records"), said, path, sizeof path);

    if (planner_record_read(is_path ? said : path, record, err) != 0)
        return -1;
    return put_in_place(call, "db", &record->request.asked.db, err) != 0 ||
                   put_in_place(call, "graph", &record->request.asked.graph, err) != 0
               ? -1
               : 0;
}
