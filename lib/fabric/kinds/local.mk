# SPDX-License-Identifier: BSD-3-Clause
# What kind of network switches make: one file a kind; kinds.c has the table.
lib_libcore_la_SOURCES += \
  lib/fabric/kinds/is_dragonfly.c lib/fabric/kinds/kinds.c lib/fabric/kinds/kinds.h lib/fabric/kinds/part.c \
  lib/fabric/kinds/is_torus.c lib/fabric/kinds/torus.h lib/fabric/kinds/torus_dimensions.c lib/fabric/kinds/is_tree.c
