# SPDX-License-Identifier: BSD-3-Clause
# What readers ask: hosts, ports, distances, paths, the machine of an allocation, Slurm's order.
topology_db_libdb_la_SOURCES += \
  topology-db/query/slurm_order.c topology-db/query/query.h topology-db/query/slurm_ranks.c \
  topology-db/query/coordinate_network.c topology-db/query/query.c topology-db/query/query_ports.c \
  topology-db/query/query_distance.c topology-db/query/query_machine.c \
  topology-db/query/machine_links.c \
  topology-db/query/time_costs.c topology-db/query/node_levels.c topology-db/query/paths.c \
  topology-db/query/query_devices.c topology-db/query/machine_gpus.c
