/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns.h"
#include "options.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS_A_PART = 256 };
#define DEGREE 8.0

struct point {
    double at[2];
    int part;
};

struct mesh {
    struct point *point;     /* [points] */
    int points, parts, side; /* cells a side, each at least as wide as the radius */
    double radius;
    int *head, *next; /* points of a cell: [side * side] and [points], -1 ends */
    int *sent;        /* [parts * parts] points that one sends to another */
    int *seen;        /* [parts] the last point that was counted for a part */
};

static int by_first(const void *a, const void *b)
{
    const struct point *p = a, *q = b;

    return p->at[0] < q->at[0] ? -1 : p->at[0] > q->at[0];
}

static int by_second(const void *a, const void *b)
{
    const struct point *p = a, *q = b;

    return p->at[1] < q->at[1] ? -1 : p->at[1] > q->at[1];
}

static double extent(const struct point *point, int points, int axis)
{
    double low = 1, high = 0;

    for (int i = 0; i < points; i++) {
        low = fmin(low, point[i].at[axis]);
        high = fmax(high, point[i].at[axis]);
    }
    return high - low;
}

static void bisect(struct point *point, int points, int first, int parts)
{
    int half = parts / 2, cut = (int)((long)points * half / parts);

    if (parts == 1) {
        for (int i = 0; i < points; i++)
            point[i].part = first;
        return;
    }
    qsort(point, (size_t)points, sizeof *point,
          extent(point, points, 0) >= extent(point, points, 1) ? by_first : by_second);
    bisect(point, cut, first, half);
    bisect(point + cut, points - cut, first + half, parts - half);
}

static int cell_of(const struct mesh *mesh, double at)
{
    int cell = (int)(at * mesh->side);

    return cell < mesh->side ? cell : mesh->side - 1;
}

static void count_neighbours(struct mesh *mesh, int p)
{
    const struct point *own = &mesh->point[p];
    int x = cell_of(mesh, own->at[0]), y = cell_of(mesh, own->at[1]);

    for (int cell = 0; cell < 9; cell++) {
        int cx = x + cell % 3 - 1, cy = y + cell / 3 - 1;

        if (cx < 0 || cy < 0 || cx >= mesh->side || cy >= mesh->side)
            continue;
        for (int q = mesh->head[cy * mesh->side + cx]; q >= 0; q = mesh->next[q]) {
            const struct point *other = &mesh->point[q];

            if (other->part == own->part || mesh->seen[other->part] == p ||
                hypot(other->at[0] - own->at[0], other->at[1] - own->at[1]) > mesh->radius)
                continue;
            mesh->seen[other->part] = p;
            mesh->sent[own->part * mesh->parts + other->part]++;
        }
    }
}

static void build(struct mesh *mesh, uint64_t seed)
{
    for (int p = 0; p < mesh->points; p++)
        for (int d = 0; d < 2; d++)
            mesh->point[p].at[d] = (double)(splitmix64(&seed) >> 11) * 0x1p-53;
    bisect(mesh->point, mesh->points, 0, mesh->parts);
    for (int c = 0; c < mesh->side * mesh->side; c++)
        mesh->head[c] = -1;
    for (int p = 0; p < mesh->parts; p++)
        mesh->seen[p] = -1;
    for (int p = 0; p < mesh->points; p++) {
        int *head = &mesh->head[cell_of(mesh, mesh->point[p].at[1]) * mesh->side +
                                cell_of(mesh, mesh->point[p].at[0])];

        mesh->next[p] = *head;
        *head = p;
    }
    for (int p = 0; p < mesh->points; p++)
        count_neighbours(mesh, p);
}

/* As many bytes a point as make `bytes` of what a part sends, on the average. */
static bool add_messages(struct pattern *pattern, const struct mesh *mesh, int bytes)
{
    long all = 0;
    int pairs = mesh->parts * mesh->parts;
    double each;

    for (int i = 0; i < pairs; i++)
        all += mesh->sent[i];
    each = all ? (double)bytes * mesh->parts / (double)all : 0;
    for (int i = 0; i < pairs; i++)
        if (mesh->sent[i] &&
            !pattern_add(pattern, 0, i / mesh->parts, i % mesh->parts, (int)(each * mesh->sent[i])))
            return false;
    return true;
}

bool mesh_make(struct pattern *pattern, int bytes, uint64_t seed)
{
    struct mesh mesh = {.parts = pattern->ranks, .points = POINTS_A_PART * pattern->ranks};
    bool made;

    mesh.radius = sqrt(DEGREE / (M_PI * mesh.points));
    mesh.side = 1 / mesh.radius < 1 ? 1 : (int)(1 / mesh.radius);
    mesh.point = malloc((size_t)mesh.points * sizeof *mesh.point);
    mesh.next = malloc((size_t)mesh.points * sizeof *mesh.next);
    mesh.head = malloc((size_t)mesh.side * (size_t)mesh.side * sizeof *mesh.head);
    mesh.sent = calloc((size_t)mesh.parts * (size_t)mesh.parts, sizeof *mesh.sent);
    mesh.seen = malloc((size_t)mesh.parts * sizeof *mesh.seen);
    made = mesh.point && mesh.next && mesh.head && mesh.sent && mesh.seen;
    if (made) {
        build(&mesh, seed);
        made = add_messages(pattern, &mesh, bytes);
    }
    free(mesh.point);
    free(mesh.next);
    free(mesh.head);
    free(mesh.sent);
    free(mesh.seen);
    return made;
}
