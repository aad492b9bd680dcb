# libtopomap: the placement library.
# lib/libcore.la has every object and hidden symbols, for our own programs and tests;
# libtopomap.so is the same with the public functions visible.
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = lib/topomap.pc

noinst_LTLIBRARIES += lib/libcore.la
lib_libcore_la_SOURCES =
lib_libcore_la_LIBADD = $(HWLOC_LIBS) $(METIS_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) $(JANSSON_LIBS) -lm

include lib/include/topomap/local.mk
include lib/util/local.mk
include lib/fabric/local.mk
include lib/graph/local.mk
include lib/machine/local.mk
include lib/map/local.mk
include lib/metric/local.mk
include lib/plan/local.mk
include lib/partition/local.mk
include lib/request/local.mk

lib_LTLIBRARIES += libtopomap.la
libtopomap_la_SOURCES =
libtopomap_la_LIBADD = lib/libcore.la
libtopomap_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined \
  -Wl,--version-script=$(srcdir)/lib/libtopomap.map
libtopomap_la_DEPENDENCIES = lib/libcore.la lib/libtopomap.map
EXTRA_DIST += lib/libtopomap.map
