# SPDX-License-Identifier: BSD-3-Clause
# topomap-measure, for each MPI that configure found: made by that MPI's own compiler
# wrapper: automake knows one compiler only, so these are plain rules.
measure_own = contrib/measure/main.c contrib/measure/nodes.c contrib/measure/pingpong.c \
  contrib/measure/rounds.c contrib/measure/contention.c contrib/measure/shared_levels.c \
  contrib/measure/results.c
measure_mpis = $(filter-out mpi-abi,$(MPIS))
measure_all = $(measure_mpis:%=contrib/measure/topomap-measure-%)
EXTRA_DIST += contrib/measure/README.md contrib/measure/topomap-measure.1 $(measure_own) \
  contrib/measure/measure.h

bin_SCRIPTS = $(measure_all)
CLEANFILES += $(measure_all)
man1_MANS = contrib/measure/topomap-measure.1

measure_libs = topology-db/libdb.la lib/libcore.la
measure_inputs = $(measure_own:%=$(srcdir)/%)
measure_needs = $(measure_inputs) $(srcdir)/contrib/measure/measure.h $(srcdir)/lib/util/tournament.h \
  $(measure_libs)
measure_flags = -std=gnu11 -D_GNU_SOURCE $(HARDEN_CPPFLAGS) $(WARN_CFLAGS) $(HARDEN_CFLAGS) $(SAN_CFLAGS) $(HARDEN_LDFLAGS) \
  $(PIE_LDFLAGS) -O2 -g $(HWLOC_CFLAGS) -I$(srcdir)/contrib/measure \
  -I$(srcdir)/lib -I$(srcdir)/lib/include -I$(srcdir) -I.
measure_link = $(LIBTOOL) $(AM_V_lt) --tag=CC --mode=link

$(measure_all): contrib/measure/topomap-measure-%: $(measure_needs)
	$(AM_V_CCLD)$(MKDIR_P) contrib/measure && \
	  $(measure_link) $(mpicc_$*) $(measure_flags) $(LDFLAGS) -o $@ $(measure_inputs) $(measure_libs) $(HWLOC_LIBS)
