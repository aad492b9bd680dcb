/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs of matrices from three-dimensional problems: finite elements, optimality systems. They
 * are larger than a job as a rule: `topomap graph partition` makes the job's graph of them. */
#include "graph/patterns/patterns.h"

#define MESH_SHAPE(help)                                                                           \
    {                                                                                              \
        "n", TOPOMAP_PARAM_SHAPE, "N|XxYxZ", NULL, help, 1, 3                                      \
    }

static const topomap_pattern_param fem3d[] = {
    MESH_SHAPE("nodes in each dimension"),
    {"element", TOPOMAP_PARAM_WORD, "hex|tet", "hex", "26 neighbours, or 14 (each cube cut in six)",
     0, 0},
    {"solid", TOPOMAP_PARAM_WORD, "box|ball|crank", "box",
     "what the nodes fill; a crankshaft lies along x (N is 6NxNxN then)", 0, 0},
    {"dof", TOPOMAP_PARAM_COUNT, "N", "1", "unknowns of a node, each a vertex", 1, 64},
    TOPOMAP_PARAM_BYTES("8", "of each entry of the matrix, both ways"),
    TOPOMAP_PARAM_NONE,
};
static const topomap_pattern_param kkt3d[] = {
    MESH_SHAPE("grid points in each dimension"),
    TOPOMAP_PARAM_BYTES("8", "of each entry of the matrix, both ways"),
    TOPOMAP_PARAM_NONE,
};

/* N means NxNxN, `stretch` times as long in x. */
static int box_of(const topomap_pattern_args *args, uint64_t stretch, uint64_t *size,
                  topomap_error *err)
{
    uint64_t cells = 1;

    if (args->dims == 2)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "one size or three expected");
    for (int k = 0; k < 3; k++) {
        size[k] = args->dims == 3 ? args->dim[k] : args->dim[0] * (k ? 1 : stretch);
        cells = topomap_pattern_times(cells, size[k]);
    }
    if (cells > TOPOMAP_PATTERN_MOST)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "%llu points; " TOPOMAP_PATTERN_LIMIT,
                                 (unsigned long long)cells);
    return 0;
}

static uint64_t place_of(const uint64_t *size, uint64_t x, uint64_t y, uint64_t z)
{
    return x + size[0] * (y + size[1] * z);
}

/* ---- Finite elements ------------------------------------------------------------------------ */

enum solid { SOLID_BOX, SOLID_BALL, SOLID_CRANK };

static double middle(uint64_t at, uint64_t size)
{
    return ((double)at + 0.5) / (double)size - 0.5;
}

/* Journals and webs in turn along x, three throws; the second journal of each is off the axis. */
static int in_crank(double y, double z, uint64_t part)
{
    double radius = part % 2 ? 0.5 : 0.25, off = part % 4 == 2 ? 0.25 : 0.0;

    return (y - off) * (y - off) + z * z <= radius * radius;
}

static int in_solid(const uint64_t *size, enum solid solid, uint64_t at)
{
    uint64_t x = at % size[0], y = at / size[0] % size[1];
    uint64_t z = at / (size[0] * size[1]);
    double a = middle(x, size[0]), b = middle(y, size[1]), c = middle(z, size[2]);

    if (solid == SOLID_BALL)
        return a * a + b * b + c * c <= 0.25;
    return solid == SOLID_BOX || in_crank(b, c, x * 12 / size[0]);
}

/* The steps to a node's neighbours, ascending by place. The cubes are cut along the diagonal
 * (0,0,0)-(1,1,1) (Kuhn): nodes of one tetrahedron differ by steps of one sign. */
static int steps_of(int tet, int step[26][3])
{
    int count = 0;

    for (int code = 0; code < 27; code++) {
        int x = code % 3 - 1, y = code / 3 % 3 - 1, z = code / 9 - 1;
        int up = x > 0 || y > 0 || z > 0, down = x < 0 || y < 0 || z < 0;

        if ((!up && !down) || (tet && up && down))
            continue;
        step[count][0] = x;
        step[count][1] = y;
        step[count][2] = z;
        count++;
    }
    return count;
}

/* One block of the matrix: all unknowns of one node with all of another (or of itself). */
static int add_block(topomap_pattern_out *out, uint64_t u, uint64_t v, uint64_t dof, uint64_t bytes)
{
    for (uint64_t i = 0; i < dof; i++)
        for (uint64_t j = 0; j < dof; j++)
            if (u * dof + i != v * dof + j &&
                topomap_pattern_arc(out, u * dof + i, v * dof + j, bytes))
                return -1;
    return 0;
}

static int add_node(const uint64_t *size, const uint32_t *id, uint64_t at, int (*step)[3],
                    int steps, uint64_t dof, uint64_t bytes, topomap_pattern_out *out)
{
    uint64_t place[3] = {at % size[0], at / size[0] % size[1], at / (size[0] * size[1])};

    if (dof > 1 && add_block(out, id[at], id[at], dof, bytes))
        return -1;
    for (int i = 0; i < steps; i++) {
        uint64_t x = place[0] + (uint64_t)step[i][0], y = place[1] + (uint64_t)step[i][1];
        uint64_t z = place[2] + (uint64_t)step[i][2], to;

        if (x >= size[0] || y >= size[1] || z >= size[2])
            continue;
        to = place_of(size, x, y, z);
        if (id[to] != UINT32_MAX && add_block(out, id[at], id[to], dof, bytes))
            return -1;
    }
    return 0;
}

