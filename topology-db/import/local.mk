# SPDX-License-Identifier: BSD-3-Clause
# What an importer is, and the table of all.
topology_db_libdb_la_SOURCES += \
  topology-db/import/import.c topology-db/import/import.h topology-db/import/forget.c topology-db/import/foreign.c \
  topology-db/import/import_devices.c \
  topology-db/import/json_reader.c topology-db/import/json_reader.h topology-db/import/yaml.c
