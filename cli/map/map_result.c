/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/launch/records.h"
#include "cli/map/map_command.h"
#include "util/output.h"

static int has_predicted_routes(const cli_result *result, const topomap_congestion *c)
{
    return c->model && strcmp(c->model, "routes") == 0 &&
           result->target->inputs.routes == TOPOMAP_DB_ROUTES_PREDICTED;
}

int cli_result_text(const cli_call *call, const cli_result *result)
{
    topomap_output *output;
    topomap_error err;
    FILE *out;

    if (topomap_output_open(cli_output(call), &output, &err) != 0)
        return cli_fail(call, &err);
    out = topomap_output_file(output);
    topomap_plan_explain(out, result->target->machine, &result->plan, result->mapping, 0,
                         result->options->start_name, &result->before, &result->after,
                         result->congestion[1].model ? result->congestion : NULL);
    topomap_spread_print(out, &result->spread[0], result->options->start_name, &result->spread[1]);
    if (result->congestion[1].model && result->target->allocation)
        planner_inputs_print_routes(&result->target->inputs, result->congestion[1].model, out);
    if (result->mapping->objective == TOPOMAP_OBJECTIVE_TIME) {
        planner_time_print(result->target->graph, result->target->machine, result->mapping,
                           &result->costs.value, cli_rate_source(&result->costs), out);
        cli_time_costs_print(out, &result->costs);
    }
    return topomap_output_commit(output, &err) == 0 ? CLI_DONE : cli_fail(call, &err);
}

static json_t *cost_json(const topomap_graph *graph, const topomap_machine *machine,
                         const topomap_cost *cost)
{
    json_t *levels = json_array();

    for (uint32_t l = 0; l < cost->levels; l++)
        cli_json_add(levels, "name:s bytes:U", topomap_machine_level_name(machine, l),
                     cost->level_bytes[l]);
    json_t *root = cli_json_object(
        "ranks:u bytes:U J:r hop_bytes:r dilation:r max_dilation:u lower_bound:r congestion:n "
        "levels:o",
        topomap_graph_ranks(graph), topomap_graph_bytes(graph), cost->J, cost->hop_bytes,
        cost->dilation, cost->max_dilation, cost->lower_bound, levels);

    if (cost->load_imbalance > 0)
        cli_json_set(root, "load_imbalance:r", cost->load_imbalance);
    return root;
}

static json_t *congestion_json(const topomap_congestion *c)
{
    return cli_json_object("model:s max:r mean:r unit:s links:u used:u worst:s", c->model, c->max,
                           c->mean, c->unit, c->links, c->used, c->worst);
}

/* Adds the congestion, where it was asked for, to the cost of the same placement. */
static void set_congestion(json_t *cost, const cli_result *result, int after)
{
    const topomap_congestion *c = &result->congestion[after];
    json_t *root = c->model ? congestion_json(c) : NULL;

    if (root && has_predicted_routes(result, c))
        cli_json_set(root, "predicted_routes:s", result->target->inputs.routing);
    if (root)
        json_object_set_new(cost, "congestion", root);
}

/* Adds how far groups are spread, where they are known. */
static void set_spread(json_t *cost, const topomap_spread *spread)
{
    json_t *list = json_array();

    for (uint32_t k = 0; k < spread->kinds; k++) {
        const topomap_spread_kind *kind = &spread->kind[k];
        json_t *levels = json_array();

        for (uint32_t l = 0; l < spread->levels; l++)
            cli_json_add(levels, "level:s mean:r most:u", kind->level[l].name, kind->level[l].mean,
                         kind->level[l].most);
        cli_json_add(list, "name:s groups:u size:u spread:o", kind->name, kind->groups, kind->size,
                     levels);
    }
    if (spread->kinds)
        json_object_set_new(cost, "groups", list);
    else
        json_decref(list);
}

/* Adds the graph's computation to the JSON of a predicted time, if it is known. */
static void set_compute(json_t *root, const topomap_graph *graph)
{
    double seconds = topomap_graph_compute(graph);

    if (seconds > 0)
        cli_json_set(root, "compute:r", seconds);
}

