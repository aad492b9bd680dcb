# SPDX-License-Identifier: BSD-3-Clause
# The profiler that NCCL loads: who sends how much to whom by its calls.
#
# It is made whether an MPI is there or not, and needs neither NCCL nor CUDA. nodelete: NCCL closes it with the last
# communicator, and what was seen leaves it when the process ends.
EXTRA_DIST += $(nccl_own) contrib/profile/nccl/interface.h contrib/profile/nccl/traffic.h

nccl_own = contrib/profile/nccl/plugin.c contrib/profile/nccl/traffic.c
nccl_inputs = $(nccl_own:%=$(srcdir)/%) $(srcdir)/contrib/profile/memory.c $(srcdir)/contrib/profile/profile_file.c \
  $(srcdir)/contrib/profile/table.c $(srcdir)/lib/graph/formats/training/nccl_calls.c $(profile_lib:%=$(srcdir)/%)
profile_nccl = contrib/profile/libtopomap-profile-nccl.so
profilelib_DATA += $(profile_nccl)
CLEANFILES += $(profile_nccl)

contrib/profile/libtopomap-profile-nccl.so: $(nccl_inputs) $(srcdir)/contrib/profile/part.h $(srcdir)/contrib/profile/table.h \
  $(srcdir)/contrib/profile/nccl/interface.h $(srcdir)/contrib/profile/nccl/traffic.h
	$(AM_V_GEN)$(MKDIR_P) contrib/profile && $(CC) -std=gnu11 $(HARDEN_CPPFLAGS) $(WARN_CFLAGS) $(HARDEN_CFLAGS) $(HARDEN_LDFLAGS) -O2 -g -fPIC \
	  -fvisibility=hidden -pthread -shared -Wl,--no-undefined -Wl,--as-needed -Wl,-z,nodelete \
	  -I$(srcdir) -I$(srcdir)/lib -I$(srcdir)/lib/include -I. $(XXHASH_CFLAGS) $(nccl_inputs) $(LIBS) -o $@

# A program that calls it as NCCL does.
check_PROGRAMS += tests/unit/contrib/nccl-host
tests_unit_contrib_nccl_host_SOURCES = tests/unit/contrib/nccl_host.c
