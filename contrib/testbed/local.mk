# The testbed's MPI programs, each built for every MPI that configure found, by that MPI's own
# compiler wrapper: automake knows one compiler only, so these are plain rules.
EXTRA_DIST += contrib/testbed/testbed contrib/testbed/demo-job contrib/testbed/fabric contrib/testbed/vm \
  contrib/testbed/README.md contrib/testbed/lib/build.sh contrib/testbed/lib/cluster \
  contrib/testbed/lib/common.sh contrib/testbed/lib/hosts.awk contrib/testbed/lib/mpi.env \
  contrib/testbed/lib/netfile.awk contrib/testbed/lib/node contrib/testbed/lib/slurm.sh \
  contrib/testbed/lib/vm-init contrib/testbed/lib/vm-slurm \
  contrib/testbed/programs/grid.c contrib/testbed/programs/grid.h \
  contrib/testbed/programs/halo.c contrib/testbed/programs/whereami.c

testbed_openmpi = contrib/testbed/programs/halo.openmpi contrib/testbed/programs/whereami.openmpi
testbed_mpich = contrib/testbed/programs/halo.mpich contrib/testbed/programs/whereami.mpich
testbed_programs =
if HAVE_OPENMPI
testbed_programs += $(testbed_openmpi)
endif
if HAVE_MPICH
testbed_programs += $(testbed_mpich)
endif
noinst_DATA += $(testbed_programs)
CLEANFILES += $(testbed_openmpi) $(testbed_mpich)

testbed_dir = contrib/testbed/programs
testbed_halo = $(srcdir)/$(testbed_dir)/halo.c $(srcdir)/$(testbed_dir)/grid.c
testbed_whereami = $(srcdir)/$(testbed_dir)/whereami.c
if HAVE_PMIX
testbed_pmix = -DHAVE_PMIX $(PMIX_CFLAGS)
endif
testbed_compile = $(MKDIR_P) $(testbed_dir) &&

contrib/testbed/programs/halo.openmpi: $(testbed_halo) $(srcdir)/$(testbed_dir)/grid.h
	$(AM_V_GEN)$(testbed_compile) $(MPICC_OPENMPI) $(WARN_CFLAGS) -O2 -g $(testbed_halo) -o $@

contrib/testbed/programs/halo.mpich: $(testbed_halo) $(srcdir)/$(testbed_dir)/grid.h
	$(AM_V_GEN)$(testbed_compile) $(MPICC_MPICH) $(WARN_CFLAGS) -O2 -g $(testbed_halo) -o $@

contrib/testbed/programs/whereami.openmpi: $(testbed_whereami)
	$(AM_V_GEN)$(testbed_compile) $(MPICC_OPENMPI) $(WARN_CFLAGS) -O2 -g $(testbed_pmix) $(testbed_whereami) \
	  -o $@ $(PMIX_LIBS)

contrib/testbed/programs/whereami.mpich: $(testbed_whereami)
	$(AM_V_GEN)$(testbed_compile) $(MPICC_MPICH) $(WARN_CFLAGS) -O2 -g $(testbed_pmix) $(testbed_whereami) \
	  -o $@ $(PMIX_LIBS)
