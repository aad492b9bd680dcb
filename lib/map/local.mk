# Mapping algorithms, one a file; registry.c has the table.
lib_libcore_la_SOURCES += \
  lib/map/map.c lib/map/problem.h lib/map/registry.c lib/map/portfolio.c lib/map/portfolio_auto.c \
  lib/map/portfolio_links.c lib/map/portfolio_parts.h lib/map/portfolio.h lib/map/attempt.c lib/map/attempt.h \
  lib/map/crew.c lib/map/crew.h lib/map/baseline.c lib/map/cells.c lib/map/cells.h lib/map/mesh.c lib/map/mesh.h \
  lib/map/grid_find.c lib/map/grid_find.h lib/map/plane.c lib/map/plane.h lib/map/embedding.c lib/map/embedding.h \
  lib/map/growth.c lib/map/growth.h lib/map/placements.c lib/map/stack.c lib/map/chain.c lib/map/objective.c \
  lib/map/objective.h lib/map/field.c lib/map/field.h lib/map/parameters.c lib/map/parameters.h lib/map/given.c \
  lib/map/bhatele.c lib/map/plane_growth.c lib/map/greedy_all.c lib/map/places.c lib/map/places.h \
  lib/map/cartesian.c
include lib/map/refine/local.mk
include lib/map/split/local.mk
include lib/map/grid/local.mk
include lib/map/links/local.mk
