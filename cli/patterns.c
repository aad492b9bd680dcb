/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of patterns, for people and programs. */
#include <string.h>

#include "cli/cli.h"

enum { GRAMMAR = 1000 };

const char cli_pattern_text[] =
    "A PATTERN is NAME:VALUE,NAME=VALUE,... as the table of patterns has it, or one of\n"
    "  sum(A,0.5*B)          both at the same time on the same ranks, B with half its bytes\n"
    "  phases(A,B)           one after the other: links are loaded phase by phase\n"
    "  blocks(A,5)           A five times, side by side in rank order (ensembles)\n"
    "  blocks(A,B,...)       A's ranks, then B's (coupled codes, srun --multi-prog)\n"
    "  blocks(A,B,couple=N)  and N bytes each way over the interface of each two neighbours,\n"
    "                        of which each rank has an equal share, in rank order\n"
    "where A and B are patterns, compositions or graph files. Where sums are taken of graphs with\n"
    "phases, phases of the same number are added up. Quote a composition for the shell; give\n"
    "files in it whole paths where a job script names it.\n"
    "  topomap eval --graph 'phases(stencil3d:7:8x8x8,0.1*alltoall:512)' --machine torus:8x8x8\n"
    "  srun --topomap='blocks(stencil2d:5:16x8,fft:8x8,couple=1M)' --multi-prog coupled.conf\n";

json_t *cli_pattern_json(void)
{
    const topomap_graph_pattern_info *row;
    topomap_graph_pattern_param param;
    json_t *list = json_array();
    char grammar[GRAMMAR];

    for (size_t i = 0; topomap_graph_pattern_grammar(i, grammar, sizeof grammar); i++) {
        json_t *parameters = json_array();

        for (size_t k = 0; topomap_graph_pattern_parameter(i, k, &param); k++)
            json_array_append_new(
                parameters, json_pack("{s:s, s:s?, s:s?, s:s}", "name", param.name, "values",
                                      param.values, "default", param.fallback, "help", param.help));
        row = topomap_graph_pattern_row(i);
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:o}", "name", row->name, "grammar",
                                        grammar, "help", row->help, "parameters", parameters));
    }
    return list;
}

void cli_pattern_list(void)
{
    char grammar[GRAMMAR];

    puts("Patterns, accepted wherever a graph file is (`topomap formats PATTERN` says more):");
    for (size_t i = 0; topomap_graph_pattern_grammar(i, grammar, sizeof grammar); i++)
        printf("  %s\n%17s%s\n", grammar, "", topomap_graph_pattern_row(i)->help);
    puts("  sum(A,0.5*B), phases(A,B), blocks(A,5), blocks(A,B,couple=N)\n"
         "                 of patterns and files: `topomap help graph generate`");
}

int cli_pattern_one(const char *name)
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
