/* SPDX-License-Identifier: BSD-3-Clause */
/* Coordinates of the ranks from a file: a line of numbers for each rank, blank or comma apart;
 * what begins with '#' is passed over. */
#include <math.h>
#include <stdlib.h>

#include "map/papers/papers.h"
#include "util/input.h"

static int read_line(topomap_input *input, const char *text, uint32_t axes, double *position,
                     uint32_t *columns, topomap_error *err)
{
    uint32_t column = 0;

    for (;;) {
        char *end;
        double value;

        while (*text == ' ' || *text == '\t' || *text == ',')
            text++;
        if (*text == '\0')
            break;
        value = strtod(text, &end);
        if (end == text || !isfinite(value))
            return topomap_input_fail(input, err, "expected a coordinate, not '%.16s'", text);
        if (column < axes)
            position[column] = value;
        column++;
        text = end;
    }
    if (*columns && column != *columns)
        return topomap_input_fail(input, err, "%u coordinates, those above had %u", column,
                                  *columns);
    *columns = column;
    return 0;
}

static int read_lines(topomap_input *input, const topomap_mesh *mesh, double *position,
                      topomap_error *err)
{
    uint32_t rank = 0, columns = 0;
    size_t length;
    char *line;
    int more;

    while ((more = topomap_input_line(input, 4096, &line, &length, err)) > 0) {
        if (*line == '\0' || *line == '#')
            continue;
        if (rank == mesh->problem->ranks)
            return topomap_input_fail(input, err, "more lines than the graph's %u ranks", rank);
        if (read_line(input, line, mesh->axes, position + (size_t)rank++ * mesh->axes, &columns,
                      err) != 0)
            return -1;
    }
    if (more < 0)
        return -1;
    if (rank < mesh->problem->ranks)
        return topomap_input_fail(input, err, "coordinates of %u ranks, the graph has %u", rank,
                                  mesh->problem->ranks);
    return 0;
}

int topomap_embedding_read(const topomap_mesh *mesh, const char *path, double *position,
                           topomap_error *err)
{
    TOPOMAP_INPUT_CLOSED topomap_input *input = NULL;

    if (topomap_input_open(path, &input, err) || read_lines(input, mesh, position, err))
        return -1;
    topomap_embedding_stretch(mesh, position);
    return 0;
}
