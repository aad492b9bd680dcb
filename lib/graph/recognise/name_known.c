/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns that are compared as a whole: made for as many ranks, and laid over the graph rank by
 * rank, or, where that is no fit, with the ranks renamed. Lighter pairs beside those of the pattern
 * (collectives broken down by a profiler) are left out where a gap in the weights parts them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/recognise/lattice.h"
#include "graph/recognise/name.h"
#include "util/alloc.h"
#include "util/text.h"

enum {
    MOST_RANKS = 1 << 17,
    LEAST_RANKS = 8,
    MOST_DEGREE = 64, /* pairs a rank: no pattern here has as many */
    MOST_TRIED = 64,  /* training jobs whose numbers of arcs agree */
    MOST_EXPERTS = 1024,
    MOST_KINDS = 1 << 12, /* of weights, where these help */
    MOST_DIVISORS = 256   /* more than any number up to 2^17 has */
};

#define LEAST_OF_JOBS 0.95
#define GAP 1.25 /* between a pair of the pattern and one that is left out */

/* A pattern for any number of ranks. */
typedef struct known {
    const char *text;       /* %llu: ranks / unit */
    uint64_t unit, divisor; /* ranks / unit are a multiple of the divisor; 0: 1 */
    int (*sizes)(uint64_t); /* or NULL: all */
    char made[100];         /* where text is NULL */
    const char *like;       /* the words that are compared, if not the text */
} known;

typedef struct search {
    const topomap_graph *graph;
    const topomap_weights *weights;
    uint64_t scaled;
    uint64_t *heavy;     /* [pairs] weights, the largest first */
    uint64_t *heavy_arc; /* [arcs] bytes, likewise */
    uint32_t *map;       /* [ranks] */
    topomap_recognition *best;
    known form; /* of the best */
} search;

static double score(const topomap_recognition *r)
{
    return r->dims ? r->explained * r->present * r->even : 0;
}

/* ---- How well two graphs agree --------------------------------------------------------------- */

/* Where a weight stands in a list, the largest first. */
static uint32_t place_of(const uint64_t *list, uint64_t count, uint64_t weight)
{
    uint64_t lo = 0, hi = count;

    while (lo + 1 < hi) {
        uint64_t middle = lo + (hi - lo) / 2;

        if (list[middle] >= weight)
            lo = middle;
        else
            hi = middle;
    }
    return (uint32_t)lo;
}

/* Shares of all bytes that are on the same arcs, made's rank map[u] for each u; map NULL: u. */
static double overlap(const topomap_graph *graph, const topomap_graph *made, const uint32_t *map)
{
    double ours = (double)graph->total_bytes, its = (double)made->total_bytes, sum = 0;

    for (uint32_t u = 0; u < graph->ranks && ours > 0 && its > 0; u++)
        for (uint64_t e = graph->offset[u]; e < graph->offset[u + 1]; e++) {
            uint32_t v = graph->target[e];
            double a = (double)graph->bytes[e] / ours;
            double b =
                (double)topomap_graph_bytes_to(made, map ? map[u] : u, map ? map[v] : v) / its;

            sum += a < b ? a : b;
        }
    return sum;
}

static int descending(const void *a, const void *b)
{
    return topomap_by_u64(b, a);
}

/* The same of the pairs' weights in order of size, whichever pairs they are. */
static double overlap_sorted(const search *s, const topomap_weights *made, topomap_error *err)
{
    uint64_t pairs = made->offset[made->vertices] / 2;
    TOPOMAP_FREED uint64_t *weight = topomap_alloc(pairs, sizeof *weight, err);
    double ours = (double)s->weights->total, its = (double)made->total, sum = 0;

    if (!weight)
        return -1;
    topomap_weights_list(made, weight);
    qsort(weight, pairs, sizeof *weight, descending);
    for (uint64_t i = 0; i < pairs && ours > 0 && its > 0; i++) {
        double a = (double)s->heavy[i] / ours, b = (double)weight[i] / its;

        sum += a < b ? a : b;
    }
    return sum;
}

