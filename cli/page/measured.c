/* SPDX-License-Identifier: BSD-3-Clause */
/* How long the runs of a launch's program took, placed and in Slurm's layout, where it was placed
 * with a stored profile. */
#include <stdio.h>
#include <string.h>

#include "cli/page/measured.h"

/* ROOT/profiles/KEY.tmg, as the planner has put it in the request. */
static int take_apart(const char *path, store *from, store_entry *entry)
{
    static const char folder[] = "/profiles/", ending[] = ".tmg";
    const char *name = path ? strrchr(path, '/') : NULL;
    size_t root = name ? (size_t)(name + 1 - path) : 0;

    if (!name || root < sizeof folder || root - (sizeof folder - 1) >= sizeof from->root ||
        strncmp(name + 2 - sizeof folder, folder, sizeof folder - 1) != 0 ||
        strlen(name + 1) != STORE_KEY + sizeof ending - 1 ||
        strcmp(name + 1 + STORE_KEY, ending) != 0)
        return 0;
    *from = (store){.most = STORE_BYTES};
    snprintf(from->root, sizeof from->root, "%.*s", (int)(root - (sizeof folder - 1)), path);
    *entry = (store_entry){.made = 0};
    snprintf(entry->key, sizeof entry->key, "%.*s", STORE_KEY, name + 1);
    return 1;
}

int page_measured(const planner_request *request, store_comparison *found)
{
    store from;
    store_entry entry;

    if (request->asked.stored != PLANNER_PROFILE_EXACT ||
        !take_apart(request->asked.graph, &from, &entry) || store_entry_read(&from, &entry) != 1 ||
        entry.times == 0 || entry.time[entry.times - 1].nodes != request->nodes.count)
        return 0;
    *found = store_trust_compare(&entry);
    return found->runs[0] + found->runs[1] > 0;
}

json_t *page_measured_json(const store_comparison *times)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:[I, I], s:o, s:s}", "name", "measured time", "unit",
                     "s", "before", times->runs[0] ? json_real(times->wall[0]) : json_null(),
                     "after", times->runs[1] ? json_real(times->wall[1]) : json_null(), "runs",
                     (json_int_t)times->runs[0], (json_int_t)times->runs[1], "noise",
                     times->noise < 0 ? json_null() : json_real(times->noise), "says",
                     store_verdict_word[times->verdict]);
}
