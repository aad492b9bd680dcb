/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap show: what runs on each node, from the record of the plan. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/launch/records.h"
#include "plugin/planner/plan/plan.h"
#include "util/alloc.h"
#include "util/sorted.h"

/* ---- Text -------------------------------------------------------------------------------- */

enum { NAME, RANKS, LAYOUT, GPUS, NICS, COLUMNS };

static const char *const heads[COLUMNS] = {"NODE", "RANKS", "SLURM'S RANKS", "GPUS", "NICS"};

/* A line for each node, behind that of the heads. */
typedef struct listing {
    char **cell; /* [(1 + nodes) * COLUMNS] owned */
    size_t cells;
    unsigned width[COLUMNS]; /* 0: nothing is known of any node */
} listing;

static void print_devices(FILE *out, const topomap_plan *plan, uint32_t node, int nics)
{
    for (uint32_t t = plan->first[node]; t < plan->first[node + 1]; t++) {
        uint32_t of = nics ? plan->nic[t] : plan->gpu[t];

        fputs(t > plan->first[node] ? " " : "", out);
        if (of == UINT32_MAX || nics)
            fputs(of == UINT32_MAX ? "-" : plan->nic_name[of], out);
        else
            fprintf(out, "%u", of);
    }
}

static int is_known(const uint32_t *of, const topomap_plan *plan, uint32_t node)
{
    for (uint32_t t = plan->first[node]; of && t < plan->first[node + 1]; t++)
        if (of[t] != UINT32_MAX)
            return 1;
    return 0;
}

static void print_cell(FILE *out, const planner_request *request, const topomap_plan *plan,
                       uint32_t node, int column)
{
    uint32_t first = plan->first[node], count = plan->first[node + 1] - first;

    if (column == NAME)
        fputs(request->nodes.name[node], out);
    else if (column == RANKS || column == LAYOUT)
        topomap_ranges_print(out, (column == RANKS ? plan->task : request->layout) + first, count,
                             3);
    else if (column == GPUS && is_known(plan->gpu, plan, node))
        print_devices(out, plan, node, 0);
    else if (column == NICS && plan->gpu && is_known(plan->nic, plan, node))
        print_devices(out, plan, node, 1);
}

static void listing_clear(listing *l)
{
    for (size_t i = 0; i < l->cells; i++)
        free(l->cell[i]);
    free(l->cell);
}

static int listing_fill(listing *l, const planner_request *request, const topomap_plan *plan,
                        topomap_error *err)
{
    l->cell = topomap_alloc((plan->nodes + (size_t)1) * COLUMNS, sizeof *l->cell, err);
    if (!l->cell)
        return -1;
    for (; l->cells < (plan->nodes + (size_t)1) * COLUMNS; l->cells++) {
        size_t row = l->cells / COLUMNS, column = l->cells % COLUMNS, size;
        FILE *out = open_memstream(&l->cell[l->cells], &size);

        if (!out)
            return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: the list of nodes");
        if (row == 0)
            fputs(heads[column], out);
        else
            print_cell(out, request, plan, (uint32_t)(row - 1), (int)column);
        if (fclose(out) != 0)
            return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: the list of nodes");
        if (row > 0 && size > 0) {
            unsigned wide = (unsigned)(size > strlen(heads[column]) ? size : strlen(heads[column]));

            l->width[column] = wide > l->width[column] ? wide : l->width[column];
        }
    }
    return 0;
}

/* So that a line fits: what is widest gives way, but no column altogether. \param room  0: any */
static void listing_fit(listing *l, unsigned room)
{
    const unsigned least = 12, gap = 2;

    while (room) {
        unsigned all = 0;
        int widest = NAME;

        for (int c = NAME; c < COLUMNS; c++) {
            all += l->width[c] ? l->width[c] + (c ? gap : 0) : 0;
            widest = l->width[c] > l->width[widest] ? c : widest;
        }
        if (all <= room || l->width[widest] <= least)
            break;
        l->width[widest]--;
    }
}

/* The last column of a line has no blanks behind it; in a pipe nothing is cut. */
static void listing_print(const listing *l, const cli_call *call, size_t row, int is_cut)
{
    const char *const *cell = (const char *const *)l->cell + row * COLUMNS;
    enum terminal_paint paint = row ? TERMINAL_PLAIN : TERMINAL_HEAD;
    int last = COLUMNS - 1;
    unsigned behind = 0;

    while (last > 0 && (!l->width[last] || !*cell[last]))
        last--;
    for (int c = NAME; c <= last; c++) {
        unsigned length = (unsigned)strlen(cell[c]), wide = l->width[c];

        if (!wide)
            continue;
        printf("%*s", (int)behind, "");
        if (is_cut && length > wide) {
            cli_paint(call, stdout, paint, "%.*s...", (int)wide - 3, cell[c]);
            length = wide;
        } else {
            cli_paint(call, stdout, paint, "%s", cell[c]);
        }
        behind = (length < wide ? wide - length : 0) + 2;
    }
    printf("\n");
}