static double common_pairs(const topomap_weights *a, const topomap_weights *b)
{
    uint64_t common = 0;

    for (uint32_t u = 0; u < b->vertices; u++) {
        uint64_t e = a->offset[u], f = b->offset[u];

        while (e < a->offset[u + 1] && f < b->offset[u + 1]) {
            uint32_t x = a->target[e], y = b->target[f];

            common += x == y;
            e += x <= y;
            f += y <= x;
        }
    }
    return (double)common / 2;
}

/* ---- One pattern ----------------------------------------------------------------------------- */

/* Made for the graph's ranks; 1 where it holds rank by rank. */
static void lay_over(const search *s, const topomap_graph *made, const topomap_weights *weights,
                     topomap_recognition *r)
{
    double pairs = (double)s->weights->offset[s->weights->vertices] / 2;
    double its = (double)weights->offset[weights->vertices] / 2;
    double common = common_pairs(s->weights, weights);

    r->explained = common / pairs;
    r->present = common / its;
    r->even = 0;
    if (r->present >= TOPOMAP_LATTICE_LEAST)
        r->even = overlap(s->graph, made, NULL);
}

/* What an arc has, where less than `least` is nothing. */
static uint64_t heavy_bytes(const topomap_graph *g, uint32_t u, uint32_t v, uint64_t least)
{
    uint64_t bytes = topomap_graph_bytes_to(g, u, v);

    return bytes < least ? 0 : bytes;
}

/* Directed arcs by weight, each edge both ways: edges with the same label carry about the same.
 * Labels count the different weights from the heaviest on, so that patterns of other sizes of
 * messages have the same. */
static int label_edges(const topomap_graph *graph, topomap_labelled *g, uint64_t least,
                       uint32_t *kinds, topomap_error *err)
{
    uint64_t arcs = g->rows.offset[g->rows.vertices], distinct = 0, at = 0;
    TOPOMAP_FREED uint64_t *weight = topomap_alloc(arcs, sizeof *weight, err);

    g->label = topomap_alloc(arcs, sizeof *g->label, err);
    if (!weight || !g->label)
        return -1;
    for (uint32_t u = 0; u < g->rows.vertices; u++)
        for (uint64_t e = g->rows.offset[u]; e < g->rows.offset[u + 1]; e++)
            weight[at++] = heavy_bytes(graph, u, g->rows.target[e], least);
    qsort(weight, arcs, sizeof *weight, descending);
    for (uint64_t i = 0; i < arcs; i++)
        if (i == 0 || weight[i] + weight[distinct - 1] / 16 < weight[distinct - 1])
            weight[distinct++] = weight[i];
    *kinds = distinct < MOST_KINDS ? (uint32_t)distinct : MOST_KINDS;
    for (uint32_t u = 0; u < g->rows.vertices && distinct < MOST_KINDS; u++)
        for (uint64_t e = g->rows.offset[u]; e < g->rows.offset[u + 1]; e++) {
            uint32_t v = g->rows.target[e];

            g->label[e] = place_of(weight, distinct, heavy_bytes(graph, u, v, least)) * MOST_KINDS +
                          place_of(weight, distinct, heavy_bytes(graph, v, u, least));
        }
    return 0;
}

/* First with what the edges carry, then without. */
static int same_but_names(const search *s, const topomap_graph *made, topomap_labelled *a,
                          topomap_labelled *b, uint64_t least, topomap_error *err)
{
    topomap_labelled plain_a = {a->rows, NULL}, plain_b = {b->rows, NULL};
    uint32_t kinds_a, kinds_b;
    int same = 0;

    if (label_edges(s->graph, a, least, &kinds_a, err) != 0 ||
        label_edges(made, b, 0, &kinds_b, err) != 0)
        return -1;
    if (kinds_a == kinds_b && kinds_a < MOST_KINDS)
        same = topomap_labelled_same(a, b, s->map, err);
    return same != 0 ? same : topomap_labelled_same(&plain_a, &plain_b, s->map, err);
}

