/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap graph merge, graph scale, graph permute */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/target.h"
#include "util/alloc.h"
#include "util/random.h"

static int run_merge(const cli_call *call)
{
    size_t count = (size_t)call->operands, read = 0;
    topomap_graph **graph, *sum = NULL;
    topomap_error err;
    int status = 0;

    graph = topomap_alloc(count, sizeof *graph, &err);
    if (!graph)
        return cli_fail(call, &err);
    while (!status && read < count) {
        if (topomap_graph_read_options(call->operand[read], cli_get(call, "from"), call->repeat,
                                       &graph[read], &err))
            status = cli_fail(call, &err);
        read += !status;
    }
    if (!status && topomap_graph_merge((const topomap_graph *const *)graph, count, &sum, &err))
        status = cli_fail(call, &err);
    while (read)
        topomap_graph_free(graph[--read]);
    free(graph);
    return status ? status : cli_graph_write(call, sum, cli_output(call));
}

static int run_scale(const cli_call *call)
{
    topomap_graph *graph, *scaled;
    topomap_error err;
    double factor;
    int status;

    if (!cli_get(call, "factor"))
        return cli_usage_error(call, "--factor F says what to multiply all bytes with");
    if ((status = cli_number(call, "factor", 1e-18, 1e18, 1, &factor)) != 0 ||
        (status = cli_graph_read(call, call->operand[0], &graph)) != 0)
        return status;
    status = topomap_graph_scale(graph, factor, &scaled, &err);
    topomap_graph_free(graph);
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

static int permute(const cli_call *call, uint64_t seed, topomap_graph *graph)
{
    const char *mapping = cli_get(call, "mapping");
    uint32_t ranks = topomap_graph_ranks(graph), *order = NULL;
    topomap_graph *permuted;
    topomap_error err;
    int status = 0;

    if (!mapping)
        order = shuffled(ranks, seed, &err);
    else if (cli_mapping_read(mapping, ranks, &order, &err))
        order = NULL;
    status = order ? topomap_graph_permute(graph, order, &permuted, &err) : -1;
    free(order);
    return status ? cli_fail(call, &err) : cli_graph_write(call, permuted, cli_output(call));
}

static int run_permute(const cli_call *call)
{
    topomap_graph *graph;
    uint64_t seed;
    int status;

    if (!cli_get(call, "mapping") == !cli_get(call, "seed"))
        return cli_usage_error(call, "either --mapping FILE or --seed N says the new order");
    if ((status = cli_integer(call, "seed", 0, UINT64_MAX, 1, &seed)) != 0 ||
        (status = cli_graph_read(call, call->operand[0], &graph)) != 0)
        return status;
    status = permute(call, seed, graph);
    topomap_graph_free(graph);
    return status;
}

#define FILES                                                                                      \
    {"output", "FILE", "where to write (standard output if left out)", "o"},                       \
        {"from", "FORMAT", "the input's format (recognised if left out)", NULL},                   \
        {"to", "FORMAT", "the output's format (by its name's ending if left out)", NULL},          \
        CLI_FORMAT_OPTION,                                                                         \
    {                                                                                              \
        NULL, NULL, NULL, NULL                                                                     \
    }

static const cli_option merge_options[] = {FILES};
static const cli_option scale_options[] = {
    {"factor", "F", "what to multiply the bytes of every pair with", NULL}, FILES};
static const cli_option permute_options[] = {
    {"mapping", "FILE", "line r is the new number of rank r", NULL},
    {"seed", "N", "a random order; the same seed gives the same", NULL},
    FILES,
};

const cli_command cli_graph_edit_commands[] = {
    {"graph merge", "FILE...", "the sum of graphs, such as the profiles of single ranks",
     merge_options, 1, 65536, run_merge, NULL},
    {"graph scale", "FILE", "multiply the bytes of every pair", scale_options, 1, 1, run_scale,
     NULL},
    {"graph permute", "FILE", "give the ranks other numbers", permute_options, 1, 1, run_permute,
     NULL},
    {NULL, NULL, NULL, NULL, 0, 0, NULL, NULL},
};
