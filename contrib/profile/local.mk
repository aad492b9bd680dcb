# SPDX-License-Identifier: BSD-3-Clause
# The MPI profiler, for each MPI that configure found: a library made by that MPI's own compiler
# wrapper: automake knows one compiler only, so these are plain rules. The few parts of libtopomap
# that write a graph are compiled in, without what the library needs besides libc.
EXTRA_DIST += contrib/profile/README.md contrib/profile/calls.table contrib/profile/wrappers.awk \
  $(profile_own) contrib/profile/profile.h contrib/profile/part.h contrib/profile/table.h contrib/profile/group.h \
  contrib/profile/rules.h contrib/profile/timing.h contrib/profile/fortran.h contrib/profile/neighbors.h

profile_dir = contrib/profile
profile_own = contrib/profile/record.c contrib/profile/phases.c contrib/profile/requests.c contrib/profile/capture.c contrib/profile/table.c \
  contrib/profile/messages.c contrib/profile/datatypes.c contrib/profile/collectives.c contrib/profile/group.c contrib/profile/rules.c \
  contrib/profile/session.c contrib/profile/library_of.c contrib/profile/call_sites.c contrib/profile/dlsym.c contrib/profile/sanitizer.c contrib/profile/timing.c contrib/profile/memory.c contrib/profile/part_folder.c contrib/profile/profile_file.c
profile_lib = lib/graph/core.c lib/graph/build.c lib/graph/formats/tmg_write.c lib/graph/formats/parts.c lib/graph/formats/part_phases.c lib/graph/formats/part_comms.c \
  lib/graph/formats/part_seal.c   lib/graph/formats/part_memory.c lib/util/alloc.c lib/util/clock.c lib/util/error.c lib/util/full_io.c lib/util/safe_text.c
profile_made = contrib/profile/calls.c contrib/profile/calls_fortran.c
profile_all = $(MPIS:%=contrib/profile/libtopomap-profile-%.so)
profilelibdir = $(pkglibdir)
profilelib_DATA = $(profile_all)
CLEANFILES += $(profile_all) $(profile_made) contrib/profile/weak.h

contrib/profile/calls.c: $(srcdir)/$(profile_dir)/calls.table $(srcdir)/$(profile_dir)/wrappers.awk
	$(AM_V_GEN)$(MKDIR_P) $(profile_dir) && \
	  $(AWK) -f $(srcdir)/$(profile_dir)/wrappers.awk $(srcdir)/$(profile_dir)/calls.table >$@.new && mv $@.new $@

contrib/profile/calls_fortran.c: $(srcdir)/$(profile_dir)/calls.table $(srcdir)/$(profile_dir)/wrappers.awk
	$(AM_V_GEN)$(MKDIR_P) $(profile_dir) && \
	  $(AWK) -v fortran=1 -f $(srcdir)/$(profile_dir)/wrappers.awk $(srcdir)/$(profile_dir)/calls.table >$@.new && \
	  mv $@.new $@

# Every name of MPI's is weak; the wrappers' own Fortran ones say so themselves.
contrib/profile/weak.h: $(profile_made) $(profile_own:%=$(srcdir)/%) $(srcdir)/$(profile_dir)/neighbors.h
	$(AM_V_GEN)$(SED) -n 's/[^A-Za-z0-9_]/\
	/g; p' $(profile_made) $(profile_own:%=$(srcdir)/%) $(srcdir)/$(profile_dir)/neighbors.h | $(SED) -n 's/^PMPI_[A-Za-z0-9_]*$$/#pragma weak &/p' | \
	  LC_ALL=C sort -u >$@.new && mv $@.new $@

profile_inputs = $(profile_own:%=$(srcdir)/%) $(profile_lib:%=$(srcdir)/%) $(profile_made)
profile_needs = $(profile_inputs) contrib/profile/weak.h $(srcdir)/$(profile_dir)/profile.h $(srcdir)/$(profile_dir)/part.h \
  $(srcdir)/$(profile_dir)/table.h $(srcdir)/$(profile_dir)/group.h $(srcdir)/$(profile_dir)/rules.h \
  $(srcdir)/$(profile_dir)/fortran.h $(srcdir)/$(profile_dir)/neighbors.h $(srcdir)/$(profile_dir)/timing.h
# nodelete: MPI keeps pointers into it until the process ends. lazy: MPI's names may come later than the profiler
# does, with a library that the program opens itself.
profile_flags = -std=gnu11 $(HARDEN_CPPFLAGS) $(WARN_CFLAGS) $(HARDEN_CFLAGS) $(HARDEN_LDFLAGS) -O2 -g -fPIC -fvisibility=hidden -pthread -shared \
  -Wl,--no-undefined -Wl,--as-needed -Wl,-z,nodelete -Wl,-z,lazy -include contrib/profile/weak.h \
  -I$(srcdir)/$(profile_dir) -I$(srcdir)/lib -I$(srcdir)/lib/include -I. $(XXHASH_CFLAGS) $(profile_inputs) $(LIBS)

# What an MPI has of MPI 4.0 is asked for by name. PROFILE_SONAME: the end of its library's soname, by
# which the profiler knows a program of another MPI.
profile_probe = printf '%s\n' '\#include <mpi.h>' 'void *a[] = {MPI_Psend_init, MPI_Isendrecv, MPI_Allreduce_init};'
profile_four = `$(profile_probe) | $$mpicc -w -x c -fsyntax-only - 2>/dev/null && echo -DPROFILE_MPI_4`

# For each MPI: its compiler, its own compiler flags, and the sources that it omits.
mpicc_openmpi = $(MPICC_OPENMPI)
mpicc_mpich = $(MPICC_MPICH)
mpicc_abi = $(CC) $(MPI_ABI_CPPFLAGS)
profile_words_openmpi = -DPROFILE_SONAME='"$(OPENMPI_SONAME)"'
profile_words_mpich = -DPROFILE_SONAME='"$(MPICH_SONAME)"'
profile_words_abi = -DPROFILE_MPI_ABI -DPROFILE_SONAME='"1"'
profile_without_abi = %/calls_fortran.c

$(profile_all): contrib/profile/libtopomap-profile-%.so: $(profile_needs)
	$(AM_V_GEN)mpicc='$(mpicc_$(*:mpi-%=%))'; $$mpicc $(profile_four) $(profile_words_$(*:mpi-%=%)) \
	  $(filter-out $(profile_without_$(*:mpi-%=%)),$(profile_flags)) -o $@