static json_t *candidates_json(const topomap_mapping *mapping)
{
    json_t *list = json_array();

    for (size_t i = 0; i < mapping->candidates; i++) {
        const topomap_candidate *c = &mapping->candidate[i];
        json_t *row = cli_json_object("name:s J:r seconds:r", c->name, c->J, c->seconds);

        if (mapping->congestion_model) /* null: no way between ranks that communicate */
            json_object_set_new(row, "congestion",
                                isinf(c->congestion) ? json_null() : json_real(c->congestion));
        if (mapping->objective == TOPOMAP_OBJECTIVE_MIX)
            json_object_set_new(row, "mix", isinf(c->mix) ? json_null() : json_real(c->mix));
        if (mapping->time_before > 0)
            json_object_set_new(row, "time", isinf(c->time) ? json_null() : json_real(c->time));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *phases_json(const cli_result *result)
{
    static const char *const names[] = {"tree", "group", "inter", "intra", "refine"};
    json_t *phases = cli_json_object("read:r", result->target->read_seconds);

    for (int i = 0; i < TOPOMAP_PHASES; i++)
        json_object_set_new(phases, names[i], json_real(result->mapping->phase_seconds[i]));
    return phases;
}

/* Of which GPUs a job has some alone, the first is known of a task's. */
static uint32_t gpus_each(const cli_target *target)
{
    const char *said = target->request.asked.step_gpus;
    unsigned each = 1;

    if (said && !target->inputs.gpus.job.nodes)
        sscanf(said, "bound:%u", &each);
    return each;
}

/* A node of a specified machine has a number for a name. */
static json_t *node_json(const topomap_machine *machine, uint32_t node)
{
    const char *name = topomap_machine_node_name(machine, node);

    return name ? cli_json_text(name) : json_integer(node);
}

/* One object a rank: where it goes, and its CPUs where the inside of the node is known. */
static json_t *placement_json(const cli_result *result)
{
    const topomap_plan *plan = &result->plan;
    json_t *list = json_array();
    TOPOMAP_FREED uint32_t *at = malloc(plan->tasks * sizeof *at);
    uint32_t count, each = gpus_each(result->target);
    const uint32_t *pu;

    for (uint32_t i = 0; at && i < plan->tasks; i++)
        at[plan->task[i]] = i;
    for (uint32_t r = 0; at && r < plan->tasks; r++) {
        uint32_t slot = plan->slot[at[r]];
        uint32_t node = topomap_machine_node_of(result->target->machine, slot);
        json_t *row = cli_json_object("rank:u slot:u", r, slot);

        json_object_set_new(row, "node", node_json(result->target->machine, node));
        count = topomap_plan_cpus(plan, node, at[r], &pu);
        if (count)
            json_object_set_new(row, "cpus", cli_json_numbers(pu, count));
        cli_devices_json(row, plan, at[r], each);
        json_array_append_new(list, row);
    }
    return list;
}

int cli_result_json(const cli_call *call, const cli_result *result)
{
    const topomap_mapping *mapping = result->mapping;
    const cli_target *target = result->target;
    json_t *root, *before;
    topomap_output *output;
    topomap_error err;

    if (topomap_output_open(cli_output(call), &output, &err) != 0)
        return cli_fail(call, &err);
    root = cost_json(target->graph, target->machine, &result->after);
    before = cost_json(target->graph, target->machine, &result->before);
    set_congestion(root, result, 1);
    set_congestion(before, result, 0);
    set_spread(root, &result->spread[1]);
    set_spread(before, &result->spread[0]);
    cli_json_set(root, "objective:s", topomap_plan_objective(mapping->objective));
    if (mapping->objective == TOPOMAP_OBJECTIVE_MIX)
        cli_json_set(root, "mix:r", mapping->mix);
    if (mapping->time_before > 0) {
        json_object_set_new(root, "time",
                            cli_json_object("seconds:r costs:o", mapping->time,
                                            cli_time_costs_json(&result->costs)));
        json_object_set_new(before, "time", cli_json_object("seconds:r", mapping->time_before));
        set_compute(root, target->graph);
    }
    cli_json_set(root, "algorithm:s", result->mapping->algorithm);
    if (mapping->bound > 0)
        cli_json_set(root, "bound:r", mapping->bound);
    cli_json_set(
        root, "gain:r before:o weight:s",
        topomap_plan_gain_of(mapping, result->before.J, result->after.J, result->congestion),
        before, mapping->message_bytes > 0 ? "bytes+messages" : "bytes");
    if (mapping->message_bytes > 0)
        json_object_set_new(root, "weighed",
                            cli_json_object("message_bytes:r J:r J_before:r",
                                            mapping->message_bytes, mapping->J, mapping->J_before));
    cli_json_set(root, "candidates:o seconds:o placement:o", candidates_json(result->mapping),
                 phases_json(result), placement_json(result));
    cli_json(topomap_output_file(output), root, JSON_REAL_PRECISION(15));
    return topomap_output_commit(output, &err) == 0 ? CLI_DONE : cli_fail(call, &err);
}

static const char *node_text(const topomap_machine *machine, uint32_t node, char number[16])
{
    const char *name = topomap_machine_node_name(machine, node);

    snprintf(number, 16, "%u", node);
    return name ? name : number;
}

static void print_pin(const cli_result *result)
{
    const topomap_machine *machine = result->target->machine;
    char asked[16], on[16];

    printf("pin           rank %u is on %s", result->pin.rank,
           node_text(machine, result->pin.on, on));
    if (result->pin.on != result->pin.node)
        printf(", not on %s", node_text(machine, result->pin.node, asked));
    putchar('\n');
}

static json_t *pin_json(const cli_result *result)
{
    return cli_json_object("rank:u node:o kept:b", result->pin.rank,
                           node_json(result->target->machine, result->pin.on),
                           result->pin.on == result->pin.node);
}

int cli_result_cost(const cli_call *call, const cli_result *result)
{
    const topomap_congestion *congestion = &result->congestion[0];
    const topomap_cost *cost = &result->before;
    const topomap_machine *machine = result->target->machine;

    if (call->options.json) {
        json_t *root = cost_json(result->target->graph, machine, cost);

        set_congestion(root, result, 0);
        set_spread(root, &result->spread[0]);
        if (result->time.model) {
            json_object_set_new(root, "time", cli_time_json(&result->time, &result->costs));
            set_compute(root, result->target->graph);
        }
        if (result->pin.asked)
            json_object_set_new(root, "pin", pin_json(result));
        cli_json(stdout, root, JSON_REAL_PRECISION(15));
        return CLI_DONE;
    }
    printf("ranks         %u\nJ             %.15g\nlower bound   %.15g\nhop-bytes     %.15g\n"
           "dilation      %.4f mean, %u most\n",
           topomap_graph_ranks(result->target->graph), cost->J, cost->lower_bound, cost->hop_bytes,
           cost->dilation, cost->max_dilation);
    if (cost->load_imbalance > 0)
        printf("load          %.4f of the mean on the fullest node\n", cost->load_imbalance);
    for (uint32_t l = 0; l < cost->levels; l++)
        if (cost->level_bytes[l])
            printf("bytes on %-12s %llu\n", topomap_machine_level_name(machine, l),
                   (unsigned long long)cost->level_bytes[l]);
    if (congestion->model)
        printf("congestion    %.6g %s most (%s), %.6g mean over %u links, model %s\n",
               congestion->max, congestion->unit,
               *congestion->worst ? congestion->worst : "no link", congestion->mean,
               congestion->links, congestion->model);
    if (has_predicted_routes(result, congestion))
        printf("routes        predicted (OpenSM %s)\n", result->target->inputs.routing);
    topomap_spread_print(stdout, &result->spread[0], "this placement", NULL);
    if (result->time.model)
        cli_time_print(&result->time, &result->costs);
    if (result->time.model && topomap_graph_compute(result->target->graph) > 0)
        printf("whole         %.6g s predicted with %.4g s of computation\n",
               result->time.seconds + topomap_graph_compute(result->target->graph),
               topomap_graph_compute(result->target->graph));
    if (result->pin.asked)
        print_pin(result);
    return CLI_DONE;
}
