/* SPDX-License-Identifier: BSD-3-Clause */
/* matrix:FILE: explicit distances, n rows of n numbers, blank-separated; symmetric, with zeros on
 * the diagonal. Lines that are empty or begin with '#' are skipped. */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/spec.h"
#include "util/alloc.h"
#include "util/input.h"

enum { MATRIX_LIMIT = 16384 }; /* rows: 1 GiB of distances */

typedef struct matrix {
    size_t n, rows, capacity;
    float *cost;
    double inside;
} matrix;

static int read_row(topomap_input *input, char *line, matrix *m, topomap_error *err)
{
    size_t column = 0;

    while (*(line += strspn(line, " \t")) != '\0') {
        char *end;
        double value = strtod(line, &end);

        if (end == line || !isfinite(value) || value < 0 || value > FLT_MAX)
            return topomap_input_fail(input, err, "expected a distance, found '%.40s'", line);
        if (m->rows > 0 && column == m->n)
            return topomap_input_fail(input, err, "expected %zu distances, found more", m->n);
        if (column == MATRIX_LIMIT)
            return topomap_input_fail(input, err, "more than %d columns", MATRIX_LIMIT);
        if (topomap_grow(&m->cost, &m->capacity, m->rows * m->n + column + 1, sizeof(float), err))
            return -1;
        m->cost[m->rows * m->n + column++] = (float)value;
        line = end;
    }
    if (m->rows == 0)
        m->n = column;
    if (column != m->n)
        return topomap_input_fail(input, err, "expected %zu distances, found %zu", m->n, column);
    m->rows++;
    return 0;
}

static int check(topomap_input *input, const matrix *m, topomap_error *err)
{
    if (m->rows != m->n || m->n == 0)
        return topomap_input_fail(input, err, "expected as many rows as columns, found %zu and %zu",
                                  m->rows, m->n);
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = 0; j <= i; j++) {
            if (i == j && m->cost[i * m->n + i] != 0.0f)
                return topomap_input_fail(input, err, "distance of %zu to itself is not 0", i);
            if (m->cost[i * m->n + j] != m->cost[j * m->n + i])
                return topomap_input_fail(input, err,
                                          "distance of %zu and %zu differs by direction: make the "
                                          "matrix symmetric",
                                          j, i);
        }
    return 0;
}

static int read_matrix(const char *path, matrix *m, topomap_error *err)
{
    TOPOMAP_INPUT_CLOSED topomap_input *input = NULL;
    char *line;
    size_t length;
    int got;

    if (topomap_input_open(path, &input, err) != 0)
        return -1;
    while ((got = topomap_input_line(input, (size_t)64 << 20, &line, &length, err)) == 1) {
        line += strspn(line, " \t");
        if (*line == '\0' || *line == '#')
            continue;
        if (m->rows > 0 && m->rows == m->n)
            return topomap_input_fail(input, err, "expected %zu rows, found more", m->n);
        if (read_row(input, line, m, err))
            return -1;
    }
    return got ? -1 : check(input, m, err);
}

/* The distances of the nodes that there are. */
static float *distances_of(const matrix *m, const uint32_t *ids, uint32_t nodes, topomap_error *err)
{
    float *cost = topomap_alloc((size_t)nodes * nodes, sizeof *cost, err);

    for (uint32_t i = 0; cost && i < nodes; i++)
        for (uint32_t j = 0; j < nodes; j++)
            cost[(size_t)i * nodes + j] = m->cost[ids[i] * m->n + ids[j]];
    return cost;
}

/* Each node is a site. */
static int fill(topomap_machine *machine, const uint32_t *ids, void *shape, topomap_error *err)
{
    const matrix *m = shape;
    TOPOMAP_FREED uint32_t *site = topomap_alloc(machine->nodes, sizeof *site, err);
    TOPOMAP_FREED float *listed = ids ? distances_of(m, ids, machine->nodes, err) : NULL;

    if (!site || (ids && !listed))
        return -1;
    topomap_identity(site, machine->nodes);
    if (topomap_machine_add_inner(machine, "node", m->inside, machine->node_of, err))
        return -1;
    return topomap_machine_set_matrix(machine, "matrix", machine->nodes, site,
                                      listed ? listed : m->cost, NULL, err);
}

int topomap_spec_matrix(const topomap_spec *spec, topomap_machine **machine, topomap_error *err)
{
    matrix m = {.inside = spec->costs ? spec->cost[0] : 0.0};
    int status;

    if (spec->costs > 1)
        return topomap_spec_fail(spec, err, "expected @INSIDE, found %u costs", spec->costs);
    status = read_matrix(spec->body, &m, err);
    if (status == 0)
        status =
            m.n * spec->slots > UINT32_MAX / 2
                ? topomap_spec_fail(spec, err, "the machine has more than %u slots", UINT32_MAX / 2)
                : topomap_spec_build(spec, m.n, spec->slots, fill, &m, machine, err);
    free(m.cost);
    return status;
}
