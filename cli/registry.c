/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap algorithms */
#include <jansson.h>

#include "cli/cli.h"
#include "cli/json.h"

static void print_row(const topomap_algorithm *row, size_t i)
{
    const topomap_parameter *p;

    printf("%-15s %-10s %s\n%27s%s; on %s\n", row->name, row->kind, row->help, "", row->source,
           row->machines);
    for (size_t k = 0; (p = topomap_algorithm_parameter(i, k)) != NULL; k++)
        printf("%27s%s,%s=%s  %s\n", "", row->name, p->name, p->value, p->help);
}

static json_t *parameters_json(size_t i)
{
    const topomap_parameter *p;
    json_t *list = json_array();

    for (size_t k = 0; (p = topomap_algorithm_parameter(i, k)) != NULL; k++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", p->name, "value", p->value,
                                              "help", p->help));
    return list;
}

static int run_algorithms(const cli_call *call)
{
    const topomap_algorithm *row;
    json_t *list = json_array();

    for (size_t i = 0; (row = topomap_algorithm_row(i)) != NULL; i++) {
        if (!call->options.json)
            print_row(row, i);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o, s:s, s:o}", "name", row->name,
                                              "source", row->source, "kind", row->kind, "machines",
                                              cli_json_words(row->machines, ','), "help", row->help,
                                              "parameters", parameters_json(i)));
    }
    if (call->options.json)
        return cli_json(stdout, list, 0);
    json_decref(list);
    return CLI_DONE;
}

static const cli_option options[] = {
    {CLI_JSON},
    {0},
};

CLI_COMMAND(cli_algorithms, "algorithms", "", "list the mapping algorithms", options, 0, 0,
            run_algorithms, NULL);
