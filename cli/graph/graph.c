/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap graph info, recognise, convert, generate, partition */
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/graph/graph_files.h"
#include "graph/formats/parts.h"
#include "graph/graph.h"
#include "util/full_io.h"

static json_t *phase_bytes(const topomap_graph *graph)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < topomap_graph_phases(graph); i++)
        json_array_append_new(
            list, json_integer((json_int_t)topomap_graph_bytes(topomap_graph_phase(graph, i))));
    return list;
}

/* What few graphs have is there only where they do. */
static void info_parts(const topomap_graph *graph, json_t *info)
{
    uint32_t dimensions;

    if (topomap_graph_load(graph))
        json_object_set_new(info, "loads", json_true());
    if (topomap_graph_coordinates(graph, &dimensions))
        cli_json_set(info, "dimensions:u", dimensions);
    if (topomap_graph_phases(graph)) {
        cli_json_set(info, "phases:u phase_bytes:o", topomap_graph_phases(graph),
                     phase_bytes(graph));
    }
    if (topomap_graph_compute(graph) > 0)
        cli_json_set(info, "compute:r", topomap_graph_compute(graph));
    if (topomap_graph_name(graph, 0))
        json_object_set_new(info, "names", json_true());
    if (topomap_graph_source(graph))
        cli_json_set(info, "source:s", topomap_graph_source(graph));
    if (topomap_graph_note(graph))
        cli_json_set(info, "note:s", topomap_graph_note(graph));
}

/* Returns what a folder with the parts of a profile tells beside its graph; all zeros if it is no
 * such folder. */
static topomap_part_summary summary_of(const char *path)
{
    TOPOMAP_CLOSED int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    topomap_part_summary sums = {0};
    topomap_error err;

    if (folder < 0 || topomap_parts_summary_open(folder, path, &sums, &err))
        sums = (topomap_part_summary){0};
    return sums;
}

static void summary_json(const topomap_part_summary *sums, json_t *info)
{
    int killed = WIFSIGNALED(sums->status);

    if (sums->has_time) {
        cli_json_set(info, "wall_seconds:r mpi_seconds:r", (double)sums->wall_ns / 1e9,
                     (double)sums->mpi_ns / 1e9);
    }
    if (sums->status)
        json_object_set_new(info, "failed",
                            json_pack("{s:i, s:I}", killed ? "signal" : "exit_status",
                                      killed ? WTERMSIG(sums->status) : WEXITSTATUS(sums->status),
                                      "part", (json_int_t)sums->status_part));
}

static void print_summary(const topomap_part_summary *sums)
{
    char text[80];

    if (sums->has_time && sums->wall_ns)
        printf(
            "time      %.3f s from MPI_Init to MPI_Finalize; in MPI %.3f s, %.1f %%, on average\n",
            (double)sums->wall_ns / 1e9, (double)sums->mpi_ns / 1e9,
            100 * (double)sums->mpi_ns / (double)sums->wall_ns);
    if (sums->status)
        printf("failed    a task of " TOPOMAP_PART_NAME "%" PRIu32 ", with %s\n", sums->status_part,
               topomap_part_status_text(sums->status, text, sizeof text));
}

static json_t *fit_json(const topomap_recognition *pattern)
{
    return cli_json_object("dims:o explained:r present:r bytes:r exact:b",
                           cli_json_numbers(pattern->size, pattern->dims), pattern->explained,
                           pattern->present, pattern->even, pattern->exact);
}

/* What the graph was made from stands; the edges tell what a file's pattern is. */
static json_t *info_json(const topomap_graph *graph, const topomap_recognition *found)
{
    const char *pattern = topomap_graph_pattern(graph);
    uint64_t messages;
    json_t *info;

    if (!pattern && found->dims)
        pattern = found->text;
    info = cli_json_object(
        "ranks:u edges:U bytes:U messages:o pattern:s", topomap_graph_ranks(graph),
        topomap_graph_edges(graph), topomap_graph_bytes(graph),
        topomap_graph_messages(graph, &messages) ? json_integer((json_int_t)messages) : json_null(),
        pattern);
    if (info && found->dims)
        json_object_set_new(info, "pattern_fit", fit_json(found));
    if (info)
        info_parts(graph, info);
    return info;
}

static int print_info(const cli_call *call, const topomap_graph *graph,
                      const topomap_recognition *found)
{
    const char *pattern = topomap_graph_pattern(graph);
    const topomap_part_summary sums = summary_of(call->operand[0]);
    uint64_t messages;
    uint32_t dimensions;

    if (call->options.json) {
        json_t *info = info_json(graph, found);

        if (info)
            summary_json(&sums, info);
        return cli_json(stdout, info, 0);
    }
    printf("ranks     %" PRIu32 "\n", topomap_graph_ranks(graph));
    printf("edges     %" PRIu64 " pairs of ranks\n", topomap_graph_edges(graph));
    printf("bytes     %" PRIu64 " in both directions\n", topomap_graph_bytes(graph));
    if (topomap_graph_messages(graph, &messages))
        printf("messages  %" PRIu64 "\n", messages);
    if (pattern || found->dims)
        printf("pattern   %s\n", pattern ? pattern : found->text);
    if (found->dims) {
        printf("fit       ");
        cli_graph_print_fit(found);
    }
    if (topomap_graph_load(graph))
        puts("loads     known");
    if (topomap_graph_coordinates(graph, &dimensions))
        printf("places    in %" PRIu32 " dimensions\n", dimensions);
    cli_graph_print_phases("phases    ", graph);
    if (topomap_graph_source(graph))
        printf("source    %s\n", topomap_graph_source(graph));
    print_summary(&sums);
    return CLI_DONE;
}

