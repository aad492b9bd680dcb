/* SPDX-License-Identifier: BSD-3-Clause */
/* Graph files and mapping files, as the options of a command name them. */
#pragma once

#include "cli/cli.h"

/** Reads a graph as --from and --option say and prints its note as a warning. Returns 0 or the exit
 *  status after saying what is wrong. */
int cli_graph_read(const cli_call *call, const char *what, topomap_graph **graph);
/** Like topomap_graph_open(), and shows progress on a terminal if reading takes long. */
int cli_graph_read_as(const cli_call *call, const char *what, const char *format,
                      const char *const *option, topomap_graph **graph, topomap_error *err);
/** Prints a graph's note, where it has one, as a warning. */
void cli_graph_note(const cli_call *call, const topomap_graph *graph);
/** Prints a line, where a graph has phases: the label, how many, and what share each has. */
void cli_graph_print_phases(const char *label, const topomap_graph *graph);
/** "48x32, exact" or "48x32, explains 95.24 % of the pairs and ...", and the end of the line. */
void cli_graph_print_fit(const topomap_recognition *pattern);
/** Writes a graph as --to says and frees it; returns the exit status. */
int cli_graph_write(const cli_call *call, topomap_graph *graph, const char *path);

/** Reads a mapping file: line r is the slot of rank r. *slots is [ranks]; the caller frees it with
 * free(). */
int cli_mapping_read(const char *path, uint32_t ranks, uint32_t **slots, topomap_error *err);
/** Writes one to \p path ("-": standard output), whole or not at all. */
int cli_mapping_write(const char *path, const uint32_t *slots, uint32_t ranks, topomap_error *err);
