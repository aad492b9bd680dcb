/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap graph show: who talks to whom, as a picture */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/graph/graph_files.h"
#include "cli/picture/picture.h"
#include "util/alloc.h"
#include "util/output.h"
#include "graph/graph.h"

enum { SVG_CELLS = 320, CELLS_MOST = 4096 };

/* ---- The terminal ------------------------------------------------------------------------ */

static picture_screen find_screen(const cli_call *call)
{
    const char *depth = getenv("COLORTERM");
    unsigned columns = terminal_columns(STDOUT_FILENO);
    picture_screen screen = {.columns = columns ? columns : TERMINAL_COLUMNS};

    if (!cli_is_coloured(call, stdout))
        return screen;
    screen.colour = depth && (!strcmp(depth, "truecolor") || !strcmp(depth, "24bit")) ? PICTURE_TRUE
                                                                                      : PICTURE_256;
    screen.halves = terminal_is_utf8();
    return screen;
}

/* ---- The picture ------------------------------------------------------------------------- */

static void write_title(char *title, size_t size, const cli_call *call, const topomap_graph *graph)
{
    topomap_recognition found = {.text = ""};
    topomap_error err;
    int is_named;

    if (topomap_graph_pattern(graph))
        snprintf(found.text, sizeof found.text, "%s", topomap_graph_pattern(graph));
    else if (topomap_graph_recognise(graph, 0, &found, &err) != 0)
        found.text[0] = 0;
    is_named = *found.text && strcmp(found.text, call->operand[0]) != 0;
    snprintf(title, size, "%s: %u ranks, %.0f bytes%s%s", call->operand[0],
             topomap_graph_ranks(graph), (double)topomap_graph_bytes(graph), is_named ? ", " : "",
             is_named ? found.text : "");
}

static json_t *matrix_json(const topomap_matrix *matrix)
{
    json_t *rows = json_array(), *first = json_array();

    for (uint32_t row = 0; row < matrix->cells; row++) {
        json_t *line = json_array();

        for (uint32_t column = 0; column < matrix->cells; column++)
            json_array_append_new(
                line, cli_json_bytes(matrix->bytes[(size_t)row * matrix->cells + column]));
        json_array_append_new(rows, line);
        json_array_append_new(first, json_integer(row * matrix->each));
    }
    return cli_json_object("ranks:u cells:u first:o bytes:o", matrix->ranks, matrix->cells, first,
                           rows);
}

static int write_file(const char *path, const char *title, const topomap_matrix *matrix,
                      topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_draw_clear) topomap_drawing drawing = {0};

    return picture_matrix_draw(&drawing, matrix, title, err) != 0
               ? -1
               : picture_write(&drawing, path, err);
}

static int write_picture(const cli_call *call, const picture_screen *screen, const char *title,
                         const topomap_matrix *matrix, topomap_error *err)
{
    const char *path = call->options.output;
    topomap_output *output;

    if (path)
        return write_file(path, title, matrix, err);
    if (topomap_output_open("-", &output, err) != 0)
        return -1;
    fprintf(topomap_output_file(output), "%s\n", title);
    fflush(topomap_output_file(output));
    picture_matrix_text(topomap_output_bytes(output), screen, matrix);
    return topomap_output_commit(output, err);
}

static int show(const cli_call *call, const picture_screen *screen, uint32_t cells,
                const topomap_graph *graph)
{
    const char *mapping = call->options.mapping;
    TOPOMAP_CLEANUP(topomap_matrix_clear) topomap_matrix matrix = {0};
    TOPOMAP_FREED uint32_t *place = NULL;
    topomap_error err;
    char title[1024];

    if ((mapping && cli_mapping_read(mapping, topomap_graph_ranks(graph), &place, &err) != 0) ||
        topomap_matrix_make(graph, place, cells, &matrix, &err) != 0)
        return cli_fail(call, &err);
    if (call->options.json)
        return cli_json(stdout, matrix_json(&matrix), 0);
    write_title(title, sizeof title, call, graph);
    return write_picture(call, screen, title, &matrix, &err) ? cli_fail(call, &err) : CLI_DONE;
}

static int run_show(const cli_call *call)
{
    const char *output = call->options.output;
    picture_screen screen = find_screen(call);
    TOPOMAP_GRAPH_FREED topomap_graph *graph = NULL;
    uint32_t cells = call->options.cells;
    int status;

    if (output && !picture_is_format(output))
        return cli_usage_error(call, "--output takes %s, not '%s'", picture_formats, output);
    if ((status = cli_graph_read(call, call->operand[0], &graph)) != 0)
        return status;
    if (!cells)
        cells = output || call->options.json
                    ? SVG_CELLS
                    : picture_matrix_room(&screen, topomap_graph_ranks(graph));
    return show(call, &screen, cells, graph);
}

static const char show_text[] =
    "A row is what a rank sends, a column what one receives, as light as it is much, on a\n"
    "logarithmic scale; where there are more ranks than cells, several together. On a terminal in\n"
    "colours that can be told apart without red and green and in grey, two rows a line where the\n"
    "locale is UTF-8; in a pipe, with NO_COLOR or --color never in characters from . to @.\n";

static const cli_option options[] = {
    {"mapping", "FILE", TEXT(mapping),
     "ranks where this mapping puts them: line r is the place of rank r"},
    {"cells", "N", COUNT(cells, 1, CELLS_MOST, 0),
     "rows and columns at most (default: as many as fit; 320 in a file)"},
    {"output", "FILE.svg|.png|.pdf", TEXT(output), "write a picture instead", "o"},
    {"json", NULL, FLAG(json), "the cells' bytes, for programs"},
    {CLI_FROM},
    {CLI_FORMAT_OPTION},
    {0},
};

CLI_COMMAND(cli_graph_show, "graph show", "FILE|PATTERN", "who talks to whom, as a picture",
            options, 1, 1, run_show, show_text);
