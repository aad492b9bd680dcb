# SPDX-License-Identifier: BSD-3-Clause
# What a placement costs: J, hop-bytes, dilation, congestion, and bounds of them.
lib_libcore_la_SOURCES += lib/metric/cost.c lib/metric/bound.c lib/metric/bound_quick.c lib/metric/bound.h \
  lib/metric/congestion.c lib/metric/congestion.h lib/metric/congestion_exact.c \
  lib/metric/single_path.c lib/metric/single_path.h lib/metric/shares.c lib/metric/shares.h \
  lib/metric/congestion_fast.c lib/metric/congestion_routes.c lib/metric/congestion_adaptive.c \
  lib/metric/traffic.c lib/metric/traffic.h lib/metric/link_loads.c lib/metric/link_loads.h lib/metric/time.c lib/metric/prediction.h \
  lib/metric/fluid.c lib/metric/fluid.h \
  lib/metric/flows.c lib/metric/flows.h lib/metric/overlap.c lib/metric/overlap.h