static int rename_ranks(search *s, const topomap_graph *made, const topomap_weights *weights,
                        topomap_recognition *r, topomap_error *err)
{
    uint64_t pairs = s->weights->offset[s->weights->vertices] / 2;
    uint64_t its = weights->offset[weights->vertices] / 2;
    topomap_labelled part = {{0}, NULL},
                     b = {{weights->vertices, weights->offset, weights->target}, NULL};
    int same;

    if (pairs < its || (pairs > its && (double)s->heavy[its - 1] < GAP * (double)s->heavy[its]))
        return 0;
    if (topomap_rows_heavy(s->weights, s->graph->ranks, pairs > its ? s->heavy[its - 1] : 0,
                           &part.rows, err) != 0)
        return -1;
    same = same_but_names(s, made, &part, &b, s->heavy[its - 1] / 8, err);
    topomap_rows_clear(&part.rows);
    free(part.label);
    free(b.label);
    if (same != 1)
        return same;
    r->explained = (double)its / (double)pairs;
    r->present = 1;
    r->even = s->map[0] == TOPOMAP_LATTICE_NONE ? overlap_sorted(s, weights, err)
                                                : overlap(s->graph, made, s->map);
    return r->even < 0 ? -1 : 1;
}

/* The pattern's pairs and no others, or nearly all bytes; of training jobs nearly all in any case:
 * so many are tried that some job's pairs are those of any two rings. */
static int holds(const known *form, const topomap_recognition *r)
{
    double least = r->explained == 1.0 ? 0.5 : TOPOMAP_LATTICE_LEAST;

    if (!strncmp(form->made, "parallel:", 9))
        least = LEAST_OF_JOBS;
    return r->present >= TOPOMAP_LATTICE_LEAST && r->even >= least;
}

static void keep(search *s, const known *form, const topomap_recognition *r)
{
    double better = s->form.text || s->form.made[0] ? 1e-9 : 0.02;

    /* What was found before has simpler words, unless it is a mere product. */
    if (!holds(form, r) ||
        score(r) < score(s->best) + (topomap_name_is_plain(s->best) ? better : -1e-9))
        return;
    *s->best = *r;
    s->form = *form;
}

static void fill(const char *words, uint64_t units, char *text, size_t room)
{
    const char *at = strstr(words, "%llu");

    snprintf(text, room, "%.*s%llu%s", (int)(at - words), words, (unsigned long long)units, at + 4);
}

static void name(const known *form, uint64_t ranks, char *text, size_t room)
{
    fill(form->text ? form->text : form->made, ranks / (form->unit ? form->unit : 1), text, room);
}

static int try_pattern(search *s, const known *form, topomap_error *err)
{
    topomap_recognition r = {.dims = 1, .size = {s->graph->ranks}};
    TOPOMAP_GRAPH_FREED topomap_graph *made = NULL;
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights weights = {0};
    topomap_error ignored;
    char like[100];
    int status = 0;

    if (form->sizes && !form->sizes(s->graph->ranks))
        return 0;
    name(form, s->graph->ranks, r.text, sizeof r.text);
    if (form->like)
        fill(form->like, s->graph->ranks, like, sizeof like);
    if (topomap_graph_generate(form->like ? like : r.text, &made, &ignored) != 0)
        return ignored.code == TOPOMAP_ESYSTEM
                   ? topomap_error_set(err, ignored.code, "%s", ignored.text)
                   : 0;
    if (made->ranks != s->graph->ranks || topomap_pairs_new(made, &weights, err) != 0)
        return 0;
    lay_over(s, made, &weights, &r);
    keep(s, form, &r);
    if (!(holds(form, &r) && r.explained == 1.0 && r.present == 1.0))
        status = rename_ranks(s, made, &weights, &r, err);
    if (status == 1)
        keep(s, form, &r);
    return status < 0 ? -1 : 0;
}

/* ---- Which are worth a try ------------------------------------------------------------------- */

static int is_square(uint64_t n)
{
    uint64_t side = (uint64_t)rint(sqrt((double)n));

    return side * side == n;
}

static int is_power(uint64_t n)
{
    return (n & (n - 1)) == 0;
}

