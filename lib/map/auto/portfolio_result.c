/* SPDX-License-Identifier: BSD-3-Clause */
/* What the answer is, once the search has ended. */
#include <math.h>

#include "map/auto/portfolio.h"
#include "metric/metric.h"

/* \param seconds  out: INFINITY where there is no telling, or where that were too much work
 *  \return -1 where memory is short */
static int predict(const topomap_problem *problem, const topomap_map_options *options,
                   const uint32_t *slot_of, double *seconds, topomap_error *err)
{
    static const uint64_t budget[] = {2000000, 50000000, 500000000};
    topomap_error why;
    topomap_time time;

    *seconds = INFINITY;
    if (topomap_time_predict(problem->graph, problem->machine, slot_of, options->time_costs, NULL,
                             budget[options->effort], &time, NULL, &why))
        return why.code == TOPOMAP_ESYSTEM ? topomap_error_set(err, why.code, "%s", why.text) : 0;
    if (!time.is_bound)
        *seconds = time.seconds;
    topomap_time_clear(&time);
    return 0;
}

/* Who names an algorithm gets that, whatever the baseline is.
 * \return 1, or 0: there is no telling, or -1 */
static int by_time(const topomap_problem *problem, const topomap_map_options *options,
                   const topomap_layouts *layouts, topomap_mapping *mapping, topomap_error *err)
{
    int is_candidate =
        topomap_portfolio_is_auto(options) && !options->contiguous && !options->together &&
        !problem->level &&
        (!options->pin ||
         problem->machine->node_of[problem->start[options->pin_rank]] == options->pin_node);
    double before, found, seconds;

    if (predict(problem, options, problem->start, &before, err) != 0 ||
        predict(problem, options, mapping->slot_of_rank, &found, err) != 0)
        return -1;
    if (isinf(before) || isinf(found))
        return 0;
    mapping->time_before = before;
    mapping->time = found;
    if (found > before && is_candidate) {
        topomap_mapping_put(mapping, problem, topomap_start_name(options), problem->start,
                            problem->start_score);
        mapping->time = before;
    }
    for (size_t i = 0; i < layouts->count; i++) {
        const topomap_known_layout *row = &layouts->row[i];

        if (predict(problem, options, row->slot_of, &seconds, err) != 0)
            return -1;
        if (isinf(seconds) ||
            !topomap_score_better(&(topomap_score){.time = seconds, .J = row->score.J},
                                  &(topomap_score){.time = mapping->time, .J = mapping->J}))
            continue;
        topomap_mapping_put(mapping, problem, row->name, row->slot_of, &row->score);
        mapping->time = seconds;
    }
    return 1;
}

static void by_score(const topomap_problem *problem, const topomap_layouts *layouts,
                     const topomap_score *found, topomap_mapping *mapping)
{
    const topomap_score *best = found;

    for (size_t i = 0; i < layouts->count; i++) {
        const topomap_known_layout *row = &layouts->row[i];

        if (!topomap_score_better(&row->score, best))
            continue;
        best = &row->score;
        topomap_mapping_put(mapping, problem, row->name, row->slot_of, best);
    }
}

int topomap_settle(const topomap_problem *problem, const topomap_map_options *options,
                   const topomap_layouts *layouts, const topomap_score *found,
                   topomap_mapping *mapping, topomap_error *err)
{
    int settled = 0;

    if (problem->objective && problem->objective->by_time && !topomap_problem_is_hasty(problem))
        settled = by_time(problem, options, layouts, mapping, err);
    if (settled == 0)
        by_score(problem, layouts, found, mapping);
    return settled < 0 ? -1 : 0;
}
