# SPDX-License-Identifier: BSD-3-Clause
# `topomap graph`: communication graphs.
cli_topomap_SOURCES += cli/graph/graph_files.h cli/graph/graph.c cli/graph/graph_edit.c cli/graph/graph_files.c cli/graph/graph_show.c
