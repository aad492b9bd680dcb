# Programs under a real MPI; they are compiled by the tests, with each MPI's own wrappers.
EXTRA_DIST += tests/mpi/traffic.c tests/mpi/ring.f90.in
dist_check_SCRIPTS += tests/mpi/profile.bats tests/mpi/measure.bats
TESTS += tests/mpi/profile.bats tests/mpi/measure.bats

# The messages of collectives, with answers of MPI that the test makes: only its header is needed.
if HAVE_MPICH
TESTS += tests/unit/test_profile
CLEANFILES += tests/unit/test_profile
check_DATA = tests/unit/test_profile
endif
EXTRA_DIST += tests/unit/test_profile.c
test_profile_inputs = $(srcdir)/tests/unit/test_profile.c $(srcdir)/contrib/profile/collectives.c
tests/unit/test_profile: $(test_profile_inputs) $(srcdir)/contrib/profile/profile.h
	$(AM_V_GEN)$(MKDIR_P) tests/unit && $(MPICC_MPICH) -std=c11 $(WARN_CFLAGS) $(SAN_CFLAGS) -g -I$(srcdir) \
	  $(test_profile_inputs) -o $@ $(CMOCKA_LIBS)
