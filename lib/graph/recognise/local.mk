# SPDX-License-Identifier: BSD-3-Clause
# From edges to a pattern: lattices, groups, names for what was found.
lib_libcore_la_SOURCES += \
  lib/graph/recognise/heavy_edges.c lib/graph/recognise/lattice.h \
  lib/graph/recognise/lattice.c \
  lib/graph/recognise/lattice_frame.c lib/graph/recognise/lattice_grow.c lib/graph/recognise/lattice_rows.c \
  lib/graph/recognise/lattice_fit.c lib/graph/recognise/lattice_groups.c lib/graph/recognise/lattice_twins.c \
  lib/graph/recognise/lattice_text.c lib/graph/recognise/name.h lib/graph/recognise/name.c \
  lib/graph/recognise/name_directed.c lib/graph/recognise/name_groups.c lib/graph/recognise/name_known.c \
  lib/graph/recognise/name_same.c
