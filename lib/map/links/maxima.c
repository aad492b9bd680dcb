/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/links/links.h"

#include <stdlib.h>

#include "util/alloc.h"

int topomap_maxima_init(topomap_maxima *m, uint32_t count, topomap_error *err)
{
    m->count = count;
    for (m->leaves = 2; m->leaves < count;)
        m->leaves *= 2;
    m->most = topomap_alloc((size_t)m->leaves * 2, sizeof *m->most, err);
    return m->most ? 0 : -1;
}

void topomap_maxima_clear(topomap_maxima *m)
{
    free(m->most);
    *m = (topomap_maxima){0};
}

/* Not fmax(3), which is a call. */
static double greater(double a, double b)
{
    return a > b ? a : b;
}

void topomap_maxima_set(topomap_maxima *m, uint32_t i, double number)
{
    uint32_t node = m->leaves + i;

    m->most[node] = number;
    for (node /= 2; node; node /= 2) {
        double most = greater(m->most[2 * node], m->most[2 * node + 1]);

        if (!(most < m->most[node] || most > m->most[node]))
            break;
        m->most[node] = most;
    }
}

void topomap_maxima_finish(topomap_maxima *m)
{
    uint32_t low = m->leaves / 2, end = low + (m->count + 1) / 2;

    for (; low; end = end / 2 + (end & 1), low /= 2)
        for (uint32_t node = low; node < end; node++)
            m->most[node] = greater(m->most[2 * node], m->most[2 * node + 1]);
}

uint32_t topomap_maxima_above(const topomap_maxima *m, double least, uint32_t room, uint32_t *found)
{
    uint32_t node = 1, count = 0;

    for (;;) {
        if (m->most[node] >= least && node < m->leaves) {
            node *= 2;
            continue;
        }
        if (m->most[node] >= least && node - m->leaves < m->count) {
            found[count++] = node - m->leaves;
            if (count == room)
                return count;
        }
        while (node & 1)
            node /= 2;
        if (node == 0)
            return count;
        node++;
    }
}
