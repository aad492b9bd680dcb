# What a site's installation meets: which Slurm configure builds for, and what the built files ask of it and of
# older libraries.
INSTALL_TESTS = tests/install/find-slurm.bats
TESTS += $(INSTALL_TESTS)
EXTRA_DIST += $(INSTALL_TESTS)
