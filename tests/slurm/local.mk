# Tests on a real Slurm, which contrib/testbed/testbed starts; they need root and skip without.
check_PROGRAMS += tests/slurm/fake-planner
tests_slurm_fake_planner_SOURCES = tests/slurm/fake-planner.c
tests_slurm_fake_planner_LDADD = lib/plan/libthin.la
EXTRA_DIST += tests/slurm/plugin.bats
TESTS += tests/slurm/plugin.bats
EXTRA_DIST += tests/slurm/plugin-vm.bats
