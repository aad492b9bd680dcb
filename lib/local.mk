# SPDX-License-Identifier: BSD-3-Clause
# The placement library. lib/libcore.la has every object and hidden symbols, for our own programs and tests;
# libtopomap.so (topology-db/local.mk) is the same, the database included, with the public functions visible.
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = lib/topomap.pc

noinst_LTLIBRARIES += lib/libcore.la
lib_libcore_la_SOURCES =
lib_libcore_la_LIBADD = $(HWLOC_LIBS) $(METIS_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) $(JANSSON_LIBS) -lm

include lib/include/topomap/local.mk
include lib/util/local.mk
include lib/watch/local.mk
include lib/xml/local.mk
include lib/draw/local.mk
include lib/fabric/local.mk
include lib/fabric/kinds/local.mk
include lib/graph/local.mk
include lib/machine/local.mk
include lib/map/local.mk
include lib/metric/local.mk
include lib/plan/local.mk
include lib/plan/writers/local.mk
include lib/partition/local.mk
include lib/request/local.mk
EXTRA_DIST += lib/libtopomap.map
