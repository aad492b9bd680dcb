/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings that go one way beside lines that go both are the collectives and the pipeline of a
 * training job; lines that go one way only are a wavefront. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/patterns/patterns.h"
#include "graph/recognise/lattice.h"
#include "graph/recognise/name.h"
#include "util/alloc.h"
#include "util/random.h"
#include "util/text.h"

enum { SAMPLE = 511 };

/* What goes along a dimension: medians, which noise leaves alone, of a sample of its pairs. */
typedef struct flow {
    uint64_t pairs, up[SAMPLE], down[SAMPLE]; /* bytes to the next, and to the one before */
    double typical_up, typical_down;          /* in a group, all is up */
} flow;

/* Each pair has the same chance to be in the sample (Vitter, 1985). */
static void take_pair(flow *f, uint64_t up, uint64_t down, topomap_random *random)
{
    uint64_t at = f->pairs++;

    if (at >= SAMPLE)
        at = topomap_random_next(random) % f->pairs;
    if (at < SAMPLE) {
        f->up[at] = up;
        f->down[at] = down;
    }
}

static double median(uint64_t *value, uint64_t count)
{
    qsort(value, count, sizeof *value, topomap_by_u64);
    return count ? (double)value[count / 2] : 0;
}

static int is_up(const topomap_lattice *l, uint32_t k, uint32_t a, uint32_t b)
{
    return b == (l->kind[k] == TOPOMAP_LATTICE_RING ? (a + 1) % l->size[k] : a + 1);
}

static void measure(const topomap_graph *graph, const topomap_lattice *l, flow *flows)
{
    topomap_walk walk = {.lattice = l, .offset = graph->offset, .target = graph->target};
    topomap_random random = {1};

    while (topomap_walk_next(&walk)) {
        uint32_t k = topomap_lattice_along(l, walk.a, walk.b);
        uint64_t bytes = graph->bytes[walk.arc], back;

        if (k >= l->dims)
            continue;
        back = topomap_graph_bytes_to(graph, walk.v, walk.u);
        if (l->kind[k] == TOPOMAP_LATTICE_CLIQUE)
            take_pair(&flows[k], bytes, 0, &random);
        else if (back && walk.v < walk.u)
            continue;
        else if (is_up(l, k, walk.a[k], walk.b[k]))
            take_pair(&flows[k], bytes, back, &random);
        else
            take_pair(&flows[k], back, bytes, &random);
    }
    for (uint32_t k = 0; k < l->dims; k++) {
        uint64_t taken = flows[k].pairs < SAMPLE ? flows[k].pairs : SAMPLE;

        flows[k].typical_up = median(flows[k].up, taken);
        flows[k].typical_down = median(flows[k].down, taken);
    }
}

static double bytes_of(const flow *f)
{
    return (double)f->pairs * (f->typical_up + f->typical_down);
}

static int is_one_way(const flow *f)
{
    double a = f->typical_up, b = f->typical_down;

    return (a < b ? a : b) <= 0.1 * (a < b ? b : a) && a + b > 0;
}

static int is_two_way(const flow *f)
{
    return f->typical_up <= 1.1 * f->typical_down && f->typical_down <= 1.1 * f->typical_up;
}

/* ---- Training ------------------------------------------------------------------------------- */

typedef struct training {
    const topomap_lattice *lattice;
    flow *flows;                         /* [dims] */
    uint32_t role[TOPOMAP_LATTICE_DIMS]; /* tp, pp or dp */
    int direct;
    double best; /* fit of the bytes */
    uint32_t size[TOPOMAP_TRAINING_DIMS];
    int zero;
} training;

/* Which roles a dimension may have, as bits; 0: this is no training job. */
static unsigned roles_of(const training *t, uint32_t k)
{
    enum { GROUP = 1 << TOPOMAP_TRAINING_TP | 1 << TOPOMAP_TRAINING_DP };
    const topomap_lattice *l = t->lattice;

    if (l->size[k] == 2)
        return l->kind[k] == TOPOMAP_LATTICE_COPIES || is_one_way(&t->flows[k])
                   ? 0
                   : GROUP | 1 << TOPOMAP_TRAINING_PP;
    switch (l->kind[k]) {
    case TOPOMAP_LATTICE_PATH:
        return is_two_way(&t->flows[k]) ? 1 << TOPOMAP_TRAINING_PP : 0;
    case TOPOMAP_LATTICE_RING:
        return is_one_way(&t->flows[k]) && !t->direct ? GROUP : 0;
    case TOPOMAP_LATTICE_CLIQUE:
        return GROUP;
    default:
        return 0;
    }
}

static void words_of(const training *t, const uint32_t *size, int zero, char *text, size_t room)
{
    static const char *const name[] = {"tp", "pp", "dp"};

    snprintf(text, room, "parallel:");
    for (int d = 0; d < TOPOMAP_TRAINING_DIMS; d++)
        if (size[d] > 1)
            topomap_text_append(text, room, "%s%s=%u", text[strlen(text) - 1] == ':' ? "" : ",",
                                name[d], size[d]);
    if (zero)
        topomap_text_append(text, room, ",zero=%d", zero);
    if (t->direct)
        topomap_text_append(text, room, ",allreduce=direct");
}

