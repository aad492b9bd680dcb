/* SPDX-License-Identifier: BSD-3-Clause */
/* Tori and meshes of switches, most of which have hosts. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/kinds/torus.h"
#include "util/alloc.h"

/* ---- Dimensions of 2 and of 4 --------------------------------------------------------------- */

/* \p sockets  [dims] the two ports of most links of each dimension */
static int sockets_of(const struct torus *t, uint32_t *sockets, topomap_error *err)
{
    const topomap_part *part = t->part;
    const topomap_switches *s = &part->switches;
    TOPOMAP_FREED uint32_t *one = topomap_alloc(t->edges, sizeof *one, err);

    for (uint32_t dim = 0; one && dim < t->dims; dim++) {
        size_t count = 0;

        for (uint32_t i = 0; i < s->count; i++)
            for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++)
                if (s->neighbour[k] > i && t->dim_of[t->edge_of[k]] == dim)
                    one[count++] = part->sockets[k];
        sockets[dim] = topomap_most_frequent(one, count);
    }
    return one ? 0 : -1;
}

/* Two dimensions of 2 as one of 4, along the ring that they make: 00, 10, 11, 01. */
static void put_dimension(struct torus *t, uint32_t a, uint32_t b)
{
    topomap_part *part = t->part;
    uint32_t dim = part->dims++;

    part->dim[dim] = b == TORUS_NONE ? t->size[a] : 4;
    part->wrap[dim] = b == TORUS_NONE ? t->wrap[a] && t->size[a] > 2 : 1;
    for (uint32_t i = 0; i < part->switches.count; i++) {
        const int32_t *from = &t->place[(size_t)i * TORUS_DIMS];
        int32_t *to = &part->place[(size_t)i * TOPOMAP_DIMS + dim];

        *to = from[a];
        if (b != TORUS_NONE)
            *to = from[a] < 0 || from[b] < 0 ? -1 : from[b] * 3 + (from[b] ? -from[a] : from[a]);
    }
}

/* A ring of 4 switches and two dimensions of 2 are one graph with the same distances. Cables tell:
 * a ring is wired alike all around, two dimensions use ports of their own. Returns 0 where there
 * are too many dimensions. */
static int join_dimensions(struct torus *t, const uint32_t *sockets)
{
    uint32_t left = t->dims, done = 0;

    for (uint32_t a = 0; a < t->dims; a++) {
        uint32_t first = TORUS_NONE, second = TORUS_NONE;

        /* By ports, for coordinates in the order of the ports. */
        for (uint32_t d = 0; d < t->dims; d++)
            if (!(done >> d & 1) && (first == TORUS_NONE || sockets[d] < sockets[first]))
                first = d;
        if (first == TORUS_NONE)
            break;
        done |= 1u << first;
        for (uint32_t d = 0; d < t->dims && t->size[first] == 2; d++)
            if (!(done >> d & 1) && t->size[d] == 2 &&
                (sockets[d] == sockets[first] || left > TOPOMAP_DIMS) && second == TORUS_NONE)
                second = d;
        if (second != TORUS_NONE) {
            done |= 1u << second;
            left--;
        }
        if (t->part->dims == TOPOMAP_DIMS)
            return 0;
        put_dimension(t, first, second);
    }
    return 1;
}

/* ---- Does it fit? -------------------------------------------------------------------------- */

struct fit {
    const topomap_part *part;
    uint64_t positions; /* product of the dimensions */
    uint32_t *at;       /* [positions] switch + 1, or 0 */
    uint32_t placed, with_hosts;
    uint64_t expected, missing, astray; /* joined pairs */
};

static uint64_t position(const topomap_part *part, const int32_t *place)
{
    uint64_t position = 0;

    for (uint32_t d = part->dims; d--;)
        position = position * part->dim[d] + (uint32_t)place[d];
    return position;
}

/* 0 where two switches are at one place. */
static int fill_positions(struct fit *f)
{
    for (uint32_t i = 0; i < f->part->switches.count; i++) {
        const int32_t *place = &f->part->place[(size_t)i * TOPOMAP_DIMS];
        int known = 1;

        f->with_hosts += f->part->ports[i] > 0;
        for (uint32_t d = 0; d < f->part->dims; d++)
            known &= place[d] >= 0;
        if (!known)
            continue;
        if (f->at[position(f->part, place)])
            return 0;
        f->at[position(f->part, place)] = i + 1;
        f->placed++;
    }
    return 1;
}

static int neighbours(const topomap_part *part, const int32_t *a, const int32_t *b)
{
    uint32_t steps = 0;

    for (uint32_t d = 0; d < part->dims; d++) {
        uint32_t gap = (uint32_t)abs(a[d] - b[d]);

        steps += part->wrap[d] && gap > part->dim[d] - gap ? part->dim[d] - gap : gap;
    }
    return steps == 1;
}

static void count_fit(struct fit *f)
{
    const topomap_part *part = f->part;
    const topomap_switches *s = &part->switches;
    uint64_t present = 0;

    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++) {
            uint32_t j = s->neighbour[k];
            const int32_t *a = &part->place[(size_t)i * TOPOMAP_DIMS];
            const int32_t *b = &part->place[(size_t)j * TOPOMAP_DIMS];

            if (j < i)
                continue;
            if (a[0] >= 0 && b[0] >= 0 && neighbours(part, a, b))
                present++;
            else
                f->astray++;
        }
    for (uint64_t p = 0; p < f->positions; p++) {
        uint64_t stride = 1;

        for (uint32_t d = 0; d < part->dims; stride *= part->dim[d++]) {
            uint64_t here = p / stride % part->dim[d], next = p + stride;

            if (here + 1 == part->dim[d])
                next = part->wrap[d] ? p - here * stride : p;
            f->expected += next != p && f->at[p] && f->at[next];
        }
    }
    f->missing = f->expected - present;
}

