/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/common/ranks.h"
#include "plan/plan.h"
#include "util/alloc.h"
#include "util/hostlist.h"

#include <stdlib.h>
#include <string.h>

int plugin_ranks_alloc(plugin_ranks *ranks, uint32_t nodes, uint32_t tasks, topomap_error *err)
{
    ranks->nodes = nodes;
    ranks->tasks = tasks;
    ranks->first = topomap_alloc((size_t)nodes + 1, sizeof *ranks->first, err);
    ranks->id = topomap_alloc(tasks, sizeof *ranks->id, err);
    if (ranks->first && ranks->id)
        return 0;
    plugin_ranks_clear(ranks);
    return -1;
}

void plugin_ranks_clear(plugin_ranks *ranks)
{
    free(ranks->first);
    free(ranks->id);
    memset(ranks, 0, sizeof *ranks);
}

int plugin_ranks_check(const plugin_ranks *ranks, topomap_error *err)
{
    TOPOMAP_FREED unsigned char *seen = topomap_alloc(ranks->tasks, 1, err);

    if (!seen)
        return -1;
    for (uint32_t node = 0; node < ranks->nodes; node++)
        for (uint32_t i = ranks->first[node]; i < ranks->first[node + 1]; i++) {
            if (ranks->id[i] >= ranks->tasks || seen[ranks->id[i]]++)
                return topomap_error_set(err, TOPOMAP_EINPUT, "task ids are no permutation");
            if (i > ranks->first[node] && ranks->id[i] < ranks->id[i - 1])
                return topomap_error_set(err, TOPOMAP_EINPUT,
                                         "task ids do not ascend within a node");
        }
    return 0;
}

char *plugin_ranks_counts(const plugin_ranks *ranks, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *counts = topomap_alloc(ranks->nodes, sizeof *counts, err);

    for (uint32_t node = 0; counts && node < ranks->nodes; node++)
        counts[node] = ranks->first[node + 1] - ranks->first[node];
    return counts ? topomap_counts_format(counts, ranks->nodes, err) : NULL;
}

int plugin_ranks_parse(const char *text, const plugin_ranks *like, plugin_ranks *ranks,
                       topomap_error *err)
{
    topomap_error why;

    if (plugin_ranks_alloc(ranks, like->nodes, like->tasks, err))
        return -1;
    memcpy(ranks->first, like->first, ((size_t)like->nodes + 1) * sizeof *like->first);
    if (topomap_layout_parse(text, ranks->nodes, ranks->first, ranks->id, &why) == 0)
        return 0;
    plugin_ranks_clear(ranks);
    return topomap_error_set(
        err, why.code, "the layout does not have the step's nodes and task counts: %s", why.text);
}
