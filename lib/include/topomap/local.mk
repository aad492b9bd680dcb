# SPDX-License-Identifier: BSD-3-Clause
# The public headers.
topomapincludedir = $(includedir)/topomap
topomapinclude_HEADERS = lib/include/topomap/db.h lib/include/topomap/hosts.h \
  lib/include/topomap/plan.h lib/include/topomap/time.h lib/include/topomap/topomap.h
