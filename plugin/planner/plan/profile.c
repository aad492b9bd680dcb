/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/profile.h"

#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "graph/recognise/heavy.h"

/* Above this much of its bytes between other pairs, a program talks otherwise than before; a
 * pattern that tells less than this of a profile does not stand for it. */
#define CHANGED 0.8
#define FITS 0.8

/* ---- Comparing --------------------------------------------------------------------------- */

/* What two rows of sorted partners have in common. */
struct common {
    double bytes_of_a; /* of a's, between pairs that b has too */
    double least;      /* sum of min(a/sum a, b/sum b) */
    uint64_t pairs;    /* of both */
};

/* Each undirected pair is in two rows; the one from the smaller rank counts. */
static void compare_rows(const topomap_weights *a, const topomap_weights *b, uint32_t u,
                         struct common *common)
{
    uint64_t i = a->offset[u], j = b->offset[u];

    while (i < a->offset[u + 1] && j < b->offset[u + 1]) {
        uint32_t v = a->target[i], w = b->target[j];

        if (v == w && v > u) {
            double x = (double)a->weight[i] / (double)a->total;
            double y = (double)b->weight[j] / (double)b->total;

            common->bytes_of_a += x;
            common->least += x < y ? x : y;
            common->pairs++;
        }
        i += v <= w;
        j += w <= v;
    }
}

static int compare(const topomap_graph *a, const topomap_graph *b, struct common *common,
                   uint64_t *pairs_of_b, topomap_error *err)
{
    topomap_weights x, y;

    if (topomap_weights_new(a, topomap_graph_ranks(a), &x, err) != 0)
        return -1;
    if (topomap_weights_new(b, topomap_graph_ranks(b), &y, err) != 0) {
        topomap_weights_clear(&x);
        return -1;
    }
    *common = (struct common){0};
    for (uint32_t u = 0; u < x.vertices && u < y.vertices; u++)
        compare_rows(&x, &y, u, common);
    *pairs_of_b = y.offset[y.vertices] / 2;
    topomap_weights_clear(&x);
    topomap_weights_clear(&y);
    return 0;
}

int planner_profile_overlap(const topomap_graph *a, const topomap_graph *b, double *share,
                            topomap_error *err)
{
    struct common common;
    uint64_t pairs;

    if (compare(a, b, &common, &pairs, err) != 0)
        return -1;
    if (topomap_graph_bytes(a) == 0 && topomap_graph_bytes(b) == 0)
        common.least = 1;
    *share = topomap_graph_ranks(a) == topomap_graph_ranks(b) ? common.least : 0;
    return 0;
}

int planner_profile_fit(const topomap_graph *profile, const topomap_graph *pattern, double *share,
                        topomap_error *err)
{
    struct common common;
    uint64_t pairs;
    double present;

    if (compare(profile, pattern, &common, &pairs, err) != 0)
        return -1;
    present = pairs ? (double)common.pairs / (double)pairs : 0;
    *share = common.bytes_of_a < present ? common.bytes_of_a : present;
    return 0;
}

/* ---- A profile of this size -------------------------------------------------------------- */

static void compare_before(const planner_request *request, planner_profile *made)
{
    topomap_graph *before;
    topomap_error err;
    double share;

    if (!request->asked.profiled_before ||
        topomap_graph_read(request->asked.profiled_before, "tmg", &before, &err) != 0)
        return;
    if (planner_profile_overlap(before, made->graph, &share, &err) == 0)
        snprintf(made->detail + strlen(made->detail), sizeof made->detail - strlen(made->detail),
                 share < CHANGED
                     ? "; the program has changed: %.0f %% of its bytes go between the same ranks "
                       "as in the profile before"
                     : "; as in the profile before (%.0f %% alike)",
                 100 * share);
    topomap_graph_free(before);
}

static void note_damaged(planner_profile *made, const topomap_error *why)
{
    made->damaged = 1;
    snprintf(made->line, sizeof made->line, "the stored profile is damaged and goes: %.200s",
             why->text);
}

static int open_exact(const planner_request *request, uint32_t tasks, planner_profile *made)
{
    topomap_error why;

    if (topomap_graph_read(request->asked.graph, "tmg", &made->graph, &why) != 0) {
        made->graph = NULL;
    } else if (topomap_graph_ranks(made->graph) != tasks) {
        topomap_graph_free(made->graph);
        made->graph = NULL;
        topomap_error_set(&why, TOPOMAP_EINPUT, "it is of another number of ranks");
    }
    if (!made->graph) {
        note_damaged(made, &why);
        return 0;
    }
    snprintf(made->detail, sizeof made->detail, "graph: a profile of %.120s",
             request->asked.profiled ? request->asked.profiled : "the program");
    compare_before(request, made);
    return 0;
}

