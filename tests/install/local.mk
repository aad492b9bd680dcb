# SPDX-License-Identifier: BSD-3-Clause
# What a site's installation meets: which Slurm configure builds for, and what the built files ask of it and of
# older libraries.
INSTALL_TESTS = tests/install/library.bats tests/install/python.bats tests/install/find-slurm.bats tests/install/symbols.bats tests/install/hardening.bats
TESTS += tests/install/find-slurm.bats
if !SANITIZERS
TESTS += tests/install/python.bats
endif
# AddressSanitizer's runtime stands between the files and libc, and has names of its own.
if !SANITIZERS
TESTS += tests/install/symbols.bats tests/install/library.bats
if HARDENED
TESTS += tests/install/hardening.bats
endif
endif
SYMBOL_TABLES = tests/data/symbols/glibc-2.28 tests/data/symbols/hwloc-2.2 tests/data/symbols/jansson-2.11 \
  tests/data/symbols/pmix-2.2 tests/data/symbols/sqlite-3.26 tests/data/symbols/slurm/22.05 \
  tests/data/symbols/slurm/23.02 tests/data/symbols/slurm/23.11 tests/data/symbols/slurm/24.05 \
  tests/data/symbols/slurm/24.11 tests/data/symbols/slurm/25.05 tests/data/symbols/slurm/25.11 \
  tests/data/symbols/slurm/26.05
# The public headers as they were released: what others were built by.
EXTRA_DIST += tests/install/interface.awk tests/data/abi/topomap/db.h \
  tests/data/abi/topomap/hosts.h tests/data/abi/topomap/plan.h tests/data/abi/topomap/time.h tests/data/abi/topomap/topomap.h
EXTRA_DIST += $(INSTALL_TESTS) tests/install/symbol-names $(SYMBOL_TABLES)
