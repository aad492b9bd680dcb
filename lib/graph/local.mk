# Communication graphs: the core, one format a file, the patterns.
lib_libcore_la_SOURCES += \
  lib/graph/graph.h lib/graph/core.c lib/graph/build.c lib/graph/weights.c lib/graph/transform.c lib/graph/heavy.h \
  lib/graph/heavy.c lib/graph/blocks.c lib/graph/lattice.h lib/graph/lattice.c lib/graph/lattice_inside.h \
  lib/graph/lattice_grow.h lib/graph/lattice_frame.c lib/graph/lattice_grow.c lib/graph/lattice_rows.c \
  lib/graph/lattice_fit.c lib/graph/lattice_groups.c lib/graph/lattice_twins.c lib/graph/lattice_text.c \
  lib/graph/name.h lib/graph/name.c lib/graph/name_directed.c lib/graph/name_groups.c lib/graph/name_known.c \
  lib/graph/name_same.c
include lib/graph/formats/local.mk
include lib/graph/patterns/local.mk
