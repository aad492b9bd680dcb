# SPDX-License-Identifier: BSD-3-Clause
# The views: what all facts together say; what kind of network it is.
topology_db_libdb_la_SOURCES += \
  topology-db/derive/classify.c topology-db/derive/classify_coordinates.c topology-db/derive/classify_fabric.c \
  topology-db/derive/cray.c \
  topology-db/derive/derive.c topology-db/derive/derive.h topology-db/derive/derive_cray.c \
  topology-db/derive/derive_fabric.c topology-db/derive/derive_hosts.c topology-db/derive/derive_nics.c topology-db/derive/derive_predicted.c topology-db/derive/derive_devices.c \
  topology-db/derive/derive_routes.c topology-db/derive/derive_slurm.c topology-db/derive/grid_facts.c
