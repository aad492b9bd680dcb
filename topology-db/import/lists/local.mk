# SPDX-License-Identifier: BSD-3-Clause
# Lists that a site writes: links, coordinates, hosts' names, measured costs.
topology_db_libdb_la_SOURCES += \
  topology-db/import/lists/list_hosts.c topology-db/import/lists/named_fabric.c topology-db/import/lists/named_fabric.h \
  topology-db/import/lists/list_links.c topology-db/import/lists/calibration.c topology-db/import/lists/list_coordinates.c \
  topology-db/import/lists/geometry.c topology-db/import/lists/geometry.h
