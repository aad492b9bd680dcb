# SPDX-License-Identifier: BSD-3-Clause
# Made machines: shapes, faults, and the dumps that tools would print of them.
topology_db_libdb_la_SOURCES += \
  topology-db/synth/synth.c topology-db/synth/synth.h topology-db/synth/synth_spec.c \
  topology-db/synth/synth_shapes.c topology-db/synth/synth_faults.c topology-db/synth/synth_ib.c \
  topology-db/synth/synth_other.c topology-db/synth/synth_slingshot.c topology-db/synth/synth_cray.c
