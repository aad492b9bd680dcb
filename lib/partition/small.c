/* SPDX-License-Identifier: BSD-3-Clause */
#include "partition/partition.h"

#include <string.h>

enum { MOST = 16, CHOICES = 2000 };

struct search {
    uint32_t count, chosen[MOST], best[MOST];
    int64_t weight[MOST][MOST], all[MOST]; /* all: of a vertex's edges */
    int64_t most;                          /* of twice the weight inside less that of all edges */
    int found;
};

int topomap_small_fits(uint32_t count, uint32_t first)
{
    uint64_t choices = 1;

    if (count > MOST || first == 0 || first >= count)
        return 0;
    for (uint32_t i = 0; i < first; i++)
        choices = choices * (count - i) / (i + 1);
    return choices <= CHOICES;
}

/* \param to  [count] weight of the edges of each vertex to those chosen so far */
static void choose(struct search *s, uint32_t from, uint32_t depth, uint32_t left, int64_t value,
                   const int64_t *to)
{
    for (uint32_t v = from; v + left <= s->count; v++) {
        int64_t now = value + 2 * to[v] - s->all[v], next[MOST];

        s->chosen[depth] = v;
        if (left == 1) {
            if (s->found && now <= s->most)
                continue;
            s->found = 1;
            s->most = now;
            memcpy(s->best, s->chosen, sizeof s->best);
            continue;
        }
        for (uint32_t u = v + 1; u < s->count; u++)
            next[u] = to[u] + s->weight[v][u];
        choose(s, v + 1, depth + 1, left - 1, now, next);
        if (depth == 0 && 2 * left == s->count)
            break; /* the other halves are these, the other way round */
    }
}

void topomap_small_halve(uint32_t count, const idx_t *offset, const idx_t *target,
                         const idx_t *weight, uint32_t first, idx_t *part)
{
    struct search s = {.count = count};
    int64_t none[MOST] = {0};

    for (uint32_t u = 0; u < count; u++)
        for (idx_t e = offset[u]; e < offset[u + 1]; e++) {
            s.weight[u][target[e]] += weight[e];
            s.all[u] += weight[e];
        }
    choose(&s, 0, 0, first, 0, none);
    for (uint32_t u = 0; u < count; u++)
        part[u] = 1;
    for (uint32_t i = 0; i < first; i++)
        part[s.best[i]] = 0;
}
