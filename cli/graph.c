/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap graph info, graph convert, graph generate, graph partition, formats */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "cli/cli.h"
#include "topology-db/db.h"
#include "graph/graph.h"

static json_t *info_json(const topomap_graph *graph)
{
    const char *pattern = topomap_graph_pattern(graph);
    uint64_t messages;

    return json_pack("{s:I, s:I, s:I, s:o, s:o}", "ranks", (json_int_t)topomap_graph_ranks(graph),
                     "edges", (json_int_t)topomap_graph_edges(graph), "bytes",
                     (json_int_t)topomap_graph_bytes(graph), "messages",
                     topomap_graph_messages(graph, &messages) ? json_integer((json_int_t)messages)
                                                              : json_null(),
                     "pattern", pattern ? json_string(pattern) : json_null());
}

static int print_json(json_t *value)
{
    int failed = !value || json_dumpf(value, stdout, JSON_INDENT(2));

    json_decref(value);
    putchar('\n');
    return failed ? CLI_FAILED : CLI_DONE;
}

static int print_info(const cli_call *call, const topomap_graph *graph)
{
    const char *pattern = topomap_graph_pattern(graph);
    uint64_t messages;

    if (cli_get(call, "json"))
        return print_json(info_json(graph));
    printf("ranks     %" PRIu32 "\n", topomap_graph_ranks(graph));
    printf("edges     %" PRIu64 " pairs of ranks\n", topomap_graph_edges(graph));
    printf("bytes     %" PRIu64 " in both directions\n", topomap_graph_bytes(graph));
    if (topomap_graph_messages(graph, &messages))
        printf("messages  %" PRIu64 "\n", messages);
    if (pattern)
        printf("pattern   %s\n", pattern);
    return CLI_DONE;
}

static int run_info(const cli_call *call)
{
    topomap_graph *graph;
    topomap_error err;
    int status;

    if (topomap_graph_read(call->operand[0], cli_get(call, "from"), &graph, &err))
        return cli_fail(call, &err);
    status = print_info(call, graph);
    topomap_graph_free(graph);
    return status;
}

/* Writes and frees the graph. */
static int write_graph(const cli_call *call, topomap_graph *graph, const char *path)
{
    topomap_error err;
    int status = topomap_graph_write(graph, path, cli_get(call, "to"), &err);

    topomap_graph_free(graph);
    return status ? cli_fail(call, &err) : CLI_DONE;
}

static int run_convert(const cli_call *call)
{
    topomap_graph *graph;
    topomap_error err;

    if (topomap_graph_read(call->operand[0], cli_get(call, "from"), &graph, &err))
        return cli_fail(call, &err);
    return write_graph(call, graph, call->operand[1]);
}

static int run_generate(const cli_call *call)
{
    const char *path = cli_get(call, "output");
    topomap_graph *graph;
    topomap_error err;

    if (topomap_graph_generate(call->operand[0], &graph, &err))
        return cli_fail(call, &err);
    return write_graph(call, graph, path ? path : "-");
}

static int partition_mesh(const cli_call *call, uint32_t parts, uint64_t seed,
                          const topomap_machine *machine)
{
    const char *path = cli_get(call, "output");
    topomap_graph *mesh, *graph;
    topomap_error err;
    int status;

    if (topomap_graph_read(call->operand[0], cli_get(call, "from"), &mesh, &err))
        return cli_fail(call, &err);
    status =
        topomap_graph_partition(mesh, parts, cli_get(call, "method"), machine, seed, &graph, &err);
    topomap_graph_free(mesh);
    return status ? cli_fail(call, &err) : write_graph(call, graph, path ? path : "-");
}

static int run_partition(const cli_call *call)
{
    const char *spec = cli_get(call, "machine"), *method = cli_get(call, "method");
    topomap_machine *machine = NULL;
    uint64_t parts, seed;
    topomap_error err;
    int status;

    if (!method || (strcmp(method, "rb") != 0 && strcmp(method, "rms") != 0))
        return cli_usage_error(call, "--method takes rb or rms%s%s%s", method ? ", not '" : "",
                               method ? method : "", method ? "'" : "");
    if (!cli_get(call, "parts"))
        return cli_usage_error(call, "--parts N says how many ranks the graph is to have");
    if (!spec && strcmp(method, "rms") == 0)
        return cli_usage_error(call, "--method rms divides along --machine SPEC");
    if ((status = cli_integer(call, "parts", 1, UINT32_MAX, 1, &parts)) != 0 ||
        (status = cli_integer(call, "seed", 0, UINT64_MAX, 1, &seed)) != 0)
        return status;
    if (spec && topomap_machine_parse(spec, &machine, &err) != 0)
        return cli_fail(call, &err);
    status = partition_mesh(call, (uint32_t)parts, seed, machine);
    topomap_machine_free(machine);
    return status;
}

