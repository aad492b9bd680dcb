# SPDX-License-Identifier: BSD-3-Clause
# Hosts, switches and links: their lists and shapes, routes and distances, networks for congestion.
lib_libcore_la_SOURCES += \
  lib/fabric/background.c lib/fabric/between.c lib/fabric/coordinates.c lib/fabric/coordinates.h \
  lib/fabric/dimension_order.c lib/fabric/dimension_order.h lib/fabric/disjoint.h \
  lib/fabric/dragonfly.c lib/fabric/dragonfly.h lib/fabric/fabric.c lib/fabric/fabric.h lib/fabric/fattree.c lib/fabric/fattree.h \
  lib/fabric/infiniband.c lib/fabric/infiniband.h lib/fabric/lft.c lib/fabric/lft.h lib/fabric/links.c \
  lib/fabric/links.h lib/fabric/network.c lib/fabric/network.h lib/fabric/route_costs.c lib/fabric/route_costs.h \
  lib/fabric/shapes.c lib/fabric/shapes.h \
  lib/fabric/switch_distances.c lib/fabric/switch_distances.h lib/fabric/switches.c lib/fabric/switches.h
