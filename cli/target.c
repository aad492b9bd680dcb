/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/target.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/db.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/hostlist.h"
#include "util/input.h"
#include "util/output.h"

static int parse_bind(const cli_call *call, enum topomap_bind *bind)
{
    static const char *const words[] = {[TOPOMAP_BIND_CORE] = "core",
                                        [TOPOMAP_BIND_PU] = "pu",
                                        [TOPOMAP_BIND_NUMA] = "numa",
                                        [TOPOMAP_BIND_NONE] = "none"};
    const char *text = cli_get(call, "bind");

    *bind = TOPOMAP_BIND_CORE;
    for (size_t i = 0; text && i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], text) == 0) {
            *bind = (enum topomap_bind)i;
            return 0;
        }
    return text ? cli_usage_error(call, "--bind takes core, pu, numa or none, not '%s'", text) : 0;
}

static int parse_layout(const cli_call *call, int *compact)
{
    const char *text = cli_get(call, "layout");

    *compact = text && strcmp(text, "compact") == 0;
    return text && !*compact && strcmp(text, "spread") != 0
               ? cli_usage_error(call, "--layout takes compact or spread, not '%s'", text)
               : 0;
}

/* Algorithms for fabrics that do not take matrices want the links. */
static int needs_links(const char *algorithm)
{
    const topomap_algorithm *row;

    for (size_t i = 0; algorithm && (row = topomap_algorithm_row(i)) != NULL; i++)
        if (strstr(row->machines, "fabric") && !strstr(row->machines, "matrix") &&
            strncmp(algorithm, row->name, strcspn(algorithm, "+,")) == 0 &&
            strlen(row->name) == strcspn(algorithm, "+,"))
            return 1;
    return 0;
}

static int wants_links(const cli_call *call)
{
    const char *objective = cli_get(call, "objective");
    size_t word = objective ? strcspn(objective, ":") : 0;

    return cli_get(call, "congestion") ||
           (word && (strncmp(objective, "congestion", word) == 0 ||
                     strncmp(objective, "mix", word) == 0)) ||
           needs_links(cli_get(call, "algorithm"));
}

/* What an allocation points to. */
struct parts {
    topomap_names names;
    uint32_t *tasks;
    topomap_cores cores;
};

static int build_machine(const cli_call *call, topomap_db_allocation *allocation,
                         struct parts *parts, cli_target *target, topomap_error *err)
{
    const char *cores = cli_get(call, "cores");
    topomap_names *names = &parts->names;
    topomap_db *db;
    int status;

    if (topomap_hostlist_expand(cli_get(call, "nodes"), 0, names, err) != 0)
        return -1;
    parts->tasks = topomap_alloc(names->count, sizeof *parts->tasks, err);
    if (!parts->tasks ||
        topomap_counts_parse(cli_get(call, "tasks-per-node"), names->count, parts->tasks, err) != 0)
        return -1;
    if (cores && topomap_cores_parse(cores, (uint32_t)names->count, &parts->cores, err) != 0)
        return -1;
    allocation->nodes = names;
    allocation->tasks = parts->tasks;
    allocation->cores = cores ? &parts->cores : NULL;
    if (topomap_db_open(cli_database(call), &db, err) != 0)
        return -1;
    status = topomap_db_machine(db, allocation, &target->machine, &target->bindings, err);
    if (status == 0)
        status = cli_order_make(call, db, names, parts->tasks, &target->order, err);
    if (status == 0 && wants_links(call))
        status = topomap_db_machine_links(db, allocation, cli_get(call, "background"),
                                          target->machine, err);
    topomap_db_close(db);
    return status;
}

static int open_allocation(const cli_call *call, cli_target *target)
{
    topomap_db_allocation allocation = {0};
    struct parts parts = {0};
    uint64_t cpus, threads;
    topomap_error err;
    int status;

    if (!cli_get(call, "nodes") || !cli_get(call, "tasks-per-node"))
        return cli_usage_error(call, "name a machine: --machine SPEC, or --nodes HOSTLIST with "
                                     "--tasks-per-node N");
    if ((status = cli_integer(call, "cpus-per-task", 1, 65536, 1, &cpus)) != 0 ||
        (status = cli_integer(call, "threads-per-core", 1, 65536, 0, &threads)) != 0 ||
        (status = parse_bind(call, &allocation.bind)) != 0 ||
        (status = parse_layout(call, &allocation.compact)) != 0)
        return status;
    allocation.cpus_per_task = (uint32_t)cpus;
    allocation.threads_per_core = (uint32_t)threads;
    target->allocation = 1;
    status = build_machine(call, &allocation, &parts, target, &err);
    topomap_names_clear(&parts.names);
    topomap_cores_clear(&parts.cores);
    free(parts.tasks);
    return status == 0 ? 0 : cli_fail(call, &err);
}

