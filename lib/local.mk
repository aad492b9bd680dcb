# libtopomap: the placement library.
# lib/libcore.la has every object and hidden symbols, for our own programs and tests;
# libtopomap.so is the same with the public functions visible.
topomapincludedir = $(includedir)/topomap
topomapinclude_HEADERS = lib/include/topomap/topomap.h
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = lib/topomap.pc

noinst_LTLIBRARIES += lib/libcore.la
lib_libcore_la_SOURCES = \
  lib/util/alloc.c lib/util/alloc.h \
  lib/util/clock.c lib/util/clock.h \
  lib/util/cores.c lib/util/cores.h \
  lib/util/error.c lib/util/whole.c lib/util/whole.h \
  lib/util/random.h lib/util/tournament.h \
  lib/util/ranges.c lib/util/ranges.h \
  lib/util/hash64.c lib/util/hash64.h \
  lib/util/hostlist.c lib/util/hostlist.h \
  lib/util/input.c lib/util/input.h \
  lib/util/folder.c lib/util/folder.h \
  lib/util/output.c lib/util/output.h \
  lib/util/publish.c lib/util/publish.h \
  lib/util/safe_stream.c lib/util/safe_text.c lib/util/safe_text.h \
  lib/util/text.c lib/util/text.h \
  lib/util/unpack.c lib/util/unpack.h
lib_libcore_la_LIBADD = $(HWLOC_LIBS) $(METIS_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) $(JANSSON_LIBS) -lm

include lib/fabric/local.mk
include lib/graph/local.mk
include lib/machine/local.mk
include lib/map/local.mk
include lib/metric/local.mk
include lib/plan/local.mk
include lib/partition/local.mk

lib_LTLIBRARIES += libtopomap.la
libtopomap_la_SOURCES =
libtopomap_la_LIBADD = lib/libcore.la
libtopomap_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined
