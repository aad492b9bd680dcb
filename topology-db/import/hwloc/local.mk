# SPDX-License-Identifier: BSD-3-Clause
# The insides of nodes: hwloc's XML and its differences.
topology_db_libdb_la_SOURCES += \
  topology-db/import/hwloc/hwloc.c topology-db/import/hwloc/hwloc.h topology-db/import/hwloc/hwloc_ask.c topology-db/import/hwloc/hwloc_child.c \
  topology-db/import/hwloc/hwloc_nics.c topology-db/import/hwloc/hwloc_diff.c \
  topology-db/import/hwloc/hwloc_devices.c
