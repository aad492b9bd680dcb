/* SPDX-License-Identifier: BSD-3-Clause */
/* Planes: connected components of switches. Hosts do not connect them: nothing is routed through a
 * host, so a cluster of two rails on switches of their own has two planes. */
#include <stdlib.h>

#include "topology-db/derive/derive.h"
#include "topology-db/fabric/load.h"
#include "util/alloc.h"

static int write_planes(sqlite3 *file, const topomap_switches *s, const uint32_t *plane,
                        topomap_error *err)
{
    DB_STATEMENT *update = db_prepare(file, "UPDATE switch SET plane=? WHERE id=?", err);

    for (uint32_t i = 0; update && i < s->count; i++) {
        if (DB_PUT(update, err, DB_INT(plane[i] + INT64_C(1)), DB_INT(s->id[i])))
            return -1;
    }
    return update ? 0 : -1;
}

int db_views_planes(struct db_views *views, topomap_error *err)
{
    topomap_switches switches = {0};
    uint32_t *plane = NULL;
    int result = db_switches_load(views->file, 0, &switches, err);

    if (result)
        return -1;
    plane = topomap_alloc(switches.count, sizeof *plane, err);
    if (plane)
        topomap_switches_parts(&switches, NULL, plane);
    result = !plane || write_planes(views->file, &switches, plane, err) ||
                     db_execute(views->file,
                                "INSERT INTO fact SELECT 'planes', count(DISTINCT plane) FROM"
                                " attach JOIN switch ON switch.id = attach.switch",
                                err)
                 ? -1
                 : 0;
    free(plane);
    topomap_switches_clear(&switches);
    return result;
}
