# SPDX-License-Identifier: BSD-3-Clause
# Recursive constructions: the machine and the graph are divided alike.
lib_libcore_la_SOURCES += \
  lib/map/split/tree.c lib/map/split/split.h lib/map/split/torus_seam.c lib/map/split/rb.c lib/map/split/recursion.c lib/map/split/orient.c \
  lib/map/split/two_stage.c lib/map/split/group_first.c lib/map/split/grouped.c \
  lib/map/split/bottom_up.c lib/map/split/model.c lib/map/split/matched.c
