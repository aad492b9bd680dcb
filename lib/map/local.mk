# SPDX-License-Identifier: BSD-3-Clause
# What maps share: the problem, what is asked of it, objectives, free places.
lib_libcore_la_SOURCES += \
  lib/map/problem.h lib/map/problem.c lib/map/baseline.c lib/map/objective.c lib/map/objective.h lib/map/node_price.c \
  lib/map/parameters.c lib/map/places.c
include lib/map/refine/local.mk
include lib/map/split/local.mk
include lib/map/grid/local.mk
include lib/map/links/local.mk
include lib/map/papers/local.mk
include lib/map/auto/local.mk
