/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns.h"
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds a message between places, not ranks. Returns false if the allocation failed. */
static bool add(struct pattern *pattern, int phase, int from, int to, int bytes)
{
    if (pattern->messages == pattern->room) {
        size_t room = pattern->room ? 2 * pattern->room : 1024;
        struct message *more = realloc(pattern->message, room * sizeof *more);

        if (!more)
            return false;
        pattern->message = more;
        pattern->room = room;
    }
    if (phase >= pattern->phases)
        pattern->phases = phase + 1;
    pattern->message[pattern->messages++] = (struct message){phase, from, to, bytes};
    return true;
}

/* The most even factors of `count`, the largest first. */
static void factor(int count, int dimensions, int *size)
{
    for (int d = dimensions - 1; d >= 0; d--) {
        int best = 1;

        for (int s = 1; s <= count; s++) {
            double power = 1;

            for (int k = 0; k <= d; k++)
                power *= s;
            if (count % s == 0 && power <= count)
                best = s;
        }
        size[d] = best;
        count /= best;
    }
    size[0] *= count;
}

/* Every place with the next in each dimension, both ways, without wrapping round. */
static bool add_neighbours(struct pattern *pattern, int dimensions, const int *size, int bytes)
{
    int step = 1;

    for (int d = 0; d < dimensions; d++) {
        for (int p = 0; p < pattern->ranks; p++)
            if (p / step % size[d] + 1 < size[d] &&
                (!add(pattern, 0, p, p + step, bytes) || !add(pattern, 0, p + step, p, bytes)))
                return false;
        step *= size[d];
    }
    return true;
}

static bool halo(struct pattern *pattern, int dimensions, int bytes)
{
    int size[3];

    factor(pattern->ranks, dimensions, size);
    return add_neighbours(pattern, dimensions, size, bytes / (2 * dimensions));
}

static bool make_halo2d(struct pattern *pattern, int bytes, uint64_t seed)
{
    (void)seed;
    return halo(pattern, 2, bytes);
}

static bool make_halo3d(struct pattern *pattern, int bytes, uint64_t seed)
{
    (void)seed;
    return halo(pattern, 3, bytes);
}

/* As the NAS benchmark CG (Bailey et al., NAS-95-020): sums in the rows of the process grid by
 * recursive doubling, one exchange a phase, then the transpose. */
static bool make_cg(struct pattern *pattern, int bytes, uint64_t seed)
{
    int size[2], exchanges = 1, phase = 0;

    (void)seed;
    factor(pattern->ranks, 2, size);
    for (int far = 1; far < size[0]; far *= 2)
        exchanges++;
    for (int far = 1; far < size[0]; far *= 2, phase++)
        for (int p = 0; p < pattern->ranks; p++)
            if (((p % size[0]) ^ far) < size[0] &&
                !add(pattern, phase, p, p / size[0] * size[0] + ((p % size[0]) ^ far),
                     bytes / exchanges))
                return false;
    for (int p = 0; p < pattern->ranks; p++) {
        int q = p % size[0] * size[1] + p / size[0];

        if (q != p && !add(pattern, phase, p, q, bytes / exchanges))
            return false;
    }
    return true;
}

/* The transposes of a 3D transform with pencils: all pairs in each row, then in each column. */
static bool make_fft(struct pattern *pattern, int bytes, uint64_t seed)
{
    int size[2];

    (void)seed;
    factor(pattern->ranks, 2, size);
    for (int p = 0; p < pattern->ranks; p++) {
        for (int c = 0; c < size[0]; c++)
            if (c != p % size[0] &&
                !add(pattern, 0, p, p / size[0] * size[0] + c, bytes / 2 / (size[0] - 1)))
                return false;
        for (int r = 0; r < size[1]; r++)
            if (r != p / size[0] &&
                !add(pattern, 1, p, r * size[0] + p % size[0], bytes / 2 / (size[1] - 1)))
                return false;
    }
    return true;
}

/* ---- Sparse matrix-vector product ---------------------------------------------------------- */

/* The halo of a sparse matrix-vector product: points at random in the unit square, joined
 * where they are near (a random geometric graph: Penrose 2003), dealt out by recursive coordinate
 * bisection (Berger and Bokhari 1987). A part sends each of its points to each part that has a
 * neighbour of it. */
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
            !add(pattern, 0, i / mesh->parts, i % mesh->parts, (int)(each * mesh->sent[i])))
            return false;
    return true;
}

static bool make_spmv(struct pattern *pattern, int bytes, uint64_t seed)
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