static int try_trees(search *s, topomap_error *err)
{
    const topomap_weights *w = s->weights;
    unsigned long long most = 0, inner = 0;
    known kary = {0}, masters = {0};

    for (uint32_t u = 0; u < w->vertices; u++) {
        uint64_t degree = w->offset[u + 1] - w->offset[u];

        most = degree > most ? degree : most;
        inner += degree > 1;
    }
    if (most + 1 == w->vertices)
        return try_pattern(s, &(known){.text = "master:%llu"}, err);
    if (try_pattern(s, &(known){.text = "tree:%llu"}, err) ||
        try_pattern(s, &(known){.text = "tree:%llu,carry=below"}, err))
        return -1;
    snprintf(kary.made, sizeof kary.made, "tree:%%llu,k=%llu", most - 1);
    if (most > 2 && try_pattern(s, &kary, err))
        return -1;
    snprintf(masters.made, sizeof masters.made, "master:%%llu,masters=%llu", inner);
    return try_pattern(s, &masters, err);
}

static int try_listed(search *s, topomap_error *err)
{
    static const known row[] = {
        {.text = "ring:%llu"},
        {.text = "ring:%llu", .like = "parallel:cp=%llu,dp=1"}, /* one way */
        {.text = "butterfly:%llu"},
        {.text = "butterfly:%llu,kind=halving"},
        {.text = "butterfly:%llu,kind=dissemination"},
        {.text = "nas-bt:%llu", .sizes = is_square},
        {.text = "nas-sp:%llu", .sizes = is_square},
        {.text = "nas-cg:%llu", .sizes = is_power},
        {.text = "nas-mg:%llu", .sizes = is_power},
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (try_pattern(s, &row[i], err) != 0)
            return -1;
    return 0;
}

/* ---- Training with context or expert parallel ranks ------------------------------------------ */

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
    uint64_t x = a, y = b;

    while (y) {
        uint64_t rest = x % y;

        x = y;
        y = rest;
    }
    return a / x * b;
}

/* Ranks that one of `replicas` sends to: the next, the next of its cp ranks, the ep - 1 others, the
 * one ep on. They repeat after a multiple of cp and ep. */
static uint64_t arcs_of_replicas(uint64_t replicas, uint64_t cp, uint64_t ep)
{
    uint64_t period = common_multiple(cp, ep), arcs = 0;

    for (uint64_t i = 0; i < period; i++) {
        uint64_t to[3] = {(i + 1) % replicas, i / cp * cp + (i + 1) % cp, (i + ep) % replicas};
        uint64_t others = ep - 1;

        for (int k = 0; k < 3; k++) {
            int met = to[k] == i || (to[k] / ep == i / ep && ep > 1);

            for (int j = 0; j < k; j++)
                met |= to[j] == to[k];
            others += !met && (k < 2 || ep > 1);
        }
        arcs += others;
    }
    return arcs * (replicas / period);
}

typedef struct divisors {
    uint64_t value[MOST_DIVISORS];
    int count;
} divisors;

static void divisors_of(uint64_t n, divisors *list)
{
    list->count = 0;
    for (uint64_t d = 1; d * d <= n; d++)
        if (n % d == 0) {
            list->value[list->count++] = d;
            if (d * d != n)
                list->value[list->count++] = n / d;
        }
}

/* Whether so many arcs are all, or all but much lighter ones. */
static int arcs_may_be(const search *s, uint64_t arcs)
{
    return arcs == s->graph->arcs ||
           (arcs && arcs < s->graph->arcs &&
            (double)s->heavy_arc[arcs - 1] >= GAP * (double)s->heavy_arc[arcs]);
}

static void add_size(char *text, size_t room, const char *name, uint64_t size)
{
    if (size > 1)
        topomap_text_append(text, room, "%s=%u,", name, (unsigned)size);
}

/* With all stages of ZeRO, which move other bytes. */
static int try_job(search *s, uint64_t tp, uint64_t pp, uint64_t cp, uint64_t ep,
                   topomap_error *err)
{
    known form = {.unit = tp * pp * cp, .divisor = common_multiple(ep, cp) / cp};
    size_t used, room = sizeof form.made;

    snprintf(form.made, room, "parallel:");
    add_size(form.made, room, "tp", tp);
    add_size(form.made, room, "pp", pp);
    add_size(form.made, room, "cp", cp);
    add_size(form.made, room, "ep", ep);
    used = strlen(form.made);
    for (int zero = 0; zero <= 3 && score(s->best) < TOPOMAP_LATTICE_ALIKE; zero++) {
        snprintf(form.made + used, room - used, zero ? "dp=%%llu,zero=%d" : "dp=%%llu", zero);
        if (try_pattern(s, &form, err) != 0)
            return -1;
    }
    return 0;
}

