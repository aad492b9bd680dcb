# SPDX-License-Identifier: BSD-3-Clause
# The database: the store, its schema, reading and writing it.
noinst_LTLIBRARIES += topology-db/libdb.la
topology_db_libdb_la_SOURCES = \
  topology-db/db.h topology-db/store.c topology-db/store.h topology-db/statements.c topology-db/writer.c topology-db/schema.c \
  topology-db/schema_check.c topology-db/descriptor.c topology-db/descriptor.h topology-db/sql_functions.c topology-db/sql_functions.h
topology_db_libdb_la_LIBADD = lib/libcore.la $(SQLITE_LIBS) $(YAML_LIBS) $(ZSTD_LIBS) $(JANSSON_LIBS)
include topology-db/fabric/local.mk
include topology-db/derive/local.mk
include topology-db/import/local.mk
include topology-db/import/ib/local.mk
include topology-db/import/cray/local.mk
include topology-db/import/slurm/local.mk
include topology-db/import/hwloc/local.mk
include topology-db/import/lists/local.mk
include topology-db/import/gpu/local.mk
include topology-db/import/ethernet/local.mk
include topology-db/import/cloud/local.mk
include topology-db/query/local.mk
include topology-db/export/local.mk
include topology-db/synth/local.mk
include topology-db/calibrate/local.mk
include topology-db/check/local.mk

# What other programs link: the placement library and what reads the database.
lib_LTLIBRARIES += libtopomap.la
libtopomap_la_SOURCES =
libtopomap_la_LIBADD = topology-db/libdb.la
libtopomap_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined \
  -Wl,--version-script=$(srcdir)/lib/libtopomap.map
libtopomap_la_DEPENDENCIES = topology-db/libdb.la lib/libtopomap.map
