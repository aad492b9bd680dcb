# SPDX-License-Identifier: BSD-3-Clause
# What becomes of a job where the files that topomap touches are stuck, slow, full, foreign, forged or gone, and in all
# forms of launches.
EXTRA_DIST += tests/faults/walk tests/faults/things.bash tests/faults/states.bash tests/faults/ways.bash \
  tests/faults/forms.bash tests/faults/forms.bats tests/faults/walls.bats
if !SANITIZERS
TESTS += tests/faults/forms.bats tests/faults/walls.bats
endif

if HAVE_FUSE
check_PROGRAMS += tests/faults/slow-mount
tests_faults_slow_mount_SOURCES = tests/faults/slow-mount.c
tests_faults_slow_mount_CPPFLAGS = $(AM_CPPFLAGS) $(FUSE_CFLAGS)
tests_faults_slow_mount_LDADD = $(FUSE_LIBS)
endif

# All of them; the suite has thirty. CELLS: some (tests/faults/walk --help).
check-faults: all-tests
	TOPOMAP_BUILD='$(abs_top_builddir)' $(srcdir)/tests/faults/walk $(CELLS)
.PHONY: check-faults