static int measure_fit(struct fit *f, topomap_error *err)
{
    f->positions = 1;
    for (uint32_t d = 0; d < f->part->dims; d++) {
        f->positions *= f->part->dim[d];
        if (f->positions > 2ull * f->part->switches.count)
            return 0;
    }
    f->at = topomap_alloc((size_t)f->positions, sizeof *f->at, err);
    if (!f->at)
        return -1;
    if (!fill_positions(f))
        return 0;
    count_fit(f);
    return f->placed * 10ull >= f->part->switches.count * 9ull && f->missing * 5 <= f->expected &&
           f->astray * 20 <= f->part->pairs;
}

/* ---- The verdict --------------------------------------------------------------------------- */

static void describe(const struct fit *f, const struct torus *t, topomap_verdict *verdict)
{
    static const char axes[] = "xyzwvuts";
    const topomap_part *part = f->part;
    int wraps = 0, cube = 1;

    for (uint32_t d = 0; d < part->dims; d++) {
        topomap_verdict_say(verdict, "%s%u", d ? "x" : "", part->dim[d]);
        wraps |= part->wrap[d];
        cube &= part->dim[d] == 2;
    }
    strcpy(verdict->topology, wraps || cube ? "torus" : "mesh");
    topomap_verdict_say(verdict, " %s of switches%s", wraps ? "torus" : "mesh",
                        cube ? " (a hypercube)" : "");
    if (wraps) {
        topomap_verdict_say(verdict, ", around in ");
        for (uint32_t d = 0; d < part->dims; d++)
            if (part->wrap[d])
                topomap_verdict_say(verdict, "%c", axes[d]);
    }
    topomap_verdict_say(verdict,
                        ": %u of %" PRIu64 " switches, %" PRIu64 " of %" PRIu64
                        " joined pairs between them",
                        f->placed, f->positions, f->expected - f->missing, f->expected);
    if (part->dims < t->dims)
        topomap_verdict_say(verdict, "; rings of 4 told from two dimensions of 2 by their ports");
    if (part->switches.count > f->placed)
        topomap_verdict_say(verdict, "; %u switches without a place",
                            part->switches.count - f->placed);
    if (f->astray)
        topomap_verdict_say(verdict, "; %" PRIu64 " links that fit nowhere", f->astray);
    topomap_verdict_say(verdict, f->placed < f->positions || f->missing || f->astray
                                     ? "; near a gap hops are those of the links, not of the grid"
                                     : "; hops are those of the grid");
}

static int judge(struct fit *f, const struct torus *t, topomap_verdict *verdict, topomap_error *err)
{
    int fits = measure_fit(f, err);

    if (fits < 0)
        return -1;
    if (!fits || f->with_hosts * 2 < f->part->switches.count) {
        topomap_verdict_say(verdict,
                            fits ? "no torus: most switches have no host"
                                 : "no torus: its links run in %u directions, but not as a grid",
                            t->dims);
        return 0;
    }
    describe(f, t, verdict);
    verdict->confidence = (double)f->placed / (double)f->positions;
    if (f->expected)
        verdict->confidence *= 1 - (double)f->missing / (double)f->expected;
    verdict->confidence *= 1 - (double)f->astray / (double)f->part->pairs;
    return 1;
}

static int arrange(struct torus *t, topomap_verdict *verdict, topomap_error *err)
{
    struct fit fit = {.part = t->part};
    uint32_t sockets[TORUS_DIMS];
    int is = topomap_torus_find_dimensions(t, verdict, err);

    if (is > 0)
        is = topomap_torus_find_places(t, verdict, err);
    if (is <= 0)
        return is;
    t->part->place =
        topomap_alloc((size_t)t->part->switches.count * TOPOMAP_DIMS, sizeof *t->part->place, err);
    if (!t->part->place || sockets_of(t, sockets, err))
        return -1;
    is = join_dimensions(t, sockets) ? judge(&fit, t, verdict, err) : 0;
    free(fit.at);
    return is;
}

int topomap_is_torus(topomap_part *part, topomap_verdict *verdict, topomap_error *err)
{
    const topomap_switches *s = &part->switches;
    struct torus t = {.part = part};
    uint32_t most = 0;
    int is = 0;

    for (uint32_t i = 0; i < s->count; i++)
        if (s->first[i + 1] - s->first[i] > most)
            most = s->first[i + 1] - s->first[i];
    if (s->count < 4 || most > TOPOMAP_TORUS_LINKS)
        topomap_verdict_say(verdict,
                            s->count < 4 ? "no torus: %u switches"
                                         : "no torus: one switch joins %u others",
                            s->count < 4 ? s->count : most);
    else
        is = arrange(&t, verdict, err);
    free(t.edge_of);
    free(t.dim_of);
    free(t.place);
    if (is <= 0) {
        free(topomap_take(&part->place));
        part->dims = 0;
    }
    return is;
}
