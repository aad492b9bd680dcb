# SPDX-License-Identifier: BSD-3-Clause
# A PMIx client that checks a step against its plan.
if HAVE_PMIX
bin_PROGRAMS += contrib/verify/topomap-verify
contrib_verify_topomap_verify_SOURCES = contrib/verify/verify.c contrib/verify/verify.h \
  contrib/verify/plan.c contrib/verify/locality.c \
  plugin/node/gpu_variables.c plugin/node/cpus.h plugin/common/spool_read.c plugin/common/spool.h plugin/common/environment.h
contrib_verify_topomap_verify_CPPFLAGS = $(AM_CPPFLAGS) $(PMIX_CFLAGS)
contrib_verify_topomap_verify_LDFLAGS = $(program_link_flags)
contrib_verify_topomap_verify_LDADD = lib/plan/libthin.la $(PMIX_LIBS) $(HWLOC_LIBS) $(JANSSON_LIBS)
dist_man_MANS += contrib/verify/topomap-verify.1
endif
EXTRA_DIST += contrib/verify/topomap-verify.1
