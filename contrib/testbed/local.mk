# SPDX-License-Identifier: BSD-3-Clause
# The testbed's MPI programs, each built for every MPI that configure found, by that MPI's own
# compiler wrapper: automake knows one compiler only, so these are plain rules.
EXTRA_DIST += contrib/testbed/testbed contrib/testbed/demo-job contrib/testbed/fabric contrib/testbed/lldp contrib/testbed/vm contrib/testbed/build-slurm \
  contrib/testbed/README.md contrib/testbed/lib/build.sh contrib/testbed/lib/cluster \
  contrib/testbed/lib/common.sh contrib/testbed/lib/hosts.awk contrib/testbed/lib/mpi.env \
  contrib/testbed/lib/netfile.awk contrib/testbed/lib/network.awk contrib/testbed/lib/network.sh \
  contrib/testbed/lib/node contrib/testbed/lib/slurm.sh \
  contrib/testbed/lib/vm-init contrib/testbed/lib/vm-slurm

testbed_dir = contrib/testbed/programs
testbed_openmpi = $(testbed_dir)/halo.openmpi $(testbed_dir)/whereami.openmpi $(testbed_dir)/kernels.openmpi
testbed_mpich = $(testbed_dir)/halo.mpich $(testbed_dir)/whereami.mpich $(testbed_dir)/kernels.mpich
testbed_mpi_abi = $(testbed_dir)/halo.mpi-abi
testbed_programs =
if HAVE_OPENMPI
testbed_programs += $(testbed_openmpi)
endif
if HAVE_MPICH
testbed_programs += $(testbed_mpich)
endif
if HAVE_MPI_ABI
testbed_programs += $(testbed_mpi_abi)
endif
noinst_DATA += $(testbed_programs)
CLEANFILES += $(testbed_openmpi) $(testbed_mpich) $(testbed_mpi_abi)

testbed_exchange = $(srcdir)/$(testbed_dir)/exchange.c $(srcdir)/$(testbed_dir)/patterns.c
testbed_halo = $(srcdir)/$(testbed_dir)/halo.c $(testbed_exchange)
testbed_kernels = $(srcdir)/$(testbed_dir)/kernels.c $(testbed_exchange)
testbed_headers = $(srcdir)/$(testbed_dir)/finish.h $(srcdir)/$(testbed_dir)/options.h $(srcdir)/$(testbed_dir)/exchange.h $(srcdir)/$(testbed_dir)/patterns.h
testbed_whereami = $(srcdir)/$(testbed_dir)/whereami.c
if HAVE_PMIX
testbed_pmix = -DHAVE_PMIX $(PMIX_CFLAGS)
endif
testbed_compile = $(MKDIR_P) $(testbed_dir) &&

contrib/testbed/programs/halo.openmpi: $(testbed_halo) $(testbed_headers)
	$(AM_V_GEN)$(testbed_compile) $(MPICC_OPENMPI) $(WARN_CFLAGS) -O2 -g $(testbed_halo) -o $@ -lm

contrib/testbed/programs/halo.mpich: $(testbed_halo) $(testbed_headers)
	$(AM_V_GEN)$(testbed_compile) $(MPICC_MPICH) $(WARN_CFLAGS) -O2 -g $(testbed_halo) -o $@ -lm

contrib/testbed/programs/halo.mpi-abi: $(testbed_halo) $(testbed_headers)
	$(AM_V_GEN)$(testbed_compile) $(CC) $(MPI_ABI_CPPFLAGS) $(WARN_CFLAGS) -O2 -g $(testbed_halo) -o $@ $(MPI_ABI_LIBS) -lm

contrib/testbed/programs/whereami.openmpi: $(testbed_whereami) $(testbed_headers)
	$(AM_V_GEN)$(testbed_compile) $(MPICC_OPENMPI) $(WARN_CFLAGS) -O2 -g $(testbed_pmix) $(testbed_whereami) \
	  -o $@ $(PMIX_LIBS)

contrib/testbed/programs/whereami.mpich: $(testbed_whereami) $(testbed_headers)
	$(AM_V_GEN)$(testbed_compile) $(MPICC_MPICH) $(WARN_CFLAGS) -O2 -g $(testbed_pmix) $(testbed_whereami) \
	  -o $@ $(PMIX_LIBS)

contrib/testbed/programs/kernels.openmpi: $(testbed_kernels) $(testbed_headers)
	$(AM_V_GEN)$(testbed_compile) $(MPICC_OPENMPI) $(WARN_CFLAGS) -O2 -g $(testbed_kernels) -o $@ -lm

contrib/testbed/programs/kernels.mpich: $(testbed_kernels) $(testbed_headers)
	$(AM_V_GEN)$(testbed_compile) $(MPICC_MPICH) $(WARN_CFLAGS) -O2 -g $(testbed_kernels) -o $@ -lm

include contrib/testbed/programs/local.mk
