# SPDX-License-Identifier: BSD-3-Clause
# Exporters: one format a file; export.c has the table.
topology_db_libdb_la_SOURCES += \
  topology-db/export/export.c topology-db/export/export.h topology-db/export/export_groups.c \
  topology-db/export/export_slurm.c topology-db/export/export_links.c \
  topology-db/export/export_scotch.c topology-db/export/export_json.c topology-db/export/drawing.c \
  topology-db/export/export_places.c \
  topology-db/export/simgrid.c
