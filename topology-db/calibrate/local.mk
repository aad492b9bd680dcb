# SPDX-License-Identifier: BSD-3-Clause
# Costs from measurements: pairs, fits, and which cables are to blame.
topology_db_libdb_la_SOURCES += \
  topology-db/calibrate/fit.c \
  topology-db/calibrate/calibrate.c topology-db/calibrate/calibrate.h \
  topology-db/calibrate/calibrate_pairs.c \
  topology-db/calibrate/calibrate_blame.c topology-db/calibrate/calibrate_tables.c \
  topology-db/calibrate/calibrate_times.c topology-db/calibrate/calibrate_write.c
