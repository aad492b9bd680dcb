# SPDX-License-Identifier: BSD-3-Clause
# Clouds: levels that instances are in.
topology_db_libdb_la_SOURCES += \
  topology-db/import/cloud/levels.c topology-db/import/cloud/levels.h topology-db/import/cloud/aws.c \
  topology-db/import/cloud/gcp.c topology-db/import/cloud/oci.c topology-db/import/cloud/topograph.c
