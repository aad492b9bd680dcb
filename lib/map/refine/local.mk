# SPDX-License-Identifier: BSD-3-Clause
# From a placement to a better one: swaps, annealing, cycles, pairs.
lib_libcore_la_SOURCES += \
  lib/map/refine/swap.c lib/map/refine/refine.h lib/map/refine/swap_search.c \
  lib/map/refine/pairs.c \
  lib/map/refine/level.c lib/map/refine/twins.c \
  lib/map/refine/cycles.c lib/map/refine/anneal.c \
  lib/map/refine/anneal_stages.c
