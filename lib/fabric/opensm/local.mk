# SPDX-License-Identifier: BSD-3-Clause
# Forwarding tables that OpenSM would set: an engine a file; opensm.c has the table.
lib_libcore_la_SOURCES += \
  lib/fabric/opensm/ftree.c lib/fabric/opensm/minhop.c lib/fabric/opensm/opensm.c lib/fabric/opensm/opensm.h \
  lib/fabric/opensm/subnet.h lib/fabric/opensm/updn.c
