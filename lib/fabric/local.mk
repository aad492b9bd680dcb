# SPDX-License-Identifier: BSD-3-Clause
# Hosts, switches and links: their lists and shapes, routes and distances, networks for congestion.
lib_libcore_la_SOURCES += \
  lib/fabric/background.c lib/fabric/switch_set_hops.c lib/fabric/coordinates.c lib/fabric/coordinates.h \
  lib/fabric/dimension_order.c \
  lib/fabric/dragonfly.c lib/fabric/fabric.c lib/fabric/fabric.h lib/fabric/fattree.c \
  lib/fabric/infiniband.c lib/fabric/infiniband.h lib/fabric/lft.c lib/fabric/links.c \
  lib/fabric/network.c lib/fabric/network.h lib/fabric/route_costs.c \
  lib/fabric/shapes.c lib/fabric/shapes.h \
  lib/fabric/switch_distances.c lib/fabric/switches.c lib/fabric/switches.h
