# SPDX-License-Identifier: BSD-3-Clause
# Which algorithm: the table of all, attempts, the portfolio.
lib_libcore_la_SOURCES += \
  lib/map/auto/map.c lib/map/auto/contiguous.c lib/map/auto/keep_together.c lib/map/auto/pin.c \
  lib/map/auto/registry.c lib/map/auto/algorithms.c lib/map/auto/portfolio.c lib/map/auto/portfolio_auto.c \
  lib/map/auto/portfolio_links.c lib/map/auto/portfolio.h lib/map/auto/attempt.c \
  lib/map/auto/worker_pool.c \
  lib/map/auto/layouts.c lib/map/auto/portfolio_result.c
