/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/map/map_command.h"
#include "metric/metric.h"
#include "topomap/db.h"

static const struct {
    const char *key, *unit_name;
    size_t at;
    double unit; /* of the option, in the library's */
    unsigned measured;
    int message; /* it is of a message, whatever its bytes */
} keys[CLI_COSTS] = {
    {"rate", "Gb/s", offsetof(topomap_time_costs, rate), 1e9 / 8, TOPOMAP_DB_RATE, 0},
    {"latency", "us", offsetof(topomap_time_costs, latency), 1e-6, TOPOMAP_DB_LATENCY, 1},
    {"hop", "us", offsetof(topomap_time_costs, hop_latency), 1e-6, TOPOMAP_DB_HOP_LATENCY, 1},
    {"overhead", "us", offsetof(topomap_time_costs, overhead), 1e-6, 0, 1},
    {"memory", "GB/s", offsetof(topomap_time_costs, memory_rate), 1e9, TOPOMAP_DB_MEMORY_RATE, 0},
};

static double *cost_of(topomap_time_costs *costs, size_t i)
{
    return (double *)(void *)((char *)costs + keys[i].at);
}

static double in_units(const cli_costs *costs, size_t i)
{
    topomap_time_costs value = costs->value;

    return *cost_of(&value, i) / keys[i].unit;
}

/* \return 0, -1: no such word, 1: a rate of 0, which would make all times infinite */
static int read_cost(const char *word, size_t length, cli_costs *costs)
{
    const char *equal = memchr(word, '=', length);
    char *end;

    for (size_t i = 0; equal && i < CLI_COSTS; i++)
        if (strlen(keys[i].key) == (size_t)(equal - word) &&
            memcmp(keys[i].key, word, (size_t)(equal - word)) == 0) {
            double value = strtod(equal + 1, &end) * keys[i].unit;

            *cost_of(&costs->value, i) = value;
            costs->given |= 1u << i;
            if (end != word + length || end == equal + 1 || !isfinite(value) || value < 0)
                return -1;
            return value == 0 && !keys[i].message;
        }
    return -1;
}

int cli_time_costs(const cli_call *call, int predicts, cli_costs *costs)
{
    const char *at = call->options.time_costs;

    if ((at || call->options.rate > 0) && !predicts)
        return cli_usage_error(call, "%s needs --time", at ? "--time-costs" : "--rate");
    while (at && *at) {
        size_t length = strcspn(at, ",");
        int wrong = read_cost(at, length, costs);

        if (wrong > 0)
            return cli_usage_error(call,
                                   "--time-costs: rates are above 0, not '%.*s'; without it, it is "
                                   "what the machine tells or is assumed",
                                   (int)length, at);
        if (wrong)
            return cli_usage_error(
                call,
                "--time-costs takes rate=, latency=, hop=, overhead= and memory= "
                "with a number each, not '%.*s'",
                (int)length, at);
        at += length + (at[length] == ',');
    }
    if (call->options.rate > 0) {
        costs->value.rate = call->options.rate * keys[0].unit;
        costs->given |= 1;
    }
    return 0;
}

void cli_time_costs_complete(const topomap_machine *machine, cli_costs *costs)
{
    const topomap_time_costs usual = TOPOMAP_TIME_COSTS;

    for (size_t i = 0; i < CLI_COSTS; i++)
        if (keys[i].measured == TOPOMAP_DB_MEMORY_RATE && !(costs->given & 1u << i) &&
            !(costs->measured & TOPOMAP_DB_MEMORY_RATE)) {
            costs->value.memory_rate = usual.memory_rate;
            costs->value.memory_rate = topomap_time_memory(machine, &costs->value);
        }
}

static const char *source_of(const cli_costs *costs, size_t i)
{
    return costs->left_out && keys[i].message   ? "left out"
           : costs->given & 1u << i             ? "given"
           : costs->measured & keys[i].measured ? "measured"
                                                : "assumed";
}

const char *cli_rate_source(const cli_costs *costs)
{
    return source_of(costs, 0);
}

json_t *cli_time_costs_json(const cli_costs *costs)
{
    json_t *all = json_object();

    for (size_t i = 0; i < CLI_COSTS; i++)
        json_object_set_new(all, keys[i].key,
                            cli_json_object("value:r unit:s from:s", in_units(costs, i),
                                            keys[i].unit_name, source_of(costs, i)));
    return all;
}

void cli_time_costs_print(FILE *out, const cli_costs *costs)
{
    if (!costs->measured)
        return;
    fprintf(out, "costs        ");
    for (size_t i = 1; i < CLI_COSTS; i++) /* where the rate is gone by, the time's line has it */
        if (!costs->left_out || !keys[i].message)
            fprintf(out, "%s %s %.4g %s %s", i > 1 && !costs->left_out ? "," : "", keys[i].key,
                    in_units(costs, i), keys[i].unit_name, source_of(costs, i));
    fprintf(out, "%s\n",
            costs->left_out ? "; latencies are left out: the graph counts no messages" : "");
}

json_t *cli_time_json(const topomap_time *time, const cli_costs *costs)
{
    json_t *phases = json_array();

    for (uint32_t k = 0; k < time->phases; k++) {
        const topomap_time_phase *p = &time->phase[k];

        cli_json_add(phases, "seconds:r bound_by:s where:s link:r node:r overhead:r latency:r",
                     p->seconds, p->bound_by, p->where, p->link, p->node, p->overhead, p->latency);
    }
    return cli_json_object("seconds:r model:s rates_assumed:b costs:o phases:o", time->seconds,
                           time->model, time->rates_assumed, cli_time_costs_json(costs), phases);
}

void cli_time_print(const topomap_time *time, const cli_costs *costs)
{
    printf("time          %.6g s predicted, model %s", time->seconds, time->model);
    if (time->rates_assumed)
        printf(", cables of %.6g Gb/s %s", costs->value.rate * 8e-9, source_of(costs, 0));
    putchar('\n');
    cli_time_costs_print(stdout, costs);
    for (uint32_t k = 0; k < time->phases; k++)
        if (time->phase[k].seconds > 0)
            printf("phase %-7u %.6g s, bound by %s: %s\n", k, time->phase[k].seconds,
                   time->phase[k].bound_by, time->phase[k].where);
}
