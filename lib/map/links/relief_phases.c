/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "map/links/links.h"

/* Phases that have loads of their own, and loads in all: of more, the sum of all phases stands in.
 */
enum { PHASES_MOST = 64, LOADS_MOST = 1 << 21 };

/* Of ranks, or of whole blocks of them. */
static int open_rows(const relief *r, const topomap_graph *graph, const uint32_t *block_of,
                     topomap_traffic_rows *rows, topomap_error *err)
{
    TOPOMAP_GRAPH_FREED topomap_graph *blocks = NULL;

    if (block_of && topomap_graph_blocks(graph, block_of, r->vertices, &blocks, err))
        return -1;
    return topomap_traffic_rows_new(block_of ? blocks : graph, r->vertices, rows, err);
}

int topomap_relief_open(relief *r, const uint32_t *block_of, topomap_error *err)
{
    const topomap_graph *graph = r->problem->graph;
    int is_one = graph->phases < 2 || graph->phases > PHASES_MOST ||
                 (uint64_t)graph->phases * r->network->links > LOADS_MOST;

    r->phases = is_one ? 1 : graph->phases;
    r->phase = topomap_alloc(r->phases, sizeof *r->phase, err);
    if (!r->phase)
        return -1;
    for (uint32_t k = 0; k < r->phases; k++)
        if (open_rows(r, is_one ? graph : graph->phase[k], block_of, &r->phase[k].rows, err))
            return -1;
    r->rows = is_one ? &r->phase[0].rows : &r->all;
    return is_one ? 0 : open_rows(r, graph, block_of, &r->all, err);
}

void topomap_relief_close(relief *r)
{
    for (uint32_t k = 0; r->phase && k < r->phases; k++) {
        topomap_loads_clear(&r->phase[k].loads);
        topomap_traffic_rows_clear(&r->phase[k].rows);
    }
    topomap_traffic_rows_clear(&r->all);
    free(r->phase);
    r->phase = NULL;
}

int topomap_relief_load(relief *r, unsigned power, double slope, topomap_error *err)
{
    const topomap_machine *m = r->machine;

    for (uint32_t v = 0; v < r->vertices; v++) {
        uint32_t place = r->place_of[v];

        r->vertex_at[place] = v;
        r->at[v] = r->network->vertex_of[r->whole_nodes ? place : m->node_of[place]];
    }
    for (uint32_t k = 0; k < r->phases; k++) {
        relief_phase *phase = &r->phase[k];

        if (phase->loads.network ? topomap_loads_restart(&phase->loads, err)
                                 : topomap_loads_init(&phase->loads, r->shares, r->network,
                                                      &phase->rows, r->at, &r->looked, err))
            return -1;
        phase->loads.power = power;
        phase->loads.slope = slope;
    }
    r->power = power;
    topomap_relief_rescale(r);
    return 0;
}

double topomap_relief_max(const relief *r)
{
    double sum = 0;

    for (uint32_t k = 0; k < r->phases; k++)
        sum += topomap_maxima_max(&r->phase[k].loads.load);
    return sum;
}

double topomap_relief_peak(const relief *r)
{
    double sum = 0;

    for (uint32_t k = 0; k < r->phases; k++)
        sum += fmax(topomap_maxima_max(&r->phase[k].loads.load), r->phase[k].loads.peak);
    return sum;
}

double topomap_relief_sum(const relief *r)
{
    double sum = 0;

    for (uint32_t k = 0; k < r->phases; k++)
        sum += topomap_loads_sum(&r->phase[k].loads);
    return sum;
}

int topomap_relief_short(const relief *r)
{
    int is_short = 0;

    for (uint32_t k = 0; k < r->phases; k++)
        is_short |= r->phase[k].loads.is_short;
    return is_short;
}

uint32_t topomap_relief_draw_phase(relief *r)
{
    uint32_t k = 0;
    double luck;

    if (r->phases == 1)
        return 0;
    luck = topomap_relief_max(r) * topomap_random_below(&r->random, 1 << 30) * 0x1p-30;
    for (; k + 1 < r->phases; k++) {
        luck -= topomap_maxima_max(&r->phase[k].loads.load);
        if (luck < 0)
            break;
    }
    return k;
}
