# SPDX-License-Identifier: BSD-3-Clause
# What a placement costs: J, hop-bytes, dilation, congestion, and bounds of them.
lib_libcore_la_SOURCES += lib/metric/cost.c lib/metric/metric.h lib/metric/bound.c lib/metric/bound_quick.c \
  lib/metric/congestion.c lib/metric/congestion_exact.c \
  lib/metric/single_path.c lib/metric/shares.c \
  lib/metric/congestion_fast.c \
  lib/metric/traffic.c lib/metric/link_loads.c lib/metric/time.c \
  lib/metric/fluid.c \
  lib/metric/flows.c lib/metric/overlap.c