/* How much of the bytes along the dimensions would be there with this model. */
static int fit_of_bytes(const training *t, const uint32_t *size, int zero, double *fit,
                        topomap_error *err)
{
    double wanted[TOPOMAP_TRAINING_DIMS], have[TOPOMAP_TRAINING_DIMS] = {0}, all = 0, sum = 0;
    char text[200];

    words_of(t, size, zero, text, sizeof text);
    if (topomap_training_bytes(text, wanted, err) != 0)
        return -1;
    for (uint32_t k = 0; k < t->lattice->dims; k++) {
        have[t->role[k]] += bytes_of(&t->flows[k]);
        all += bytes_of(&t->flows[k]);
    }
    for (int d = 0; d < TOPOMAP_TRAINING_DIMS; d++)
        sum += wanted[d];
    *fit = 0;
    for (int d = 0; d < TOPOMAP_TRAINING_DIMS; d++)
        *fit += have[d] / all < wanted[d] / sum ? have[d] / all : wanted[d] / sum;
    return 0;
}

/* All roles for dimension k and those after it. */
static int try_roles(training *t, uint32_t k, unsigned used, topomap_error *err)
{
    uint32_t size[TOPOMAP_TRAINING_DIMS] = {1, 1, 1};

    if (k < t->lattice->dims) {
        for (uint32_t d = 0; d < TOPOMAP_TRAINING_DIMS; d++) {
            t->role[k] = d;
            if ((roles_of(t, k) & ~used) >> d & 1 && try_roles(t, k + 1, used | 1u << d, err) != 0)
                return -1;
        }
        return 0;
    }
    for (uint32_t i = 0; i < k; i++)
        size[t->role[i]] = t->lattice->size[i];
    for (int zero = 0; zero <= 3; zero++) {
        double fit;

        if (fit_of_bytes(t, size, zero, &fit, err) != 0)
            return -1;
        /* Stages that move about the same are told apart by the simplest. */
        if (fit <= t->best + (zero ? 0.005 : 1e-6))
            continue;
        t->best = fit;
        t->zero = zero;
        memcpy(t->size, size, sizeof size);
    }
    return 0;
}

/* Two dimensions at least; one of them a ring that goes one way, or groups beside a pipeline. */
static int is_training(training *t)
{
    const topomap_lattice *l = t->lattice;
    uint32_t rings = 0, groups = 0, lines = 0;

    for (uint32_t k = 0; k < l->dims; k++) {
        rings += l->kind[k] == TOPOMAP_LATTICE_RING && l->size[k] > 2;
        groups += l->kind[k] == TOPOMAP_LATTICE_CLIQUE;
        lines += l->kind[k] == TOPOMAP_LATTICE_PATH;
    }
    t->direct = groups > 0;
    if (l->dims < 2 || l->dims > TOPOMAP_TRAINING_DIMS || l->reach > 1 ||
        (t->direct ? rings || !lines : !rings))
        return 0;
    for (uint32_t k = 0; k < l->dims; k++)
        if (!roles_of(t, k))
            return 0;
    return 1;
}

static int name_training(training *t, uint64_t ranks, topomap_recognition *found,
                         topomap_error *err)
{
    uint64_t others;

    if (!is_training(t))
        return 0;
    if (try_roles(t, 0, 0, err) != 0)
        return -1;
    /* Groups go both ways whatever they do; their bytes have to tell. */
    if (t->best < (t->direct ? 0.9 : 0.4))
        return 0;
    others = (uint64_t)t->size[TOPOMAP_TRAINING_TP] * t->size[TOPOMAP_TRAINING_PP];
    if (ranks && ranks % others != 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "%llu ranks are no whole number of replicas of %llu",
                                 (unsigned long long)ranks, (unsigned long long)others);
    if (ranks)
        t->size[TOPOMAP_TRAINING_DP] = (uint32_t)(ranks / others);
    words_of(t, t->size, t->best > 0.999 ? t->zero : 0, found->text, sizeof found->text);
    found->even = found->even < t->best ? found->even : t->best;
    return 1;
}

/* ---- Wavefronts ----------------------------------------------------------------------------- */

static int name_sweep(const topomap_lattice *l, const flow *flows, uint64_t ranks,
                      topomap_recognition *found, topomap_error *err)
{
    static const char plain[] = "stencil2d:5:", sweep[] = "sweep:";
    char text[100];

    if (l->dims != 2 || l->reach > 1 || l->kind[0] != TOPOMAP_LATTICE_PATH ||
        l->kind[1] != TOPOMAP_LATTICE_PATH || !is_one_way(&flows[0]) || !is_one_way(&flows[1]))
        return 0;
    if (topomap_lattice_words(l, ranks, text, sizeof text, err) != 0)
        return -1;
    if (strncmp(text, plain, sizeof plain - 1) != 0)
        return 0;
    snprintf(found->text, sizeof found->text, "%s%s,sweeps=1", sweep, text + sizeof plain - 1);
    return 1;
}

int topomap_name_directed(const topomap_graph *graph, const topomap_lattice *lattice,
                          uint64_t ranks, topomap_recognition *found, topomap_error *err)
{
    training t = {.lattice = lattice};
    int named;

    t.flows = topomap_alloc(lattice->dims, sizeof *t.flows, err);
    if (!t.flows)
        return -1;
    measure(graph, lattice, t.flows);
    named = name_training(&t, ranks, found, err);
    if (named == 0)
        named = name_sweep(lattice, t.flows, ranks, found, err);
    free(t.flows);
    return named;
}