/* ---- One of another size ----------------------------------------------------------------- */

/* Whether the pattern is the profile's rank by rank, since only such a one can be made larger.
 * \return 0 and *share; or -1: the pattern cannot be made */
static int fit_of(const topomap_graph *profile, const char *pattern, double *share,
                  topomap_error *err)
{
    topomap_graph *graph;
    int status;

    if (topomap_graph_generate(pattern, &graph, err) != 0)
        return -1;
    status = topomap_graph_ranks(graph) == topomap_graph_ranks(profile)
                 ? planner_profile_fit(profile, graph, share, err)
                 : topomap_error_set(err, TOPOMAP_EINPUT, "it has other ranks");
    topomap_graph_free(graph);
    return status;
}

/* The sizes of a grid in a pattern's text, "8x4x4": where they begin, or NULL. */
static const char *sizes_of(const char *text)
{
    const char *found = NULL;

    for (size_t at = 0, length; text[at]; at += length + (text[at + length] != 0)) {
        length = strcspn(text + at, ":,=");
        if (strspn(text + at, "0123456789x") == length && memchr(text + at, 'x', length))
            found = text + at;
    }
    return found;
}

/* Grown by one factor in every dimension; which dimension a program makes longer when it can only
 * grow some, nobody knows but itself, and by the wrong one it would be placed worse than before. */
static int is_same_shape(const char *here, const char *there)
{
    const char *a = sizes_of(here), *b = sizes_of(there);
    unsigned long first_a = 0, first_b = 0;

    while (a && b && *a >= '0' && *a <= '9' && *b >= '0' && *b <= '9') {
        unsigned long from = strtoul(a, (char **)&a, 10), to = strtoul(b, (char **)&b, 10);

        if (!first_a) {
            first_a = from;
            first_b = to;
        }
        if ((double)from * (double)first_b != (double)to * (double)first_a)
            return 0;
        if (*a != 'x' || *b != 'x')
            return *a != 'x' && *b != 'x';
        a++;
        b++;
    }
    return !a && !b;
}

/* \return 0; 1: there is nothing to scale, with the line that says so */
static int scale(const topomap_graph *profile, const topomap_graph *heavy, const char *whose,
                 uint32_t tasks, planner_profile *made, topomap_error *err)
{
    topomap_recognition here = {.text = ""}, there;
    double share = 0;

    if (topomap_graph_recognise(heavy, 0, &here, err) != 0 || !*here.text ||
        fit_of(profile, here.text, &share, err) != 0 || share < FITS) {
        snprintf(made->line, sizeof made->line,
                 *here.text ? "no profile of %u ranks yet; the one of %.120s is %.80s in another "
                              "order of ranks: it cannot be scaled"
                            : "no profile of %u ranks yet; the one of %.120s has no pattern that "
                              "could be scaled%.0s",
                 tasks, whose, here.text);
        return 1;
    }
    if (topomap_graph_recognise(heavy, tasks, &there, err) != 0 || !*there.text ||
        !is_same_shape(here.text, there.text) ||
        topomap_graph_read_within(there.text, tasks, &made->graph, err) != 0) {
        made->graph = NULL;
        snprintf(made->line, sizeof made->line,
                 "no profile of %u ranks yet; %.80s, as profiled of %.120s, can grow to that in "
                 "several ways",
                 tasks, here.text, whose);
        return 1;
    }
    snprintf(made->line, sizeof made->line,
             "no profile of %u ranks yet: taken to be %.80s, since that of %.120s is %.80s "
             "(confidence %.0f %%)",
             tasks, there.text, whose, here.text, 100 * share);
    return 0;
}

static int open_scaled(const planner_request *request, uint32_t tasks, planner_profile *made,
                       topomap_error *err)
{
    topomap_graph *profile, *heavy;
    int status = -1;

    if (topomap_graph_read(request->asked.graph, "tmg", &profile, err) != 0) {
        note_damaged(made, err);
        return 0;
    }
    if (topomap_graph_heavy(profile, &heavy, err) == 0) {
        scale(profile, heavy, request->asked.profiled ? request->asked.profiled : "another size",
              tasks, made, err);
        topomap_graph_free(heavy);
        status = 0;
    }
    topomap_graph_free(profile);
    return status;
}

int planner_profile_open(const planner_request *request, uint32_t tasks, planner_profile *profile,
                         topomap_error *err)
{
    planner_profile made = {0};
    int status = 0;

    if (!request->asked.graph)
        return topomap_error_set(err, TOPOMAP_EINPUT, "request: a profile without a graph");
    if (request->asked.stored == PLANNER_PROFILE_SCALE)
        status = open_scaled(request, tasks, &made, err);
    else
        open_exact(request, tasks, &made);
    if (status == 0)
        *profile = made;
    return status;
}