static int make_fem3d(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    enum solid solid = (enum solid)topomap_pattern_number(args, "solid");
    uint64_t dof = topomap_pattern_number(args, "dof"), nodes = 0, cells;
    uint64_t bytes = topomap_pattern_number(args, "bytes");
    int step[26][3], steps = steps_of(topomap_pattern_number(args, "element") == 1, step);
    uint64_t size[3];
    uint32_t *id;

    if (box_of(args, solid == SOLID_CRANK ? 6 : 1, size, out->err))
        return -1;
    cells = size[0] * size[1] * size[2];
    id = topomap_pattern_alloc(out, cells, sizeof *id);
    if (!id)
        return -1;
    for (uint64_t at = 0; at < cells; at++)
        id[at] = in_solid(size, solid, at) ? (uint32_t)nodes++ : UINT32_MAX;
    if (topomap_pattern_size(out, nodes * dof, nodes * dof * (((uint64_t)steps + 1) * dof - 1)))
        return -1;
    for (uint64_t at = 0; at < cells; at++)
        if (id[at] != UINT32_MAX && add_node(size, id, at, step, steps, dof, bytes, out))
            return -1;
    return 0;
}

/* ---- Optimality systems --------------------------------------------------------------------- */

/* The points around (x, y, z) in the dimensions of `free`. */
static int add_around(const uint64_t *size, uint64_t from, const uint64_t *centre, unsigned free_in,
                      uint64_t first, uint64_t bytes, topomap_pattern_out *out)
{
    uint64_t low[3], high[3];

    for (int k = 0; k < 3; k++) {
        int open = (int)(free_in >> k & 1);

        low[k] = centre[k] - (open && centre[k] > 0);
        high[k] = centre[k] + (open && centre[k] + 1 < size[k]);
    }
    for (uint64_t z = low[2]; z <= high[2]; z++)
        for (uint64_t y = low[1]; y <= high[1]; y++)
            for (uint64_t x = low[0]; x <= high[0]; x++)
                if (topomap_pattern_pair(out, from, first + place_of(size, x, y, z), bytes))
                    return -1;
    return 0;
}

/* Controls on the two sides of the box that dimension `k` ends at. */
static int add_controls(const uint64_t *size, int k, uint64_t *control, uint64_t first,
                        uint64_t bytes, topomap_pattern_out *out)
{
    int a = (k + 1) % 3, b = (k + 2) % 3;
    uint64_t at[3];

    for (int side = 0; side < 2; side++) {
        at[k] = side ? size[k] - 1 : 0;
        for (at[b] = 0; at[b] < size[b]; at[b]++)
            for (at[a] = 0; at[a] < size[a]; at[a]++)
                if (add_around(size, (*control)++, at, 7u & ~(1u << k), first, bytes, out))
                    return -1;
    }
    return 0;
}

/* The optimality system of a boundary control problem with a partial differential equation, as the
 * matrices nlpkkt80 to nlpkkt240 of the SuiteSparse collection have it (Schenk, Waechter, Weiser,
 * SIAM J. Sci. Comput. 31(2), 2008): [H J'; J 0] with a diagonal H, states and multipliers on all
 * grid points, controls on the six sides. J couples a multiplier with the 27 states around it and
 * with the 9 controls around it on a side: rows and entries come out as the collection lists them.
 * Vertices: states, controls, multipliers. */
static int make_kkt3d(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    uint64_t bytes = topomap_pattern_number(args, "bytes"), pairs = 1, points, controls = 0, next;
    uint64_t size[3];
    uint64_t at[3];

    if (box_of(args, 1, size, out->err))
        return -1;
    points = size[0] * size[1] * size[2];
    for (int k = 0; k < 3; k++) {
        uint64_t a = size[(k + 1) % 3], b = size[(k + 2) % 3];

        pairs *= 3 * size[k] - 2;
        controls += 2 * a * b;
    }
    for (int k = 0; k < 3; k++)
        pairs += 2 * (3 * size[(k + 1) % 3] - 2) * (3 * size[(k + 2) % 3] - 2);
    if (topomap_pattern_size(out, 2 * points + controls, 2 * pairs))
        return -1;
    for (at[2] = 0; at[2] < size[2]; at[2]++)
        for (at[1] = 0; at[1] < size[1]; at[1]++)
            for (at[0] = 0; at[0] < size[0]; at[0]++)
                if (add_around(size, place_of(size, at[0], at[1], at[2]), at, 7, points + controls,
                               bytes, out))
                    return -1;
    next = points;
    for (int k = 0; k < 3; k++)
        if (add_controls(size, k, &next, points + controls, bytes, out))
            return -1;
    return 0;
}

const topomap_pattern topomap_patterns_meshes[] = {
    {{"fem3d", "nodes of a finite element mesh"}, fem3d, 1, 0, make_fem3d},
    {{"kkt3d",
      "optimality system of a 3D problem: states, boundary controls, multipliers (nlpkkt)"},
     kkt3d,
     1,
     0,
     make_kkt3d},
    {{NULL, NULL}, NULL, 0, 0, NULL},
};
