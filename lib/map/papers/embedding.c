/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/papers/papers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/problem.h"
#include "util/alloc.h"
#include "util/input.h"

enum { PIVOTS = 24, ITERATIONS = 60 };

typedef struct embedding {
    const topomap_weights *weights;
    uint32_t ranks, pivots, axes;
    double *distance;                 /* [ranks * PIVOTS], then centred and squared */
    uint32_t *queue, *hops, *nearest; /* [ranks] */
    double product[PIVOTS][PIVOTS];
} embedding;

/* Hops from a pivot; ranks that it does not reach are one further than the furthest. */
static void measure(embedding *m, uint32_t pivot, uint32_t column)
{
    uint32_t head = 0, tail = 0, far;

    memset(m->hops, 0xff, m->ranks * sizeof *m->hops);
    m->hops[pivot] = 0;
    m->queue[tail++] = pivot;
    while (head < tail) {
        uint32_t u = m->queue[head++];

        for (uint64_t e = m->weights->offset[u]; e < m->weights->offset[u + 1]; e++) {
            uint32_t v = m->weights->target[e];

            if (m->hops[v] != UINT32_MAX)
                continue;
            m->hops[v] = m->hops[u] + 1;
            m->queue[tail++] = v;
        }
    }
    far = m->hops[m->queue[tail - 1]] + 1;
    for (uint32_t r = 0; r < m->ranks; r++) {
        double h = m->hops[r] == UINT32_MAX ? far : m->hops[r];

        m->distance[(size_t)r * PIVOTS + column] = h * h;
        m->nearest[r] = m->hops[r] < m->nearest[r] ? m->hops[r] : m->nearest[r];
    }
}

/* Each pivot as far as possible from those before it; unreached ranks come first. */
static void choose_pivots(embedding *m)
{
    uint32_t next = 0;

    memset(m->nearest, 0xff, m->ranks * sizeof *m->nearest);
    for (m->pivots = 0; m->pivots < PIVOTS; m->pivots++) {
        if (m->nearest[next] == 0)
            return;
        measure(m, next, m->pivots);
        for (uint32_t r = 0; r < m->ranks; r++)
            if (m->nearest[r] > m->nearest[next])
                next = r;
    }
}

/* Double centring, as in classical scaling, and the products of the columns. */
static void centre(embedding *m)
{
    double column[PIVOTS] = {0}, all = 0;

    for (uint32_t r = 0; r < m->ranks; r++)
        for (uint32_t i = 0; i < m->pivots; i++)
            column[i] += m->distance[(size_t)r * PIVOTS + i] / m->ranks;
    for (uint32_t i = 0; i < m->pivots; i++)
        all += column[i] / m->pivots;
    for (uint32_t r = 0; r < m->ranks; r++) {
        double *row = m->distance + (size_t)r * PIVOTS, mean = 0;

        for (uint32_t i = 0; i < m->pivots; i++)
            mean += row[i] / m->pivots;
        for (uint32_t i = 0; i < m->pivots; i++)
            row[i] = -0.5 * (row[i] - mean - column[i] + all);
        for (uint32_t i = 0; i < m->pivots; i++)
            for (uint32_t j = 0; j < m->pivots; j++)
                m->product[i][j] += row[i] * row[j];
    }
}

/* The leading eigenvector of the products, by power iteration, and its removal from them. */
static void principal(embedding *m, double *vector)
{
    double next[PIVOTS], length = 0;

    for (uint32_t i = 0; i < m->pivots; i++)
        vector[i] = 1.0 + 0.1 * i; /* no direction that symmetry would hide */
    for (int k = 0; k <= ITERATIONS; k++) {
        length = 0;
        for (uint32_t i = 0; i < m->pivots; i++) {
            next[i] = 0;
            for (uint32_t j = 0; j < m->pivots; j++)
                next[i] += m->product[i][j] * vector[j];
            length += next[i] * next[i];
        }
        length = sqrt(length);
        for (uint32_t i = 0; i < m->pivots; i++)
            vector[i] = length > 1e-12 ? next[i] / length : 0.0;
    }
    for (uint32_t i = 0; i < m->pivots; i++)
        for (uint32_t j = 0; j < m->pivots; j++)
            m->product[i][j] -= length * vector[i] * vector[j];
}

