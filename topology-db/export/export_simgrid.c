/* SPDX-License-Identifier: BSD-3-Clause */
/* A platform of SimGrid: the machine of the exported hosts, one task each. */
#include <stdlib.h>

#include "metric/metric.h"
#include "topology-db/export/export.h"
#include "util/alloc.h"

static int write_machine(FILE *out, const topomap_machine *machine, double latency,
                         topomap_error *err)
{
    topomap_time_costs costs = TOPOMAP_TIME_COSTS;

    costs.hop_latency = latency;
    costs.memory_rate = topomap_time_memory(machine, &costs);
    return topomap_simgrid_write(out, machine, &costs, err);
}

static int put_hosts(struct db_export *x, const topomap_names *names, const uint32_t *tasks,
                     topomap_error *err)
{
    topomap_db_allocation allocation = {
        .size = sizeof allocation, .nodes = names, .tasks = tasks, .bind = TOPOMAP_BIND_NONE};
    topomap_machine *machine = NULL;
    int result = topomap_db_machine(x->db, &allocation, &machine, NULL, err);

    if (!result)
        result = topomap_db_machine_links(x->db, &allocation, NULL, machine, err);
    if (!result)
        result = write_machine(x->out, machine, x->latency, err);
    topomap_machine_free(machine);
    return result;
}

static int export_simgrid(struct db_export *x, topomap_error *err)
{
    topomap_names names = {0, topomap_alloc(x->hosts, sizeof *names.name, err)};
    TOPOMAP_FREED uint32_t *tasks = topomap_alloc(x->hosts, sizeof *tasks, err);
    int result = -1;

    for (uint32_t h = 0; names.name && tasks && h < x->hosts; h++)
        if (x->host[h].kept && x->host[h].home != UINT32_MAX) {
            tasks[names.count] = 1;
            names.name[names.count++] = x->host[h].name;
        }
    if (names.name && tasks)
        result = put_hosts(x, &names, tasks, err);
    free(names.name);
    return result;
}

const db_exporter db_export_simgrid = {
    .row = {"simgrid", "platform for SimGrid: hosts, links with rates, and their routes"},
    .run = export_simgrid,
    .links = 1,
    .run_machine = write_machine,
};
