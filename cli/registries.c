/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap algorithms, topomap formats: list the algorithms, graph formats, patterns and importers
 * as text or JSON. */
#include <string.h>

#include "cli/cli.h"
#include "topology-db/db.h"

/* ---- Algorithms ---- */

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
        cli_json_add(list, "name:s value:s help:s", p->name, p->value, p->help);
    return list;
}

static int run_algorithms(const cli_call *call)
{
    const topomap_algorithm *row;
    json_t *list = json_array();

    for (size_t i = 0; (row = topomap_algorithm_row(i)) != NULL; i++) {
        if (!call->options.json)
            print_row(row, i);
        cli_json_add(list, "name:s source:s kind:s machines:o help:s parameters:o", row->name,
                     row->source, row->kind, cli_json_words(row->machines, ','), row->help,
                     parameters_json(i));
    }
    if (call->options.json)
        return cli_json(stdout, list, 0);
    json_decref(list);
    return CLI_DONE;
}

/* ---- Patterns ---- */

enum { GRAMMAR = 1000 };

const char cli_pattern_text[] =
    "A PATTERN is NAME:VALUE,NAME=VALUE,... as the table of patterns has it, or one of\n"
    "  sum(A,0.5*B)          both at the same time on the same ranks, B with half its bytes\n"
    "  phases(A,B,compute=T) one after the other: links are loaded phase by phase; compute=2ms is\n"
    "                        the time that ranks compute, which `eval --time` adds\n"
    "  blocks(A,5)           A five times, side by side in rank order (ensembles)\n"
    "  blocks(A,B,...)       A's ranks, then B's (coupled codes, srun --multi-prog)\n"
    "  blocks(A,B,couple=N)  and N bytes each way over the interface of each two neighbours,\n"
    "                        of which each rank has an equal share, in rank order\n"
    "where A and B are patterns, compositions or graph files. Where sums are taken of graphs with\n"
    "phases, phases of the same number are added up. Quote a composition for the shell; give\n"
    "files in it whole paths where a job script names it.\n"
    "  topomap eval --graph 'phases(stencil3d:7:8x8x8,0.1*alltoall:512)' --machine torus:8x8x8\n"
    "  srun --topomap='blocks(stencil2d:5:16x8,fft:8x8,couple=1M)' --multi-prog coupled.conf\n";

static json_t *patterns_json(void)
{
    const topomap_graph_pattern_info *row;
    topomap_graph_pattern_param param;
    json_t *list = json_array();
    char grammar[GRAMMAR];

    for (size_t i = 0; topomap_graph_pattern_grammar(i, grammar, sizeof grammar); i++) {
        json_t *parameters = json_array();

        for (size_t k = 0; topomap_graph_pattern_parameter(i, k, &param); k++)
            cli_json_add(parameters, "name:s values:s default:s help:s", param.name, param.values,
                         param.fallback, param.help);
        row = topomap_graph_pattern_row(i);
        cli_json_add(list, "name:s grammar:s help:s parameters:o", row->name, grammar, row->help,
                     parameters);
    }
    return list;
}

static void print_patterns(void)
{
    char grammar[GRAMMAR];

    puts("Patterns, accepted wherever a graph file is (`topomap formats PATTERN` says more):");
    for (size_t i = 0; topomap_graph_pattern_grammar(i, grammar, sizeof grammar); i++)
        printf("  %s\n%17s%s\n", grammar, "", topomap_graph_pattern_row(i)->help);
    puts("  sum(A,0.5*B), phases(A,B), blocks(A,5), blocks(A,B,couple=N)\n"
         "                 of patterns and files: `topomap help graph generate`");
}

/* Returns 0 if there is no such pattern. */
static int print_pattern(const char *name)
{
    const topomap_graph_pattern_info *row;
    topomap_graph_pattern_param param;
    char grammar[GRAMMAR];
    size_t i = 0;

    while ((row = topomap_graph_pattern_row(i)) != NULL && strcmp(row->name, name) != 0)
        i++;
    if (!row)
        return 0;
    topomap_graph_pattern_grammar(i, grammar, sizeof grammar);
    printf("%s\n%s\n", grammar, row->help);
    for (size_t k = 0; topomap_graph_pattern_parameter(i, k, &param); k++) {
        printf("  %s%s%s: %s", param.name, param.values ? "=" : "",
               param.values ? param.values : "", param.help);
        if (!param.fallback)
            printf(" (must be given)");
        else if (*param.fallback)
            printf(" (default %s)", param.fallback);
        putchar('\n');
    }
    return 1;
}

/* ---- Formats ---- */

static json_t *options_json(const topomap_graph_option *o)
{
    json_t *list = json_array();

    for (; o && o->name; o++)
        cli_json_add(list, "name:s values:s help:s", o->name, o->values, o->help);
    return list;
}

static json_t *imports_json(void)
{
    const topomap_db_importer_row *row;
    json_t *list = json_array();

    for (size_t i = 0; (row = topomap_db_importers(i)) != NULL; i++)
        cli_json_add(list, "name:s help:s options:o", row->name, row->help,
                     options_json(row->options));
    return list;
}

static void print_options(const topomap_graph_option *o, int indent)
{
    for (; o && o->name; o++)
        printf("%*s%s=%s: %s\n", indent, "", o->name, o->values, o->help);
}

static void print_imports(void)
{
    const topomap_db_importer_row *row;

    puts("Formats of `topomap db import`, with their --option NAME=VALUE:");
    for (size_t i = 0; (row = topomap_db_importers(i)) != NULL; i++) {
        printf("  %-14s %s\n", row->name, row->help);
        print_options(row->options, 17);
    }
}

static json_t *tables_json(void)
{
    const topomap_graph_format *format;
    json_t *formats = json_array();

    for (size_t i = 0; (format = topomap_graph_format_row(i)); i++)
        cli_json_add(formats, "name:s help:s suffixes:o read:b write:b options:o", format->name,
                     format->help, cli_json_words(format->suffix, ','), format->can_read,
                     format->can_write, options_json(format->options));
    return cli_json_object("formats:o patterns:o imports:o", formats, patterns_json(),
                           imports_json());
}

static int run_formats(const cli_call *call)
{
    const topomap_graph_format *format;

    if (call->operands)
        return print_pattern(call->operand[0])
                   ? CLI_DONE
                   : cli_usage_error(call, "no pattern '%s'; `topomap formats` lists them",
                                     call->operand[0]);
    if (call->options.json)
        return cli_json(stdout, tables_json(), 0);
    puts("Formats of graph files (--from, --to), with what they take as --option NAME=VALUE when "
         "they\nare read; xz and zstd are read too:");
    for (size_t i = 0; (format = topomap_graph_format_row(i)); i++) {
        printf("  %-15s %s%s%s\n", format->name, format->help,
               format->can_read ? "" : " (written only)", format->can_write ? "" : " (read only)");
        print_options(format->options, 18);
    }
    print_patterns();
    print_imports();
    return CLI_DONE;
}

/* ---- The commands ---- */

static const cli_option options[] = {
    {CLI_JSON},
    {0},
};

CLI_COMMAND(cli_algorithms, "algorithms", "", "list the mapping algorithms", options, 0, 0,
            run_algorithms, NULL);
CLI_COMMAND(
    cli_formats, "formats", "[PATTERN]",
    "list the formats of graph files, the patterns (or one, with its parameters), and what `db "
    "import` reads",
    options, 0, 1, run_formats, NULL);
