# SPDX-License-Identifier: BSD-3-Clause
# Graphs made from a pattern: a file makes some kinds; patterns.c has the table.
lib_libcore_la_SOURCES += \
  lib/graph/patterns/patterns.h lib/graph/patterns/patterns.c \
  lib/graph/patterns/combine.c lib/graph/patterns/parse.c lib/graph/patterns/compose.c lib/graph/patterns/grid.c \
  lib/graph/patterns/groups.c lib/graph/patterns/product.c lib/graph/patterns/trees.c lib/graph/patterns/random.c \
  lib/graph/patterns/nas.c lib/graph/patterns/training.c \
  lib/graph/patterns/meshes.c lib/graph/patterns/amr.c \
  lib/graph/patterns/points.c lib/graph/patterns/delaunay.c
