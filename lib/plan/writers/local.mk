# SPDX-License-Identifier: BSD-3-Clause
# Plans for other launchers: one format a file; writers.c has the table, rank_places.c what they share.
lib_libcore_la_SOURCES += lib/plan/writers/writers.c lib/plan/writers/writers.h lib/plan/writers/rank_places.c \
  lib/plan/writers/rank_places.h lib/plan/writers/hostfile.c lib/plan/writers/rankfile.c lib/plan/writers/rank_order.c \
  lib/plan/writers/taskmap.c lib/plan/writers/vcoord.c
