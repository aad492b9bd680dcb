/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric/metric.h"

#include <stdlib.h>

#include "util/alloc.h"

enum { NONE = UINT32_MAX };

int topomap_path_lower_link(const topomap_path_cost *a, const topomap_path_cost *b)
{
    return a->load < b->load || (!(b->load < a->load) && a->link < b->link);
}

int topomap_path_faster(const topomap_path_cost *a, const topomap_path_cost *b)
{
    return a->load < b->load || (!(b->load < a->load) && a->slow < b->slow);
}

int topomap_path_init(topomap_path_search *s, const topomap_network *network,
                      topomap_path_rule *rule, topomap_error *err)
{
    size_t vertices = network->vertices;

    *s = (topomap_path_search){.network = network, .rule = rule};
    s->seen = topomap_alloc(vertices * 4, sizeof *s->seen, err);
    s->cost = topomap_alloc(vertices, sizeof *s->cost, err);
    if (!s->seen || !s->cost)
        return -1;
    s->hops = s->seen + vertices;
    s->tail = s->hops + vertices;
    s->order = s->tail + vertices;
    return 0;
}

void topomap_path_clear(topomap_path_search *s)
{
    free(s->seen);
    free(s->cost);
}

/* Takes the link u->v where it makes the best shortest path to v so far. */
static void relax(topomap_path_search *s, const double *load, uint32_t u, uint32_t link,
                  uint32_t *found)
{
    const topomap_network *n = s->network;
    uint32_t v = n->head[link];
    topomap_path_cost cost = {s->cost[u].load + load[link] / n->capacity[link],
                              s->cost[u].slow + 1.0 / n->capacity[link], link};

    if (s->seen[v] != s->epoch) {
        s->seen[v] = s->epoch;
        s->hops[v] = s->hops[u] + 1;
        s->order[(*found)++] = v;
    } else if (s->hops[v] != s->hops[u] + 1 || !s->rule(&cost, &s->cost[v])) {
        return;
    }
    s->cost[v] = cost;
    s->tail[v] = u;
}

/* Of two nearest vertices, the better end. */
static int ends_better(const topomap_path_search *s, const topomap_path_goal *goal, uint32_t a,
                       uint32_t b)
{
    topomap_path_cost x = s->cost[a], y = s->cost[b];

    x.link = goal->order(goal->data, a); /* in the place of the last link: the lower one */
    y.link = goal->order(goal->data, b);
    if (s->rule(&x, &y))
        return 1;
    return !s->rule(&y, &x) && x.link < y.link;
}

uint32_t topomap_path_find(topomap_path_search *s, const double *load, uint32_t from,
                           const topomap_path_goal *goal)
{
    const topomap_network *n = s->network;
    uint32_t found = 1, best = NONE;

    s->epoch++;
    s->seen[from] = s->epoch;
    s->hops[from] = 0;
    s->cost[from] = (topomap_path_cost){0, 0, NONE};
    s->order[0] = from;
    for (uint32_t i = 0; i < found; i++) {
        uint32_t u = s->order[i];

        /* All paths to the vertices of this many hops are known now. */
        if (best != NONE && s->hops[u] > s->hops[best])
            break;
        if (goal->to != NONE) {
            if (s->seen[goal->to] == s->epoch && s->hops[u] >= s->hops[goal->to])
                return goal->to;
        } else if (goal->order(goal->data, u) != NONE &&
                   (best == NONE || ends_better(s, goal, u, best))) {
            best = u;
        }
        if (best != NONE)
            continue;
        s->looked += n->first[u + 1] - n->first[u];
        for (uint32_t link = n->first[u]; link < n->first[u + 1]; link++)
            relax(s, load, u, link, &found);
    }
    return goal->to != NONE && s->seen[goal->to] == s->epoch ? goal->to : best;
}
