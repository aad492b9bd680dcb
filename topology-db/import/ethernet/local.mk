# SPDX-License-Identifier: BSD-3-Clause
# Ethernet: what its systems and managers tell of their neighbours.
topology_db_libdb_la_SOURCES += \
  topology-db/import/ethernet/wires.c topology-db/import/ethernet/wires.h topology-db/import/ethernet/lldp.c \
  topology-db/import/ethernet/netq.c
