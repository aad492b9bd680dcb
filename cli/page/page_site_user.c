/* SPDX-License-Identifier: BSD-3-Clause */
/* One user's records, added up. */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/page/page_site.h"
#include "plugin/common/reply.h"
#include "plugin/planner/plan/plan.h"
#include "plugin/store/run.h"
#include "util/alloc.h"
#include "util/full_io.h"

static const struct {
    const char *line, *word, *words; /* in the planner's line; for programs; for people */
} reasons[] = {
    {"nothing better exists", "optimal", "Slurm's layout is the best there is"},
    {"nothing better was found", "none_better", "nothing better was found"},
    {"min-gain is", "min_gain", "the gain was below min-gain"},
    {"of a profile less than", "small_gain", "the gain was too small to be told by a profile"},
    {"no profile of this program", "no_profile", "the program had no profile yet"},
    {"no node '", "unknown_node", "a node that the database does not know"},
    {"the graph has", "graph_size", "a graph of another size"},
    {"is neither a file", "no_graph", "no graph of that name"},
    {"cannot open", "no_file", "a file that cannot be read"},
    {"", "other", "another reason"},
};
enum { REASONS = sizeof reasons / sizeof *reasons };

_Static_assert((int)REASONS <= (int)SITE_REASONS, "there is room for all reasons");

const char *page_site_reason(size_t i, const char **words)
{
    if (words && i < REASONS)
        *words = reasons[i].words;
    return i < REASONS ? reasons[i].word : NULL;
}

static size_t reason_of(const char *line)
{
    size_t i = 0;

    while (i + 1 < REASONS && !strstr(line, reasons[i].line))
        i++;
    return i;
}

static void add_placed(const planner_record *record, page_site *site)
{
    double gain = record->reply.gain ? fmin(strtod(record->reply.gain, NULL), 100) : 0;
    int bin = gain > 0 ? (int)(gain / (100.0 / SITE_BINS)) : 0;

    site->placed++;
    site->ranks += record->request.first[record->request.nodes.count];
    site->gain += gain;
    site->bin[bin < SITE_BINS ? bin : SITE_BINS - 1]++;
}

static void add_record(const planner_record *record, int64_t now, page_site *site)
{
    double searched = record->reply.searched ? strtod(record->reply.searched, NULL) : 0;
    int64_t days = (now - record->time) / 86400;
    int is_placed = record->reply.status == PLUGIN_APPLIED;

    site->records++;
    if (is_placed)
        add_placed(record, site);
    else if (record->reply.status == PLUGIN_FAILED)
        site->failed++;
    else
        site->stayed++;
    if (!is_placed)
        site->reason[reason_of(record->reply.line)]++;
    site->searched += searched;
    site->searched_most = fmax(site->searched_most, searched);
    if (record->time <= now && days < SITE_DAYS)
        (is_placed ? site->day_placed : site->day_other)[SITE_DAYS - 1 - days]++;
}

static void read_record(int folder, const char *name, int64_t now, page_site *site)
{
    struct stat about;
    TOPOMAP_CLOSED int fd = topomap_untrusted_open(folder, name, O_RDONLY | O_NOFOLLOW, &about);
    planner_record record;
    topomap_error why;
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd >= 0 && planner_record_read(path, &record, &why) == 0) {
        add_record(&record, now, site);
        planner_record_clear(&record);
    } else {
        site->bad++;
    }
}

/* ---- What was measured ------------------------------------------------------------------- */

static void add_entry(const store_entry *entry, page_site *site)
{
    const store_comparison times = store_trust_compare(entry);

    site->profiles += entry->has_graph != 0;
    site->compared += times.verdict != STORE_UNDECIDED;
    site->faster += times.verdict == STORE_GAIN;
    site->slower += times.verdict == STORE_LOSS;
    if (times.verdict == STORE_GAIN)
        site->faster_percent += times.gain;
}

static void read_store(const char *folder, page_site *site)
{
    store found[2];
    topomap_error why;
    int count = store_open_all(folder, found, &why);

    for (int i = 0; i < count; i++) {
        TOPOMAP_FREED store_entry *entries = NULL;
        size_t entry_count;

        if (store_list(&found[i], &entries, &entry_count, &why) != 0)
            continue;
        for (size_t k = 0; k < entry_count; k++)
            add_entry(&entries[k], site);
    }
}

void page_site_read_user(int folder, const char *store, int64_t now, page_site *site)
{
    int own = dup(folder);
    TOPOMAP_CLOSED_DIR DIR *list = own >= 0 ? fdopendir(own) : NULL;
    const struct dirent *row;

    while (list && (row = readdir(list)))
        if (plugin_record_is_name(row->d_name))
            read_record(folder, row->d_name, now, site);
    if (store)
        read_store(store, site);
}
