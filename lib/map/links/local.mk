# SPDX-License-Identifier: BSD-3-Clause
# What goes by links: LibTopoMap's algorithms, and relieving the most loaded link.
lib_libcore_la_SOURCES += \
  lib/map/links/fabric_hosts.c lib/map/links/links.h lib/map/links/greedy.c lib/map/links/rcm.c lib/map/links/bisect.c \
  lib/map/links/threshold.c lib/map/links/relief.c lib/map/links/relief_descent.c lib/map/links/relieve.c lib/map/links/loads.c \
  lib/map/links/maxima.c lib/map/links/fast_loads.c
