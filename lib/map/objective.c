/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/objective.h"

#include <math.h>
#include <string.h>

#include "metric/prediction.h"

int topomap_objective_open(const topomap_machine *machine, const char *model,
                           topomap_objective *objective, topomap_error *err)
{
    static const char *const models[] = {"exact", "routes"};
    topomap_objective made = {.network = machine->network};
    int routed;

    if (!made.network && machine->kind != TOPOMAP_MACHINE_TORUS)
        return topomap_error_set(
            err, TOPOMAP_EUSAGE,
            "the objective congestion needs a machine whose links are known: a "
            "torus, a mesh, fattree:, dragonfly:, percs:, links:, or a "
            "database of a fabric; use the objective J");
    if (!made.network) {
        if (topomap_network_grid(machine, &made.grid, err))
            return -1;
        made.network = made.grid;
    }
    routed = topomap_network_routed(made.network);
    for (size_t i = 0; i < 2; i++)
        if (model ? strcmp(models[i], model) == 0 : (int)i == routed)
            made.model = models[i];
    if (!made.model || (made.model == models[1] && !routed)) {
        topomap_network_free(made.grid);
        return made.model
                   ? topomap_error_set(
                         err, TOPOMAP_EUSAGE,
                         "no routing tables: import them (topomap db import lft), or use "
                         "the model exact")
                   : topomap_error_set(
                         err, TOPOMAP_EUSAGE,
                         "the objective congestion goes by the model exact or routes, not '%.40s'",
                         model);
    }
    *objective = made;
    return 0;
}

void topomap_objective_close(topomap_objective *objective)
{
    topomap_network_free(objective->grid);
    *objective = (topomap_objective){0};
}

int topomap_objective_score(const topomap_objective *objective, const topomap_graph *graph,
                            const topomap_machine *machine, const uint32_t *slot_of,
                            topomap_score *score, topomap_error *err)
{
    topomap_congestion c;
    topomap_time_loads loads;
    topomap_time time;
    topomap_error why;

    *score = (topomap_score){.max = INFINITY, .mean = INFINITY};
    if (objective->by_time)
        score->time = INFINITY;
    if (objective->by_time) {
        if (topomap_time_predict(graph, machine, slot_of, objective->costs, objective->model,
                                 objective->budget, &time, &loads, &why) == 0) {
            *score = (topomap_score){.max = loads.max, .mean = loads.mean, .time = time.seconds};
            topomap_time_clear(&time);
            return 0;
        }
    } else if (topomap_congestion_evaluate(graph, machine, slot_of, objective->model, &c, &why) ==
               0) {
        score->max = c.max;
        score->mean = c.mean;
        return 0;
    }
    return why.code == TOPOMAP_ESYSTEM ? topomap_error_set(err, why.code, "%s", why.text) : 0;
}

static double relative(double value, double baseline)
{
    return value == 0 ? 0 : baseline > 0 ? value / baseline : INFINITY;
}

double topomap_objective_mix(const topomap_objective *objective, double J, double max)
{
    double share = objective->share;

    return share > 0
               ? share * relative(J, objective->J0) + (1 - share) * relative(max, objective->max0)
               : 0;
}

/* -1 where a is lower, 1 where it is higher, 0 where only rounding is between them. */
static int order(double a, double b)
{
    if (isinf(a) || isinf(b))
        return (a > b) - (a < b);
    return a < b - 1e-9 * fabs(b) ? -1 : a > b + 1e-9 * fabs(b);
}

int topomap_score_better(const topomap_score *a, const topomap_score *b)
{
    int by = order(a->over, b->over);

    by = by ? by : order(a->mix, b->mix);
    by = by ? by : order(a->time, b->time);
    if (!by && a->time > 0) /* a link that is not what takes the time need not be relieved */
        by = order(a->J, b->J);
    by = by ? by : order(a->max, b->max);
    by = by ? by : order(a->mean, b->mean);
    return (by ? by : order(a->J, b->J)) < 0;
}