static json_t *suffixes(const char *text)
{
    json_t *list = json_array();

    while (text && *text) {
        size_t length = strcspn(text, ",");

        json_array_append_new(list, json_stringn(text, length));
        text += length + (text[length] == ',');
    }
    return list;
}

static json_t *imports_json(void)
{
    json_t *list = json_array();

    for (const topomap_db_importer_row *row = topomap_db_importers(); row->name; row++) {
        json_t *options = json_array();

        for (const topomap_db_importer_option *o = row->options; o && o->name; o++)
            json_array_append_new(options, json_pack("{s:s, s:s, s:s}", "name", o->name, "values",
                                                     o->values, "help", o->help));
        json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", row->name, "help",
                                              row->help, "options", options));
    }
    return list;
}

static void print_imports(void)
{
    puts("Formats of `topomap db import`, with their --option NAME=VALUE:");
    for (const topomap_db_importer_row *row = topomap_db_importers(); row->name; row++) {
        printf("  %-14s %s\n", row->name, row->help);
        for (const topomap_db_importer_option *o = row->options; o && o->name; o++)
            printf("%17s%s=%s: %s\n", "", o->name, o->values, o->help);
    }
}

static json_t *tables_json(void)
{
    const topomap_graph_format *format;
    json_t *formats = json_array();

    for (size_t i = 0; (format = topomap_graph_format_row(i)); i++)
        json_array_append_new(formats,
                              json_pack("{s:s, s:s, s:o, s:b, s:b}", "name", format->name, "help",
                                        format->help, "suffixes", suffixes(format->suffix), "read",
                                        format->can_read, "write", format->can_write));
    return json_pack("{s:o, s:o, s:o}", "formats", formats, "patterns", cli_pattern_json(),
                     "imports", imports_json());
}

static int run_formats(const cli_call *call)
{
    const topomap_graph_format *format;

    if (call->operands)
        return cli_pattern_one(call->operand[0])
                   ? CLI_DONE
                   : cli_usage_error(call, "no pattern '%s'; `topomap formats` lists them",
                                     call->operand[0]);
    if (cli_get(call, "json"))
        return print_json(tables_json());
    puts("Formats of graph files (--from, --to); xz and zstd are read too:");
    for (size_t i = 0; (format = topomap_graph_format_row(i)); i++)
        printf("  %-14s %s%s%s\n", format->name, format->help,
               format->can_read ? "" : " (written only)", format->can_write ? "" : " (read only)");
    cli_pattern_list();
    print_imports();
    return CLI_DONE;
}

static const cli_option info_options[] = {
    {"json", NULL, "for programs", NULL},
    {"from", "FORMAT", "the file's format (recognised if left out)", NULL},
    {NULL, NULL, NULL, NULL},
};
static const cli_option convert_options[] = {
    {"from", "FORMAT", "the input's format (recognised if left out)", NULL},
    {"to", "FORMAT", "the output's format (by its name's ending if left out)", NULL},
    {NULL, NULL, NULL, NULL},
};
static const cli_option generate_options[] = {
    {"output", "FILE", "where to write (standard output if left out)", "o"},
    {"to", "FORMAT", "its format (by the file's ending if left out; edges on standard output)",
     NULL},
    {NULL, NULL, NULL, NULL},
};
static const cli_option partition_options[] = {
    {"parts", "N", "how many blocks: the ranks of the graph", NULL},
    {"method", "rb|rms", "recursive bisection, or multisection along the machine's levels", NULL},
    {"machine", "SPEC", "machine of N slots, such as tree:4:16:8@1:10:100 (rms needs it)", NULL},
    {"seed", "N", "the same seed gives the same graph (default 1)", NULL},
    {"output", "FILE", "where to write (standard output if left out)", "o"},
    {"from", "FORMAT", "the mesh's format (recognised if left out)", NULL},
    {"to", "FORMAT", "the graph's format (by the file's ending if left out)", NULL},
    {NULL, NULL, NULL, NULL},
};
static const cli_option formats_options[] = {
    {"json", NULL, "for programs", NULL},
    {NULL, NULL, NULL, NULL},
};

const cli_command cli_graph_commands[] = {
    {"graph info", "FILE|PATTERN", "size and traffic of a communication graph", info_options, 1, 1,
     run_info},
    {"graph convert", "IN OUT", "rewrite a communication graph in another format", convert_options,
     2, 2, run_convert},
    {"graph generate", "PATTERN", "write the graph of a pattern (`topomap formats` lists them)",
     generate_options, 1, 1, run_generate},
    {"graph partition", "MESH", "the graph of the blocks of a mesh or matrix larger than the job",
     partition_options, 1, 1, run_partition},
    {"formats", "[PATTERN]",
     "list the formats of graph files, the patterns (or one, with its parameters), and what `db "
     "import` reads",
     formats_options, 0, 1, run_formats},
    {NULL, NULL, NULL, NULL, 0, 0, NULL},
};
