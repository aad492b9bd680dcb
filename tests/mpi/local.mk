# SPDX-License-Identifier: BSD-3-Clause
# Programs under a real MPI; they are compiled by the tests, with each MPI's own wrappers.
EXTRA_DIST += tests/mpi/mpis.bash tests/mpi/profiler.bash tests/mpi/traffic.c tests/mpi/calls.c tests/mpi/collectives.c tests/mpi/threads.c tests/mpi/spawn.c \
  tests/mpi/ends.c tests/mpi/waits.c tests/mpi/waits.f90.in tests/mpi/ends.bash tests/mpi/phases.c \
  tests/mpi/ring.f90.in tests/mpi/grid.f90.in tests/mpi/phases.f90.in \
  tests/mpi/named.c tests/mpi/topologies.c tests/mpi/topologies.f90.in tests/mpi/ranks.c tests/mpi/random.c
mpi_tests = tests/mpi/profile.bats tests/mpi/profile-more.bats tests/mpi/late.bats tests/mpi/phases.bats tests/mpi/ends.bats tests/mpi/reorder.bats tests/mpi/verify.bats \
  tests/mpi/measure.bats
dist_check_SCRIPTS += $(mpi_tests)
TESTS += $(mpi_tests)

# The messages of collectives, with answers of MPI that the test makes: only its header is needed.
if HAVE_MPICH
profile_units = tests/unit/contrib/test_profile tests/unit/contrib/test_profile_openmpi tests/unit/contrib/test_profile_record \
  tests/unit/contrib/test_profile_output
TESTS += $(profile_units)
CLEANFILES += $(profile_units)
check_DATA += $(profile_units)
endif
EXTRA_DIST += tests/unit/contrib/test_profile.c tests/unit/contrib/test_profile_record.c tests/unit/contrib/test_profile_output.c
test_profile_inputs = $(srcdir)/tests/unit/contrib/test_profile.c $(srcdir)/contrib/profile/collectives.c \
  $(srcdir)/contrib/profile/group.c $(srcdir)/contrib/profile/rules.c
test_profile_needs = $(test_profile_inputs) $(srcdir)/contrib/profile/profile.h $(srcdir)/contrib/profile/group.h \
  $(srcdir)/contrib/profile/rules.h
test_profile_make = $(MKDIR_P) tests/unit/contrib && $(MPICC_MPICH) -std=c11 $(WARN_CFLAGS) $(SAN_CFLAGS) -g -I$(srcdir) \
  $(test_profile_inputs) -o $@ $(CMOCKA_LIBS)
tests/unit/contrib/test_profile: $(test_profile_needs)
	$(AM_V_GEN)$(test_profile_make)
# The other MPI's rules, with this one's header.
tests/unit/contrib/test_profile_openmpi: $(test_profile_needs)
	$(AM_V_GEN)$(test_profile_make) -DRULES_OF_OPEN_MPI
test_profile_record_inputs = $(srcdir)/tests/unit/contrib/test_profile_record.c $(srcdir)/contrib/profile/record.c \
  $(srcdir)/contrib/profile/phases.c $(srcdir)/contrib/profile/requests.c $(srcdir)/contrib/profile/capture.c $(srcdir)/contrib/profile/table.c
tests/unit/contrib/test_profile_record: $(test_profile_record_inputs) $(srcdir)/contrib/profile/profile.h $(srcdir)/contrib/profile/table.h
	$(AM_V_GEN)$(MKDIR_P) tests/unit/contrib && $(MPICC_MPICH) -std=gnu11 $(WARN_CFLAGS) $(SAN_CFLAGS) -g -I$(srcdir) \
	  -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free $(test_profile_record_inputs) -o $@ $(CMOCKA_LIBS)
test_profile_output_inputs = $(srcdir)/tests/unit/contrib/test_profile_output.c $(srcdir)/contrib/profile/profile_file.c $(srcdir)/contrib/profile/part_folder.c \
  $(srcdir)/contrib/profile/memory.c $(profile_lib:%=$(srcdir)/%)
tests/unit/contrib/test_profile_output: $(test_profile_output_inputs) $(srcdir)/contrib/profile/profile.h
	$(AM_V_GEN)$(MKDIR_P) tests/unit/contrib && $(MPICC_MPICH) -std=gnu11 $(WARN_CFLAGS) $(SAN_CFLAGS) -g -pthread \
	  -I$(srcdir) -I$(srcdir)/lib -I$(srcdir)/lib/include -I. $(test_profile_output_inputs) -o $@ $(CMOCKA_LIBS)

# Fits, and edges of grids, by hand; no MPI is started.
if REORDER_MPICH
check_PROGRAMS += tests/unit/contrib/test_reorder
TESTS += tests/unit/contrib/test_reorder
tests_unit_contrib_test_reorder_SOURCES = tests/unit/contrib/test_reorder.c contrib/reorder/measure.c
tests_unit_contrib_test_reorder_CPPFLAGS = $(AM_CPPFLAGS) $(MPICH_CPPFLAGS)
tests_unit_contrib_test_reorder_LDADD = contrib/reorder/libparts-mpich.la $(CMOCKA_LIBS)
endif
