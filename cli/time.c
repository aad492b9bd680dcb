/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/time.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *key;
    size_t at;
    double unit; /* of the option, in the library's */
} keys[] = {
    {"rate", offsetof(topomap_time_costs, rate), 1e9 / 8},
    {"latency", offsetof(topomap_time_costs, latency), 1e-6},
    {"hop", offsetof(topomap_time_costs, hop_latency), 1e-6},
    {"overhead", offsetof(topomap_time_costs, overhead), 1e-6},
    {"memory", offsetof(topomap_time_costs, memory_rate), 1e9},
};

static int read_cost(const char *word, size_t length, topomap_time_costs *costs)
{
    const char *equal = memchr(word, '=', length);
    char *end;

    for (size_t i = 0; equal && i < sizeof keys / sizeof *keys; i++)
        if (strlen(keys[i].key) == (size_t)(equal - word) &&
            memcmp(keys[i].key, word, (size_t)(equal - word)) == 0) {
            double value = strtod(equal + 1, &end);

            *(double *)((char *)costs + keys[i].at) = value * keys[i].unit;
            return end == word + length && end > equal + 1 && isfinite(value) && value >= 0 ? 0
                                                                                            : -1;
        }
    return -1;
}

int cli_time_costs(const cli_call *call, const char *what, int asked, topomap_time_costs *costs)
{
    const topomap_time_costs usual = TOPOMAP_TIME_COSTS;
    const char *at = cli_get(call, "time-costs");

    *costs = usual;
    if (at && !asked)
        return cli_usage_error(call, "--time-costs is for %s", what);
    while (at && *at) {
        size_t length = strcspn(at, ",");

        if (read_cost(at, length, costs))
            return cli_usage_error(
                call,
                "--time-costs takes rate=, latency=, hop=, overhead= and memory= "
                "with a number each, not '%.*s'",
                (int)length, at);
        at += length + (at[length] == ',');
    }
    return 0;
}

json_t *cli_time_json(const topomap_time *time)
{
    json_t *phases = json_array();

    for (uint32_t k = 0; k < time->phases; k++) {
        const topomap_time_phase *p = &time->phase[k];

        json_array_append_new(phases, json_pack("{s:f, s:s, s:s, s:f, s:f, s:f, s:f}", "seconds",
                                                p->seconds, "bound_by", p->bound_by, "where",
                                                p->where, "link", p->link, "node", p->node,
                                                "overhead", p->overhead, "latency", p->latency));
    }
    return json_pack("{s:f, s:s, s:b, s:o}", "seconds", time->seconds, "model", time->model,
                     "rates_assumed", time->rates_assumed, "phases", phases);
}

void cli_time_print(const topomap_time *time, const topomap_time_costs *costs)
{
    printf("time          %.6g s predicted, model %s", time->seconds, time->model);
    if (time->rates_assumed)
        printf(", cables of %.6g Gb/s assumed", costs->rate * 8e-9);
    putchar('\n');
    for (uint32_t k = 0; k < time->phases; k++)
        if (time->phase[k].seconds > 0)
            printf("phase %-7u %.6g s, bound by %s: %s\n", k, time->phase[k].seconds,
                   time->phase[k].bound_by, time->phase[k].where);
}
