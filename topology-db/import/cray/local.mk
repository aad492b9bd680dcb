# SPDX-License-Identifier: BSD-3-Clause
# Cray's tools, Slingshot's included.
topology_db_libdb_la_SOURCES += \
  topology-db/import/cray/xtprocadmin.c topology-db/import/cray/xtdb2proc.c topology-db/import/cray/cray_links.c \
  topology-db/import/cray/slingshot.c topology-db/import/cray/slingshot.h \
  topology-db/import/cray/slingshot_ama.c topology-db/import/cray/slingshot_cables.c
