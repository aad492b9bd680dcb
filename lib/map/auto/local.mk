# SPDX-License-Identifier: BSD-3-Clause
# Which algorithm: the table of all, attempts, the portfolio.
lib_libcore_la_SOURCES += \
  lib/map/auto/map.c lib/map/auto/map.h lib/map/auto/contiguous.c lib/map/auto/together.c lib/map/auto/pin.c \
  lib/map/auto/registry.c lib/map/auto/portfolio.c lib/map/auto/portfolio_auto.c \
  lib/map/auto/portfolio_links.c lib/map/auto/portfolio_parts.h lib/map/auto/portfolio.h lib/map/auto/attempt.c \
  lib/map/auto/attempt.h lib/map/auto/crew.c lib/map/auto/crew.h \
  lib/map/auto/layouts.c lib/map/auto/layouts.h lib/map/auto/settle.c
