# SPDX-License-Identifier: BSD-3-Clause
# Programs that show how others use the library; built and run by tests/install/library.bats.
examplesdir = $(docdir)/examples
dist_examples_DATA = lib/examples/place_ranks.c lib/examples/distances.c \
  lib/examples/CMakeLists.txt lib/examples/Makefile.pkg-config