/* One division of the ranks into tp, pp and replicas: those of cp and ep with as many arcs. */
static int try_replicas(search *s, uint64_t tp, uint64_t pp, uint64_t replicas, int *tried,
                        topomap_error *err)
{
    uint64_t n = s->graph->ranks, arcs = (tp > 1) * n + 2 * (n / pp) * (pp - 1);
    divisors d;

    divisors_of(replicas, &d);
    for (int c = 0; c < d.count; c++)
        for (int e = 0; e < d.count && *tried < MOST_TRIED; e++) {
            uint64_t cp = d.value[c], ep = d.value[e];

            /* Context parallel ranks alone are a ring. */
            if (ep == 1 && (cp == 1 || cp == n))
                continue;
            if (ep > MOST_EXPERTS || cp > MOST_EXPERTS ||
                !arcs_may_be(s, arcs + tp * pp * arcs_of_replicas(replicas, cp, ep)))
                continue;
            ++*tried;
            if (try_job(s, tp, pp, cp, ep, err) != 0)
                return -1;
        }
    return 0;
}

static int try_training(search *s, topomap_error *err)
{
    divisors all, rest;
    int tried = 0;

    divisors_of(s->graph->ranks, &all);
    for (int t = 0; t < all.count; t++) {
        divisors_of(s->graph->ranks / all.value[t], &rest);
        for (int p = 0; p < rest.count; p++) {
            uint64_t replicas = s->graph->ranks / all.value[t] / rest.value[p];

            if (replicas > 1 &&
                try_replicas(s, all.value[t], rest.value[p], replicas, &tried, err) != 0)
                return -1;
        }
    }
    return 0;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void sort_weights(search *s)
{
    uint64_t count = topomap_weights_list(s->weights, s->heavy);

    qsort(s->heavy, count, sizeof *s->heavy, descending);
    if (s->graph->arcs)
        memcpy(s->heavy_arc, s->graph->bytes, s->graph->arcs * sizeof *s->heavy_arc);
    qsort(s->heavy_arc, s->graph->arcs, sizeof *s->heavy_arc, descending);
}

static int try_all(search *s, topomap_error *err)
{
    uint64_t pairs = s->weights->offset[s->graph->ranks] / 2;

    sort_weights(s);
    if (pairs + 1 == s->graph->ranks && try_trees(s, err) != 0)
        return -1;
    return try_listed(s, err) != 0 || try_training(s, err) != 0 ? -1 : 0;
}

static int scale(search *s, topomap_error *err)
{
    const known *form = &s->form;
    uint64_t unit = form->unit ? form->unit : 1, divisor = form->divisor ? form->divisor : 1;

    if (s->scaled % unit || s->scaled / unit % divisor || s->scaled > TOPOMAP_GRAPH_RANKS ||
        (form->sizes && !form->sizes(s->scaled)))
        return topomap_error_set(err, TOPOMAP_EUSAGE, "%s has no shape of %llu ranks",
                                 s->best->text, (unsigned long long)s->scaled);
    name(form, s->scaled, s->best->text, sizeof s->best->text);
    return 0;
}

int topomap_name_known(const topomap_graph *graph, const topomap_weights *weights, uint64_t ranks,
                       topomap_recognition *found, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena arena = {0};
    search s = {.graph = graph, .weights = weights, .scaled = ranks, .best = found};
    uint64_t pairs = weights->offset[graph->ranks] / 2;

    if (graph->ranks < LEAST_RANKS || graph->ranks > MOST_RANKS || !pairs ||
        pairs > MOST_DEGREE * (uint64_t)graph->ranks)
        return 0;
    s.heavy = topomap_arena_alloc(&arena, pairs, sizeof *s.heavy, err);
    s.map = topomap_arena_alloc(&arena, graph->ranks, sizeof *s.map, err);
    s.heavy_arc = topomap_arena_alloc(&arena, graph->arcs, sizeof *s.heavy_arc, err);
    if (arena.is_short || try_all(&s, err))
        return -1;
    if (!s.form.text && !s.form.made[0])
        return 0;
    return ranks && scale(&s, err) != 0 ? -1 : 1;
}
