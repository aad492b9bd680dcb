# SPDX-License-Identifier: BSD-3-Clause
# What is wrong with a fabric, and what has changed in it.
topology_db_libdb_la_SOURCES += \
  topology-db/check/check.c topology-db/check/check.h topology-db/check/finding.c topology-db/check/check_links.c \
  topology-db/check/check_nodes.c topology-db/check/check_devices.c topology-db/check/check_neighbours.c \
  topology-db/check/check_rails.c topology-db/check/diff.c
