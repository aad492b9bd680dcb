# SPDX-License-Identifier: BSD-3-Clause
# Slurm's files: topology.conf, topology.yaml, what scontrol says.
topology_db_libdb_la_SOURCES += \
  topology-db/import/slurm/slurm_topology.c topology-db/import/slurm/slurm_topology.h topology-db/import/slurm/slurm_file.c \
  topology-db/import/slurm/slurm_conf.c topology-db/import/slurm/slurm_yaml.c \
  topology-db/import/slurm/slurm_config.c