static int run_info(const cli_call *call)
{
    topomap_recognition found;
    TOPOMAP_GRAPH_FREED topomap_graph *graph = NULL;
    topomap_error err;
    int status = cli_graph_read(call, call->operand[0], &graph);

    if (status)
        return status;
    /* One that has no name among the patterns is as good as none here. */
    if (topomap_graph_recognise(graph, 0, &found, &err) == 0)
        return print_info(call, graph, &found);
    if (err.code == TOPOMAP_EUSAGE)
        return print_info(call, graph, &(topomap_recognition){.text = ""});
    return cli_fail(call, &err);
}

static int run_recognise(const cli_call *call)
{
    topomap_recognition found;
    TOPOMAP_GRAPH_FREED topomap_graph *graph = NULL;
    topomap_error err;
    int status = cli_graph_read(call, call->operand[0], &graph);

    if (status != 0)
        return status;
    if (topomap_graph_recognise(graph, call->options.scale, &found, &err) != 0)
        return cli_fail(call, &err);
    if (!found.dims) {
        fprintf(stderr, "topomap graph recognise: no pattern in %s\n", call->operand[0]);
        return CLI_NO;
    }
    if (call->options.json)
        return cli_json(
            stdout, cli_json_object("pattern:s pattern_fit:o", found.text, fit_json(&found)), 0);
    puts(found.text);
    return CLI_DONE;
}

static int run_convert(const cli_call *call)
{
    topomap_graph *graph;
    int status = cli_graph_read(call, call->operand[0], &graph);

    return status ? status : cli_graph_write(call, graph, call->operand[1]);
}

static int run_generate(const cli_call *call)
{
    topomap_graph *graph;
    topomap_error err;

    if (topomap_graph_generate(call->operand[0], &graph, &err))
        return cli_fail(call, &err);
    return cli_graph_write(call, graph, cli_output(call));
}

static int partition_mesh(const cli_call *call, const topomap_machine *machine)
{
    const cli_options *o = &call->options;
    TOPOMAP_GRAPH_FREED topomap_graph *mesh = NULL;
    topomap_graph *graph;
    topomap_error err;
    int status = cli_graph_read(call, call->operand[0], &mesh);

    if (status != 0)
        return status;
    return topomap_graph_partition(mesh, o->parts, o->method, machine, o->request.seed, &graph,
                                   &err)
               ? cli_fail(call, &err)
               : cli_graph_write(call, graph, cli_output(call));
}

static int run_partition(const cli_call *call)
{
    const cli_options *o = &call->options;
    topomap_machine *machine = NULL;
    topomap_error err;
    int status;

    if (!o->method)
        return cli_usage_error(call, "--method takes rb or rms");
    if (!o->parts)
        return cli_usage_error(call, "--parts N says how many ranks the graph is to have");
    if (!o->machine && strcmp(o->method, "rms") == 0)
        return cli_usage_error(call, "--method rms divides along --machine SPEC");
    if (o->machine && topomap_machine_parse(o->machine, &machine, &err) != 0)
        return cli_fail(call, &err);
    status = partition_mesh(call, machine);
    topomap_machine_free(machine);
    return status;
}

static const cli_option info_options[] = {
    {CLI_JSON},
    {CLI_FROM},
    {CLI_FORMAT_OPTION},
    {0},
};
static const cli_option recognise_options[] = {
    {"scale", "N", COUNT(scale, 1, 1u << 31, 0),
     "the same pattern for N ranks, its dimensions scaled alike"},
    {CLI_JSON},
    {CLI_FROM},
    {CLI_FORMAT_OPTION},
    {0},
};
static const cli_option convert_options[] = {
    {CLI_FROM},
    {CLI_TO},
    {CLI_FORMAT_OPTION},
    {0},
};
static const cli_option generate_options[] = {
    {CLI_OUTPUT},
    {"to", "FORMAT", TEXT(to),
     "its format (by the file's ending if left out; edges on standard output)"},
    {0},
};
static const cli_option partition_options[] = {
    {"parts", "N", COUNT(parts, 1, UINT32_MAX, 0), "how many blocks: the ranks of the graph"},
    {"method", "rb|rms", WORD(method),
     "recursive bisection, or multisection along the machine's levels"},
    {"machine", "SPEC", TEXT(machine),
     "machine of N slots, such as tree:4:16:8@1:10:100 (rms needs it)"},
    {"seed", "N", REQUEST(SEED), "the same seed gives the same graph (default 1)"},
    {CLI_OUTPUT},
    {"from", "FORMAT", REQUEST(FROM), "the mesh's format (recognised if left out)"},
    {"to", "FORMAT", TEXT(to), "the graph's format (by the file's ending if left out)"},
    {CLI_FORMAT_OPTION},
    {0},
};

CLI_COMMAND(cli_graph_info, "graph info", "FILE|PATTERN",
            "size, traffic and pattern of a communication graph", info_options, 1, 1, run_info,
            NULL);
CLI_COMMAND(cli_graph_recognise, "graph recognise", "FILE",
            "the pattern of a graph's edges, in the words of `graph generate`", recognise_options,
            1, 1, run_recognise, NULL);
CLI_COMMAND(cli_graph_convert, "graph convert", "IN OUT",
            "rewrite a communication graph in another format", convert_options, 2, 2, run_convert,
            NULL);
CLI_COMMAND(cli_graph_generate, "graph generate", "PATTERN",
            "write the graph of a pattern (`topomap formats` lists them)", generate_options, 1, 1,
            run_generate, cli_pattern_text);
CLI_COMMAND(cli_graph_partition, "graph partition", "MESH",
            "the graph of the blocks of a mesh or matrix larger than the job", partition_options, 1,
            1, run_partition, NULL);
