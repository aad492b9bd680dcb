# SPDX-License-Identifier: BSD-3-Clause
# Dividing a graph: METIS behind partition.c, and what makes its parts exact.
lib_libcore_la_SOURCES += \
  lib/partition/partition.c lib/partition/partition.h lib/partition/balance.c \
  lib/partition/exchange.c \
  lib/partition/matching.c lib/partition/small.c
