/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/objective.h"

#include <math.h>
#include <string.h>

#include "fabric/shapes.h"
#include "metric/metric.h"

static int is_known(const topomap_network *network, const char *model)
{
    return strcmp(model, "exact") == 0 ||
           (strcmp(model, "routes") == 0 ? topomap_network_routed(network)
                                         : topomap_dragonfly_adaptive(network));
}

int topomap_objective_open(const topomap_machine *machine, enum topomap_objective_kind kind,
                           const char *model, topomap_objective *objective, topomap_error *err)
{
    static const char *const models[] = {"exact", "routes", "adaptive"};
    TOPOMAP_NETWORK_FREED topomap_network *grid = NULL;
    topomap_objective made = {.network = machine->network,
                              .by_time = kind == TOPOMAP_OBJECTIVE_TIME};
    const char *asked = made.by_time                    ? "time"
                        : kind == TOPOMAP_OBJECTIVE_MIX ? "mix"
                                                        : "congestion";

    if (!made.network && machine->kind != TOPOMAP_MACHINE_TORUS)
        return topomap_error_set(
            err, TOPOMAP_EUSAGE,
            "the objective %s needs a machine whose links are known: a torus, a mesh, fattree:, "
            "dragonfly:, percs:, gpus:, links:, or a database of a fabric; use the objective J",
            asked);
    if (!made.network) {
        if (topomap_network_grid(machine, &grid, err))
            return -1;
        made.network = grid;
    }
    if (!model)
        model = topomap_congestion_usual(made.network);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strcmp(models[i], model) == 0)
            made.model = models[i];
    if (!made.model || !is_known(made.network, made.model)) {
        int adaptive = made.model && strcmp(made.model, "adaptive") == 0;

        return adaptive ? topomap_error_set(
                              err, TOPOMAP_EUSAGE,
                              "the model adaptive is for dragonfly: machines of three groups and "
                              "more with valiant=, as in dragonfly:p=4,a=8,h=4,valiant=25; use "
                              "routes or exact")
               : made.model ? topomap_error_set(
                                  err, TOPOMAP_EUSAGE,
                                  "no routing tables: import them (topomap db import lft), or use "
                                  "the model exact")
                            : topomap_error_set(err, TOPOMAP_EUSAGE,
                                                "the objective %s goes by the model exact, routes "
                                                "or adaptive, not '%.40s'",
                                                asked, model);
    }
    made.grid = topomap_take(&grid);
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
