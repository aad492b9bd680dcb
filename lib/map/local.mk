# Mapping algorithms, one a file; registry.c has the table.
lib_libcore_la_SOURCES += lib/map/map.c lib/map/problem.h lib/map/registry.c \
  lib/map/portfolio.c lib/map/portfolio.h \
  lib/map/baseline.c lib/map/tree.c lib/map/rb.c lib/map/swap.c \
  lib/map/swap_search.c lib/map/swap_search.h \
  lib/map/recursion.c lib/map/recursion.h lib/map/orient.c lib/map/orient.h \
  lib/map/partition.c lib/map/partition.h lib/map/balance.c lib/map/balance.h \
  lib/map/pairs.c lib/map/pairs_near.c lib/map/pairs.h lib/map/oracle.c \
  lib/map/top_down.c lib/map/exchange.c lib/map/exchange.h lib/map/bottom_up.c \
  lib/map/greedy_all.c lib/map/places.c lib/map/places.h lib/map/model.c
