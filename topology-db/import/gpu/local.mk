# SPDX-License-Identifier: BSD-3-Clause
# GPUs: nvidia-smi's matrix, NCCL's topology, NVLink domains.
topology_db_libdb_la_SOURCES += \
  topology-db/import/gpu/gpu_matrix.c topology-db/import/gpu/nccl_topology.c topology-db/import/gpu/nvlink_cliques.c