/* Stretches one axis over 0 to 1; ends stay inside. */
static void stretch(uint32_t ranks, uint32_t axes, uint32_t axis, double *position)
{
    double low = INFINITY, high = -INFINITY;

    for (uint32_t r = 0; r < ranks; r++) {
        double c = position[(size_t)r * axes + axis];

        low = c < low ? c : low;
        high = c > high ? c : high;
    }
    for (uint32_t r = 0; r < ranks; r++) {
        double *c = &position[(size_t)r * axes + axis];

        *c = high - low > 1e-9 ? (*c - low) / (high - low) : 0.5;
    }
}

static void project(embedding *m, uint32_t axis, double *position)
{
    double vector[PIVOTS];

    principal(m, vector);
    for (uint32_t r = 0; r < m->ranks; r++) {
        double sum = 0;

        for (uint32_t i = 0; i < m->pivots; i++)
            sum += m->distance[(size_t)r * PIVOTS + i] * vector[i];
        position[(size_t)r * m->axes + axis] = sum;
    }
    stretch(m->ranks, m->axes, axis, position);
}

/* The machine's axes, longest first, ties in order. */
static void order_axes(const topomap_mesh *mesh, uint32_t *order)
{
    for (uint32_t a = 0; a < mesh->axes; a++) {
        uint32_t i = a;

        for (; i > 0 && mesh->extent[order[i - 1]] < mesh->extent[a]; i--)
            order[i] = order[i - 1];
        order[i] = a;
    }
}

static int lay_out(const topomap_mesh *mesh, double *position, topomap_error *err)
{
    embedding m = {
        .weights = &mesh->problem->weights, .ranks = mesh->problem->ranks, .axes = mesh->axes};
    uint32_t order[TOPOMAP_MACHINE_DIMS];
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};

    m.distance = topomap_arena_alloc(&memory, m.ranks, PIVOTS * sizeof *m.distance, err);
    m.queue = topomap_arena_alloc(&memory, m.ranks, sizeof *m.queue, err);
    m.hops = topomap_arena_alloc(&memory, m.ranks, sizeof *m.hops, err);
    m.nearest = topomap_arena_alloc(&memory, m.ranks, sizeof *m.nearest, err);
    if (memory.is_short)
        return -1;
    choose_pivots(&m);
    centre(&m);
    order_axes(mesh, order);
    for (uint32_t a = 0; a < mesh->axes; a++)
        project(&m, order[a], position);
    return 0;
}

/* ---- From a file ------------------------------------------------------------------------- */

/* Reads the coordinates of a rank: numbers with blanks or commas between them. */
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

/* The positions that the algorithm's parameter `coordinates` names: a line for each rank, its first
 * column along the machine's first axis that has an extent, and so on. Columns that the machine has
 * no axis for are not looked at; on axes without a column all ranks are at 0. Empty lines and lines
 * that begin with '#' are skipped. */
static int read_positions(const topomap_mesh *mesh, const char *path, double *position,
                          topomap_error *err)
{
    TOPOMAP_INPUT_CLOSED topomap_input *input = NULL;

    if (topomap_input_open(path, &input, err) || read_lines(input, mesh, position, err))
        return -1;
    for (uint32_t a = 0; a < mesh->axes; a++)
        stretch(mesh->problem->ranks, mesh->axes, a, position);
    return 0;
}

/* ---- All --------------------------------------------------------------------------------- */

int topomap_embedding_make(const topomap_mesh *mesh, double *position, topomap_error *err)
{
    char path[4096];
    topomap_grid grid;

    if (topomap_parameter_text(mesh->problem, "coordinates", path, sizeof path))
        return read_positions(mesh, path, position, err);
    if (mesh->axes == 0 || mesh->axes > TOPOMAP_GRID_DIMS ||
        !topomap_grid_find(&mesh->problem->weights, mesh->problem->ranks, mesh->axes, &grid))
        return lay_out(mesh, position, err);
    for (uint32_t r = 0; r < mesh->problem->ranks; r++) {
        uint32_t rest = r;

        for (uint32_t a = 0; a < grid.dims; a++) {
            position[(size_t)r * grid.dims + a] = (double)(rest % grid.dim[a]) / grid.dim[a];
            rest /= grid.dim[a];
        }
    }
    return 0;
}

const topomap_parameter topomap_parameters_coordinates[] = {
    {"coordinates", "FILE", "where the ranks lie: a line of numbers for each", 0, 0},
    {NULL, NULL, NULL, 0, 0},
};
