# Communication graphs: the core, one format a file, the patterns.
lib_libcore_la_SOURCES += \
  lib/graph/graph.h lib/graph/core.c lib/graph/weights.c \
  lib/graph/text.h lib/graph/text.c \
  lib/graph/io.h lib/graph/formats.c lib/graph/recognise.c \
  lib/graph/metis.c lib/graph/edges.c lib/graph/matrix_market.c lib/graph/json.c \
  lib/graph/patterns.h lib/graph/patterns.c lib/graph/grid.c lib/graph/alltoall.c \
  lib/graph/blocks.c lib/graph/product.c \
  lib/graph/lattice.h lib/graph/lattice.c lib/graph/lattice_inside.h lib/graph/lattice_grow.h \
  lib/graph/lattice_frame.c lib/graph/lattice_grow.c lib/graph/lattice_rows.c \
  lib/graph/lattice_fit.c lib/graph/lattice_groups.c lib/graph/lattice_twins.c lib/graph/lattice_text.c
