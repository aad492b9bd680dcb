/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "graph/open/open.h"

/* Above this much of its bytes between other pairs, a program talks otherwise than before; a
 * pattern that tells less than this of a profile does not stand for it. */
#define CHANGED 0.8
#define FITS 0.8

/* ---- A profile of this size -------------------------------------------------------------- */

static void compare_before(const planner_request *request, planner_profile *made)
{
    topomap_graph *before;
    topomap_error err;
    double share;

    if (!request->asked.profiled_before ||
        topomap_graph_read(request->asked.profiled_before, "tmg", &before, &err) != 0)
        return;
    if (topomap_graph_likeness(before, made->graph, &share, &err) == 0)
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

static void open_exact(const planner_request *request, uint32_t tasks, planner_profile *made)
{
    topomap_error why;

    if (topomap_graph_read(request->asked.graph, "tmg", &made->graph, &why) != 0) {
        made->graph = NULL;
    } else if (topomap_graph_ranks(made->graph) % tasks != 0) {
        topomap_graph_free(made->graph);
        made->graph = NULL;
        topomap_error_set(&why, TOPOMAP_EINPUT, "it is of another number of ranks");
    }
    if (!made->graph) {
        note_damaged(made, &why);
        return;
    }
    snprintf(made->detail, sizeof made->detail, "graph: a profile of %.120s",
             request->asked.profiled ? request->asked.profiled : "the program");
    compare_before(request, made);
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
                 ? topomap_graph_fit(profile, graph, share, err)
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

/* Makes the graph for \p tasks ranks from the pattern of a profile of another size, and the line
 * that says so; without such a pattern, only a line that says why not. */
static void scale(const topomap_graph *profile, const char *whose, uint32_t tasks,
                  planner_profile *made)
{
    topomap_recognition here = {.text = ""}, there;
    topomap_error why;
    double share = 0;

    if (topomap_graph_recognise(profile, 0, &here, &why) != 0 || !*here.text ||
        fit_of(profile, here.text, &share, &why) != 0 || share < FITS) {
        snprintf(made->line, sizeof made->line,
                 *here.text ? "no profile of %u ranks yet; the one of %.120s is %.80s in another "
                              "order of ranks: it cannot be scaled"
                            : "no profile of %u ranks yet; the one of %.120s has no pattern that "
                              "could be scaled%.0s",
                 tasks, whose, here.text);
    } else if (topomap_graph_recognise(profile, tasks, &there, &why) != 0 || !*there.text ||
               !is_same_shape(here.text, there.text) ||
               topomap_graph_open(there.text, tasks, NULL, NULL, NULL, &made->graph, &why) != 0) {
        made->graph = NULL;
        snprintf(made->line, sizeof made->line,
                 "no profile of %u ranks yet; %.80s, as profiled of %.120s, can grow to that in "
                 "several ways",
                 tasks, here.text, whose);
    } else {
        snprintf(made->line, sizeof made->line,
                 "no profile of %u ranks yet: taken to be %.80s, since that of %.120s is %.80s "
                 "(confidence %.0f %%)",
                 tasks, there.text, whose, here.text, 100 * share);
    }
}

static void open_scaled(const planner_request *request, uint32_t tasks, planner_profile *made)
{
    topomap_graph *profile;
    topomap_error why;

    if (topomap_graph_read(request->asked.graph, "tmg", &profile, &why) != 0) {
        note_damaged(made, &why);
        return;
    }
    scale(profile, request->asked.profiled ? request->asked.profiled : "another size", tasks, made);
    topomap_graph_free(profile);
}

int planner_profile_open(const planner_request *request, uint32_t tasks, planner_profile *profile,
                         topomap_error *err)
{
    if (!request->asked.graph)
        return topomap_error_set(err, TOPOMAP_EINPUT, "request: a profile without a graph");
    *profile = (planner_profile){0};
    if (request->asked.stored == PLANNER_PROFILE_SCALE)
        open_scaled(request, tasks, profile);
    else
        open_exact(request, tasks, profile);
    return 0;
}
