# SPDX-License-Identifier: BSD-3-Clause
# Published heuristics that serve comparison.
lib_libcore_la_SOURCES += \
  lib/map/papers/cells.c lib/map/papers/papers.h lib/map/papers/mesh.c \
  lib/map/papers/grid_find.c lib/map/papers/plane.c \
  lib/map/papers/embedding.c lib/map/papers/growth.c \
  lib/map/papers/placements.c lib/map/papers/stack.c lib/map/papers/chain.c \
  lib/map/papers/bhatele.c lib/map/papers/greedy_all.c lib/map/papers/cartesian.c
