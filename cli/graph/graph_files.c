/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and writing graphs and mapping files, for several commands. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/graph/graph_files.h"
#include "graph/graph.h"
#include "graph/open/open.h"
#include "util/alloc.h"
#include "util/input.h"
#include "util/output.h"

enum { PHASES_SHOWN = 8 };

void cli_graph_note(const cli_call *call, const topomap_graph *graph)
{
    if (topomap_graph_note(graph))
        fprintf(stderr, "topomap %s: warning: %s\n", call->command->name,
                topomap_graph_note(graph));
}

int cli_graph_read_as(const cli_call *call, const char *what, const char *format,
                      const char *const *option, topomap_graph **graph, topomap_error *err)
{
    topomap_watch watch = {.done = 0};
    terminal_progress *progress = terminal_progress_begin(call->command->name, &watch);
    int status = topomap_graph_open(what, 0, format, option, &watch, graph, err);

    terminal_progress_end(progress);
    return status;
}

int cli_graph_read(const cli_call *call, const char *what, topomap_graph **graph)
{
    topomap_error err;

    if (cli_graph_read_as(call, what, call->options.request.from, call->options.option, graph,
                          &err) != 0)
        return cli_fail(call, &err);
    cli_graph_note(call, *graph);
    return 0;
}

int cli_graph_write(const cli_call *call, topomap_graph *graph, const char *path)
{
    topomap_error err;
    int status = topomap_graph_write(graph, path, call->options.to, &err);

    topomap_graph_free(graph);
    return status ? cli_fail(call, &err) : CLI_DONE;
}

void cli_graph_print_phases(const char *label, const topomap_graph *graph)
{
    uint32_t phases = topomap_graph_phases(graph);
    double all = (double)topomap_graph_bytes(graph);

    if (!phases)
        return;
    printf("%s%" PRIu32, label, phases);
    for (uint32_t i = 0; all > 0 && i < phases && i < PHASES_SHOWN; i++)
        printf("%s%.1f %%", i ? ", " : ": ",
               100 * (double)topomap_graph_bytes(topomap_graph_phase(graph, i)) / all);
    puts(all == 0 ? "" : phases > PHASES_SHOWN ? ", ... of the bytes" : " of the bytes");
}

void cli_graph_print_fit(const topomap_recognition *pattern)
{
    for (uint32_t k = 0; k < pattern->dims; k++)
        printf("%s%" PRIu32, k ? "x" : "", pattern->size[k]);
    if (pattern->exact)
        puts(", exact");
    else
        printf(", explains %.2f %% of the pairs and %.2f %% of the bytes; %.2f %% of its own pairs "
               "are there\n",
               100 * pattern->explained, 100 * pattern->even, 100 * pattern->present);
}

/* ---- Mapping files ---- */

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
    TOPOMAP_INPUT_CLOSED topomap_input *input = NULL;
    uint32_t *list;

    if (topomap_input_open(path, &input, err) != 0 ||
        !(list = topomap_alloc(ranks, sizeof *list, err)))
        return -1;
    if (read_slots(input, ranks, list, err) == 0) {
        *slots = list;
        return 0;
    }
    free(list);
    return -1;
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