int cli_target_open(const cli_call *call, cli_target *target)
{
    double before = topomap_clock_cpu();
    const char *spec = cli_get(call, "machine");
    topomap_error err;
    int status = 0;

    *target = (cli_target){0};
    if (!cli_get(call, "graph"))
        return cli_usage_error(call, "name a communication graph: --graph FILE or a pattern");
    if (spec && cli_get(call, "nodes"))
        return cli_usage_error(call, "--machine and --nodes exclude each other");
    if (spec && cli_get(call, "slurm-order"))
        return cli_usage_error(call, "--slurm-order is for an allocation: --nodes");
    if (spec && cli_get(call, "job-nodes"))
        return cli_usage_error(call, "--job-nodes is for an allocation: --nodes");
    if (cli_get(call, "background") && !wants_links(call))
        return cli_usage_error(call, "--background is for the objectives congestion and mix");
    if (cli_get(call, "background") && spec)
        return cli_usage_error(call, "--background needs the links' names: --db and --nodes");
    if (spec)
        status =
            topomap_machine_parse(spec, &target->machine, &err) == 0 ? 0 : cli_fail(call, &err);
    else
        status = open_allocation(call, target);
    if (status == 0 && topomap_graph_read(cli_get(call, "graph"), cli_get(call, "from"),
                                          &target->graph, &err) != 0)
        status = cli_fail(call, &err);
    if (status == 0)
        cli_graph_note(call, target->graph);
    if (status == 0 && topomap_graph_ranks(target->graph) > topomap_machine_slots(target->machine))
        status = cli_usage_error(call, "the graph has %u ranks, the machine %u slots",
                                 topomap_graph_ranks(target->graph),
                                 topomap_machine_slots(target->machine));
    target->read_seconds = topomap_clock_cpu() - before;
    if (status != 0)
        cli_target_close(target);
    return status;
}

void cli_target_close(cli_target *target)
{
    topomap_graph_free(target->graph);
    topomap_machine_free(target->machine);
    topomap_bindings_clear(&target->bindings);
    free(target->order.slot_of);
    *target = (cli_target){0};
}

static int read_slots(topomap_input *input, uint32_t ranks, uint32_t *slots, topomap_error *err)
{
    char *line, *end;
    size_t length;
    uint32_t count = 0;
    int got;

    while ((got = topomap_input_line(input, 0, &line, &length, err)) == 1) {
        unsigned long long value;

        line += strspn(line, " \t");
        if (*line == '\0' || *line == '#')
            continue;
        errno = 0;
        value = isdigit((unsigned char)*line) ? strtoull(line, &end, 10) : UINT64_MAX;
        if (errno || value >= UINT32_MAX || end[strspn(end, " \t")] != '\0')
            return topomap_input_fail(input, err, "expected the slot of rank %u, found '%.40s'",
                                      count, line);
        if (count == ranks)
            return topomap_input_fail(input, err, "expected %u slots, found more", ranks);
        slots[count++] = (uint32_t)value;
    }
    if (got == 0 && count < ranks)
        return topomap_input_fail(input, err, "expected %u slots, one per rank, found %u", ranks,
                                  count);
    return got;
}

int cli_mapping_read(const char *path, uint32_t ranks, uint32_t **slots, topomap_error *err)
{
    topomap_input *input;
    uint32_t *list;
    int status;

    if (topomap_input_open(path, &input, err) != 0)
        return -1;
    list = topomap_alloc(ranks, sizeof *list, err);
    status = list ? read_slots(input, ranks, list, err) : -1;
    topomap_input_close(input);
    if (status == 0)
        *slots = list;
    else
        free(list);
    return status;
}

int cli_mapping_write(const char *path, const uint32_t *slots, uint32_t ranks, topomap_error *err)
{
    topomap_output *output;

    if (topomap_output_open(path, &output, err) != 0)
        return -1;
    for (uint32_t r = 0; r < ranks; r++)
        fprintf(topomap_output_file(output), "%u\n", slots[r]);
    return topomap_output_commit(output, err);
}
