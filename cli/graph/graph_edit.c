/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap graph merge, graph scale, graph permute */
#include <stdlib.h>

#include "cli/graph/graph_files.h"
#include "util/alloc.h"
#include "util/random.h"
#include "graph/graph.h"

static int run_merge(const cli_call *call)
{
    size_t count = (size_t)call->operands;
    topomap_error err;
    TOPOMAP_FREED topomap_graph **graph = topomap_alloc(count, sizeof *graph, &err);
    topomap_graph *sum = NULL;
    int failed = !graph;

    for (size_t i = 0; !failed && i < count; i++)
        failed = topomap_graph_read_options(call->operand[i], call->options.request.from,
                                            call->options.option, &graph[i], &err);
    if (!failed)
        failed = topomap_graph_merge((const topomap_graph *const *)graph, count, &sum, &err);
    for (size_t i = 0; graph && i < count; i++)
        topomap_graph_free(graph[i]);
    return failed ? cli_fail(call, &err) : cli_graph_write(call, sum, cli_output(call));
}

static int run_scale(const cli_call *call)
{
    TOPOMAP_GRAPH_FREED topomap_graph *graph = NULL;
    topomap_graph *scaled;
    topomap_error err;
    int status;

    if (!call->options.factor)
        return cli_usage_error(call, "--factor F says what to multiply all bytes with");
    if ((status = cli_graph_read(call, call->operand[0], &graph)) != 0)
        return status;
    status = topomap_graph_scale(graph, call->options.factor, &scaled, &err);
    return status ? cli_fail(call, &err) : cli_graph_write(call, scaled, cli_output(call));
}

static uint32_t *shuffled(uint32_t ranks, uint64_t seed, topomap_error *err)
{
    uint32_t *order = topomap_alloc(ranks, sizeof *order, err);
    topomap_random random = {seed};

    for (uint32_t r = 0; order && r < ranks; r++)
        order[r] = r;
    if (order)
        topomap_random_shuffle(&random, order, ranks);
    return order;
}

static int run_permute(const cli_call *call)
{
    const cli_options *o = &call->options;
    TOPOMAP_GRAPH_FREED topomap_graph *graph = NULL;
    topomap_graph *permuted;
    TOPOMAP_FREED uint32_t *order = NULL;
    topomap_error err;
    int status;

    if (!o->mapping == !topomap_request_has(&o->request, TOPOMAP_REQUEST_SEED))
        return cli_usage_error(call, "either --mapping FILE or --seed N says the new order");
    if ((status = cli_graph_read(call, call->operand[0], &graph)) != 0)
        return status;
    if (!o->mapping)
        order = shuffled(topomap_graph_ranks(graph), o->request.seed, &err);
    else
        (void)cli_mapping_read(o->mapping, topomap_graph_ranks(graph), &order, &err);
    status = order ? topomap_graph_permute(graph, order, &permuted, &err) : -1;
    return status ? cli_fail(call, &err) : cli_graph_write(call, permuted, cli_output(call));
}

static const cli_option merge_options[] = {
    {CLI_OUTPUT}, {CLI_FROM}, {CLI_TO}, {CLI_FORMAT_OPTION}, {0},
};
static const cli_option scale_options[] = {
    {"factor", "F", NUMBER(factor, 1e-18, 1e18, 0),
     "what to multiply the bytes of every pair with"},
    {CLI_OUTPUT},
    {CLI_FROM},
    {CLI_TO},
    {CLI_FORMAT_OPTION},
    {0},
};
static const cli_option permute_options[] = {
    {"mapping", "FILE", TEXT(mapping), "line r is the new number of rank r"},
    {"seed", "N", REQUEST(SEED), "a random order; the same seed gives the same"},
    {CLI_OUTPUT},
    {CLI_FROM},
    {CLI_TO},
    {CLI_FORMAT_OPTION},
    {0},
};

CLI_COMMAND(cli_graph_merge, "graph merge", "FILE...",
            "the sum of graphs, such as the profiles of single ranks", merge_options, 1, 65536,
            run_merge, NULL);
CLI_COMMAND(cli_graph_scale, "graph scale", "FILE", "multiply the bytes of every pair",
            scale_options, 1, 1, run_scale, NULL);
CLI_COMMAND(cli_graph_permute, "graph permute", "FILE", "give the ranks other numbers",
            permute_options, 1, 1, run_permute, NULL);
