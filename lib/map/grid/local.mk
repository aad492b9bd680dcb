# SPDX-License-Identifier: BSD-3-Clause
# Maps of recognised grids: boxes, tilings, coarse grids, folds.
lib_libcore_la_SOURCES += \
  lib/map/grid/tiling.c lib/map/grid/grid.h lib/map/grid/coarse_grid.c \
  lib/map/grid/coarse_cut.c lib/map/grid/boxes.c lib/map/grid/grid_torus.c \
  lib/map/grid/grid_fold.c lib/map/grid/grid_halve.c