static int show_text(const cli_call *call, const planner_record *record, const topomap_plan *plan)
{
    unsigned columns = terminal_columns(STDOUT_FILENO);
    topomap_error err;
    TOPOMAP_CLEANUP(listing_clear) listing l = {.cell = NULL};

    if (listing_fill(&l, &record->request, plan, &err) != 0)
        return cli_fail(call, &err);
    listing_fit(&l, columns ? columns : TERMINAL_COLUMNS);
    printf("step %u.%u: %s\n", record->request.asked.job, record->request.asked.step,
           record->reply.line);
    for (size_t row = 0; row <= plan->nodes; row++)
        listing_print(&l, call, row, columns > 0);
    return CLI_DONE;
}

/* ---- JSON -------------------------------------------------------------------------------- */

void cli_devices_json(json_t *row, const topomap_plan *plan, uint32_t i, uint32_t each)
{
    json_t *gpus;

    if (!plan->gpu || plan->gpu[i] == UINT32_MAX)
        return;
    gpus = json_array();
    for (uint32_t k = 0; k < each; k++)
        json_array_append_new(gpus, json_integer(plan->gpu[i] + k));
    json_object_set_new(row, "gpus", gpus);
    if (plan->nic[i] != UINT32_MAX)
        json_object_set_new(row, "nics",
                            json_pack("[o]", cli_json_text(plan->nic_name[plan->nic[i]])));
}

/* One for each of the node's ranks, null where it is not known; NULL: of none. */
static json_t *devices_json(const topomap_plan *plan, uint32_t node, int nics)
{
    json_t *list;

    if (!plan->gpu || !is_known(nics ? plan->nic : plan->gpu, plan, node))
        return NULL;
    list = json_array();
    for (uint32_t t = plan->first[node]; t < plan->first[node + 1]; t++) {
        uint32_t of = nics ? plan->nic[t] : plan->gpu[t];

        json_array_append_new(list, of == UINT32_MAX ? json_null()
                                    : nics           ? cli_json_text(plan->nic_name[of])
                                                     : json_integer(of));
    }
    return list;
}

static json_t *node_json(const planner_request *request, const topomap_plan *plan, uint32_t node)
{
    uint32_t first = plan->first[node], count = plan->first[node + 1] - first;
    json_t *row = cli_json_object("node:s ranks:o ranks_before:o", request->nodes.name[node],
                                  cli_json_numbers(plan->task + first, count),
                                  cli_json_numbers(request->layout + first, count));
    json_t *gpus = devices_json(plan, node, 0), *nics = devices_json(plan, node, 1);

    if (gpus)
        json_object_set_new(row, "gpus", gpus);
    if (nics)
        json_object_set_new(row, "nics", nics);
    return row;
}

static int show_json(const planner_record *record, const topomap_plan *plan)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < plan->nodes; i++)
        json_array_append_new(list, node_json(&record->request, plan, i));
    return cli_json(stdout, list, 0);
}

/* ---- The command ------------------------------------------------------------------------- */

static int run_show(const cli_call *call)
{
    TOPOMAP_CLEANUP(planner_record_clear) planner_record record = {0};
    TOPOMAP_CLEANUP(planner_inputs_clear) planner_inputs in = {0};
    TOPOMAP_CLEANUP(topomap_plan_clear) topomap_plan plan = {0};
    topomap_error err;

    if (cli_record_read(call, call->options.plan, &record, &err) != 0)
        return cli_fail(call, &err);
    record.request.asked.objective.kind = TOPOMAP_OBJECTIVE_J; /* no links are needed here */
    if (cli_record_database(&record, &err) != 0 ||
        planner_inputs_machine(&record.request, 0, &in, &err) != 0 ||
        planner_record_plan(&record, &plan, &err) != 0 ||
        planner_gpu_tasks(&in, &plan.bindings, &plan, &err) != 0)
        return cli_fail(call, &err);
    return call->options.json ? show_json(&record, &plan) : show_text(call, &record, &plan);
}

static const cli_option show_options[] = {
    {"plan", "FILE|JOB[.STEP]", TEXT(plan), "the record of the plan (default: of the last launch)"},
    {"job", "JOB[.STEP]", TEXT(job), "the same; of a job alone, its step that was placed last"},
    {"records", "DIR", TEXT(records), "the site's folder of records (else plugstack.conf's)"},
    {"db", "DB", TEXT(db), "the topology database, where it is not where the record says"},
    {CLI_JSON},
    {0},
};

static const char text[] =
    "On a terminal lines are as long as it is wide, and what is cut ends in '...'; in a pipe\n"
    "nothing is cut. Where the database knows the nodes' GPUs, a line has the GPU of each of its\n"
    "ranks, by Slurm's index on the node, and the NIC that this GPU uses; --json has them as\n"
    "`gpus` and `nics`, one for each of `ranks`.\n";

CLI_COMMAND(cli_show, "show", "", "which ranks run on each node of a launch, and in Slurm's layout",
            show_options, 0, 0, run_show, text);
