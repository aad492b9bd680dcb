/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/export/export.h"

static int export_svg(struct db_export *x, topomap_error *err)
{
    topomap_drawing drawing = {0};
    int result = db_export_draw(x, &drawing, err);

    if (!result)
        topomap_draw_svg(&drawing, "fabric", x->out);
    topomap_draw_clear(&drawing);
    return result;
}

const db_exporter db_export_svg = {
    .row = {"svg", "a picture: switches, hosts and cables by their rates"},
    .run = export_svg,
};
