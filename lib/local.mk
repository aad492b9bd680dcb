# SPDX-License-Identifier: BSD-3-Clause
# The placement library. lib/libcore.la has every object and hidden symbols, for our own programs and tests;
# libtopomap.so (topology-db/local.mk) is the same, the database included, with the public functions visible.
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = lib/topomap.pc
cmakedir = $(libdir)/cmake/topomap
nodist_cmake_DATA = lib/topomapConfig.cmake lib/topomapConfigVersion.cmake
CLEANFILES += $(nodist_cmake_DATA)
EXTRA_DIST += lib/topomapConfig.cmake.in lib/topomapConfigVersion.cmake.in
lib/topomapConfig.cmake: lib/topomapConfig.cmake.in
lib/topomapConfigVersion.cmake: lib/topomapConfigVersion.cmake.in
$(nodist_cmake_DATA): Makefile
	$(AM_V_GEN)sed -e 's,[@]includedir[@],$(includedir),' -e 's,[@]PACKAGE_VERSION[@],$(PACKAGE_VERSION),' '$(srcdir)/$@.in' >$@.tmp && mv $@.tmp $@

# Manual pages of what is in the public headers, by their comments; each function's name leads to its page.
LIBRARY_PAGES = lib/libtopomap.3 lib/topomap_error.3 lib/topomap_graph.3 lib/topomap_machine.3 lib/topomap_cost.3 \
  lib/topomap_congestion.3 lib/topomap_map.3 lib/topomap_hosts.3 lib/topomap_db.3 \
  lib/topomap_plan.3 lib/topomap_time.3
nodist_man3_MANS = $(LIBRARY_PAGES)
CLEANFILES += $(LIBRARY_PAGES)
EXTRA_DIST += auto/man3
$(LIBRARY_PAGES): $(topomapinclude_HEADERS) auto/man3
	$(AM_V_GEN)'$(srcdir)/auto/man3' "`basename $@ .3`" '$(PACKAGE_VERSION)' >$@.tmp && mv $@.tmp $@
# The names of a page: the line behind .SH NAME.
library_names = sed -n '/^[.]SH NAME/{ n; s/ .-.*//; s/,//g; p; }'
.PHONY: install-library-names uninstall-library-names
install-data-hook: install-library-names
install-library-names: install-man
	@for page in $(LIBRARY_PAGES); do \
	  own=`basename $$page .3`; \
	  for name in `$(library_names) $$page`; do \
	    test $$name = $$own || echo ".so man3/$$own.3" >"$(DESTDIR)$(man3dir)/$$name.3" || exit 1; \
	  done; \
	done
uninstall-hook: uninstall-library-names
uninstall-library-names: $(LIBRARY_PAGES)
	@for name in `$(library_names) $(LIBRARY_PAGES)`; do rm -f "$(DESTDIR)$(man3dir)/$$name.3"; done

noinst_LTLIBRARIES += lib/libcore.la
lib_libcore_la_SOURCES =
lib_libcore_la_LIBADD = $(HWLOC_LIBS) $(METIS_LIBS) $(ZSTD_LIBS) $(LZMA_LIBS) $(JANSSON_LIBS) $(EXPAT_LIBS) -lm

include lib/include/topomap/local.mk
include lib/util/local.mk
include lib/watch/local.mk
include lib/xml/local.mk
include lib/draw/local.mk
include lib/fabric/local.mk
include lib/fabric/kinds/local.mk
include lib/fabric/opensm/local.mk
include lib/graph/local.mk
include lib/machine/local.mk
include lib/map/local.mk
include lib/metric/local.mk
include lib/plan/local.mk
include lib/plan/writers/local.mk
include lib/partition/local.mk
include lib/request/local.mk
include lib/examples/local.mk
EXTRA_DIST += lib/libtopomap.map
