# SPDX-License-Identifier: BSD-3-Clause
# Fills the fabric structures of lib/fabric from the tables.
topology_db_libdb_la_SOURCES += \
  topology-db/fabric/load.h topology-db/fabric/load_switches.c topology-db/fabric/load_lft.c topology-db/fabric/load_route_costs.c
