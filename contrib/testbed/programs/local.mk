# SPDX-License-Identifier: BSD-3-Clause
# MPI programs for tests and benches: halo exchanges, kernels, meshes, and one that says where its ranks are.
EXTRA_DIST += \
  contrib/testbed/programs/exchange.c contrib/testbed/programs/exchange.h contrib/testbed/programs/halo.c \
  contrib/testbed/programs/whereami.c contrib/testbed/programs/finish.h contrib/testbed/programs/options.h \
  contrib/testbed/programs/kernels.c contrib/testbed/programs/patterns.c \
  contrib/testbed/programs/patterns.h
