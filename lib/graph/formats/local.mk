# SPDX-License-Identifier: BSD-3-Clause
# Graphs in files: one format a file; formats.c has the table, sniff.c tells them apart.
lib_libcore_la_SOURCES += \
  lib/graph/formats/tmg.h lib/graph/formats/tmg_read.c lib/graph/formats/tmg_write.c \
  lib/graph/formats/parts.h lib/graph/formats/parts.c lib/graph/formats/part_phases.c lib/graph/formats/part_comms.c lib/graph/formats/part_seal.c \
  lib/graph/formats/part_memory.c lib/graph/formats/lines.c \
  lib/graph/formats/undirected.c \
  lib/graph/formats/scotch.c lib/graph/formats/treematch.c lib/graph/formats/monitoring.c lib/graph/formats/mpip.c \
  lib/graph/formats/profile.c lib/graph/formats/io.h lib/graph/formats/formats.c \
  lib/graph/formats/sniff.c lib/graph/formats/metis.c lib/graph/formats/edges.c \
  lib/graph/formats/matrix_market.c lib/graph/formats/halo.c \
  lib/graph/formats/json.c lib/graph/formats/json_write.c lib/graph/formats/json_text.h \
  lib/graph/formats/json_text.c
dist_man_MANS += lib/graph/formats/topomap-tmg.5
