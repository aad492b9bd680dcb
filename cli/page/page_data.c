/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/page/page.h"
#include "metric/metric.h"

/* ---- Measured run times of a program, with and without placement ------------------------ */

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

/* The figure of measured times: medians; null for a layout without runs. */
static json_t *measured_json(const store_comparison *times)
{
    const uint32_t runs[2] = {times->runs[0], times->runs[1]};

    return cli_json_object("name:s unit:s before:o after:o runs:o noise:o says:s", "measured time",
                           "s", runs[0] ? json_real(times->wall[0]) : json_null(),
                           runs[1] ? json_real(times->wall[1]) : json_null(),
                           cli_json_numbers(runs, 2),
                           times->noise < 0 ? json_null() : json_real(times->noise),
                           store_verdict_word[times->verdict]);
}

/* ---- The page ---- */

static void add_pair(json_t *list, const char *name, const char *unit, double before, double after)
{
    cli_json_add(list, "name:s unit:s before:r after:r", name, unit, before, after);
}

/* J stands first, how far bytes travel last. */
static int add_costs(const page_job *job, json_t *figures, json_t *further, json_t *levels,
                     topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_cost_clear) topomap_cost old = {0};
    TOPOMAP_CLEANUP(topomap_cost_clear) topomap_cost new = {0};

    if (topomap_cost_evaluate(job->graph, job->machine, job->slot[0], &old, err) != 0 ||
        topomap_cost_evaluate(job->graph, job->machine, job->slot[1], &new, err) != 0)
        return -1;
    add_pair(figures, "J", "bytes x distance", old.J, new.J);
    add_pair(further, "hop-bytes", "bytes x hops", old.hop_bytes, new.hop_bytes);
    add_pair(further, "dilation", "hops a byte", old.dilation, new.dilation);
    add_pair(further, "largest dilation", "hops", old.max_dilation, new.max_dilation);
    for (uint32_t l = 0; l < old.levels; l++)
        add_pair(levels, topomap_machine_level_name(job->machine, l), "bytes",
                 (double)old.level_bytes[l], (double)new.level_bytes[l]);
    return 0;
}

static int predict(const page_job *job, uint64_t budget, topomap_time time[2])
{
    topomap_error why;

    for (int i = 0; i < 2; i++)
        if (topomap_time_predict(job->graph, job->machine, job->slot[i], job->costs, NULL, budget,
                                 &time[i], NULL, &why) != 0)
            return -1;
    return 0;
}

static void clear(topomap_time time[2])
{
    topomap_time_clear(&time[0]);
    topomap_time_clear(&time[1]);
    memset(time, 0, 2 * sizeof *time);
}

/* Where links are not known, or not all nodes are joined, there is none. Nobody waits for a page
 * until the sharing of links is followed for many messages: the most loaded ones then. */
static void add_time(const page_job *job, json_t *figures)
{
    const uint64_t patience = 1 << 27;
    topomap_time time[2];
    int status;

    memset(time, 0, sizeof time);
    if (!job->costs)
        return;
    status = predict(job, patience, time);
    if (status == 0 && time[0].is_bound != time[1].is_bound) {
        clear(time);
        status = predict(job, 0, time);
    }
    if (status == 0)
        add_pair(figures, time[0].is_bound ? "predicted time, at least" : "predicted time", "s",
                 time[0].seconds, time[1].seconds);
    clear(time);
}

static double most_loaded(const json_t *links, const char *when)
{
    return json_number_value(json_object_get(json_object_get(links, when), "max"));
}

static void add_congestion(const json_t *links, json_t *figures)
{
    const char *unit = json_string_value(json_object_get(links, "unit"));

    if (unit)
        add_pair(figures, "busiest link", unit, most_loaded(links, "before"),
                 most_loaded(links, "after"));
}

static json_t *candidates(const topomap_mapping *mapping)
{
    json_t *list = json_array();

    for (size_t i = 0; mapping && i < mapping->candidates; i++) {
        const topomap_candidate *c = &mapping->candidate[i];

        cli_json_add(list, "name:s J:r time:r seconds:r", c->name, c->J,
                     isfinite(c->time) ? c->time : 0.0, c->seconds);
    }
    return list;
}

static json_t *head(const page_job *job)
{
    return cli_json_object("version:s title:s line:s command:s start:s ranks:u nodes:u machine:s",
                           PACKAGE_VERSION, job->title, job->line, job->command, job->start_name,
                           job->ranks, topomap_machine_nodes(job->machine),
                           topomap_machine_kind(job->machine));
}

json_t *page_data(const page_job *job, topomap_error *err)
{
    json_auto_t *root = head(job), *figures = json_array(), *further = json_array();
    json_auto_t *levels = json_array();
    static const struct {
        const char *name; /* NULL: what it makes has names itself */
        json_t *(*make)(const page_job *job, topomap_error *err);
    } parts[] = {
        {"links", page_links},          {NULL, page_who},       {NULL, page_nodes},
        {"names", page_names},          {"group", page_groups}, {"rank", page_ranks},
        {"inside", page_node_topology},
    };

    if (!root || !figures || !further || !levels) {
        topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
        return NULL;
    }
    topomap_watch_stage(job->watch, "page", "parts", sizeof parts / sizeof *parts + 1);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        json_auto_t *part = parts[i].make(job, err);

        if (!part || (parts[i].name ? json_object_set(root, parts[i].name, part)
                                    : json_object_update(root, part)) != 0)
            return NULL;
        topomap_watch_add(job->watch, 1);
    }
    if (add_costs(job, figures, further, levels, err) != 0)
        return NULL;
    add_time(job, figures);
    if (job->times)
        json_array_append_new(figures, measured_json(job->times));
    add_congestion(json_object_get(root, "links"), figures);
    json_array_extend(figures, further);
    cli_json_set(root, "figures:O levels:O candidates:o", figures, levels,
                 candidates(job->mapping));
    return json_incref(root);
}