/* ---- All ----------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool (*make)(struct pattern *pattern, int bytes, uint64_t seed);
} kernels[] = {
    {"halo2d", make_halo2d}, {"halo3d", make_halo3d}, {"cg", make_cg},
    {"fft", make_fft},       {"spmv", make_spmv},
};

const char pattern_help[] =
    "  halo2d, halo3d  exchange with the neighbours on a grid\n"
    "  cg              sums in the rows of a grid, then its transpose\n"
    "  fft             transposes in the rows and in the columns of a grid\n"
    "  spmv            sparse matrix-vector product on a mesh\n";

static int compare_messages(const void *a, const void *b)
{
    const struct message *x = a, *y = b;

    if (x->phase != y->phase)
        return x->phase - y->phase;
    return x->from != y->from ? x->from - y->from : x->to - y->to;
}

/* Fisher and Yates's shuffle of who stands where: of the ranks at the places or, the other way
 * round, of the places of the ranks. */
static bool shuffle(struct pattern *pattern, uint64_t seed, bool of_places)
{
    int *drawn = malloc(2 * (size_t)pattern->ranks * sizeof *drawn), *rank;

    if (!drawn)
        return false;
    rank = of_places ? drawn + pattern->ranks : drawn;
    for (int p = 0; p < pattern->ranks; p++)
        drawn[p] = p;
    for (int i = pattern->ranks - 1; i > 0; i--) {
        int j = (int)(splitmix64(&seed) % (uint64_t)(i + 1)), kept = drawn[i];

        drawn[i] = drawn[j];
        drawn[j] = kept;
    }
    for (int r = 0; of_places && r < pattern->ranks; r++)
        rank[drawn[r]] = r;
    for (size_t m = 0; m < pattern->messages; m++) {
        pattern->message[m].from = rank[pattern->message[m].from];
        pattern->message[m].to = rank[pattern->message[m].to];
    }
    free(drawn);
    return true;
}

/* \p made: whether there was memory for all of it. */
static int finish(struct pattern *pattern, bool made)
{
    if (!made) {
        pattern_free(pattern);
        return -1;
    }
    if (pattern->messages)
        qsort(pattern->message, pattern->messages, sizeof *pattern->message, compare_messages);
    return 0;
}

int pattern_make(struct pattern *pattern, const char *name, int ranks, int bytes, uint64_t seed)
{
    const char *order = strchr(name, ':');
    bool made = false;

    *pattern = (struct pattern){.ranks = ranks};
    if (!order || ranks < 1 || ranks > PATTERN_RANKS)
        return -1;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        if (strlen(kernels[k].name) == (size_t)(order - name) &&
            strncmp(kernels[k].name, name, (size_t)(order - name)) == 0)
            made = kernels[k].make(pattern, bytes, seed);
    if (strcmp(order, ":shuffled") == 0)
        made = made && shuffle(pattern, seed, false);
    else if (strcmp(order, ":natural") != 0)
        made = false;
    return finish(pattern, made);
}

static bool parse_size(const char *text, int size[2])
{
    char *end;
    long x = strtol(text, &end, 10);
    long y;

    if (end == text || *end != 'x')
        return false;
    text = end + 1;
    y = strtol(text, &end, 10);
    if (end == text || *end != '\0' || x < 1 || y < 1 || x > 4096 || y > 4096 || x * y > 1048576)
        return false;
    size[0] = (int)x;
    size[1] = (int)y;
    return true;
}

int pattern_grid(struct pattern *pattern, const char *size, bool shuffled, int bytes, uint64_t seed)
{
    int side[2];

    if (!parse_size(size, side))
        return -1;
    *pattern = (struct pattern){.ranks = side[0] * side[1]};
    return finish(pattern, add_neighbours(pattern, 2, side, bytes) &&
                               (!shuffled || shuffle(pattern, seed, true)));
}

void pattern_free(struct pattern *pattern)
{
    free(pattern->message);
    *pattern = (struct pattern){0};
}

int pattern_write(const struct pattern *pattern, const char *path, int phase, int times)
{
    FILE *file = fopen(path, "w");
    bool failed = !file || fputs("u,v,bytes,messages\n", file) < 0;

    for (size_t m = 0; file && m < pattern->messages; m++) {
        const struct message *message = &pattern->message[m];

        if (phase == 0 || message->phase == phase - 1)
            fprintf(file, "%d,%d,%lld,%d\n", message->from, message->to,
                    (long long)message->bytes * times, times);
    }
    if (file && ferror(file))
        failed = true;
    if (file && fclose(file) != 0)
        failed = true;
    if (failed)
        perror(path);
    return failed ? 4 : 0;
}
