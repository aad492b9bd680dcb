/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/auto/portfolio.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/clock.h"

static int is_known(const topomap_problem *problem, const topomap_layouts *layouts,
                    const uint32_t *slot_of)
{
    size_t bytes = problem->ranks * sizeof *slot_of;
    int known = memcmp(problem->start, slot_of, bytes) == 0;

    for (size_t i = 0; i < layouts->count && !known; i++)
        known = memcmp(layouts->row[i].slot_of, slot_of, bytes) == 0;
    return known;
}

static int add(const topomap_problem *problem, const topomap_map_options *options,
               const topomap_layout *given, topomap_layouts *layouts, topomap_error *err)
{
    uint32_t slots = problem->machine->slots;
    topomap_known_layout *row = &layouts->row[layouts->count];
    double before = topomap_clock_cpu();
    int is;

    row->name = given->name;
    row->slot_of = topomap_alloc(slots, sizeof *row->slot_of, err);
    if (!row->slot_of || topomap_placement_fill(given->name, given->slot_of_rank, problem->ranks,
                                                slots, row->slot_of, err) != 0)
        is = -1;
    else if (is_known(problem, layouts, row->slot_of))
        is = 0;
    else
        is = options->contiguous ? topomap_contiguous_is(problem->machine, row->slot_of, err) : 1;
    if (is > 0 && topomap_problem_score(problem, row->slot_of, &row->score, err) == 0) {
        row->seconds = topomap_clock_cpu() - before;
        layouts->count++;
        return 0;
    }
    free(row->slot_of);
    return is == 0 ? 0 : -1;
}

int topomap_layouts_open(const topomap_problem *problem, const topomap_map_options *options,
                         topomap_layouts *layouts, topomap_error *err)
{
    if (options->layouts == 0 || problem->level || options->together || options->pin ||
        !topomap_portfolio_is_auto(options))
        return 0;
    layouts->row = topomap_alloc(options->layouts, sizeof *layouts->row, err);
    if (!layouts->row)
        return -1;
    for (size_t i = 0; i < options->layouts && !topomap_problem_late(problem); i++)
        if (add(problem, options, &options->layout[i], layouts, err) != 0)
            return -1;
    return 0;
}

void topomap_layouts_close(topomap_layouts *layouts)
{
    for (size_t i = 0; i < layouts->count; i++)
        free(layouts->row[i].slot_of);
    free(layouts->row);
    *layouts = (topomap_layouts){0};
}

int topomap_layouts_list(const topomap_layouts *layouts, topomap_mapping *mapping,
                         topomap_error *err)
{
    size_t count = layouts->count, had = mapping->candidates;
    topomap_candidate *list;

    if (count == 0)
        return 0;
    list = topomap_alloc(had + count, sizeof *list, err);
    if (!list)
        return -1;
    memcpy(list, mapping->candidate, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        const topomap_known_layout *row = &layouts->row[i];

        list[1 + i] = topomap_candidate_of(row->name, &row->score, row->seconds);
    }
    memcpy(list + 1 + count, mapping->candidate + 1, (had - 1) * sizeof *list);
    free(mapping->candidate);
    mapping->candidate = list;
    mapping->candidates = had + count;
    return 0;
}
