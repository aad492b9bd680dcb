# SPDX-License-Identifier: BSD-3-Clause
# Hosts, switches and links: lists and shapes of them, ways and distances, networks for congestion.
lib_libcore_la_SOURCES += \
  lib/fabric/background.c lib/fabric/between.c lib/fabric/dimension_order.c lib/fabric/dimension_order.h lib/fabric/disjoint.h \
  lib/fabric/dragonfly.c lib/fabric/dragonfly.h lib/fabric/fabric.c lib/fabric/fabric.h lib/fabric/fattree.c lib/fabric/fattree.h lib/fabric/links.c \
  lib/fabric/links.h lib/fabric/network.c lib/fabric/network.h lib/fabric/shapes.c lib/fabric/shapes.h \
  lib/fabric/switches.c lib/fabric/switches.h lib/fabric/ways.c lib/fabric/ways.h
